//! Finds the company that a text means.
use fincore::{fold, truncate};

use super::{
    super::output::{Table, Value},
    Answer, Failure, Question, invalid_answer,
};
use crate::api_client::{Origin, percent_encode};

/// The question for the company with a ticker or a name. Fails where no company matches, or several do.
pub(super) fn find(origin: &Origin, text: &str) -> Result<Question, Failure> {
    let path = "/api/v1/companies/search";
    let json = origin.ask(path, &[("q", text), ("limit", "1000")])?;
    let found = Answer::read(&json, origin.columns(path, &[])).map_err(invalid_answer)?;
    let none = || {
        let text = truncate(text);
        Failure::Message(format!(
            "no company is called {text:?}; finserve get companies {text:?} searches for it"
        ))
    };
    let table = found.tables.first().ok_or_else(none)?;
    let position = |name: &str| table.columns.iter().position(|column| column == name);
    let (id, tickers) = (position("id").ok_or_else(none)?, position("tickers").ok_or_else(none)?);
    let wanted = text.trim().to_uppercase();
    let wanted = wanted.strip_suffix(".SA").unwrap_or(&wanted);
    let traded = |row: &&Vec<Value>| matches!(&row[tickers], Value::List(all) if all.iter().any(|ticker| ticker == wanted));
    let exact =
        || ["name", "trade_name"].into_iter().find_map(|column| find_only(table, column, text));
    let meant = table.rows.iter().find(traded).or_else(exact);
    let row = match (meant, &table.rows[..], found.notes.fuzzy) {
        (Some(row), ..) => row,
        (None, [row], false) => row,
        (None, [] | [_], _) => return Err(none()),
        (None, rows, _) => {
            let text = truncate(text);
            return Err(Failure::Message(format!(
                "{} companies match {text:?}: finserve get companies {text:?} lists them; name one by its id or ticker",
                rows.len()
            )));
        }
    };
    Ok(Question::company(&percent_encode(&row[id].to_text())))
}

/// The only row with this name in a column, ignoring case and accents. If several companies have the name, the only one
/// that is not cancelled.
fn find_only<'t>(table: &'t Table, column: &str, name: &str) -> Option<&'t Vec<Value>> {
    let position = |name: &str| table.columns.iter().position(|column| column == name);
    let (at, cancelled) = (position(column)?, position("cancelled_on"));
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
            let row =
                find_only(&answer.tables[0], column, name).map(|row| row[0].to_text().into_owned());
            assert_eq!(row.as_deref(), id, "{column} {name}");
        }
    }
}
