//! What `openapi.yaml` says of each endpoint, for whatever describes the API in other words.
use std::{collections::HashMap, sync::LazyLock};

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value, value::RawValue};

use crate::ordered::Ordered;

/// The document as JSON, made when the program was built.
pub(crate) const JSON: &str = include_str!(concat!(env!("OUT_DIR"), "/openapi.json"));

/// The parameters that choose a format. Whoever wants JSON needs none of them.
pub(crate) const FORMATS: [&str; 2] = ["format", "dialect"];

/// The API as the document describes it.
pub(crate) static API: LazyLock<Api> =
    LazyLock::new(|| read(JSON).expect("the tests have read the document"));

pub(crate) struct Api {
    pub(crate) tags: Vec<Tag>,
    /// In the order of the document.
    pub(crate) operations: Vec<Operation>,
}

/// What operations have in common.
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
    pub(crate) tag: String,
    pub(crate) summary: String,
    pub(crate) description: String,
    /// The smallest plan that includes it; nothing where none is needed.
    pub(crate) plan: Option<String>,
    pub(crate) parameters: Vec<Parameter>,
    /// An example of the body, if it takes one.
    pub(crate) body: Option<Box<RawValue>>,
    pub(crate) responses: Vec<Response>,
}

#[derive(Deserialize)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    #[serde(rename = "in")]
    pub(crate) place: Place,
    #[serde(default)]
    pub(crate) required: bool,
    #[serde(default)]
    pub(crate) description: String,
    #[serde(default)]
    pub(crate) schema: Map<String, Value>,
    pub(crate) example: Option<Value>,
}

/// Where a parameter stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Place {
    Path,
    Query,
    Header,
}

/// What an operation may answer.
pub(crate) struct Response {
    pub(crate) status: String,
    pub(crate) description: String,
    pub(crate) example: Option<Box<RawValue>>,
}

impl Api {
    /// The operation that reads what is at this path, as it is written in the document.
    pub(crate) fn get(&self, path: &str) -> Option<&Operation> {
        self.operations.iter().find(|one| one.method == "GET" && one.path == path)
    }
}

impl Parameter {
    /// A value that works: the example, or else what is the default.
    pub(crate) fn sample(&self) -> Option<String> {
        let sample = self.example.as_ref().or_else(|| self.schema.get("default"))?;
        Some(sample.as_str().map_or_else(|| sample.to_string(), ToOwned::to_owned))
    }
}

/// An error of the API.
#[derive(Deserialize)]
pub(crate) struct Error {
    /// Its code.
    pub(crate) error: String,
    pub(crate) message: String,
    upgrade_url: Option<String>,
}

impl Error {
    /// Nothing where the text is not an error of the API.
    pub(crate) fn read(json: &str) -> Option<Error> {
        serde_json::from_str(json).ok()
    }

    /// Where the plans are, if a larger one helps; `place` is the address of the service.
    pub(crate) fn plans(&self, place: &str) -> Option<String> {
        let at = self.upgrade_url.as_deref()?;
        // The path is a whole one, whatever path the service is below.
        let origin = || place.splitn(4, '/').take(3).collect::<Vec<_>>().join("/");
        Some(if at.starts_with('/') { origin() + at } else { at.to_owned() })
    }
}

/// What an error of the API says, for somebody who does not see its other members; `place` is the address of the
/// service.
pub(crate) fn words(error: &str, place: &str) -> String {
    let Some(error) = Error::read(error) else {
        return "the service failed, and did not say why".to_owned();
    };
    match error.plans(place) {
        Some(plans) => format!("{} The plans are at {plans}.", error.message),
        None => error.message,
    }
}

/// How the API begins where a part of a path cannot be read.
pub(crate) const NO_SUCH_PATH: &str = "there is nothing at this path: ";

/// Whether a message of the API says that a text is no company: whoever knows a name only can search for it.
pub(crate) fn lacks_company(message: &str) -> bool {
    let unlike = ["is not a company (", "is not the id of a company ("];
    message.starts_with("there is no company ")
        || unlike.iter().any(|words| message.contains(words))
}

/// The parts of the document that are needed.
#[derive(Deserialize)]
struct Document {
    tags: Vec<Tag>,
    paths: Ordered<Ordered<Described>>,
    components: Components,
}

type Components = HashMap<String, HashMap<String, Box<RawValue>>>;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Described {
    #[serde(default)]
    tags: Vec<String>,
    summary: String,
    description: String,
    #[serde(rename = "x-plan")]
    plan: Option<String>,
    #[serde(default)]
    parameters: Vec<Box<RawValue>>,
    request_body: Option<Content>,
    responses: Ordered<Box<RawValue>>,
}

#[derive(Deserialize)]
struct Content {
    #[serde(default)]
    description: String,
    #[serde(default)]
    content: HashMap<String, Media>,
}

#[derive(Deserialize)]
struct Media {
    example: Option<Box<RawValue>>,
}

impl Content {
    fn example(&self) -> Option<Box<RawValue>> {
        self.content.get("application/json")?.example.clone()
    }
}

fn read(json: &str) -> serde_json::Result<Api> {
    let Document { tags, paths, components } = serde_json::from_str(json)?;
    let mut operations = Vec::new();
    for (path, Ordered(methods)) in paths.0 {
        for (method, described) in methods {
            operations.push(operation(&path, &method, described, &components)?);
        }
    }
    Ok(Api { tags, operations })
}

fn operation(
    path: &str,
    method: &str,
    described: Described,
    components: &Components,
) -> serde_json::Result<Operation> {
    let Described { tags, summary, description, plan, parameters, request_body, responses } =
        described;
    let parameters = parameters.iter().map(|parameter| resolve(parameter, components));
    let responses = responses.0.into_iter().map(|(status, response)| {
        let content: Content = resolve(&response, components)?;
        let example = content.example();
        Ok(Response { status, description: content.description, example })
    });
    Ok(Operation {
        method: method.to_uppercase(),
        path: path.to_owned(),
        tag: tags.into_iter().next().unwrap_or_default(),
        summary,
        description,
        plan,
        parameters: parameters.collect::<serde_json::Result<_>>()?,
        body: request_body.as_ref().and_then(Content::example),
        responses: responses.collect::<serde_json::Result<_>>()?,
    })
}

/// What is written here, or where `$ref` leads.
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
    let elsewhere = match parts[..] {
        ["#", "components", kind, name] => components.get(kind).and_then(|kind| kind.get(name)),
        _ => None,
    };
    serde_json::from_str(elsewhere.map_or(written.get(), |there| there.get()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_an_operation_with_what_it_refers_to() {
        let history = API.get("/api/v1/market/series/{series}").unwrap();
        assert_eq!((history.tag.as_str(), history.plan.as_deref()), ("Market", Some("free")));
        let names: Vec<_> = history.parameters.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["series", "from", "to", "limit", "offset", "format", "dialect"]);
        let series = &history.parameters[0];
        assert_eq!((series.place, series.required), (Place::Path, true));
        assert_eq!(series.sample().as_deref(), Some("igp-m"));
        assert!(history.responses.iter().any(|one| one.status == "404" && one.example.is_some()));
        assert!(API.operations.iter().all(|one| API.tags.iter().any(|tag| tag.name == one.tag)));
    }

    #[test]
    fn words_of_an_error_name_the_plans() {
        let error =
            r#"{"error":"plan_required","message":"Filings need Gold.","upgrade_url":"/p"}"#;
        for place in ["http://a", "http://a/", "http://a/data"] {
            assert_eq!(words(error, place), "Filings need Gold. The plans are at http://a/p.");
        }
        assert_eq!(words(r#"{"error":"x","message":"No."}"#, ""), "No.");
        assert!(words("<html>", "").contains("did not say why"));
    }
}
