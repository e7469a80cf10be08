//! `openapi.yaml` as the tests read it: the operations, how to call them, and what an answer must be.
use std::fmt::Write;

use fincore::Plan;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use super::schema;
use crate::harness::Reply;

/// The description of the service.
pub(super) struct Document(Value);

/// A method of a path.
pub(super) struct Operation<'d> {
    pub(super) method: String,
    pub(super) path: &'d str,
    about: &'d Value,
}

/// Which parameters a request gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Given {
    /// Those that must be given.
    Required,
    /// All for which the document has a value: an example, a default or a choice; not those that are for CSV only.
    All,
    /// Those that must be given, and CSV in the Brazilian dialect.
    Csv,
}

impl Document {
    pub(super) fn read() -> Document {
        let mut document = serde_norway::from_str(include_str!("../../openapi.yaml")).unwrap();
        allow_null(&mut document);
        Document(document)
    }

    pub(super) fn operations(&self) -> Vec<Operation<'_>> {
        let paths = self.0["paths"].as_object().unwrap().iter();
        let methods = paths.flat_map(|(path, item)| {
            let operation = move |(method, about): (&String, _)| Operation {
                method: method.to_uppercase(),
                path: path.as_str(),
                about,
            };
            item.as_object().unwrap().iter().map(operation)
        });
        methods.collect()
    }

    /// Every example and default, with the place where it stands and its schema.
    pub(super) fn examples(&self) -> Vec<(String, &Value, &Value)> {
        let mut found = Vec::new();
        collect_examples(&self.0, "", &mut found);
        found
    }

    /// The place of every key that has no value. Examples hold some, whose keys are single words.
    pub(super) fn keys_without_value(&self) -> Vec<String> {
        fn collect(value: &Value, at: &str, found: &mut Vec<String>) {
            for (name, member) in value.as_object().into_iter().flatten() {
                let at = format!("{at}/{name}");
                if member.is_null() && name.contains(' ') {
                    found.push(at);
                } else {
                    collect(member, &at, found);
                }
            }
            for (number, item) in value.as_array().into_iter().flatten().enumerate() {
                collect(item, &format!("{at}/{number}"), found);
            }
        }
        let mut found = Vec::new();
        collect(&self.0, "", &mut found);
        found
    }

    /// The example of every error, by the name that the document gives it.
    pub(super) fn errors(&self) -> Vec<(&str, Value)> {
        let responses = self.at("/components/responses").as_object().unwrap().iter();
        let examples = responses.map(|(name, response)| {
            (name.as_str(), response["content"]["application/json"]["example"].clone())
        });
        examples.filter(|(_, example)| !example.is_null()).collect()
    }

    /// The part of the document at this JSON pointer.
    #[track_caller]
    pub(super) fn at(&self, pointer: &str) -> &Value {
        self.0.pointer(pointer).unwrap_or_else(|| panic!("there is no {pointer}"))
    }

    /// Whether it answers with a part of something longer.
    pub(super) fn is_list(&self, operation: &Operation<'_>) -> bool {
        let schema = &operation.about["responses"]["200"]["content"]["application/json"]["schema"];
        !self.resolve(schema)["properties"]["offset"].is_null()
    }

    /// Where the request goes, as the document's examples fill it in.
    pub(super) fn target(&self, operation: &Operation<'_>, given: Given) -> String {
        let (mut path, mut query) = (operation.path.to_owned(), String::new());
        for parameter in operation.about["parameters"].as_array().into_iter().flatten() {
            let parameter = self.resolve(parameter);
            let name = parameter["name"].as_str().unwrap();
            let schema = self.resolve(&parameter["schema"]);
            let values = [&parameter["example"], &schema["default"], &schema["enum"][0]];
            let shown = values.into_iter().find(|value| !value.is_null()).map(text);
            let (value, wanted) = match (given, name) {
                (Given::Csv, "format") => (Some("csv".to_owned()), true),
                (Given::Csv, "dialect") => (Some("br".to_owned()), true),
                // They go with other formats than JSON.
                (_, "dialect" | "field" | "decimal") => (None, false),
                _ => (shown, parameter["required"] == true || given == Given::All),
            };
            if parameter["in"] == "path" {
                path = path.replace(&format!("{{{name}}}"), &value.expect(name));
            } else if wanted {
                let Some(value) = value else { continue };
                let value = utf8_percent_encode(&value, NON_ALPHANUMERIC);
                write!(query, "{}{name}={value}", if query.is_empty() { '?' } else { '&' })
                    .unwrap();
            }
        }
        path + &query
    }

    /// What is wrong with a value, by its schema.
    pub(super) fn wrongs(&self, schema: &Value, value: &Value) -> Vec<String> {
        let mut wrongs = schema::wrongs(schema, value, "", &|schema| self.resolve(schema));
        self.find_untold(&[schema], value, "", &mut wrongs);
        wrongs
    }

    /// In what a reply is not as the document says of its operation.
    pub(super) fn differences(&self, operation: &Operation<'_>, reply: &Reply) -> Vec<String> {
        let response = &operation.about["responses"][reply.status.to_string()];
        if response.is_null() {
            return vec![format!("the status {} is not described", reply.status)];
        }
        let response = self.resolve(response);
        let mut differences = self.differences_of_headers(&response["headers"], reply);
        let Some(content) = response["content"].as_object() else {
            if !reply.body.is_empty() {
                differences.push("there is a body".to_owned());
            }
            return differences;
        };
        let media = reply.header("content-type").unwrap_or_default();
        let media = media.split(';').next().unwrap_or_default();
        match media {
            _ if !content.contains_key(media) => {
                differences.push(format!("the media type {media:?} is not described"));
            }
            "application/json" => {
                differences.extend(self.wrongs(&content[media]["schema"], &reply.json()));
            }
            // Streams have no schema but "text", and their columns are those of the lists.
            _ => differences.extend(self.columns(operation).and_then(|all| unlike(&all, reply))),
        }
        differences
    }

    /// The columns of a list as CSV: those that the document names, or else the members of its rows, also those that JSON
    /// leaves out; nothing if it is no list.
    fn columns<'d>(&'d self, operation: &Operation<'d>) -> Option<Vec<&'d str>> {
        let content = &operation.about["responses"]["200"]["content"];
        if let Some(columns) = content["text/csv"]["x-columns"].as_array() {
            return Some(columns.iter().filter_map(Value::as_str).collect());
        }
        let schema = &content["application/json"]["schema"];
        let rows = &self.resolve(schema)["properties"]["data"]["items"];
        // Where a history may be transformed, the rows that are not come first.
        let rows = rows.get("oneOf").map_or(rows, |kinds| &kinds[0]);
        match self.resolve(rows)["properties"].as_object() {
            // Only transformed rows may be of a period that has not ended.
            Some(members) => {
                Some(members.keys().map(String::as_str).filter(|name| *name != "partial").collect())
            }
            // The business days are a list of days, not of objects.
            None => rows["format"].as_str().map(|format| vec![format]),
        }
    }

    fn differences_of_headers(&self, headers: &Value, reply: &Reply) -> Vec<String> {
        let mut differences = Vec::new();
        for (name, header) in headers.as_object().into_iter().flatten() {
            let header = self.resolve(header);
            let Some(value) = reply.header(&name.to_lowercase()) else {
                if header["required"] == true {
                    differences.push(format!("the header {name} is missing"));
                }
                continue;
            };
            let schema = self.resolve(&header["schema"]);
            let value = match schema["type"].as_str() {
                Some("integer") => value.parse::<i64>().map_or(json!(value), Value::from),
                _ => json!(value),
            };
            let wrongs = self.wrongs(schema, &value);
            differences.extend(wrongs.iter().map(|wrong| format!("the header {name}{wrong}")));
        }
        differences
    }

    /// Finds the members that no schema tells of. Clients may meet them, so no schema forbids them; but what
    /// this version sends, the document is to tell.
    fn find_untold(&self, schemas: &[&Value], value: &Value, at: &str, wrongs: &mut Vec<String>) {
        let schemas = self.parts(schemas);
        let all = |key: &str| -> Vec<&Value> {
            schemas.iter().map(|schema| &schema[key]).filter(|part| !part.is_null()).collect()
        };
        for (name, member) in value.as_object().into_iter().flatten() {
            let (properties, others) = (all("properties"), all("additionalProperties"));
            let told = properties.iter().filter_map(|known| known.get(name));
            let told: Vec<_> = told.chain(others.iter().copied()).collect();
            let at = format!("{at}/{name}");
            // A schema without properties says only that there is an object.
            if told.is_empty() && !properties.is_empty() {
                wrongs.push(format!("{at} is not described"));
            }
            self.find_untold(&told, member, &at, wrongs);
        }
        for (number, item) in value.as_array().into_iter().flatten().enumerate() {
            self.find_untold(&all("items"), item, &format!("{at}/{number}"), wrongs);
        }
    }

    /// The schemas themselves: references followed, `allOf` taken apart.
    fn parts<'d>(&'d self, schemas: &[&'d Value]) -> Vec<&'d Value> {
        let mut parts = Vec::new();
        for schema in schemas.iter().map(|schema| self.resolve(schema)) {
            parts.push(schema);
            let all: Vec<_> = schema["allOf"].as_array().into_iter().flatten().collect();
            parts.extend(self.parts(&all));
        }
        parts
    }

    fn resolve<'d>(&'d self, value: &'d Value) -> &'d Value {
        match value["$ref"].as_str() {
            Some(reference) => self.0.pointer(reference.trim_start_matches('#')).expect(reference),
            None => value,
        }
    }
}

impl Operation<'_> {
    /// The smallest plan that reaches it.
    pub(super) fn plan(&self) -> Plan {
        let id = self.about["x-plan"].as_str();
        id.map_or(Plan::Free, |id| Plan::ALL.into_iter().find(|plan| plan.id() == id).expect(id))
    }

    /// Whether its requests are counted.
    pub(super) fn is_counted(&self) -> bool {
        self.about["x-plan"].is_string()
    }

    /// Whether it must be called with a key.
    pub(super) fn needs_key(&self) -> bool {
        let ways = self.about["security"].as_array();
        ways.is_some_and(|ways| ways.iter().all(|way| *way != json!({})))
    }

    pub(super) fn describes(&self, status: u16) -> bool {
        !self.about["responses"][status.to_string()].is_null()
    }

    pub(super) fn describes_header(&self, status: u16, name: &str) -> bool {
        !self.about["responses"][status.to_string()]["headers"][name].is_null()
    }

    /// Whether it also comes as CSV.
    pub(super) fn comes_as_csv(&self) -> bool {
        !self.about["responses"]["200"]["content"]["text/csv"].is_null()
    }

    pub(super) fn description(&self) -> &str {
        self.about["description"].as_str().expect(self.path)
    }

    /// The media type and the text of the body, if it takes one.
    pub(super) fn body(&self) -> Option<(&str, String)> {
        let (media, body) = self.about["requestBody"]["content"].as_object()?.iter().next()?;
        assert_eq!(media, "application/json");
        Some((media, body["example"].to_string()))
    }
}

/// In what the header line of Brazilian CSV is unlike these columns.
fn unlike(columns: &[&str], reply: &Reply) -> Option<String> {
    let header = reply.text().lines().next().unwrap_or_default().trim_start_matches('\u{feff}');
    let (mut given, mut wanted): (Vec<_>, _) = (header.split(';').collect(), columns.to_vec());
    given.sort_unstable();
    wanted.sort_unstable();
    (given != wanted).then(|| format!("the columns are {header:?}, not {columns:?}"))
}

/// OpenAPI 3.0 says `nullable` where JSON Schema names one more type.
fn allow_null(schema: &mut Value) {
    if schema["nullable"] == true {
        let kind = schema["type"].clone();
        schema["type"] = json!([kind, "null"]);
    }
    match schema {
        Value::Object(members) => members.values_mut().for_each(allow_null),
        Value::Array(items) => items.iter_mut().for_each(allow_null),
        _ => (),
    }
}

fn collect_examples<'d>(
    value: &'d Value,
    at: &str,
    found: &mut Vec<(String, &'d Value, &'d Value)>,
) {
    let schema = value.get("schema").unwrap_or(value);
    for (name, member) in value.as_object().into_iter().flatten() {
        let at = format!("{at}/{name}");
        match name.as_str() {
            "example" | "default" => found.push((at, schema, member)),
            "examples" => {
                let named = member.as_object().unwrap().iter();
                found.extend(
                    named.map(|(name, one)| (format!("{at}/{name}"), schema, &one["value"])),
                );
            }
            _ => collect_examples(member, &at, found),
        }
    }
    for (number, item) in value.as_array().into_iter().flatten().enumerate() {
        collect_examples(item, &format!("{at}/{number}"), found);
    }
}

/// A value as an address writes it.
fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned)
}
