//! Responses of the central bank without data: "not found", and error messages.
use serde_json::Value;

use crate::{import::import_error::Refusal, truncate::truncate};

/// In an answer with status 404, which is normal for holidays.
const NOT_FOUND: &str = "Value(s) not found";

/// An answer that is longer has data.
const MAX_LENGTH: usize = 64 << 10;

/// Whether the answer says that the requested period has no values. Fails with the bank's own words if it is another
/// error.
pub(super) fn is_empty_answer(text: &str) -> Result<bool, Refusal> {
    if text.len() > MAX_LENGTH {
        return Ok(false);
    }
    let Ok(Value::Object(answer)) = serde_json::from_str(text) else { return Ok(false) };
    let mut words = Vec::new();
    collect_texts(&Value::Object(answer.clone()), &mut words);
    if words.iter().any(|word| word.contains(NOT_FOUND)) {
        return Ok(true);
    }
    if !["erro", "error"].iter().any(|name| answer.contains_key(*name)) {
        return Ok(false);
    }
    // If it has no text, the whole answer is shown.
    let said = if words.is_empty() { text.trim().to_owned() } else { words.join(": ") };
    let said = said.replace(char::is_control, " ");
    Err(Refusal::whole(format!("the central bank answered: {:?}", truncate(&said))))
}

/// All texts of an answer, at any depth, in order.
fn collect_texts(value: &Value, words: &mut Vec<String>) {
    match value {
        Value::String(text) => words.push(text.clone()),
        Value::Array(values) => values.iter().for_each(|value| collect_texts(value, words)),
        Value::Object(members) => members.values().for_each(|value| collect_texts(value, words)),
        Value::Null | Value::Bool(_) | Value::Number(_) => (),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_an_empty_answer_however_deep_it_says_so() {
        for text in [
            r#"{"erro":{"statusCode":404,"detail":"Value(s) not found"}}"#,
            r#"{"error":"Value(s) not found","message":"x"}"#,
            r#"{"error":[{"detail":["Value(s) not found."]}]}"#,
        ] {
            assert_eq!(is_empty_answer(text), Ok(true), "{text}");
        }
        for text in ["{}", "[]", "x", r#"{"value":[{"tipoBoletim":"x"}]}"#] {
            assert_eq!(is_empty_answer(text), Ok(false), "{text}");
        }
    }

    #[test]
    fn shows_any_other_answer_in_the_words_of_the_bank() {
        let said = |text: &str| is_empty_answer(text).unwrap_err().reason;
        assert_eq!(
            said(r#"{"erro":{"detail":"Sistema\u001b[31m indisponível"}}"#),
            "the central bank answered: \"Sistema [31m indisponível\""
        );
        assert_eq!(said(r#"{"erro":1}"#), r#"the central bank answered: "{\"erro\":1}""#);
        let long = said(&format!(r#"{{"error":"{}"}}"#, "x".repeat(5000)));
        assert_eq!(long.chars().count(), "the central bank answered: \"…\"".chars().count() + 60);
    }
}
