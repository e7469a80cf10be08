//! The arguments of a call, as they are written.
use std::fmt;

use fincore::{Key, truncate};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::tools::Tool;

/// The members of the object of arguments, in their order, under the names of the tool's parameters.
pub(super) type Arguments<'a> = Vec<(&'static str, &'a RawValue)>;

/// Why an object of arguments cannot be used.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ArgumentFault {
    /// It is no object.
    NoObject,
    /// It has an argument that the tool does not take, or one twice.
    Refused(String),
}

/// Reads the arguments of a tool, up to the first that it refuses: what follows that is not looked at.
pub(super) fn read<'a>(
    object: &'a RawValue,
    tool: &'static Tool,
) -> Result<Arguments<'a>, ArgumentFault> {
    let mut refused = None;
    let seed = Reader { tool, refused: &mut refused };
    let read = seed.deserialize(&mut serde_json::Deserializer::from_str(object.get()));
    read.map_err(|_| refused.map_or(ArgumentFault::NoObject, ArgumentFault::Refused))
}

struct Reader<'r> {
    tool: &'static Tool,
    /// Why an argument is refused: an error of serde would add a place to it.
    refused: &'r mut Option<String>,
}

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = Arguments<'de>;

    fn deserialize<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<Arguments<'de>, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Reader<'_> {
    type Value = Arguments<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Arguments<'de>, A::Error> {
        let mut members: Arguments<'de> = Vec::new();
        while let Some(name) = object.next_key::<String>()? {
            match known(self.tool, &name, &members) {
                Ok(known) => members.push((known, object.next_value()?)),
                Err(refused) => {
                    *self.refused = Some(refused);
                    return Err(Error::custom("refused"));
                }
            }
        }
        Ok(members)
    }
}

/// The parameter of this name. Fails where the tool has none, or where it has been given.
fn known(tool: &'static Tool, name: &str, given: &Arguments<'_>) -> Result<&'static str, String> {
    let Some(known) = tool.parameters.iter().find(|parameter| parameter.name == name) else {
        let takes: Vec<&str> = tool.parameters.iter().map(|one| one.name.as_str()).collect();
        let takes = if takes.is_empty() { "none".to_owned() } else { takes.join(", ") };
        let name = Key::redact(&truncate(name));
        return Err(format!("argument {name:?} is unknown; {} takes {takes}", tool.name));
    };
    if given.iter().any(|(given, _)| *given == name) {
        return Err(format!("argument {name:?} is given twice"));
    }
    Ok(&known.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<Vec<(&'static str, String)>, ArgumentFault> {
        let object: &RawValue = serde_json::from_str(text).unwrap();
        let tool = Tool::find("get_quote_history").unwrap();
        let members = read(object, tool)?;
        Ok(members.into_iter().map(|(name, value)| (name, value.get().to_owned())).collect())
    }

    #[test]
    fn keeps_the_order_and_the_digits() {
        let members = read_text(r#"{"to":1.50,"from":2}"#).unwrap();
        assert_eq!(members, [("to", "1.50".to_owned()), ("from", "2".to_owned())]);
        for other in ["[1]", "1", "\"a\"", "null"] {
            assert_eq!(read_text(other), Err(ArgumentFault::NoObject), "{other}");
        }
    }

    #[test]
    fn stops_at_the_first_argument_that_is_refused() {
        let many: String = (0..5_000).map(|at| format!(",\"x{at}\":1")).collect();
        let Err(ArgumentFault::Refused(why)) = read_text(&format!("{{\"to\":1{many}}}")) else {
            panic!("an unknown argument is taken")
        };
        assert!(why.starts_with("argument \"x0\" is unknown; get_quote_history takes "), "{why}");
        let twice = read_text(r#"{"to":1,"from":2,"to":3,"x":4}"#);
        let why = "argument \"to\" is given twice".to_owned();
        assert_eq!(twice, Err(ArgumentFault::Refused(why)));
    }
}
