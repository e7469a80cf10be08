//! The API description as it is served: with the address of this very service.
use crate::{
    openapi,
    site::{base_path::BasePath, upgrade_contact::UpgradeContact},
};

const YAML: &str = include_str!("../../../../openapi.yaml");

/// The address in the document that stands for wherever the service is.
pub(crate) const PLACEHOLDER: &str = "http://localhost:8080";

/// The text before the place of the contact.
const YAML_INFO: &str = "\ninfo:\n";
const JSON_INFO: &str = "\"info\":{";

pub(crate) fn yaml(origin: Option<&str>, upgrade_contact: UpgradeContact) -> String {
    // JSON in one line is YAML.
    let contact =
        upgrade_contact.described().map(|contact| format!("{YAML_INFO}  contact: {contact}\n"));
    served(YAML, (YAML_INFO, contact), &address(origin, upgrade_contact.base()))
}

pub(crate) fn json(origin: Option<&str>, upgrade_contact: UpgradeContact) -> String {
    let contact =
        upgrade_contact.described().map(|contact| format!("{JSON_INFO}\"contact\":{contact},"));
    served(openapi::JSON, (JSON_INFO, contact), &address(origin, upgrade_contact.base()))
}

fn served(document: &str, (info, contact): (&str, Option<String>), address: &str) -> String {
    let here = document.replacen(PLACEHOLDER, address, 1);
    match contact {
        Some(contact) => here.replacen(info, &contact, 1),
        None => here,
    }
}

/// The address of this service with the path that all links begin with.
pub(crate) fn address(origin: Option<&str>, base: BasePath) -> String {
    [origin.unwrap_or(PLACEHOLDER), &base.link("")].concat()
}
