//! Path captures and query string: decoded strictly, then read into one typed query.
use std::{borrow::Cow, fmt};

use fincore::{Key, truncate};
use percent_encoding::percent_decode_str;
use serde::{
    de::{self, DeserializeOwned, DeserializeSeed, IntoDeserializer, MapAccess, Visitor},
    forward_to_deserialize_any,
};

use super::{parameter_types::problem, refusal::Refusal};
use crate::errors::{AddressFault, BadRequest, NotFound};

mod query_fields;
pub(crate) use query_fields::names;

/// The most parameters of a query string, or fields of a form. No endpoint takes a quarter of them.
const MOST: usize = 64;

/// The most pieces between ampersands, empty ones included.
pub(crate) const MOST_PIECES: usize = 256;

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
        for (at, piece) in query.split('&').enumerate() {
            if at == MOST_PIECES || (params.pairs.len() == MOST && !piece.is_empty()) {
                return Err(BadRequest::TooManyParameters { most: MOST }.into());
            }
            if piece.is_empty() {
                continue;
            }
            let (name, value) = piece.split_once('=').unwrap_or((piece, ""));
            params.push(decode_query(name)?, decode_query(value)?)?;
        }
        Ok(params)
    }

    /// Adds a value, which must be the first of its name.
    fn push(&mut self, name: Cow<'r, str>, value: Cow<'r, str>) -> Result<(), Refusal> {
        if self.pairs.iter().any(|(given, _)| *given == name) {
            let name = truncate(&name).into_owned();
            return Err(BadRequest::RepeatedParameter { name }.into());
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

    /// Takes out those that have one of these names, and are no part of the path.
    pub(crate) fn take_some(&mut self, names: &[&str]) -> Params<'r> {
        let parameters = self.pairs.split_off(self.captured);
        let (taken, left) =
            parameters.into_iter().partition(|(name, _)| names.contains(&name.as_ref()));
        self.pairs.extend::<Vec<_>>(left);
        Params { pairs: taken, captured: 0 }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// These parts of the path and the parameters `more`, no name twice.
    pub(crate) fn and(mut self, more: Params<'r>) -> Result<Params<'r>, Refusal> {
        more.pairs.into_iter().try_for_each(|(name, value)| self.push(name, value))?;
        Ok(self)
    }

    /// Drops the parameters that are not among `known`, or are a part of the path: links to pages get some on their way
    /// that no page reads.
    pub(crate) fn retain(&mut self, known: &[&str], captures: &Params<'_>) {
        let in_path = |name: &str| captures.pairs.iter().any(|(captured, _)| captured == name);
        self.pairs.retain(|(name, _)| known.contains(&name.as_ref()) && !in_path(name));
    }

    /// Copies the parameters, so that they outlive the request.
    pub(crate) fn into_owned(self) -> Params<'static> {
        let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        let pairs = self.pairs.into_iter().map(|(name, value)| (owned(name), owned(value)));
        Params { pairs: pairs.collect(), captured: self.captured }
    }

    /// Fails where there is a parameter that is not among `known`, or is a part of the path.
    pub(crate) fn only(
        &self,
        known: &[&'static str],
        captures: &Params<'_>,
    ) -> Result<(), Refusal> {
        let in_path = |name: &str| captures.pairs.iter().any(|(captured, _)| captured == name);
        let is_known = |name: &str| known.contains(&name) && !in_path(name);
        let Some((name, value)) = self.pairs.iter().find(|(name, _)| !is_known(name)) else {
            return Ok(());
        };
        let name = truncate(name).into_owned();
        if Key::may_be_in(value) {
            return Err(BadRequest::KeyInAddress { name }.into());
        }
        let known = known.iter().copied().filter(|name| !in_path(name)).collect();
        Err(BadRequest::UnknownParameter { name, known }.into())
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
        T::deserialize(Text(&value)).map_err(|err| match problem::<T>(&value) {
            Some(problem) => NotFound::Path(problem).into(),
            None => Refusal::from(err),
        })
    }
}

/// A query string with its mark, without parameters that are not among `known` or have a key in them.
pub(crate) fn known_query(query: &str, known: &[&str]) -> String {
    let is_known = |pair: &&str| {
        let name = pair.split('=').next().unwrap_or_default();
        let is_name = decode_query(name).is_ok_and(|name| known.contains(&name.as_ref()));
        is_name && !Key::may_be_in(pair)
    };
    let query = query.split('&').filter(is_known).collect::<Vec<_>>().join("&");
    if query.is_empty() { query } else { format!("?{query}") }
}

/// Text of a query string, in which a plus is a space.
pub(crate) fn decode_query(text: &str) -> Result<Cow<'_, str>, Refusal> {
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
    let wrong = |fault| BadRequest::address(text, fault);
    let whole = |escape: &str| {
        escape.as_bytes().get(..2).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit))
    };
    if !text.split('%').skip(1).all(whole) {
        return Err(wrong(AddressFault::BrokenEscape).into());
    }
    let decoded = percent_decode_str(text).decode_utf8();
    let decoded = decoded.map_err(|_| wrong(AddressFault::NotUtf8))?;
    if decoded.contains('\0') {
        return Err(wrong(AddressFault::Nul).into());
    }
    Ok(decoded)
}

/// Why a query cannot be read.
#[derive(Debug)]
enum ReadError {
    /// A parameter is wrong, missing or unknown.
    BadRequest(BadRequest),
    /// A part of the path is wrong.
    NotFound(NotFound),
    /// A type of the query is at fault, in serde's words: no request can be.
    Internal(String),
}

impl From<ReadError> for Refusal {
    fn from(err: ReadError) -> Refusal {
        match err {
            ReadError::BadRequest(wrong) => wrong.into(),
            ReadError::NotFound(missing) => missing.into(),
            ReadError::Internal(why) => Refusal::Internal(why),
        }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::BadRequest(wrong) => wrong.fmt(f),
            ReadError::NotFound(missing) => missing.fmt(f),
            ReadError::Internal(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for ReadError {}

impl de::Error for ReadError {
    fn custom<T: fmt::Display>(message: T) -> ReadError {
        ReadError::Internal(message.to_string())
    }

    fn missing_field(name: &'static str) -> ReadError {
        ReadError::BadRequest(BadRequest::MissingParameter { name })
    }

    fn unknown_field(name: &str, known: &'static [&'static str]) -> ReadError {
        ReadError::BadRequest(BadRequest::UnknownField { name: name.to_owned(), known })
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
    type Error = ReadError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, ReadError> {
        let Some((name, value)) = self.rest.next() else { return Ok(None) };
        let (name, _) = self.value.insert((name, value));
        seed.deserialize(name.as_ref().into_deserializer()).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, ReadError> {
        let Some((name, value)) = self.value.take() else {
            return Err(de::Error::custom("a value without a name"));
        };
        let in_path = self.captured > 0;
        self.captured = self.captured.saturating_sub(1);
        seed.deserialize(Text(&value)).map_err(|err| match problem::<V::Value>(&value) {
            Some(problem) if in_path => ReadError::NotFound(NotFound::Path(problem)),
            Some(problem) => ReadError::BadRequest(BadRequest::parameter(name, problem)),
            None => err,
        })
    }
}

/// A value that is given, still as text: the types of the domain parse it themselves.
struct Text<'r>(&'r str);

impl<'de> de::Deserializer<'de> for Text<'_> {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_str(self.0)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_some(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
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
            Refusal::BadRequest(wrong) => wrong.to_string(),
            _ => panic!("another refusal"),
        })
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
            ("pair=%00", "\"%00\" in the address contains a NUL character"),
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
        assert!(Params::from_query(&"&".repeat(MOST_PIECES - 1)).is_ok());
        assert!(Params::from_query(&"&".repeat(MOST_PIECES)).is_err());
        let wrong = Params::from_query(&format!("{}&x=%zz", some(MOST))).err();
        assert!(matches!(
            wrong,
            Some(Refusal::BadRequest(BadRequest::TooManyParameters { most: 64 }))
        ));
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
