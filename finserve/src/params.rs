//! Path captures and query string: decoded strictly, then read into one typed query.
use std::{borrow::Cow, fmt};

use fincore::{Error, Result};
use percent_encoding::percent_decode_str;
use serde::{
    de::{self, DeserializeOwned, DeserializeSeed, IntoDeserializer, MapAccess, Visitor},
    forward_to_deserialize_any,
};

/// The name and value pairs of a request, each name once.
#[derive(Debug, Default)]
pub(crate) struct Params<'r>(Vec<(Cow<'r, str>, Cow<'r, str>)>);

impl<'r> Params<'r> {
    /// Decodes a query string. Fails on broken escapes, bytes that are not UTF-8, NUL, and a name
    /// that is given twice.
    pub(crate) fn from_query(query: &'r str) -> Result<Params<'r>> {
        let mut params = Params::default();
        for piece in query.split('&').filter(|piece| !piece.is_empty()) {
            let (name, value) = piece.split_once('=').unwrap_or((piece, ""));
            params.push(decode_query(name)?, decode_query(value)?)?;
        }
        Ok(params)
    }

    /// Adds a value, which must be the first of its name.
    pub(crate) fn push(&mut self, name: Cow<'r, str>, value: Cow<'r, str>) -> Result<()> {
        if self.0.iter().any(|(given, _)| *given == name) {
            return Err(Error::Invalid(format!("parameter {:?} is given twice", short(&name))));
        }
        self.0.push((name, value));
        Ok(())
    }

    /// These and `more`, no name twice.
    pub(crate) fn and(mut self, more: Params<'r>) -> Result<Params<'r>> {
        more.0.into_iter().try_for_each(|(name, value)| self.push(name, value))?;
        Ok(self)
    }

    /// Fails where there is a parameter that is not among `known`.
    pub(crate) fn only(&self, known: &[&str]) -> Result<()> {
        let Some((name, _)) = self.0.iter().find(|(name, _)| !known.contains(&name.as_ref()))
        else {
            return Ok(());
        };
        let takes = match known {
            [] => "this endpoint takes none".to_owned(),
            known => format!("this endpoint takes {}", known.join(", ")),
        };
        Err(Error::Invalid(format!("parameter {:?} is unknown; {takes}", short(name))))
    }

    /// Makes the typed query; the message of a failure names the parameter.
    pub(crate) fn read<Q: DeserializeOwned>(self) -> Result<Q> {
        let pairs = Pairs { rest: self.0.into_iter(), value: None };
        Q::deserialize(de::value::MapAccessDeserializer::new(pairs))
            .map_err(|Wrong(message)| Error::Invalid(message))
    }
}

/// Text of a query string, in which a plus is a blank.
fn decode_query(text: &str) -> Result<Cow<'_, str>> {
    if text.contains('+') {
        return Ok(decode(&text.replace('+', " "))?.into_owned().into());
    }
    decode(text)
}

/// Text with percent escapes. Fails on broken ones, bytes that are not UTF-8, and NUL.
pub(crate) fn decode(text: &str) -> Result<Cow<'_, str>> {
    let wrong = |wanted: &str| Error::Invalid(format!("{:?} in the address {wanted}", short(text)));
    let whole = |escape: &str| {
        escape.as_bytes().get(..2).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit))
    };
    if !text.split('%').skip(1).all(whole) {
        return Err(wrong("has a % that is not followed by two hexadecimal digits"));
    }
    let text = percent_decode_str(text).decode_utf8().map_err(|_| wrong("is not UTF-8"))?;
    if text.contains('\0') {
        return Err(wrong("holds a NUL character"));
    }
    Ok(text)
}

/// The text as a message repeats it: what is long is cut.
pub(crate) fn short(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(60) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// What is wrong with a query, as a sentence that names the parameter.
#[derive(Debug)]
struct Wrong(String);

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Wrong {}

impl de::Error for Wrong {
    fn custom<T: fmt::Display>(message: T) -> Wrong {
        Wrong(message.to_string())
    }

    fn missing_field(field: &'static str) -> Wrong {
        Wrong(format!("parameter {field:?} is missing"))
    }
}

/// The pairs as serde wants them: a name, then its value.
struct Pairs<'r> {
    rest: std::vec::IntoIter<(Cow<'r, str>, Cow<'r, str>)>,
    value: Option<(Cow<'r, str>, Cow<'r, str>)>,
}

impl<'de> MapAccess<'de> for Pairs<'_> {
    type Error = Wrong;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Wrong> {
        let Some((name, value)) = self.rest.next() else { return Ok(None) };
        let (name, _) = self.value.insert((name, value));
        seed.deserialize(name.as_ref().into_deserializer()).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Wrong> {
        let (name, value) =
            self.value.take().ok_or_else(|| Wrong("a value without a name".into()))?;
        seed.deserialize(Text(value))
            .map_err(|Wrong(why)| Wrong(format!("parameter {name:?}: {why}")))
    }
}

/// A value that is given, still as text: the types of the domain parse it themselves.
struct Text<'r>(Cow<'r, str>);

impl<'de> de::Deserializer<'de> for Text<'_> {
    type Error = Wrong;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_str(&self.0)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_some(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// The field names that a query struct reads, told by its own `Deserialize`.
pub(crate) fn names<Q: DeserializeOwned>() -> &'static [&'static str] {
    struct Spy<'a>(&'a mut &'static [&'static str]);
    impl<'de> de::Deserializer<'de> for Spy<'_> {
        type Error = Wrong;
        fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Wrong> {
            Err(Wrong("query types are structs with named fields".into()))
        }
        fn deserialize_struct<V: Visitor<'de>>(
            self,
            _: &'static str,
            fields: &'static [&'static str],
            _: V,
        ) -> Result<V::Value, Wrong> {
            *self.0 = fields;
            Err(Wrong("the names are all that is wanted".into()))
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
    names
}

#[cfg(test)]
mod tests {
    use fincore::market::FxHistory;
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    struct Search {
        q: String,
    }

    #[test]
    fn tells_the_names_of_a_query() {
        assert_eq!(names::<FxHistory>(), ["pair", "from", "to", "limit"]);
    }

    #[test]
    fn decodes_escapes_and_blanks() {
        let search: Search = Params::from_query("&q=S%C3%A3o+%2B&").unwrap().read().unwrap();
        assert_eq!(search.q, "São +");
    }

    #[test]
    fn says_what_is_wrong() {
        let fx = |query: &str| -> Result<FxHistory> { Params::from_query(query)?.read() };
        let wrong = [
            ("limit=0", "parameter \"limit\": \"0\" is not a whole number from 1 to 10000"),
            ("from=x", "parameter \"from\": \"x\" is not a date (YYYY-MM-DD)"),
            (
                "pair=%zz",
                "\"%zz\" in the address has a % that is not followed by two hexadecimal digits",
            ),
            (
                "pair=%e",
                "\"%e\" in the address has a % that is not followed by two hexadecimal digits",
            ),
            ("pair=%ff", "\"%ff\" in the address is not UTF-8"),
            ("pair=%00", "\"%00\" in the address holds a NUL character"),
            ("to=2024-01-01&to=2024-01-01", "parameter \"to\" is given twice"),
        ];
        for (query, message) in wrong {
            assert_eq!(fx(query).unwrap_err().to_string(), message);
        }
        let missing: Result<Search> = Params::default().read();
        assert_eq!(missing.unwrap_err().to_string(), "parameter \"q\" is missing");
    }
}
