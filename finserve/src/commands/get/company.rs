//! Which company a text means.
use fincore::{excerpt, fold};

use super::{
    super::show::{Table, Value},
    Answer, Failure, Question, unreadable,
};
use crate::ask::{Origin, encoded};

/// The question for the company that a ticker or a name means. Fails where no company is meant, or several may be.
pub(super) fn named(origin: &Origin, text: &str) -> Result<Question, Failure> {
    let path = "/api/v1/companies/search";
    let json = origin.ask(path, &[("q", text), ("limit", "1000")])?;
    let found = Answer::read(&json, origin.columns(path)).map_err(unreadable)?;
    let none = || {
        let text = excerpt(text);
        Failure::Said(format!(
            "no company is {text:?}; finserve get companies {text:?} looks for it"
        ))
    };
    let table = found.tables.first().ok_or_else(none)?;
    let place = |name: &str| table.columns.iter().position(|column| column == name);
    let (id, tickers) = (place("id").ok_or_else(none)?, place("tickers").ok_or_else(none)?);
    let wanted = text.trim().to_uppercase();
    let wanted = wanted.strip_suffix(".SA").unwrap_or(&wanted);
    let traded = |row: &&Vec<Value>| matches!(&row[tickers], Value::List(all) if all.iter().any(|ticker| ticker == wanted));
    let exact = || ["name", "trade_name"].into_iter().find_map(|column| only(table, column, text));
    let meant = table.rows.iter().find(traded).or_else(exact);
    let row = match (meant, &table.rows[..], found.notes.fuzzy) {
        (Some(row), ..) => row,
        (None, [row], false) => row,
        (None, [] | [_], _) => return Err(none()),
        (None, rows, _) => {
            let text = excerpt(text);
            return Err(Failure::Said(format!(
                "{} companies may be {text:?}: finserve get companies {text:?} lists them; name one by its id or ticker",
                rows.len()
            )));
        }
    };
    Ok(Question::company(&encoded(&row[id].shown())))
}

/// The one row that has this very name in a column, case and accents aside. Of several companies of one name the one that is
/// not cancelled is meant.
fn only<'t>(table: &'t Table, column: &str, name: &str) -> Option<&'t Vec<Value>> {
    let place = |name: &str| table.columns.iter().position(|column| column == name);
    let (at, cancelled) = (place(column)?, place("cancelled_on"));
    let wanted = fold(name);
    let is_it = |row: &&Vec<Value>| matches!(&row[at], Value::Text(text) if fold(text) == wanted);
    let is_cancelled = |row: &Vec<Value>| cancelled.is_some_and(|at| row[at] != Value::Empty);
    let named: Vec<&Vec<Value>> = table.rows.iter().filter(is_it).collect();
    let current: Vec<&Vec<Value>> =
        named.iter().copied().filter(|row| !is_cancelled(row)).collect();
    match (&named[..], &current[..]) {
        ([row], _) | (_, [row]) => Some(row),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_several_is_that_of_the_one_not_cancelled() {
        let json = r#"{"data":[
            {"id":"1","name":"VALE S.A.","trade_name":"VALE","cancelled_on":null},
            {"id":"2","name":"VALE FERTILIZANTES S.A.","trade_name":"VALE","cancelled_on":"2011-01-01"},
            {"id":"3","name":"ITAÚ S.A.","trade_name":"A","cancelled_on":"2001-01-01"},
            {"id":"4","name":"ITAU S.A.","trade_name":"A","cancelled_on":"2002-01-01"},
            {"id":"5","name":"B","trade_name":"C","cancelled_on":null},
            {"id":"6","name":"b","trade_name":"D","cancelled_on":null}
        ]}"#;
        let answer = Answer::read(json, &[]).unwrap();
        for (column, name, id) in [
            ("name", " vale s.a. ", Some("1")),
            ("name", "vale fertilizantes S.A.", Some("2")),
            ("trade_name", "Vale", Some("1")),
            ("name", "vale", None),
            ("name", "itaú s.a.", None),
            ("name", "B", None),
            ("trade_name", "ç", Some("5")),
            ("nothing", "vale", None),
        ] {
            let row = only(&answer.tables[0], column, name).map(|row| row[0].shown().into_owned());
            assert_eq!(row.as_deref(), id, "{column} {name}");
        }
    }
}
