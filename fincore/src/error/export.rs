//! Why an export is refused, as values.

/// Why an export cannot begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExportFault {
    /// Changes since a version are asked for, and days too.
    #[error("since covers changes on every day: from and to cannot be combined with it")]
    SinceWithDays,

    /// Days are asked of a dataset that has none.
    #[error("companies are not dated: from and to do not apply")]
    Undated,

    /// Changes are asked of the past.
    #[error("since tells what changed up to now: as_of cannot be combined with it")]
    SinceInThePast,

    /// The past of a dataset that is not kept.
    #[error("filings are not kept as they were: as_of applies to series, fx and companies")]
    NoPast,

    /// A transformation is asked of changes.
    #[error(
        "since tells which rows changed: frequency, units and the like cannot be combined with it"
    )]
    SinceTransformed,

    /// A transformation is asked of something else than one series.
    #[error(
        "frequency, units and the like transform one series: name it by name or number, such as ipca, selic-daily or usd-sell"
    )]
    NotOneSeries,

    /// The version is newer than the data.
    #[error("there is no data version {version} yet: the newest one is {newest}")]
    FutureVersion {
        /// The version that is asked for.
        version: u64,
        /// The newest version.
        newest: u64,
    },

    /// The change log begins after the version.
    #[error(
        "the change log starts after data version {first}: it cannot tell what changed after {version}"
    )]
    ForgottenVersion {
        /// The version that is asked for.
        version: u64,
        /// The first version that the log knows the changes after.
        first: u64,
    },
}
