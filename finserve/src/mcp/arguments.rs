//! The arguments of a call, as they are written.
use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

/// The members of the object, in their order and each as often as it is given: a map would keep one of several, and an
/// argument that is given twice has to be refused.
#[derive(Debug, Default)]
pub(super) struct Arguments<'a>(pub(super) Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Arguments<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Arguments<'a>, D::Error> {
        deserializer.deserialize_map(ArgumentsVisitor)
    }
}

struct ArgumentsVisitor;

impl<'de> Visitor<'de> for ArgumentsVisitor {
    type Value = Arguments<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Arguments<'de>, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = object.next_entry()? {
            members.push(member);
        }
        Ok(Arguments(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_order_and_repetitions() {
        let Arguments(members) = serde_json::from_str(r#"{"b":1.50,"a":2,"b":3}"#).unwrap();
        let members: Vec<(&str, &str)> =
            members.iter().map(|(name, value)| (&**name, value.get())).collect();
        assert_eq!(members, [("b", "1.50"), ("a", "2"), ("b", "3")]);
        assert!(serde_json::from_str::<Arguments>("[1]").is_err());
    }
}
