//! Typed answers as bytes: the one place that knows the media types of data.
//!
//! A function of the library returns a value; [`Answer`] holds it until it is known how it is to be written.
//! A new media type is a variant of [`Media`]: it does not compile until it has a name and a way to write
//! both kinds of answers.
use std::fmt;

use fincore::{
    Page, Sourced,
    calc::{CorrectedAmount, Derivation, Growth, RealReturn},
    calendar::BusinessDays,
    export::Format,
    market::{ComparedSeries, Decision, Decisions},
    statements::{Metric, ScreenPage, StatementPage},
    table::{self, ColumnKind, Dialect, Row},
};
use serde::Serialize;

use super::{
    cell::{self, CellValue},
    header_names::TEXT,
    links::{self, Extent},
    refusal::Refusal,
    reply::Body,
};

/// The names of media types, as in `Accept`.
pub(crate) const JSON: &str = "application/json";
pub(crate) const CSV: &str = "text/csv";
pub(crate) const NDJSON: &str = "application/x-ndjson";
#[cfg(feature = "parquet")]
pub(crate) const PARQUET: &str = "application/vnd.apache.parquet";

/// CSV as in `Content-Type`: both dialects are UTF-8 with a header line.
const CSV_WITH_HEADER: &str = "text/csv; charset=utf-8; header=present";

/// How an answer is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Media {
    Json,
    /// One value of a single answer, or of the only row of a list.
    Value(CellValue),
    Csv(Dialect),
    #[cfg(feature = "parquet")]
    Parquet,
}

impl Media {
    /// The value of `Content-Type`.
    pub(crate) fn content_type(&self) -> &'static str {
        match self {
            Media::Json => JSON,
            Media::Value(_) => TEXT,
            Media::Csv(_) => CSV_WITH_HEADER,
            #[cfg(feature = "parquet")]
            Media::Parquet => PARQUET,
        }
    }

    /// Distinguishes the formats of an answer in entity tags. Which value it is stands in the query string.
    pub(crate) fn id(&self) -> &'static str {
        match self {
            Media::Json => "json",
            Media::Value(_) => "value",
            Media::Csv(Dialect::Standard) => "csv",
            Media::Csv(Dialect::Unix) => "csv-unix",
            Media::Csv(Dialect::Brazilian) => "csv-br",
            #[cfg(feature = "parquet")]
            Media::Parquet => "parquet",
        }
    }
}

/// How a dataset is written: the value of `Content-Type`, what tells it from other ways, and how names of files
/// end.
pub(crate) fn of_export(format: Format) -> (&'static str, &'static str, &'static str) {
    match format {
        Format::Ndjson => (NDJSON, "ndjson", "ndjson"),
        Format::Csv(dialect) => (CSV_WITH_HEADER, Media::Csv(dialect).id(), "csv"),
        #[cfg(feature = "parquet")]
        Format::Parquet => (PARQUET, "parquet", "parquet"),
    }
}

pub(crate) enum Answer {
    /// One thing; and how long the list inside it is, where that is read page by page.
    Object(Box<dyn Json>, Option<Extent>),
    /// A part of a list.
    List(Box<dyn Rows>),
}

impl Answer {
    pub(crate) fn object(answer: impl Serialize + 'static) -> Answer {
        Answer::Object(Box::new(answer), None)
    }

    /// One thing with a part of a list inside.
    pub(crate) fn with_part(
        answer: impl Part + Serialize + 'static,
        limit: u32,
        offset: u64,
    ) -> Answer {
        let extent = answer.extent(limit, offset);
        Answer::Object(Box::new(answer), extent)
    }

    pub(crate) fn list(part: impl Rows + 'static) -> Answer {
        Answer::List(Box::new(part))
    }

    /// One thing as JSON.
    pub(crate) fn json(answer: impl Serialize + 'static) -> Result<Body, Refusal> {
        Ok(Body::new(JSON, Answer::object(answer).render(&Media::Json, None)?))
    }

    /// How long the list is, and which part of it this is; nothing for a thing without one, and for a list that has
    /// no pages.
    pub(crate) fn extent(&self) -> Option<Extent> {
        match self {
            Answer::Object(_, extent) => *extent,
            Answer::List(list) => list.extent(),
        }
    }

    /// How many rows the whole list has; nothing for a single thing.
    pub(crate) fn total(&self) -> Option<u64> {
        match self {
            Answer::Object(..) => None,
            Answer::List(list) => Some(list.total()),
        }
    }

    pub(crate) fn is_fuzzy(&self) -> bool {
        matches!(self, Answer::List(list) if list.is_fuzzy())
    }

    /// The answer in this media type; `next` is where the next page of a list is. Only lists can be written as tables.
    pub(crate) fn render(&self, media: &Media, next: Option<&str>) -> Result<Vec<u8>, Refusal> {
        let failed = |why: &dyn fmt::Display| {
            Refusal::Internal(format!("an answer cannot be written: {why}"))
        };
        match (media, self) {
            (Media::Json, Answer::Object(object, extent)) => {
                let json = object.json().map_err(|err| failed(&err))?;
                Ok(if extent.is_some() { links::with_next(json, next) } else { json })
            }
            (Media::Json, Answer::List(list)) => {
                list.json().map(|json| links::with_next(json, next)).map_err(|err| failed(&err))
            }
            (Media::Value(value), Answer::Object(object, _)) => {
                cell::of_object(&object.json().map_err(|err| failed(&err))?, value)
            }
            (Media::Value(value), Answer::List(list)) => {
                cell::of_list(&list.json().map_err(|err| failed(&err))?, value)
            }
            (Media::Csv(dialect), Answer::List(list)) => Ok(list.csv(*dialect)?),
            (Media::Csv(_), Answer::Object(..)) => Err(failed(&"it is not a list")),
            #[cfg(feature = "parquet")]
            (Media::Parquet, Answer::List(list)) => match list.parquet() {
                Some(parquet) => Ok(parquet?),
                None => Err(failed(&"this list has no Parquet")),
            },
            #[cfg(feature = "parquet")]
            (Media::Parquet, Answer::Object(..)) => Err(failed(&"it is not a list")),
        }
    }
}

/// Something with a list inside that is read page by page.
pub(crate) trait Part {
    /// How long that list is, if it is listed: of the page with this limit and offset.
    fn extent(&self, limit: u32, offset: u64) -> Option<Extent>;
}

/// How long the steps of a calculation are, if they are listed.
fn of_steps(derivation: &Derivation, limit: u32, offset: u64) -> Option<Extent> {
    derivation.steps.as_ref().map(|_| Extent::of(derivation.periods as u64, limit, offset))
}

impl Part for Sourced<CorrectedAmount> {
    fn extent(&self, limit: u32, offset: u64) -> Option<Extent> {
        of_steps(&self.derivation, limit, offset)
    }
}

impl Part for Sourced<Growth> {
    fn extent(&self, limit: u32, offset: u64) -> Option<Extent> {
        of_steps(&self.derivation, limit, offset)
    }
}

/// Limit and offset are of each of its two lists: the pages go on as long as one of them does.
impl Part for Sourced<RealReturn> {
    fn extent(&self, limit: u32, offset: u64) -> Option<Extent> {
        let both = [&self.interest, &self.inflation].map(|one| of_steps(one, limit, offset));
        both.into_iter().flatten().max_by_key(|extent| extent.total)
    }
}

/// Anything that can be written as JSON.
pub(crate) trait Json {
    fn json(&self) -> serde_json::Result<Vec<u8>>;
}

impl<T: Serialize> Json for T {
    fn json(&self) -> serde_json::Result<Vec<u8>> {
        // Room for most things, so that the bytes need not be moved.
        let mut bytes = Vec::with_capacity(2048);
        serde_json::to_writer(&mut bytes, self)?;
        Ok(bytes)
    }
}

/// The name of a column and the kind of its cells.
pub(crate) type Heading = (&'static str, ColumnKind);

/// A part of a list, whatever its rows.
pub(crate) trait Rows {
    /// The columns of its rows, in order.
    fn headings() -> Vec<Heading>
    where
        Self: Sized;

    /// The number of rows in the whole list.
    fn total(&self) -> u64;

    /// The part it is; `None` for a list that is not paginated.
    fn extent(&self) -> Option<Extent>;

    fn is_fuzzy(&self) -> bool {
        false
    }

    fn json(&self) -> serde_json::Result<Vec<u8>>;

    fn csv(&self, dialect: Dialect) -> fincore::Result<Vec<u8>>;

    /// As Parquet, where its endpoint answers in that.
    #[cfg(feature = "parquet")]
    fn parquet(&self) -> Option<fincore::Result<Vec<u8>>> {
        None
    }
}

impl<R: Row + Serialize> Rows for Page<R> {
    fn headings() -> Vec<Heading> {
        of_row::<R>()
    }

    fn total(&self) -> u64 {
        self.total
    }

    fn extent(&self) -> Option<Extent> {
        Some(Extent::of(self.total, self.limit, self.offset))
    }

    fn is_fuzzy(&self) -> bool {
        self.meta.fuzzy
    }

    fn json(&self) -> serde_json::Result<Vec<u8>> {
        self.to_json()
    }

    fn csv(&self, dialect: Dialect) -> fincore::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        table::write_csv(&self.data, dialect, &mut bytes)?;
        Ok(bytes)
    }

    #[cfg(feature = "parquet")]
    fn parquet(&self) -> Option<fincore::Result<Vec<u8>>> {
        Some(table::to_parquet(&self.data))
    }
}

/// Meetings to come are in JSON only.
impl Rows for Decisions {
    fn headings() -> Vec<Heading> {
        of_row::<Decision>()
    }

    fn total(&self) -> u64 {
        self.page.total
    }

    fn extent(&self) -> Option<Extent> {
        self.page.extent()
    }

    fn json(&self) -> serde_json::Result<Vec<u8>> {
        Json::json(self)
    }

    fn csv(&self, dialect: Dialect) -> fincore::Result<Vec<u8>> {
        self.page.csv(dialect)
    }
}

fn of_row<R: Row>() -> Vec<Heading> {
    R::COLUMNS.iter().map(|column| (column.name, column.kind)).collect()
}

impl Rows for BusinessDays {
    fn headings() -> Vec<Heading> {
        vec![("date", ColumnKind::Day)]
    }

    fn total(&self) -> u64 {
        self.total as u64
    }

    fn extent(&self) -> Option<Extent> {
        None
    }

    fn json(&self) -> serde_json::Result<Vec<u8>> {
        Json::json(self)
    }

    fn csv(&self, dialect: Dialect) -> fincore::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        table::write_csv(self, dialect, &mut bytes)?;
        Ok(bytes)
    }
}

/// Its columns are those of the question, so that none but the first is known before.
impl Rows for ComparedSeries {
    fn headings() -> Vec<Heading> {
        vec![("date", ColumnKind::Day)]
    }

    fn total(&self) -> u64 {
        self.total
    }

    fn extent(&self) -> Option<Extent> {
        Some(Extent::of(self.total, self.limit, self.offset))
    }

    fn json(&self) -> serde_json::Result<Vec<u8>> {
        Json::json(self)
    }

    fn csv(&self, dialect: Dialect) -> fincore::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        table::write_csv(self, dialect, &mut bytes)?;
        Ok(bytes)
    }

    #[cfg(feature = "parquet")]
    fn parquet(&self) -> Option<fincore::Result<Vec<u8>>> {
        Some(table::to_parquet(self))
    }
}

/// Its columns depend on the layout and the periods, so that none but those of an account is known before.
impl Rows for StatementPage {
    fn headings() -> Vec<Heading> {
        vec![("code", ColumnKind::Text), ("name", ColumnKind::Text)]
    }

    fn total(&self) -> u64 {
        self.total
    }

    fn extent(&self) -> Option<Extent> {
        Some(Extent::of(self.total, self.limit, self.offset))
    }

    fn json(&self) -> serde_json::Result<Vec<u8>> {
        Json::json(self)
    }

    fn csv(&self, dialect: Dialect) -> fincore::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        table::write_csv(self, dialect, &mut bytes)?;
        Ok(bytes)
    }

    #[cfg(feature = "parquet")]
    fn parquet(&self) -> Option<fincore::Result<Vec<u8>>> {
        Some(table::to_parquet(self))
    }
}

/// The figures are those of the question.
impl Rows for ScreenPage {
    fn headings() -> Vec<Heading> {
        let company = [
            ("company_id", ColumnKind::Text),
            ("name", ColumnKind::Text),
            ("period_end", ColumnKind::Day),
            ("scope", ColumnKind::Text),
            ("plan", ColumnKind::Text),
        ];
        let figures = Metric::ALL.map(|metric| (metric.name(), ColumnKind::Figure));
        company.into_iter().chain(figures).collect()
    }

    fn total(&self) -> u64 {
        self.total
    }

    fn extent(&self) -> Option<Extent> {
        Some(Extent::of(self.total, self.limit, self.offset))
    }

    fn json(&self) -> serde_json::Result<Vec<u8>> {
        Json::json(self)
    }

    fn csv(&self, dialect: Dialect) -> fincore::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        table::write_csv(self, dialect, &mut bytes)?;
        Ok(bytes)
    }

    #[cfg(feature = "parquet")]
    fn parquet(&self) -> Option<fincore::Result<Vec<u8>>> {
        Some(table::to_parquet(self))
    }
}
