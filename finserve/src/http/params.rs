//! Path captures and query string: decoded strictly, then read into one typed query.
use std::{borrow::Cow, fmt};

use fincore::excerpt;
use percent_encoding::percent_decode_str;
use serde::{
    de::{self, DeserializeOwned, DeserializeSeed, IntoDeserializer, MapAccess, Visitor},
    forward_to_deserialize_any,
};

use super::refusal::Refusal;
use crate::names::is_tracker;

/// The most parameters of a query string, or fields of a form. No endpoint takes a quarter of them.
const MOST: usize = 64;

/// The name and value pairs of a request, each name once.
#[derive(Default)]
pub(crate) struct Params<'r> {
    pairs: Vec<NameValue<'r>>,
    /// How many of them, the first ones, are parts of the path.
    captured: usize,
}

type NameValue<'r> = (Cow<'r, str>, Cow<'r, str>);

impl<'r> Params<'r> {
    /// Decodes a query string or a form. Fails on broken escapes, bytes that are not UTF-8, NUL, a name
    /// that is given twice, and the first parameter too many.
    pub(crate) fn from_query(query: &'r str) -> Result<Params<'r>, Refusal> {
        let mut params = Params::default();
        for piece in query.split('&').filter(|piece| !piece.is_empty()) {
            if params.pairs.len() == MOST {
                let message = format!("there are more than {MOST} parameters");
                return Err(Refusal::BadRequest(message));
            }
            let (name, value) = piece.split_once('=').unwrap_or((piece, ""));
            params.push(decode_query(name)?, decode_query(value)?)?;
        }
        Ok(params)
    }

    /// Adds a value, which must be the first of its name.
    fn push(&mut self, name: Cow<'r, str>, value: Cow<'r, str>) -> Result<(), Refusal> {
        if self.pairs.iter().any(|(given, _)| *given == name) {
            let message = format!("parameter {:?} is given twice", excerpt(&name));
            return Err(Refusal::BadRequest(message));
        }
        self.pairs.push((name, value));
        Ok(())
    }

    /// Adds a part of the path.
    pub(crate) fn capture(&mut self, name: &'r str, value: Cow<'r, str>) -> Result<(), Refusal> {
        self.push(Cow::Borrowed(name), value)?;
        self.captured = self.pairs.len();
        Ok(())
    }

    /// The value of this name.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.pairs.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_ref())
    }

    /// Takes the value of this name out.
    pub(crate) fn take(&mut self, name: &str) -> Option<Cow<'r, str>> {
        let at = self.pairs.iter().position(|(given, _)| given == name)?;
        if at < self.captured {
            self.captured -= 1;
        }
        Some(self.pairs.remove(at).1)
    }

    /// These parts of the path and the parameters `more`, no name twice.
    pub(crate) fn and(mut self, more: Params<'r>) -> Result<Params<'r>, Refusal> {
        more.pairs.into_iter().try_for_each(|(name, value)| self.push(name, value))?;
        Ok(self)
    }

    /// Takes out what links to pages get on their way, and what no page reads.
    pub(crate) fn drop_trackers(&mut self) {
        let captured = self.captured;
        let mut at = 0..;
        self.pairs.retain(|(name, _)| at.next() < Some(captured) || !is_tracker(name));
    }

    /// Fails where there is a parameter that is not among `known`, or is a part of the path.
    pub(crate) fn only(&self, known: &[&str], captures: &Params<'_>) -> Result<(), Refusal> {
        let in_path = |name: &&str| captures.pairs.iter().any(|(captured, _)| captured == name);
        let known: Vec<&str> = known.iter().copied().filter(|name| !in_path(name)).collect();
        let Some((name, _)) = self.pairs.iter().find(|(name, _)| !known.contains(&name.as_ref()))
        else {
            return Ok(());
        };
        let takes = match known[..] {
            [] => "this endpoint takes none".to_owned(),
            _ => format!("this endpoint takes {}", known.join(", ")),
        };
        Err(Refusal::BadRequest(format!("parameter {:?} is unknown; {takes}", excerpt(name))))
    }

    /// Makes the typed query. A parameter that cannot be read is a bad request, and the message names it; a
    /// part of the path that cannot be read names nothing that exists.
    pub(crate) fn read<Q: DeserializeOwned>(self) -> Result<Q, Refusal> {
        let pairs = Pairs { rest: self.pairs.into_iter(), captured: self.captured, value: None };
        Q::deserialize(de::value::MapAccessDeserializer::new(pairs)).map_err(Refusal::from)
    }

    /// Makes the one value that stands in the path.
    pub(crate) fn read_captured<T: DeserializeOwned>(self) -> Result<T, Refusal> {
        let value = self.pairs.into_iter().next().map(|(_, value)| value).unwrap_or_default();
        T::deserialize(Text(value)).map_err(|wrong| Refusal::from(Wrong { in_path: true, ..wrong }))
    }
}

/// Text of a query string, in which a plus is a space.
fn decode_query(text: &str) -> Result<Cow<'_, str>, Refusal> {
    if text.contains('+') {
        return Ok(decode(&text.replace('+', " "))?.into_owned().into());
    }
    decode(text)
}

/// Text with percent escapes. Fails on broken ones, bytes that are not UTF-8, and NUL.
pub(crate) fn decode(text: &str) -> Result<Cow<'_, str>, Refusal> {
    if !text.bytes().any(|byte| byte == b'%' || byte == 0) {
        return Ok(text.into());
    }
    let wrong =
        |wanted: &str| Refusal::BadRequest(format!("{:?} in the address {wanted}", excerpt(text)));
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

/// What is wrong with a query, as a sentence that names the parameter.
#[derive(Debug)]
struct Wrong {
    message: String,
    /// Whether a part of the path is wrong.
    in_path: bool,
}

impl Wrong {
    fn new(message: impl Into<String>) -> Wrong {
        Wrong { message: message.into(), in_path: false }
    }
}

impl From<Wrong> for Refusal {
    fn from(wrong: Wrong) -> Refusal {
        if wrong.in_path {
            Refusal::NotFound(format!("there is nothing at this path: {}", wrong.message))
        } else {
            Refusal::BadRequest(wrong.message)
        }
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Wrong {}

impl de::Error for Wrong {
    fn custom<T: fmt::Display>(message: T) -> Wrong {
        Wrong::new(message.to_string())
    }

    fn missing_field(field: &'static str) -> Wrong {
        Wrong::new(format!("parameter {field:?} is missing"))
    }
}

/// The pairs as serde wants them: a name, then its value.
struct Pairs<'r> {
    rest: std::vec::IntoIter<NameValue<'r>>,
    /// How many of the rest are parts of the path.
    captured: usize,
    value: Option<NameValue<'r>>,
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
            self.value.take().ok_or_else(|| Wrong::new("a value without a name"))?;
        let in_path = self.captured > 0;
        self.captured = self.captured.saturating_sub(1);
        seed.deserialize(Text(value)).map_err(|wrong| {
            let why = wrong.message;
            let message = if in_path { why } else { format!("parameter {name:?}: {why}") };
            Wrong { message, in_path }
        })
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

/// The field names of a query struct, asked of its own `Deserialize`.
pub(crate) fn names<Q: DeserializeOwned>() -> &'static [&'static str] {
    struct Spy<'a>(&'a mut &'static [&'static str]);
    impl<'de> de::Deserializer<'de> for Spy<'_> {
        type Error = Wrong;
        fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Wrong> {
            Err(Wrong::new("query types are structs with named fields"))
        }
        fn deserialize_struct<V: Visitor<'de>>(
            self,
            _: &'static str,
            fields: &'static [&'static str],
            _: V,
        ) -> Result<V::Value, Wrong> {
            *self.0 = fields;
            Err(Wrong::new("the names are all that is wanted"))
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
    use fincore::{CompanyId, market::FxHistory};
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    struct Search {
        q: String,
    }

    /// The query, or the message of what is wrong with it.
    fn read<Q: DeserializeOwned>(query: &str) -> Result<Q, String> {
        let read = Params::from_query(query).and_then(Params::read);
        read.map_err(|refusal| match refusal {
            Refusal::BadRequest(message) => message,
            _ => panic!("another refusal"),
        })
    }

    #[test]
    fn tells_the_names_of_a_query() {
        assert_eq!(names::<FxHistory>(), ["pair", "from", "to", "limit", "offset"]);
    }

    #[test]
    fn decodes_escapes_and_spaces() {
        assert_eq!(read::<Search>("&q=S%C3%A3o+%2B&").unwrap().q, "São +");
    }

    #[test]
    fn says_what_is_wrong() {
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
            assert_eq!(read::<FxHistory>(query).unwrap_err(), message);
        }
        assert_eq!(read::<Search>("").unwrap_err(), "parameter \"q\" is missing");
    }

    #[test]
    fn nothing_after_the_first_parameter_too_many_is_looked_at() {
        let some = |count: usize| (0..count).map(|at| format!("p{at}=1&")).collect::<String>();
        assert!(Params::from_query(&some(MOST)).is_ok());
        let wrong = Params::from_query(&format!("{}&x=%zz", some(MOST))).err();
        assert!(
            matches!(wrong, Some(Refusal::BadRequest(why)) if why == "there are more than 64 parameters")
        );
    }

    #[test]
    fn a_part_of_the_path_that_cannot_be_read_names_nothing() {
        let captured = |id: &'static str| {
            let mut params = Params::default();
            assert!(params.capture("id", id.into()).is_ok());
            params.read_captured::<CompanyId>()
        };
        assert!(captured("9512").is_ok());
        assert!(matches!(captured("petrobras"), Err(Refusal::NotFound(_))));
    }
}
