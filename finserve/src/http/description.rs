//! The API description as it is served: with the address of this very service.
use hyper::Uri;

use super::request::Request;
use crate::{api, base_path::BasePath};

const YAML: &str = include_str!("../../../openapi.yaml");

/// The address in the document that stands for wherever the service is.
pub(crate) const PLACEHOLDER: &str = "http://localhost:8080";

pub(crate) fn yaml(request: &Request, base: BasePath) -> String {
    served(YAML, request, base)
}

pub(crate) fn json(request: &Request, base: BasePath) -> String {
    served(api::JSON, request, base)
}

fn served(document: &str, request: &Request, base: BasePath) -> String {
    document.replacen(PLACEHOLDER, &address(request, base), 1)
}

/// The address of this service as the client knows it, with the path that all links begin with.
pub(crate) fn address(request: &Request, base: BasePath) -> String {
    let origin = request.origin();
    let origin = if is_address(&origin) { &origin } else { PLACEHOLDER };
    [origin, &base.link("")].concat()
}

/// Whether this is an address and nothing else: a strange `Host` header must not write into the document.
fn is_address(origin: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || ".:-_/[]".contains(c);
    let authority = origin.parse::<Uri>().ok().and_then(|uri| uri.authority().cloned());
    authority.is_some_and(|authority| {
        let port = authority.as_str().len() > authority.host().len();
        origin.chars().all(plain)
            && !authority.host().is_empty()
            && (!port || authority.port_u16().is_some())
    })
}
