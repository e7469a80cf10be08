//! A JSON object whose members stay in their order.
use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

/// The members of an object as they are written: in their order, and each as often as it is given.
pub(crate) struct Ordered<T>(pub(crate) Vec<(String, T)>);

/// An object whose values are as they were written.
pub(crate) type Object = Ordered<Box<RawValue>>;

impl<T> Default for Ordered<T> {
    fn default() -> Ordered<T> {
        Ordered(Vec::new())
    }
}

impl Object {
    /// The first member of this name.
    pub(crate) fn get(&self, name: &str) -> Option<&RawValue> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| &**value)
    }

    /// The object as JSON again.
    pub(crate) fn write(&self) -> serde_json::Result<Box<RawValue>> {
        let member = |(name, value): &(String, Box<RawValue>)| {
            Ok(format!("{}:{}", serde_json::to_string(name)?, value.get()))
        };
        let members = self.0.iter().map(member).collect::<serde_json::Result<Vec<_>>>()?;
        RawValue::from_string(format!("{{{}}}", members.join(",")))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Ordered<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Ordered<T>, D::Error> {
        deserializer.deserialize_map(Members(PhantomData))
    }
}

struct Members<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Members<T> {
    type Value = Ordered<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Ordered<T>, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = object.next_entry()? {
            members.push(member);
        }
        Ok(Ordered(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_order_and_repetitions() {
        let Ordered(members) =
            serde_json::from_str::<Ordered<u8>>(r#"{"b":1,"a":2,"b":3}"#).unwrap();
        assert_eq!(members, [("b".into(), 1), ("a".into(), 2), ("b".into(), 3)]);
        assert!(serde_json::from_str::<Ordered<u8>>("[1]").is_err());
    }

    #[test]
    fn writes_what_was_read_to_the_last_digit() {
        let json = r#"{"b":1.50,"a\"":[2, 3],"b":null}"#;
        let object: Object = serde_json::from_str(json).unwrap();
        assert_eq!(object.get("b").unwrap().get(), "1.50");
        assert!(object.get("c").is_none());
        assert_eq!(object.write().unwrap().get(), json);
    }
}
