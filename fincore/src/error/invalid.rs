//! What is wrong with the input of a call, as values. `Display` is the English of the API.
use chrono::NaiveDate;

use super::{
    calculation::{CalculationFault, SeriesFault},
    export::ExportFault,
    link::LinkFault,
    transformation::TransformationFault,
    wanted::Wanted,
    webhook::WebhookFault,
};

/// What is wrong with the input of a call.
///
/// `Display` makes the English sentence that the API answers with. Programs that speak another language, or point to the
/// field of a form, match on the values; the enum is exhaustive on purpose, so that a new variant is not overlooked.
///
/// Days are those of `chrono`, because the types of this library fail with this error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Invalid {
    /// A text is not what it should be.
    #[error("{given:?} is not {wanted}")]
    Value {
        /// The text, truncated.
        given: String,
        /// What it should be.
        wanted: Wanted,
    },

    /// A text that may hold a secret is not what it should be. It is not repeated.
    #[error("{0}")]
    Secret(SecretKind),

    /// The first day of a period is after the last one.
    #[error("\"from\" ({from}) is after \"to\" ({to}); it must be the same day or earlier")]
    Period {
        /// The first day.
        from: NaiveDate,
        /// The last day.
        to: NaiveDate,
    },

    /// A period is longer than a list may be.
    #[error("from {from} to {to} is too long; a list covers at most {most_years} years")]
    LongPeriod {
        /// The first day.
        from: NaiveDate,
        /// The last day.
        to: NaiveDate,
        /// The most years between them.
        most_years: u16,
    },

    /// What will be known is not known yet.
    #[error(
        "parameter \"as_of\": {day} is after today ({today}); what will be known then is not known yet"
    )]
    AsOfFuture {
        /// The day.
        day: NaiveDate,
        /// Today.
        today: NaiveDate,
    },

    /// A period in which these figures do not exist.
    #[error("parameter \"period\": there are no such figures by {period}; choose {fitting}")]
    StatementPeriod {
        /// The period.
        period: &'static str,
        /// Those that fit.
        fitting: &'static str,
    },

    /// What was known on a day cannot be told.
    #[error(
        "parameter \"as_of\": what was known on {day} was not noted; this copy {}",
        .since.map_or("has imported nothing yet".to_owned(), |since| format!("knows its past since {since}"))
    )]
    AsOfBeforeFirstImport {
        /// The day.
        day: NaiveDate,
        /// The first day of which it can be told; `None` before the first import.
        since: Option<NaiveDate>,
    },

    /// Two views of the past at once.
    #[error("parameter \"first_release\": first values have no as_of; ask for one of both")]
    FirstReleaseAsOf,

    /// A search would take too long.
    #[error(
        "the search is too broad: use fewer or longer words, or narrow it with company, category, type, from or to"
    )]
    SearchTooBroad,

    /// The events after a cursor are not stored any more, or the cursor belongs to other data.
    #[error("the events after this cursor are no longer known; start again without since")]
    ExpiredCursor,

    /// Several series are asked for, and two of them are one.
    #[error("{one:?} and {other:?} are the same series; name each series once")]
    SameSeries {
        /// One name or number of it.
        one: String,
        /// The other.
        other: String,
    },

    /// A series lacks what a calculation needs.
    #[error("series {series}: {fault}")]
    Series {
        /// The short name of the series, or its number.
        series: String,
        /// What it lacks.
        fault: SeriesFault,
    },

    /// Something cannot be calculated.
    #[error("{}{_0}", .0.parameter().map(|name| format!("parameter {name:?}: ")).unwrap_or_default())]
    Calculation(CalculationFault),

    /// Observations cannot be transformed so.
    #[error("parameter {:?}: {_0}", .0.parameter())]
    Transformation(TransformationFault),

    /// An export cannot begin.
    #[error("{0}")]
    Export(ExportFault),

    /// A subscription, or a call that was received, is wrong.
    #[error("{0}")]
    Webhook(WebhookFault),

    /// A link cannot be made.
    #[error("{0}")]
    Link(LinkFault),

    /// Files are in the way of those that would be written.
    #[error("{} would be overwritten", .files.join(" and "))]
    WouldOverwrite {
        /// The paths of the files.
        files: Vec<String>,
    },

    /// An operation of the program's operator is refused: a backup, a copy, an import, the change of a key. No request
    /// over HTTP meets this, so that no page has words for it.
    #[error("{0}")]
    Operation(String),
}

impl From<CalculationFault> for Invalid {
    fn from(fault: CalculationFault) -> Invalid {
        Invalid::Calculation(fault)
    }
}

impl Invalid {
    /// The parameter at fault, where a call checks one after all of them were read.
    #[must_use]
    pub fn parameter(&self) -> Option<&'static str> {
        match self {
            Invalid::Calculation(fault) => fault.parameter(),
            Invalid::Transformation(fault) => Some(fault.parameter()),
            Invalid::AsOfFuture { .. } | Invalid::AsOfBeforeFirstImport { .. } => Some("as_of"),
            Invalid::FirstReleaseAsOf => Some("first_release"),
            Invalid::StatementPeriod { .. } => Some("period"),
            Invalid::Value { .. }
            | Invalid::Secret(_)
            | Invalid::Period { .. }
            | Invalid::LongPeriod { .. }
            | Invalid::SearchTooBroad
            | Invalid::ExpiredCursor
            | Invalid::SameSeries { .. }
            | Invalid::Series { .. }
            | Invalid::Export(_)
            | Invalid::Webhook(_)
            | Invalid::Link(_)
            | Invalid::WouldOverwrite { .. }
            | Invalid::Operation(_) => None,
        }
    }
}

/// A text that is not repeated, because it may be a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SecretKind {
    /// What is too long for a prefix may be a whole key.
    #[error("too long for {}", Wanted::KeyPrefix)]
    LongKeyPrefix,
    /// A name or an e-mail address has a key in it.
    #[error("this looks like a key: a key is a secret, and stands in no name or e-mail address")]
    KeyInContact,
    /// The path of a link has a key or a token in it.
    #[error(
        "this has a key or a token in it: it is a secret, and a link is bound to a path without it"
    )]
    KeyInLink,
    /// A link token is malformed.
    #[error("this is not a link token (finl_ and 38 letters and digits)")]
    LinkToken,
    /// A session token is malformed.
    #[error("this is not a session (fis_ and 32 letters and digits)")]
    SessionToken,
    /// The secret of a webhook is malformed.
    #[error("this is not the secret of a webhook (whsec_ and Base64)")]
    WebhookSecret,
}
