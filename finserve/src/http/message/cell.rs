//! One value of an answer as plain text, for a cell of a spreadsheet.
//!
//! The value is cut out of the answer's own JSON, so that a cell has the digits that every other client gets.
use indexmap::IndexMap;
use serde_json::value::RawValue;

use super::refusal::Refusal;
use crate::errors::{BadRequest, NotFound, Problem};

/// The value of an answer that is wanted, and how a number is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CellValue {
    /// The member, by its name or by its path (`selic.value`); without one, the first of the [`USUAL`] ones.
    pub(crate) field: Option<Box<str>>,
    pub(crate) mark: DecimalMark,
}

/// The mark between the whole part of a number and its decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DecimalMark {
    Point,
    Comma,
}

/// The figures that answers are about, most telling first: a converted rate has a `value` too, which was given; a
/// correction says beside its `result` what was `accumulated`.
const USUAL: [&str; 6] = ["result", "accumulated", "real", "business_day", "value", "sell"];

/// The most names that a message lists.
const MOST_NAMES: usize = 60;

/// The members of an object, in order, as they are written.
type Members<'j> = IndexMap<String, &'j RawValue>;

/// A value of a single answer. Fails where it has no such field.
pub(crate) fn of_object(json: &[u8], value: &CellValue) -> Result<Vec<u8>, Refusal> {
    let members = members(json)?;
    choose(&[&members], value)
}

/// A value of a list with one row: of the row, or else of what is said of the list. Fails where there is no row, and where
/// its only page has several, as a statement by accounts does.
pub(crate) fn of_list(json: &[u8], value: &CellValue) -> Result<Vec<u8>, Refusal> {
    let mut list = members(json)?;
    let data = list.shift_remove("data").ok_or_else(|| failed("it has no rows"))?;
    let rows: Vec<&RawValue> = serde_json::from_str(data.get()).map_err(|err| failed(&err))?;
    match rows[..] {
        [row] => choose(&[&members(row.get().as_bytes())?, &list], value),
        [] => Err(NotFound::Row.into()),
        _ => Err(BadRequest::parameter("format", Problem::ValueOfRows).into()),
    }
}

fn members(json: &[u8]) -> Result<Members<'_>, Refusal> {
    serde_json::from_slice(json).map_err(|err| failed(&err))
}

fn failed(why: impl std::fmt::Display) -> Refusal {
    Refusal::Internal(format!("a value cannot be cut out of an answer: {why}"))
}

/// The value that is chosen in the first of these objects that has it.
fn choose(
    objects: &[&Members<'_>],
    CellValue { field, mark }: &CellValue,
) -> Result<Vec<u8>, Refusal> {
    let text = match field {
        Some(field) => objects.iter().find_map(|object| find(object, field)?.text(*mark)),
        None => USUAL
            .iter()
            .find_map(|usual| Found::Value(objects[0].get(*usual)?).text(*mark))
            .or_else(|| Found::Value(only_figure(objects[0])?).text(*mark)),
    };
    text.map(String::into_bytes).ok_or_else(|| {
        let mut there = Vec::new();
        objects.iter().for_each(|object| list_names(object, "", &mut there));
        let more = there.len() > MOST_NAMES;
        there.truncate(MOST_NAMES);
        there.extend(more.then(|| "…".to_owned()));
        let there = there.join(", ");
        let problem = match field {
            Some(field) => Problem::NoSuchField { given: fincore::truncate(field).into(), there },
            None => Problem::FieldNeeded { there },
        };
        BadRequest::parameter("field", problem).into()
    })
}

/// The figure of a row that has a day and nothing else beside it, as that of a single series has.
fn only_figure<'j>(object: &Members<'j>) -> Option<&'j RawValue> {
    let mut others = object.iter().filter(|(name, _)| *name != "date");
    let (_, figure) = others.next()?;
    (object.contains_key("date") && others.next().is_none()).then_some(*figure)
}

enum Found<'j> {
    Value(&'j RawValue),
    /// A text that is no member by itself.
    Account(Box<RawValue>),
}

/// The member at this path. Account codes have dots themselves, so the whole path is tried first.
fn find<'j>(object: &Members<'j>, path: &str) -> Option<Found<'j>> {
    if let Some(value) = object.get(path) {
        return Some(Found::Value(value));
    }
    if let Some(value) = object.get("accounts").and_then(|accounts| account(accounts, path)) {
        return Some(Found::Account(value));
    }
    let (name, rest) = path.split_once('.')?;
    let inner = *object.get(name)?;
    if inner.get() == "null" {
        // Which members it would have is not known here: each of them is as empty as it is.
        return Some(Found::Value(inner));
    }
    find(&serde_json::from_str::<Members<'j>>(inner.get()).ok()?, rest)
}

/// An account of a statement.
#[derive(serde::Deserialize)]
struct Account {
    code: String,
    value: Box<RawValue>,
}

/// The value of the account with this code. A statement of changes of equity has an account several times, once a column:
/// then none of them is meant.
fn account(accounts: &RawValue, code: &str) -> Option<Box<RawValue>> {
    let accounts: Vec<Account> = serde_json::from_str(accounts.get()).ok()?;
    let mut meant = accounts.into_iter().filter(|account| account.code == code);
    let only = meant.next()?.value;
    meant.next().is_none().then_some(only)
}

impl Found<'_> {
    /// The text of a cell: numbers with their digits, text without quotes, nothing for null, texts of a list with a
    /// space between them as in CSV. Anything that has members of its own is no value.
    fn text(&self, mark: DecimalMark) -> Option<String> {
        let json = match self {
            Found::Value(value) => value.get(),
            Found::Account(value) => value.get(),
        };
        match json.as_bytes().first()? {
            b'{' => None,
            b'[' => serde_json::from_str::<Vec<String>>(json).ok().map(|texts| texts.join(" ")),
            b'"' => serde_json::from_str(json).ok(),
            b'n' => Some(String::new()),
            b't' | b'f' => Some(json.to_owned()),
            _ => Some(match mark {
                DecimalMark::Point => json.to_owned(),
                DecimalMark::Comma => json.replace('.', ","),
            }),
        }
    }
}

/// The paths of the values in an object, and the codes of its accounts. What is deep inside is left out: it is rarely meant.
fn list_names(object: &Members<'_>, above: &str, names: &mut Vec<String>) {
    for (name, value) in object {
        let path = format!("{above}{name}");
        if let Ok(inner) = serde_json::from_str::<Members<'_>>(value.get()) {
            if above.is_empty() {
                list_names(&inner, &format!("{path}."), names);
            }
        } else if Found::Value(value).text(DecimalMark::Point).is_some() {
            names.push(path);
        } else if let Ok(accounts) = serde_json::from_str::<Vec<Account>>(value.get()) {
            names.extend(accounts.into_iter().map(|account| account.code));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORRECTION: &str = r#"{"factor":1.1234567890123456,"accumulated":12.34567890,"first":{"date":"2024-01-01",
        "value":0.42},"result":1123.40,"steps":[{"date":"2024-01-01"}],"rule":"a \"rule\", 1.5","from":["3.01","3.02"],
        "holiday":null,"meta":{"source":"BCB"}}"#;

    fn check(cut: Result<Vec<u8>, Refusal>) -> String {
        match cut {
            Ok(text) => String::from_utf8(text).unwrap(),
            Err(Refusal::BadRequest(wrong)) => wrong.to_string(),
            Err(Refusal::NotFound(missing)) => missing.to_string(),
            Err(_) => panic!("neither a value nor a fault of the request"),
        }
    }

    fn value(field: &str, mark: DecimalMark) -> CellValue {
        CellValue { field: (!field.is_empty()).then(|| field.into()), mark }
    }

    #[test]
    fn a_cell_has_the_digits_of_the_json() {
        for (field, point, comma) in [
            ("", "1123.40", "1123,40"),
            ("factor", "1.1234567890123456", "1,1234567890123456"),
            ("first.value", "0.42", "0,42"),
            ("first.date", "2024-01-01", "2024-01-01"),
            ("rule", "a \"rule\", 1.5", "a \"rule\", 1.5"),
            ("from", "3.01 3.02", "3.01 3.02"),
            ("holiday", "", ""),
            ("holiday.pt", "", ""),
            ("meta.source", "BCB", "BCB"),
        ] {
            for (mark, wanted) in [(DecimalMark::Point, point), (DecimalMark::Comma, comma)] {
                let cut = of_object(CORRECTION.as_bytes(), &value(field, mark));
                assert_eq!(check(cut), wanted, "{field}");
            }
        }
    }

    #[test]
    fn the_usual_figure_is_the_one_that_was_asked_for() {
        for (json, usual) in [
            (r#"{"value":1.0,"result":2.50}"#, "2.50"),
            (r#"{"date":"2024-01-01","value":13.75}"#, "13.75"),
            (r#"{"buy":5.1,"sell":5.1016}"#, "5.1016"),
            (r#"{"business_day":false,"next":"2024-01-02"}"#, "false"),
            (r#"{"factor":1.1,"real":9.5,"per_year":4.6}"#, "9.5"),
            (r#"{"date":"2024-01-01","selic":13.75}"#, "13.75"),
        ] {
            assert_eq!(check(of_object(json.as_bytes(), &value("", DecimalMark::Point))), usual);
        }
    }

    #[test]
    fn an_unknown_field_is_answered_with_those_there_are() {
        let names = "factor, accumulated, first.date, first.value, result, rule, from, holiday, meta.source";
        for field in ["no", "first", "steps", "first.no", "result.x", "meta."] {
            let cut = of_object(CORRECTION.as_bytes(), &value(field, DecimalMark::Point));
            let said =
                format!("parameter \"field\": {field:?} is no field of this answer: {names}");
            assert_eq!(check(cut), said);
        }
        let cut = of_object(br#"{"selic":{"value":1}}"#, &value("", DecimalMark::Point));
        assert_eq!(
            check(cut),
            "parameter \"field\": this answer has several figures: choose one of selic.value"
        );
    }

    #[test]
    fn a_list_is_a_value_where_it_has_one_row() {
        let list = |rows: &str| format!(r#"{{"data":[{rows}],"total":7,"meta":{{"unit":"%"}}}}"#);
        let cut = |rows: &str, field| {
            check(of_list(list(rows).as_bytes(), &value(field, DecimalMark::Point)))
        };
        let row = r#"{"period_end":"2024-12-31","accounts":[{"code":"3.01","value":490829000000},
            {"code":"5","value":1},{"code":"5","value":2}]}"#;
        assert_eq!(cut(r#"{"value":0.44}"#, ""), "0.44");
        assert_eq!(cut(row, "3.01"), "490829000000");
        assert_eq!(cut(row, "total"), "7");
        assert_eq!(cut(row, "meta.unit"), "%");
        assert!(cut(row, "5").ends_with("period_end, 3.01, 5, 5, total, meta.unit"));
        assert_eq!(cut("", ""), "no row matches");
        let several = cut("1,2", "");
        assert!(
            several.contains("even with limit=1") && several.contains("field=3.01"),
            "{several}"
        );
        let two = cut(r#"{"date":"2024-01-01","selic":13.75,"cdi":13.65}"#, "");
        assert!(two.contains("several figures: choose one of date, selic, cdi"), "{two}");
    }
}
