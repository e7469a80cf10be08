//! In which format a request wants its answer: by `format` and what belongs to it, or else by `Accept`.
use fincore::{Feature, export::Format, table::Dialect};
use hyper::{
    Uri,
    header::{ACCEPT, HeaderMap},
};
use percent_encoding::percent_decode_str;

#[cfg(feature = "parquet")]
use super::render::PARQUET;
use super::{
    accept,
    cell::{CellValue, DecimalMark},
    parameters::{self, Params},
    refusal::{ErrorFormat, Refusal},
    render::{CSV, JSON, Media, NDJSON},
};
use crate::errors::{BadRequest, Problem, Wanted};

/// The parameters that choose a format of lists.
pub(crate) const OF_LISTS: [&str; 2] = ["format", "dialect"];

/// Those that choose a value of a row, on lists of which one row can be asked for.
pub(crate) const OF_ROWS: [&str; 2] = ["field", "decimal"];

/// Those that choose a value of a single answer.
pub(crate) const OF_ANSWERS: [&str; 3] = ["format", "field", "decimal"];

pub(crate) fn is_of_format(name: &str) -> bool {
    OF_LISTS.contains(&name) || OF_ROWS.contains(&name)
}

/// Formats of datasets; those other than NDJSON by name and media type.
#[cfg(feature = "parquet")]
mod datasets {
    pub(crate) const NAMES: &[&str] = &["ndjson", "csv", "parquet"];
    pub(super) const LARGER: &[&str] = &["csv", "parquet"];
    pub(super) const LARGER_MEDIA: &[&str] = &[super::CSV, super::PARQUET];
}
#[cfg(not(feature = "parquet"))]
mod datasets {
    pub(crate) const NAMES: &[&str] = &["ndjson", "csv"];
    pub(super) const LARGER: &[&str] = &["csv"];
    pub(super) const LARGER_MEDIA: &[&str] = &[super::CSV];
}
pub(crate) use datasets::NAMES as DATASET_FORMATS;

/// The formats that an endpoint can answer in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Formats {
    /// The one it has; there is nothing to choose.
    One,
    /// One answer: JSON, or one of its values.
    Answer,
    /// A list: JSON or CSV; of one row, one of its values.
    List,
    /// A list of which `ids` chooses some side by side: JSON, CSV or, of those, Parquet where the build has it.
    Comparison,
    /// A table of figures: JSON, CSV or Parquet where the build has it.
    Table,
    /// A whole dataset: NDJSON, CSV or, with the feature `parquet`, Parquet.
    Dataset,
}

impl Formats {
    /// The feature that a plan must include for the requested format, besides the endpoint itself. Nothing of the
    /// request has been checked yet.
    pub(crate) fn feature(self, params: &Params<'_>, headers: &HeaderMap) -> Option<Feature> {
        let by_name = |names: &[&str]| match params.get("format") {
            Some(format) => names.contains(&format),
            None => false,
        };
        let by_header = |default, media: &[&'static str]| {
            params.get("format").is_none() && accept::preferred(headers, default, media).is_some()
        };
        let larger = match self {
            Formats::One | Formats::Answer => false,
            Formats::List => by_name(&["csv"]) || by_header(JSON, &[CSV]),
            Formats::Comparison | Formats::Table => {
                by_name(&["csv", "parquet"]) || by_header(JSON, &[CSV])
            }
            Formats::Dataset => {
                by_name(datasets::LARGER) || by_header(NDJSON, datasets::LARGER_MEDIA)
            }
        };
        larger.then_some(Feature::Csv)
    }

    /// How a request wants the answer of an endpoint that takes the parameters `known`: those about the format are taken
    /// out. Fails on a format that the endpoint does not have, and on what does not go with it.
    pub(crate) fn media(
        self,
        params: &mut Params<'_>,
        known: &[&str],
        headers: &HeaderMap,
    ) -> Result<Media, Refusal> {
        if matches!(self, Formats::One | Formats::Dataset) {
            return Ok(Media::Json);
        }
        let named = params.take("format");
        let format = named.as_deref();
        let has_value = known.contains(&"field");
        let media = match (self, format) {
            (_, Some("value")) if has_value => {
                let is_row = params.get("limit").is_some_and(|limit| limit.parse() == Ok(1));
                if self != Formats::Answer && !is_row {
                    return Err(BadRequest::parameter("format", Problem::ValueOfList).into());
                }
                return of_value(params).map(Media::Value);
            }
            (Formats::Answer, None | Some("json")) => Media::Json,
            (Formats::Answer, Some(other)) => {
                return Err(wrong("format", other, Wanted::AnswerFormat).into());
            }
            (Formats::Table, _) => {
                of_table(format, params.take("dialect").as_deref(), headers, has_value)?
            }
            (Formats::Comparison, _) if params.get("ids").is_some() => {
                of_table(format, params.take("dialect").as_deref(), headers, has_value)?
            }
            (Formats::One | Formats::Dataset | Formats::List | Formats::Comparison, _) => {
                of_list(format, params.take("dialect").as_deref(), headers, has_value)?
            }
        };
        match OF_ROWS.into_iter().find(|name| known.contains(name) && params.get(name).is_some()) {
            Some(name) => Err(BadRequest::parameter(name, Problem::WithoutValue).into()),
            None => Ok(media),
        }
    }
}

fn of_value(params: &mut Params<'_>) -> Result<CellValue, Refusal> {
    let mark = match params.take("decimal").as_deref() {
        None | Some("point") => DecimalMark::Point,
        Some("comma") => DecimalMark::Comma,
        Some(other) => return Err(wrong("decimal", other, Wanted::DecimalMark).into()),
    };
    if params.get("dialect").is_some() {
        no_dialect(Some(""))?;
    }
    Ok(CellValue { field: params.take("field").map(|field| field.as_ref().into()), mark })
}

/// How errors are written for a request of this address: as text where a single value is asked for, also by a query string that
/// cannot be read otherwise.
pub(crate) fn of_errors(uri: &Uri) -> ErrorFormat {
    let is = |text: &str, wanted: &str| percent_decode_str(text).eq(wanted.bytes());
    let query = uri.query().unwrap_or_default();
    let pieces = query.split('&').take(parameters::MOST_PIECES);
    let mut pairs = pieces.filter_map(|piece| piece.split_once('='));
    match pairs.any(|(name, value)| is(name, "format") && is(value, "value")) {
        true => ErrorFormat::Text,
        false => ErrorFormat::Json,
    }
}

/// Whether a list is wanted as CSV unless its address says something else.
pub(crate) fn prefers_csv(headers: &HeaderMap) -> bool {
    headers.contains_key(ACCEPT) && accept::preferred(headers, JSON, &[CSV]).is_some()
}

/// The format of a list. Fails on a format or dialect that does not exist, and on a dialect of anything but CSV.
///
/// One row may also be asked for as a value, where the list has that.
fn of_list(
    format: Option<&str>,
    dialect: Option<&str>,
    headers: &HeaderMap,
    has_value: bool,
) -> Result<Media, Refusal> {
    let csv = match format {
        None => prefers_csv(headers),
        Some("json") => false,
        Some("csv") => true,
        Some(other) => return Err(wrong("format", other, Wanted::ListFormat { has_value }).into()),
    };
    if csv {
        return Ok(Media::Csv(dialect_of(dialect)?));
    }
    no_dialect(dialect)?;
    Ok(Media::Json)
}

/// The format of a table, which can also be Parquet. Fails as [`of_list`] does.
fn of_table(
    format: Option<&str>,
    dialect: Option<&str>,
    headers: &HeaderMap,
    has_value: bool,
) -> Result<Media, Refusal> {
    match format {
        #[cfg(feature = "parquet")]
        Some("parquet") => no_dialect(dialect).map(|()| Media::Parquet),
        Some("json" | "csv") | None => of_list(format, dialect, headers, has_value),
        Some(other) => Err(wrong("format", other, Wanted::TableFormat { has_value }).into()),
    }
}

/// The format of a dataset. Fails as [`of_list`] does.
pub(crate) fn of_dataset(
    format: Option<&str>,
    dialect: Option<&str>,
    headers: &HeaderMap,
) -> Result<Format, Refusal> {
    let format = match format {
        None => match accept::preferred(headers, NDJSON, datasets::LARGER_MEDIA) {
            Some(CSV) => "csv",
            Some(_) => "parquet",
            None => "ndjson",
        },
        Some(format) => format,
    };
    match format {
        "csv" => Ok(Format::Csv(dialect_of(dialect)?)),
        "ndjson" => no_dialect(dialect).map(|()| Format::Ndjson),
        #[cfg(feature = "parquet")]
        "parquet" => no_dialect(dialect).map(|()| Format::Parquet),
        other => Err(wrong("format", other, Wanted::ExportFormat).into()),
    }
}

fn dialect_of(dialect: Option<&str>) -> Result<Dialect, Refusal> {
    match dialect {
        None | Some("standard") => Ok(Dialect::Standard),
        Some("br") => Ok(Dialect::Brazilian),
        Some(other) => Err(wrong("dialect", other, Wanted::Dialect).into()),
    }
}

fn no_dialect(dialect: Option<&str>) -> Result<(), Refusal> {
    match dialect {
        None => Ok(()),
        Some(_) => Err(BadRequest::parameter("dialect", Problem::DialectWithoutCsv).into()),
    }
}

fn wrong(name: &str, value: &str, wanted: Wanted) -> BadRequest {
    BadRequest::parameter(name, Problem::value(value, wanted))
}

#[cfg(test)]
mod tests {
    use hyper::header::{ACCEPT, HeaderValue};

    use super::*;

    fn accepting(accept: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static(accept))])
    }

    #[test]
    fn the_parameter_wins_over_the_header() {
        let csv = accepting("text/csv");
        let media =
            |format, headers: &HeaderMap| of_list(format, None, headers, false).ok().unwrap();
        assert_eq!(media(None, &csv), Media::Csv(Dialect::Standard));
        assert_eq!(media(Some("json"), &csv), Media::Json);
        assert_eq!(
            media(Some("csv"), &accepting("application/json")),
            Media::Csv(Dialect::Standard)
        );
        let format = |format, headers: &HeaderMap| of_dataset(format, None, headers).ok().unwrap();
        assert_eq!(format(None, &csv), Format::Csv(Dialect::Standard));
        assert_eq!(format(None, &accepting("*/*")), Format::Ndjson);
        #[cfg(feature = "parquet")]
        {
            assert_eq!(format(None, &accepting(PARQUET)), Format::Parquet);
            assert_eq!(format(Some("ndjson"), &accepting(PARQUET)), Format::Ndjson);
        }
    }

    #[test]
    fn says_what_is_accepted() {
        let none = HeaderMap::new();
        let message = |refused: Result<(), Refusal>| match refused {
            Err(Refusal::BadRequest(wrong)) => wrong.to_string(),
            _ => panic!("not a bad request"),
        };
        let list = |format, dialect| message(of_list(format, dialect, &none, false).map(drop));
        let dataset = |format, dialect| message(of_dataset(format, dialect, &none).map(drop));
        let xml = "parameter \"format\": \"xml\" is not a format of ";
        assert_eq!(list(Some("xml"), None), format!("{xml}lists (json or csv)"));
        let has_parquet = cfg!(feature = "parquet");
        let names = if has_parquet { "ndjson, csv or parquet" } else { "ndjson or csv" };
        assert_eq!(dataset(Some("xml"), None), format!("{xml}exports ({names})"));
        assert!(dataset(Some("json"), None).contains(names));
        assert_eq!(of_dataset(Some("parquet"), None, &none).is_ok(), has_parquet);
        assert!(list(Some("CSV"), None).contains("json or csv"));
        assert!(
            list(Some("csv"), Some("de")).ends_with("is not a dialect of CSV (standard or br)")
        );
        for format in [None, Some("json")] {
            assert!(list(format, Some("br")).contains("only CSV has dialects"));
        }
        for format in [None, Some(*DATASET_FORMATS.last().unwrap()).filter(|name| *name != "csv")] {
            assert!(dataset(format, Some("br")).contains("only CSV has dialects"));
        }
    }

    #[test]
    fn csv_and_parquet_need_a_plan_of_their_own() {
        let none = HeaderMap::new();
        let feature = |formats: Formats, query, headers: &HeaderMap| {
            formats.feature(&Params::from_query(query).ok().unwrap(), headers)
        };
        for (formats, query, needs) in [
            (Formats::List, "format=csv", true),
            (Formats::List, "format=csv&nonsense=1", true),
            (Formats::List, "format=parquet", false),
            (Formats::List, "", false),
            (Formats::Table, "format=parquet", true),
            (Formats::Table, "format=json", false),
            (Formats::Dataset, "format=csv", true),
            (Formats::Dataset, "format=parquet", cfg!(feature = "parquet")),
            (Formats::Dataset, "format=ndjson", false),
            (Formats::One, "format=csv", false),
        ] {
            let wanted = needs.then_some(Feature::Csv);
            assert_eq!(feature(formats, query, &none), wanted, "{formats:?} {query}");
        }
        let csv = accepting("text/csv");
        assert_eq!(feature(Formats::List, "", &csv), Some(Feature::Csv));
        assert_eq!(feature(Formats::List, "format=json", &csv), None);
        assert_eq!(feature(Formats::One, "", &csv), None);
    }
}
