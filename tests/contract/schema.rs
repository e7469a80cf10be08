//! Whether a value is as a schema of `openapi.yaml` says: the keywords that it uses; any other is a failure.
use chrono::{DateTime, NaiveDate};
use regex_lite::Regex;
use serde_json::{Value, json};

/// What is wrong with a value, and where. `resolve` follows references.
pub(super) fn wrongs<'d>(
    schema: &'d Value,
    value: &Value,
    at: &str,
    resolve: &impl Fn(&'d Value) -> &'d Value,
) -> Vec<String> {
    let schema = resolve(schema);
    let mut found = Vec::new();
    for (keyword, rule) in schema.as_object().into_iter().flatten() {
        let inner = |schema: &'d Value, value: &Value, at: &str| wrongs(schema, value, at, resolve);
        let holds = match keyword.as_str() {
            "properties" => {
                for (name, property) in rule.as_object().unwrap() {
                    if let Some(member) = value.get(name) {
                        found.extend(inner(property, member, &format!("{at}/{name}")));
                    }
                }
                true
            }
            "additionalProperties" => {
                let members = value.as_object().into_iter().flatten();
                let mut others =
                    members.filter(|(name, _)| schema["properties"].get(name).is_none());
                if rule.is_object() {
                    for (name, member) in others.by_ref() {
                        found.extend(inner(rule, member, &format!("{at}/{name}")));
                    }
                }
                rule != false || others.next().is_none()
            }
            "items" => {
                for (number, item) in value.as_array().into_iter().flatten().enumerate() {
                    found.extend(inner(rule, item, &format!("{at}/{number}")));
                }
                true
            }
            "allOf" => {
                for part in rule.as_array().unwrap() {
                    found.extend(inner(part, value, at));
                }
                true
            }
            "oneOf" => {
                let kinds = rule.as_array().unwrap().iter();
                kinds.filter(|kind| inner(kind, value, at).is_empty()).count() == 1
            }
            "required" => {
                let names = rule.as_array().into_iter().flatten().filter_map(Value::as_str);
                value
                    .as_object()
                    .is_none_or(|has| names.into_iter().all(|name| has.contains_key(name)))
            }
            _ => is_met(keyword, rule, value),
        };
        if !holds {
            found.push(format!("{at}: {value} does not meet {keyword} {rule}"));
        }
    }
    found
}

/// Whether a value meets a keyword that is about the value itself.
fn is_met(keyword: &str, rule: &Value, value: &Value) -> bool {
    let text = value.as_str();
    let limit = || usize::try_from(rule.as_u64().unwrap()).unwrap();
    match keyword {
        "type" => match rule.as_array() {
            Some(kinds) => kinds.iter().any(|kind| is_of(kind, value)),
            None => is_of(rule, value),
        },
        "enum" => rule.as_array().unwrap().contains(value),
        "minimum" => value.as_f64().is_none_or(|number| number >= rule.as_f64().unwrap()),
        "maximum" => value.as_f64().is_none_or(|number| number <= rule.as_f64().unwrap()),
        "minLength" => text.is_none_or(|text| text.chars().count() >= limit()),
        "maxLength" => text.is_none_or(|text| text.chars().count() <= limit()),
        "minItems" => value.as_array().is_none_or(|items| items.len() >= limit()),
        "maxItems" => value.as_array().is_none_or(|items| items.len() <= limit()),
        "uniqueItems" => value.as_array().is_none_or(|items| {
            (1..items.len()).all(|number| !items[..number].contains(&items[number]))
        }),
        "pattern" => {
            let pattern = Regex::new(rule.as_str().unwrap()).unwrap();
            text.is_none_or(|text| pattern.is_match(text))
        }
        "format" => text.is_none_or(|text| match rule.as_str().unwrap() {
            "date" => text.len() == 10 && text.parse::<NaiveDate>().is_ok(),
            "date-time" => DateTime::parse_from_rfc3339(text).is_ok(),
            "binary" | "double" | "int32" | "int64" => true,
            "email" => text.contains('@'),
            other => panic!("the format {other} is not known here"),
        }),
        // What they say is in `type`.
        "nullable" => true,
        "title" | "description" | "example" | "default" | "deprecated" | "writeOnly" => true,
        other => other.starts_with("x-") || panic!("the keyword {other} is not known here"),
    }
}

fn is_of(kind: &Value, value: &Value) -> bool {
    match kind.as_str().unwrap() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("the type {other} is not known here"),
    }
}

#[test]
fn each_keyword_refuses_what_breaks_it() {
    for (schema, good, bad) in [
        (json!({"type": "integer"}), json!(3.0), json!(3.5)),
        (json!({"type": ["string", "null"]}), json!(null), json!(1)),
        (json!({"enum": ["a", 1]}), json!(1), json!("b")),
        (json!({"minimum": 1, "maximum": 2}), json!(2), json!(2.1)),
        (json!({"minLength": 2, "maxLength": 3}), json!("çãé"), json!("ç")),
        (json!({"minItems": 1, "maxItems": 2}), json!([1]), json!([])),
        (json!({"uniqueItems": true}), json!([1, 2]), json!([1, 2, 1])),
        (json!({"pattern": "^[a-z]+$"}), json!("abc"), json!("aBc")),
        (json!({"format": "date"}), json!("2024-02-29"), json!("2023-02-29")),
        (json!({"format": "date-time"}), json!("2024-02-29T10:00:00Z"), json!("2024-02-29 10h")),
        (json!({"required": ["a"]}), json!({"a": null}), json!({"b": 1})),
        (json!({"properties": {"a": {"type": "null"}}}), json!({"b": 1}), json!({"a": 1})),
        (json!({"additionalProperties": false}), json!({}), json!({"b": 1})),
        (json!({"additionalProperties": {"type": "null"}}), json!({"b": null}), json!({"b": 1})),
        (json!({"items": {"type": "null"}}), json!([null]), json!([null, 1])),
        (json!({"allOf": [{"minimum": 1}, {"maximum": 2}]}), json!(1), json!(3)),
        (json!({"oneOf": [{"minimum": 1}, {"maximum": 2}]}), json!(0), json!(1)),
    ] {
        let found = |value| wrongs(&schema, value, "", &|schema| schema);
        assert_eq!(found(&good), Vec::<String>::new(), "{schema}");
        assert_eq!(found(&bad).len(), 1, "{schema}: {:?}", found(&bad));
    }
}
