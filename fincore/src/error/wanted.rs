//! What a text should be, as values. `Display` is the English of the API, after `"abc" is not`.
use std::fmt;

/// What a text should be, but is not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// A [`Date`](crate::Date).
    Date,
    /// A [`Decimal`](crate::Decimal).
    Number {
        /// The mark before its decimals.
        mark: char,
    },
    /// A [`Limit`](crate::Limit) or an [`Offset`](crate::Offset).
    WholeNumber {
        /// The smallest.
        from: u64,
        /// The largest.
        to: u64,
    },
    /// A [`Cnpj`](crate::Cnpj).
    Cnpj,
    /// A [`CvmCode`](crate::CvmCode).
    CvmCode,
    /// A [`CompanyId`](crate::CompanyId).
    CompanyId,
    /// A [`CompanyRef`](crate::CompanyRef).
    Company,
    /// A company that the catalogue has.
    KnownCompany,
    /// A [`FilingId`](crate::FilingId).
    FilingId,
    /// A [`SeriesId`](crate::SeriesId).
    Series,
    /// A series that the catalogue has.
    KnownSeries,
    /// [`SeriesIds`](crate::market::SeriesIds), of which there are too many.
    FewerSeries {
        /// The most series.
        most: usize,
        /// The number of series that were given.
        given: usize,
    },
    /// A [`Currency`](crate::Currency).
    Currency,
    /// A [`Pair`](crate::Pair) of currencies.
    CurrencyPair,
    /// [`Words`](crate::Words), of which there is none.
    Words,
    /// [`Words`](crate::Words), of which there are too many.
    FewerWords {
        /// The most words.
        most: usize,
        /// The number of words that were given.
        given: usize,
    },
    /// [`Words`](crate::Words) in fewer characters.
    ShorterText {
        /// The most characters.
        most: usize,
    },
    /// The [`Order`](crate::filings::Order) of a search.
    Order,
    /// An [`Amount`](crate::calc::Amount).
    Amount,
    /// An [`Amount`](crate::calc::Amount) that does not mean something else in another language.
    AmountWithOneReading {
        /// What it is if the mark is before decimals.
        decimals: String,
        /// What it is if the mark is between thousands.
        thousands: String,
    },
    /// Which [`Months`](crate::calc::Months) count.
    Months,
    /// A [`Percent`](crate::calc::Percent).
    Percent,
    /// A [`Spread`](crate::calc::Spread).
    Spread,
    /// A [`QuotedRate`](crate::calc::QuotedRate).
    QuotedRate,
    /// The [`Convention`](crate::calc::Convention) of a rate.
    Convention,
    /// A spread that leaves something.
    SpreadAboveMinus100,
    /// `true` or `false`.
    TrueOrFalse,
    /// The [`Side`](crate::calc::Side) of a quote.
    Side,
    /// A [`Frequency`](crate::market::transform::Frequency).
    Frequency,
    /// An [`Aggregate`](crate::market::transform::Aggregate).
    Aggregate,
    /// [`Units`](crate::market::transform::Units).
    Units,
    /// [`Only`](crate::market::transform::Only) some rows.
    Changes,
    /// A [`StatementKind`](crate::statements::StatementKind).
    StatementKind,
    /// A [`Period`](crate::statements::Period) of statements.
    Period,
    /// The [`Scope`](crate::statements::Scope) of statements.
    Scope,
    /// The [`Layout`](crate::statements::Layout) of statements.
    Layout,
    /// [`Metrics`](crate::statements::Metrics), separated by commas.
    Metrics,
    /// The [`MetricOrder`](crate::statements::MetricOrder) of a list of companies.
    MetricOrder,
    /// A calendar year.
    Year,
    /// A [`Plan`](crate::Plan).
    Plan,
    /// The [`Name`](crate::Name) of the holder of a key.
    Name {
        /// The most characters.
        most: usize,
    },
    /// An [`Email`](crate::Email).
    Email {
        /// The most characters.
        most: usize,
    },
    /// A [`KeyPrefix`](crate::KeyPrefix).
    KeyPrefix,
    /// A [`LinkId`](crate::LinkId).
    LinkId,
    /// A [`LinkPath`](crate::LinkPath).
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
    /// What a file that is imported should hold in this place. Only the operator who imports it sees this.
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
