//! Endpoint descriptions from `openapi.yaml`, for the other descriptions of the API: the reference, MCP, llms.txt, the
//! command line.
mod error_body;
pub(crate) mod schema;

use std::{collections::HashMap, sync::LazyLock};

use indexmap::IndexMap;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value, value::RawValue};

pub(crate) use error_body::{Error, NO_SUCH_PATH, error_message, lacks_company};
use schema::Schema;

/// The document as JSON, made when the program was built.
pub(crate) const JSON: &str = include_str!(concat!(env!("OUT_DIR"), "/openapi.json"));

/// The parameters that choose a format. A client that wants JSON needs none of them.
pub(crate) const FORMATS: [&str; 4] = ["format", "dialect", "field", "decimal"];

/// The API as the document describes it.
pub(crate) static API: LazyLock<Api> =
    LazyLock::new(|| read(JSON).expect("the tests have read the document"));

/// Descriptions as HTML.
pub(crate) static HTML: LazyLock<Api> = LazyLock::new(|| {
    read(include_str!(concat!(env!("OUT_DIR"), "/openapi-html.json")))
        .expect("the tests have read the document")
});

pub(crate) struct Api {
    /// The description of the whole API.
    pub(crate) description: String,
    pub(crate) tags: Vec<Tag>,
    /// In the order of the document.
    pub(crate) operations: Vec<Operation>,
    /// The schemas of answers and bodies, by name, in the order of the document.
    pub(crate) schemas: IndexMap<String, Schema>,
}

/// A group of operations.
#[derive(Deserialize)]
pub(crate) struct Tag {
    pub(crate) name: String,
    pub(crate) description: String,
}

/// A method of a path.
pub(crate) struct Operation {
    /// In capitals.
    pub(crate) method: String,
    pub(crate) path: String,
    /// Its name for programs: `getSelic`.
    pub(crate) id: String,
    pub(crate) tag: String,
    pub(crate) summary: String,
    pub(crate) description: String,
    /// The smallest plan that includes it; `None` if no plan is needed.
    pub(crate) plan: Option<String>,
    pub(crate) parameters: Vec<Parameter>,
    /// An example of the body, if it takes one.
    pub(crate) body: Option<Box<RawValue>>,
    pub(crate) body_schema: Option<Schema>,
    pub(crate) responses: Vec<Response>,
}

#[derive(Deserialize)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    #[serde(rename = "in")]
    pub(crate) location: ParameterLocation,
    #[serde(default)]
    pub(crate) required: bool,
    #[serde(default)]
    pub(crate) description: String,
    #[serde(default)]
    pub(crate) schema: Map<String, Value>,
    pub(crate) example: Option<Value>,
}

/// Where a parameter is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ParameterLocation {
    Path,
    Query,
    Header,
}

/// A response of an operation.
pub(crate) struct Response {
    pub(crate) status: String,
    pub(crate) description: String,
    pub(crate) example: Option<Box<RawValue>>,
    pub(crate) schema: Option<Schema>,
}

impl Api {
    /// The GET operation of this path, as the document writes the path.
    pub(crate) fn get(&self, path: &str) -> Option<&Operation> {
        self.operations.iter().find(|one| one.method == "GET" && one.path == path)
    }
}

impl Parameter {
    /// A value that works: the example, or else the default.
    pub(crate) fn sample(&self) -> Option<String> {
        let sample = self.example.as_ref().or_else(|| self.schema.get("default"))?;
        Some(sample.as_str().map_or_else(|| sample.to_string(), ToOwned::to_owned))
    }
}

/// The parts of the document that are needed.
#[derive(Deserialize)]
struct Document {
    info: Info,
    tags: Vec<Tag>,
    paths: IndexMap<String, IndexMap<String, OperationObject>>,
    components: Components,
}

#[derive(Deserialize)]
struct Info {
    description: String,
}

type Components = HashMap<String, IndexMap<String, Box<RawValue>>>;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OperationObject {
    operation_id: String,
    #[serde(default)]
    tags: Vec<String>,
    summary: String,
    description: String,
    #[serde(rename = "x-plan")]
    plan: Option<String>,
    #[serde(default)]
    parameters: Vec<Box<RawValue>>,
    request_body: Option<ContentObject>,
    responses: IndexMap<String, Box<RawValue>>,
}

#[derive(Deserialize)]
struct ContentObject {
    #[serde(default)]
    description: String,
    #[serde(default)]
    content: HashMap<String, Media>,
}

#[derive(Deserialize)]
struct Media {
    example: Option<Box<RawValue>>,
    schema: Option<Schema>,
}

impl ContentObject {
    /// The example of its JSON, and the schema.
    fn json(mut self) -> (Option<Box<RawValue>>, Option<Schema>) {
        self.content
            .remove("application/json")
            .map_or((None, None), |media| (media.example, media.schema))
    }
}

fn read(json: &str) -> serde_json::Result<Api> {
    let Document { info, tags, paths, components } = serde_json::from_str(json)?;
    let mut operations = Vec::new();
    for (path, methods) in paths {
        for (method, described) in methods {
            operations.push(operation(&path, &method, described, &components)?);
        }
    }
    let schemas = components.get("schemas").into_iter().flatten();
    let schemas =
        schemas.map(|(name, schema)| Ok((name.clone(), serde_json::from_str(schema.get())?)));
    Ok(Api {
        description: info.description,
        tags,
        operations,
        schemas: schemas.collect::<serde_json::Result<_>>()?,
    })
}

fn operation(
    path: &str,
    method: &str,
    described: OperationObject,
    components: &Components,
) -> serde_json::Result<Operation> {
    let OperationObject {
        operation_id,
        tags,
        summary,
        description,
        plan,
        parameters,
        request_body,
        responses,
    } = described;
    let parameters = parameters.iter().map(|parameter| resolve(parameter, components));
    let responses = responses.into_iter().map(|(status, response)| {
        let content: ContentObject = resolve(&response, components)?;
        let description = content.description.clone();
        let (example, schema) = content.json();
        Ok(Response { status, description, example, schema })
    });
    let (body, body_schema) = request_body.map_or((None, None), ContentObject::json);
    Ok(Operation {
        method: method.to_uppercase(),
        path: path.to_owned(),
        id: operation_id,
        tag: tags.into_iter().next().unwrap_or_default(),
        summary,
        description,
        plan,
        parameters: parameters.collect::<serde_json::Result<_>>()?,
        body,
        body_schema,
        responses: responses.collect::<serde_json::Result<_>>()?,
    })
}

/// Parses an object, or the component that its `$ref` names.
fn resolve<T: DeserializeOwned>(
    written: &RawValue,
    components: &Components,
) -> serde_json::Result<T> {
    #[derive(Deserialize)]
    struct Reference {
        #[serde(rename = "$ref")]
        to: Option<String>,
    }
    let Reference { to } = serde_json::from_str(written.get())?;
    let parts: Vec<&str> = to.as_deref().unwrap_or_default().split('/').collect();
    let component = match parts[..] {
        ["#", "components", kind, name] => components.get(kind).and_then(|kind| kind.get(name)),
        _ => None,
    };
    serde_json::from_str(component.map_or(written.get(), |component| component.get()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_an_operation_with_what_it_refers_to() {
        let history = API.get("/api/v1/market/series/{series}").unwrap();
        assert_eq!((history.tag.as_str(), history.plan.as_deref()), ("Market", Some("free")));
        let names: Vec<_> = history.parameters.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names[..5], ["series", "from", "to", "limit", "offset"]);
        let series = &history.parameters[0];
        assert_eq!((series.location, series.required), (ParameterLocation::Path, true));
        assert_eq!(series.sample().as_deref(), Some("igp-m"));
        assert!(history.responses.iter().any(|one| one.status == "404" && one.example.is_some()));
        assert!(API.operations.iter().all(|one| API.tags.iter().any(|tag| tag.name == one.tag)));
    }

    #[test]
    fn the_message_of_an_error_names_the_plans() {
        let error =
            r#"{"error":"plan_required","message":"Filings need Gold.","upgrade_url":"/p"}"#;
        for place in ["http://a", "http://a/", "http://a/data"] {
            assert_eq!(
                error_message(error, place),
                "Filings need Gold. The plans are at http://a/p."
            );
        }
        assert_eq!(error_message(r#"{"error":"x","message":"No."}"#, ""), "No.");
        assert!(error_message("<html>", "").contains("did not say why"));
    }
}
