//! The shares of a company, as its forms count them.

/// The number of shares in a form. Forms do not say whether they count in units or in thousands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Capital {
    pub(crate) common: u64,
    pub(crate) preferred: u64,
    pub(crate) total: u64,
    pub(crate) treasury_common: u64,
    pub(crate) treasury_preferred: u64,
    pub(crate) treasury_total: u64,
}

impl Capital {
    /// The counts in the order of their columns.
    #[cfg(any(feature = "bundle", feature = "import"))]
    pub(crate) fn counts(self) -> [i64; 6] {
        [
            self.common,
            self.preferred,
            self.total,
            self.treasury_common,
            self.treasury_preferred,
            self.treasury_total,
        ]
        .map(|count| i64::try_from(count).unwrap_or(i64::MAX))
    }

    /// The inverse of `counts`.
    #[cfg(feature = "bundle")]
    pub(crate) fn of_counts(counts: [u64; 6]) -> Capital {
        let [common, preferred, total, treasury_common, treasury_preferred, treasury_total] =
            counts;
        Capital { common, preferred, total, treasury_common, treasury_preferred, treasury_total }
    }
}
