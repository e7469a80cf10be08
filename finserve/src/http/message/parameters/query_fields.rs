//! The fields of a query struct, asked of its own `Deserialize`.
use serde::{
    de::{
        self, DeserializeOwned, DeserializeSeed, IntoDeserializer, MapAccess, Visitor, value::Error,
    },
    forward_to_deserialize_any,
};

use crate::http::message::parameter_types::is_known;

/// The names of the fields.
pub(crate) fn names<Q: DeserializeOwned>() -> &'static [&'static str] {
    struct Spy<'a>(&'a mut &'static [&'static str]);
    impl<'de> de::Deserializer<'de> for Spy<'_> {
        type Error = Error;
        fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
            Err(de::Error::custom("query types are structs with named fields"))
        }
        fn deserialize_struct<V: Visitor<'de>>(
            self,
            _: &'static str,
            fields: &'static [&'static str],
            _: V,
        ) -> Result<V::Value, Error> {
            *self.0 = fields;
            Err(de::Error::custom("the names are all that is wanted"))
        }
        forward_to_deserialize_any! {
            bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
            option unit unit_struct newtype_struct seq tuple tuple_struct map enum identifier
            ignored_any
        }
    }
    let mut names: &[&str] = &[];
    // The spy always fails; what it saw is the result.
    let _ = Q::deserialize(Spy(&mut names));
    debug_assert!(
        names.iter().all(|name| has_known_type::<Q>(name)),
        "a field of {} has a type that http/message/parameter_types.rs lacks",
        std::any::type_name::<Q>()
    );
    names
}

/// Whether what is wrong with this field of a query can be told.
fn has_known_type<Q: DeserializeOwned>(name: &'static str) -> bool {
    struct Spy<'a> {
        name: Option<&'static str>,
        is_known: &'a mut bool,
    }
    impl<'de> MapAccess<'de> for Spy<'_> {
        type Error = Error;
        fn next_key_seed<K: DeserializeSeed<'de>>(
            &mut self,
            seed: K,
        ) -> Result<Option<K::Value>, Error> {
            let name = self.name.take().map(IntoDeserializer::into_deserializer);
            name.map(|name| seed.deserialize(name)).transpose()
        }
        fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, _: V) -> Result<V::Value, Error> {
            *self.is_known = is_known::<V::Value>();
            Err(de::Error::custom("the type is all that is wanted"))
        }
    }
    let mut is_known = false;
    let spy = Spy { name: Some(name), is_known: &mut is_known };
    let _ = Q::deserialize(de::value::MapAccessDeserializer::new(spy));
    is_known
}

#[cfg(test)]
mod tests {
    use fincore::market::FxHistory;
    use serde::Deserialize;

    use super::*;

    #[test]
    fn tells_the_names_of_a_query() {
        assert_eq!(names::<FxHistory>(), ["pair", "from", "to", "limit", "offset"]);
        assert!(names::<FxHistory>().iter().all(|name| has_known_type::<FxHistory>(name)));
    }

    #[test]
    fn a_type_that_cannot_say_what_is_wrong_is_noticed() {
        #[derive(Deserialize)]
        #[expect(dead_code, reason = "only its types are read")]
        struct Odd {
            q: String,
            n: u8,
        }
        assert!(has_known_type::<Odd>("q") && !has_known_type::<Odd>("n"));
    }
}
