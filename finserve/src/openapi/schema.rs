//! Schemas of answers and bodies, as far as the reference shows them.
use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::Value;

/// The shape of a value.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Schema {
    #[serde(rename = "$ref")]
    reference: Option<String>,
    #[serde(rename = "type")]
    pub(crate) kind: Option<String>,
    pub(crate) format: Option<String>,
    pub(crate) description: String,
    pub(crate) properties: IndexMap<String, Schema>,
    pub(crate) required: Vec<String>,
    pub(crate) items: Option<Box<Schema>>,
    pub(crate) all_of: Vec<Schema>,
    #[serde(rename = "enum")]
    pub(crate) choices: Vec<Value>,
    pub(crate) nullable: bool,
    pub(crate) additional_properties: Option<OtherMembers>,
}

/// The members allowed besides those that are named.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum OtherMembers {
    Allowed(#[expect(dead_code, reason = "the reference says nothing of it")] bool),
    Each(Box<Schema>),
}

impl Schema {
    /// The name of the schema that this one stands for.
    pub(crate) fn reference(&self) -> Option<&str> {
        self.reference.as_deref()?.rsplit('/').next()
    }
}
