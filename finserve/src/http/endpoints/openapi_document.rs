//! The API description as it is served: with the address of this very service.
use crate::{
    http::message::request::Request,
    openapi,
    site::{base_path::BasePath, upgrade_contact::UpgradeContact},
};

const YAML: &str = include_str!("../../../../openapi.yaml");

/// The address in the document that stands for wherever the service is.
pub(crate) const PLACEHOLDER: &str = "http://localhost:8080";

/// What comes before the place of the contact.
const YAML_INFO: &str = "\ninfo:\n";
const JSON_INFO: &str = "\"info\":{";

pub(crate) fn yaml(request: &Request, upgrade_contact: UpgradeContact) -> String {
    // JSON in one line is YAML.
    let contact =
        upgrade_contact.described().map(|contact| format!("{YAML_INFO}  contact: {contact}\n"));
    served(YAML, (YAML_INFO, contact), request, upgrade_contact)
}

pub(crate) fn json(request: &Request, upgrade_contact: UpgradeContact) -> String {
    let contact =
        upgrade_contact.described().map(|contact| format!("{JSON_INFO}\"contact\":{contact},"));
    served(openapi::JSON, (JSON_INFO, contact), request, upgrade_contact)
}

fn served(
    document: &str,
    (info, contact): (&str, Option<String>),
    request: &Request,
    upgrade_contact: UpgradeContact,
) -> String {
    let here = document.replacen(PLACEHOLDER, &address(request, upgrade_contact.base()), 1);
    match contact {
        Some(contact) => here.replacen(info, &contact, 1),
        None => here,
    }
}

/// The address of this service as the client knows it, with the path that all links begin with.
pub(crate) fn address(request: &Request, base: BasePath) -> String {
    let origin = request.named_origin().unwrap_or_else(|| PLACEHOLDER.to_owned());
    [origin, base.link("")].concat()
}
