//! The API description as it is served: with the address of this very service.
use super::request::Request;

const YAML: &str = include_str!("../../../openapi.yaml");
const JSON: &str = include_str!(concat!(env!("OUT_DIR"), "/openapi.json"));

/// The address in the document that stands for wherever the service is.
const PLACEHOLDER: &str = "http://localhost:8080";

pub(crate) fn yaml(request: &Request) -> String {
    served(YAML, request)
}

pub(crate) fn json(request: &Request) -> String {
    served(JSON, request)
}

fn served(document: &str, request: &Request) -> String {
    let origin = request.origin();
    // Whoever sends a strange Host header must not be able to write into the document.
    let plain = |c: char| c.is_ascii_alphanumeric() || ".:-_/[]".contains(c);
    let origin = if origin.chars().all(plain) { &origin } else { PLACEHOLDER };
    document.replacen(PLACEHOLDER, origin, 1)
}
