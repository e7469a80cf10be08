//! Which company a text means.
use fincore::excerpt;

use super::{super::show::Value, Answer, Failure, Question, unreadable};
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
    let row = match (table.rows.iter().find(traded), &table.rows[..], found.notes.fuzzy) {
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
