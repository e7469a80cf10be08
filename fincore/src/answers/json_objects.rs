//! Reads JSON objects in ways that serde does not offer, without losing a digit.
use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, Error as _, MapAccess, Visitor},
};
use serde_json::value::RawValue;

/// Reads one object as two values, as `serde(flatten)` does, which would turn figures into floats on the way. Only for JSON.
pub(crate) fn read_flat<'de, A: DeserializeOwned, B: DeserializeOwned, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<(A, B), D::Error> {
    let json = Box::<RawValue>::deserialize(deserializer)?;
    let one = serde_json::from_str(json.get()).map_err(D::Error::custom)?;
    let other = serde_json::from_str(json.get()).map_err(D::Error::custom)?;
    Ok((one, other))
}

/// The members of an object, in the order in which they stand.
pub(crate) type Members<T> = Vec<(String, T)>;

/// Reads the members of an object.
pub(crate) fn read_members<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Members<T>, D::Error> {
    struct Object<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for Object<T> {
        type Value = Members<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<T>, A::Error> {
            let mut members = Vec::new();
            while let Some(member) = map.next_entry()? {
                members.push(member);
            }
            Ok(members)
        }
    }
    deserializer.deserialize_map(Object(PhantomData))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{answers::Sourced, market::Rate};

    #[test]
    fn what_is_beside_figures_does_not_change_their_digits() {
        let json = r#"{"date":"2026-10-05","value":13.750,"meta":{"source":"a source","licence":"ODbL-1.0","unit":"percent","computed":2,"hints":["none"]}}"#;
        let read: Sourced<Rate> = serde_json::from_str(json).unwrap();
        assert_eq!(read.value.to_string(), "13.750");
        assert_eq!((read.meta.unit, read.meta.computed), (Some("percent"), 2));
        assert_eq!(serde_json::to_string(&read).unwrap(), json);
    }

    #[test]
    fn members_stay_in_their_order() {
        #[derive(Deserialize)]
        struct Object(#[serde(deserialize_with = "read_members")] Members<u8>);
        let Object(members) = serde_json::from_str(r#"{"b":1,"a":2,"b":3}"#).unwrap();
        let members: Vec<_> = members.iter().map(|(name, at)| (name.as_str(), *at)).collect();
        assert_eq!(members, [("b", 1), ("a", 2), ("b", 3)]);
    }
}
