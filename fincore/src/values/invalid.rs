//! Faults of a call's input, and what was wanted instead, as values. `Display` is the English of the API.
use std::fmt;

use chrono::NaiveDate;

use crate::values::{
    CalculationFault, ExportFault, LinkFault, SeriesFault, TransformationFault, WebhookFault,
};

/// A fault of a call's input.
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
        /// The expected value.
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

    /// The day is after today.
    #[error("{day} is after today ({today}); what will be known then is not known yet")]
    AsOfFuture {
        /// The day.
        day: NaiveDate,
        /// Today.
        today: NaiveDate,
    },

    /// A period in which these figures do not exist.
    #[error("there are no such figures by {period}; choose {fitting}")]
    StatementPeriod {
        /// The period.
        period: &'static str,
        /// Those that fit.
        fitting: &'static str,
    },

    /// The history of this copy starts later.
    #[error(
        "what was known on {day} was not noted; this copy {}",
        .since.map_or("has imported nothing yet".to_owned(), |since| format!("knows its past since {since}"))
    )]
    AsOfBeforeFirstImport {
        /// The day.
        day: NaiveDate,
        /// The first day of which it can be told; `None` before the first import.
        since: Option<NaiveDate>,
    },

    /// Two views of the past at once.
    #[error("first values have no as_of; ask for one of both")]
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
        /// Why the series cannot be used.
        fault: SeriesFault,
    },

    /// Something cannot be calculated.
    #[error("{0}")]
    Calculation(CalculationFault),

    /// Observations cannot be transformed so.
    #[error("{0}")]
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

    /// Files with the names of those to be written exist already.
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
    /// The field of the query at fault, where a call checks one after all of them were read.
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
    /// The text may be a whole key.
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

/// The kind of value that was wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// A [`Date`](crate::values::date::Date).
    Date,
    /// A [`Decimal`](crate::values::decimal::Decimal).
    Number {
        /// The mark before its decimals.
        mark: char,
    },
    /// A [`Limit`](crate::values::page::Limit) or an [`Offset`](crate::values::page::Offset).
    WholeNumber {
        /// The smallest.
        from: u64,
        /// The largest.
        to: u64,
    },
    /// A [`Cnpj`](crate::values::identifier::Cnpj).
    Cnpj,
    /// A [`CvmCode`](crate::values::identifier::CvmCode).
    CvmCode,
    /// A [`CompanyId`](crate::values::identifier::CompanyId).
    CompanyId,
    /// A [`CompanyRef`](crate::values::identifier::CompanyRef).
    Company,
    /// A company that the catalogue has.
    KnownCompany,
    /// A [`FilingId`](crate::values::ids::FilingId).
    FilingId,
    /// A [`SeriesId`](crate::values::ids::SeriesId).
    Series,
    /// A series that the catalogue has.
    KnownSeries,
    /// [`SeriesIds`](crate::market::compare::SeriesIds), of which there are too many.
    FewerSeries {
        /// The most series.
        most: usize,
        /// The number of series that were given.
        given: usize,
    },
    /// A [`Currency`](crate::values::ids::Currency).
    Currency,
    /// A [`Pair`](crate::values::ids::Pair) of currencies.
    CurrencyPair,
    /// [`Words`](crate::values::words::Words), of which there is none.
    Words,
    /// [`Words`](crate::values::words::Words), of which there are too many.
    FewerWords {
        /// The most words.
        most: usize,
        /// The number of words that were given.
        given: usize,
    },
    /// [`Words`](crate::values::words::Words) in fewer characters.
    ShorterText {
        /// The most characters.
        most: usize,
    },
    /// The [`Order`](crate::filings::queries::Order) of a search.
    Order,
    /// An [`Amount`](crate::calc::parameters::Amount).
    Amount,
    /// An [`Amount`](crate::calc::parameters::Amount) that does not mean something else in another language.
    AmountWithOneReading {
        /// The number if the mark separates decimals.
        decimals: String,
        /// The number if the mark separates thousands.
        thousands: String,
    },
    /// The months that count: [`Months`](crate::calc::parameters::Months).
    Months,
    /// A [`Percent`](crate::calc::parameters::Percent).
    Percent,
    /// A [`Spread`](crate::calc::parameters::Spread).
    Spread,
    /// A [`QuotedRate`](crate::calc::parameters::QuotedRate).
    QuotedRate,
    /// The [`Convention`](crate::calc::parameters::Convention) of a rate.
    Convention,
    /// A spread that leaves something.
    SpreadAboveMinus100,
    /// `true` or `false`.
    TrueOrFalse,
    /// The [`Side`](crate::market::series_definitions::Side) of a quote.
    Side,
    /// A [`Frequency`](crate::market::transform::parameters::Frequency).
    Frequency,
    /// An [`Aggregate`](crate::market::transform::parameters::Aggregate).
    Aggregate,
    /// [`Units`](crate::market::transform::parameters::Units).
    Units,
    /// [`Only`](crate::market::transform::parameters::Only) some rows.
    Changes,
    /// A [`StatementKind`](crate::statements::account::StatementKind).
    StatementKind,
    /// A [`Period`](crate::statements::account::Period) of statements.
    Period,
    /// The [`Scope`](crate::statements::account::Scope) of statements.
    Scope,
    /// The [`Layout`](crate::statements::Layout) of statements.
    Layout,
    /// [`Metrics`](crate::statements::screen::Metrics), separated by commas.
    Metrics,
    /// The [`MetricOrder`](crate::statements::screen::MetricOrder) of a list of companies.
    MetricOrder,
    /// A calendar year.
    Year,
    /// A [`Plan`](crate::Plan).
    Plan,
    /// The [`Name`](crate::values::caller::Name) of the holder of a key.
    Name {
        /// The most characters.
        most: usize,
    },
    /// An [`Email`](crate::values::caller::Email).
    Email {
        /// The most characters.
        most: usize,
    },
    /// A [`KeyPrefix`](crate::values::key::KeyPrefix).
    KeyPrefix,
    /// A [`LinkId`](crate::values::link::LinkId).
    LinkId,
    /// A [`LinkPath`](crate::values::link::LinkPath).
    LinkPath {
        /// The most characters.
        most: usize,
    },
    /// A [`Cursor`](crate::events::Cursor) of events.
    Cursor,
    /// An [`EventType`](crate::events::EventType).
    EventType {
        /// All event types.
        known: Vec<&'static str>,
    },
    /// The category of a filing.
    Category {
        /// The most characters.
        most: usize,
    },
    /// A [`WebhookId`](crate::webhooks::WebhookId).
    WebhookId,
    /// A [`DeliveryId`](crate::webhooks::DeliveryId).
    DeliveryId,
    /// The address of a webhook that is called over HTTPS.
    HttpsAddress,
    /// The address of a webhook that may also be called over HTTP.
    HttpAddress,
    /// The address of a webhook without a fragment.
    AddressWithoutFragment,
    /// An address that is reached over the internet.
    PublicAddress,
    /// The header that says when a call was signed.
    WebhookTimestamp,
    /// The value wanted in a file that is imported. Only the operator who imports it sees this.
    InFile(String),
}

impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Wanted::Date => "a date (YYYY-MM-DD)",
            Wanted::Number { mark } => return write!(f, "a number like 1{mark}25"),
            Wanted::WholeNumber { from, to } => {
                return write!(f, "a whole number from {from} to {to}");
            }
            Wanted::Cnpj => "a CNPJ (33.000.167/0001-01; punctuation is optional)",
            Wanted::CvmCode => "a CVM code (1 to 6 digits)",
            Wanted::CompanyId => "the id of a company (a CVM code of 1 to 6 digits, or a CNPJ)",
            Wanted::Company => "a company (a CVM code, a CNPJ or a ticker)",
            Wanted::KnownCompany => "a company that is known here (by CVM code, CNPJ or ticker)",
            Wanted::FilingId => "the id of a filing (a protocol number, or one like dfp-144874)",
            Wanted::Series => "a series (its number in SGS, or a name such as igp-m)",
            Wanted::KnownSeries => {
                "a series that is known here (by its number in SGS, or a name such as igp-m)"
            }
            Wanted::FewerSeries { most, given } => {
                return write!(f, "a list of at most {most} series (it has {given})");
            }
            Wanted::Currency => "a currency (three letters, such as USD)",
            Wanted::CurrencyPair => "a currency pair (EUR/BRL, EURBRL or eur-brl)",
            Wanted::Words => "a text with at least one letter or digit",
            Wanted::FewerWords { most, given } => {
                return write!(f, "a text of at most {most} words (it has {given})");
            }
            Wanted::ShorterText { most } => {
                return write!(f, "a text of at most {most} characters");
            }
            Wanted::Order => "an order (newest or relevance)",
            Wanted::Amount => "an amount (such as 1000.50, at most 18 digits)",
            Wanted::AmountWithOneReading { decimals, thousands } => {
                return write!(
                    f,
                    "an amount that everyone reads alike ({decimals} with a decimal mark, {thousands} with a thousands mark: write the one that you mean)"
                );
            }
            Wanted::Months => "a way to count months (inclusive or contract)",
            Wanted::Percent => "a percentage of the index (more than 0, at most 1000)",
            Wanted::Spread => "a spread in percent per year (more than -100, at most 1000)",
            Wanted::QuotedRate => "a rate in percent (more than -100, at most 1000000)",
            Wanted::Convention => "a period of rates (day, month, year252, year360 or year365)",
            Wanted::SpreadAboveMinus100 => "a spread above -100",
            Wanted::TrueOrFalse => "true or false",
            Wanted::Side => "a side (buy or sell)",
            Wanted::Frequency => "a frequency (week, month, quarter or year)",
            Wanted::Aggregate => "an aggregate (mean, first, last, min, max, sum or compound)",
            Wanted::Units => {
                "units (value, change, percent_change, year_ago, percent_year_ago, accumulated_12m or index)"
            }
            Wanted::Changes => "a choice of rows (changes)",
            Wanted::StatementKind => {
                "a statement (balance-sheet, income, comprehensive-income, cash-flow, value-added or equity-changes)"
            }
            Wanted::Period => "a period (annual, quarter, ytd or ttm)",
            Wanted::Scope => "a scope (consolidated or individual)",
            Wanted::Layout => "a layout (long or wide)",
            Wanted::Metrics => "a list of metrics (revenue, ebit, net_income, …, separated by commas)",
            Wanted::MetricOrder => "an order (name or a metric; a minus sign before a metric for the largest first)",
            Wanted::Year => "a year (YYYY)",
            Wanted::Plan => "a plan (free, bronze, gold or platinum)",
            Wanted::Name { most } => {
                return write!(f, "a name (1 to {most} visible characters, no control characters)");
            }
            Wanted::Email { most } => {
                return write!(
                    f,
                    "an e-mail address (somebody@example.com, at most {most} characters)"
                );
            }
            Wanted::KeyPrefix => "the prefix of a key (fin_ and 1 to 8 letters or digits)",
            Wanted::LinkId => "the id of a link (lnk_ and 22 letters and digits)",
            Wanted::LinkPath { most } => {
                return write!(
                    f,
                    "a path of the API with its parameters (/api/v1/market/selic?limit=10, escaped as in an address, at most {most} characters)"
                );
            }
            Wanted::Cursor => "a cursor as an earlier answer gave it",
            Wanted::EventType { known } => {
                return write!(f, "a type of event ({})", known.join(", "));
            }
            Wanted::Category { most } => {
                return write!(f, "a category (1 to {most} characters)");
            }
            Wanted::WebhookId => "the id of a webhook (wh_ and 22 letters and digits)",
            Wanted::DeliveryId => "the id of a delivery (dlv_ and a number)",
            Wanted::HttpsAddress => "the address of a webhook (https://…)",
            Wanted::HttpAddress => "the address of a webhook (https://… or http://…)",
            Wanted::AddressWithoutFragment => "the address of a webhook, which has no part after #",
            Wanted::PublicAddress => "a public address; webhooks call no other",
            Wanted::WebhookTimestamp => "a webhook-timestamp (seconds since 1970)",
            Wanted::InFile(what) => what,
        })
    }
}
