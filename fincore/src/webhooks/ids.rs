//! Ids of webhooks and deliveries.
use std::{fmt, str::FromStr};

use crate::{
    error::{Error, Result, Wanted},
    types::{deserialize_from_str, is_base62, random_characters, serialize_as_str, whole_number},
};

const WEBHOOK: &str = "wh_";
const DELIVERY: &str = "dlv_";

/// 62^22 is about 2^131, too many to guess.
const CHARACTERS: usize = 22;

/// The id of a webhook: `wh_` and 22 random letters and digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WebhookId(String);

impl WebhookId {
    pub(super) fn generate() -> Result<WebhookId> {
        Ok(WebhookId(format!("{WEBHOOK}{}", random_characters(CHARACTERS)?)))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for WebhookId {
    type Err = Error;

    fn from_str(text: &str) -> Result<WebhookId> {
        let well_formed = |rest: &str| rest.len() == CHARACTERS && is_base62(rest);
        if text.strip_prefix(WEBHOOK).is_some_and(well_formed) {
            return Ok(WebhookId(text.to_owned()));
        }
        Err(Error::invalid(text, Wanted::WebhookId))
    }
}

impl fmt::Display for WebhookId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

serialize_as_str!(WebhookId);
deserialize_from_str!(WebhookId);

/// The id of a delivery: `dlv_` and a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeliveryId(i64);

impl DeliveryId {
    pub(super) fn new(number: i64) -> DeliveryId {
        DeliveryId(number)
    }

    pub(super) fn get(self) -> i64 {
        self.0
    }
}

impl FromStr for DeliveryId {
    type Err = Error;

    fn from_str(text: &str) -> Result<DeliveryId> {
        let number = text.strip_prefix(DELIVERY).and_then(whole_number).map(DeliveryId);
        let same = number.filter(|id| id.to_string() == text);
        same.ok_or_else(|| Error::invalid(text, Wanted::DeliveryId))
    }
}

impl fmt::Display for DeliveryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{DELIVERY}{}", self.0)
    }
}

serialize_as_str!(DeliveryId);
deserialize_from_str!(DeliveryId);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_read_what_they_write_and_nothing_else() {
        let id = WebhookId::generate().unwrap();
        assert_eq!(id.to_string().parse::<WebhookId>().unwrap(), id);
        for wrong in [
            "",
            "wh_",
            "wh_abc",
            &id.to_string()[3..],
            &format!("{id}0"),
            "wh_é12345678901234567890",
        ] {
            assert!(wrong.parse::<WebhookId>().is_err(), "{wrong}");
        }
        assert_eq!("dlv_12".parse::<DeliveryId>().unwrap(), DeliveryId(12));
        for wrong in ["", "12", "dlv_", "dlv_-1", "dlv_012", "dlv_+1", "dlv_99999999999999999999"] {
            assert!(wrong.parse::<DeliveryId>().is_err(), "{wrong}");
        }
    }
}
