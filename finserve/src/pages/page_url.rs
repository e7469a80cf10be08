//! Addresses that carry the whole state of a view: of pages, and of the same question to the API.
use fincore::Key;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::view::View;

/// A path of ours with the values that choose what is shown there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    path: String,
    pairs: Vec<(&'static str, String)>,
}

/// Characters that stay as they are, so that addresses can be read; spaces become `+`.
const ENCODED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~').remove(b',').remove(b' ');

impl Address {
    /// The path alone.
    pub(crate) fn at(path: impl Into<String>) -> Address {
        Address { path: path.into(), pairs: Vec::new() }
    }

    /// With a value, if there is one.
    pub(crate) fn with(mut self, name: &'static str, value: Option<impl ToString>) -> Address {
        self.pairs.extend(value.map(|value| (name, value.to_string())));
        self
    }

    /// With all of these values.
    pub(crate) fn with_all(mut self, pairs: &[(&'static str, String)]) -> Address {
        self.pairs.extend_from_slice(pairs);
        self
    }

    /// As a link on a page, which keeps a chosen language.
    pub(crate) fn link(&self, view: &View) -> String {
        let language = view.chosen.then(|| view.language.code());
        view.path(&self.clone().with("lang", language).text())
    }

    /// As a link to what is the same in every language.
    pub(crate) fn plain_link(&self, view: &View) -> String {
        view.path(&self.text())
    }

    /// The command that asks the API at this address, with a key from the environment.
    pub(crate) fn command(&self, view: &View) -> String {
        view.curl_with_key(&self.plain_link(view))
    }

    /// A command for an endpoint that every plan includes: only those who are signed in send a key.
    pub(crate) fn open_command(&self, view: &View) -> String {
        view.curl(&self.plain_link(view))
    }

    /// A key that was typed by mistake is not repeated.
    pub(super) fn text(&self) -> String {
        let mut text = Key::redact(&self.path);
        for (at, (name, value)) in self.pairs.iter().enumerate() {
            text.push(if at == 0 { '?' } else { '&' });
            let value = Key::redact(value);
            let value = utf8_percent_encode(&value, ENCODED).to_string().replace(' ', "+");
            text.extend([*name, "=", &value]);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{pages::language::Language, site::upgrade_contact::UpgradeContact};

    #[test]
    fn can_be_read_and_pasted() {
        let address = Address::at("/filings").with("q", Some("fato “relevante” & '2024'"));
        let address = address.with("company", None::<&str>).with("page", Some(2));
        assert_eq!(
            address.text(),
            "/filings?q=fato+%E2%80%9Crelevante%E2%80%9D+%26+%272024%27&page=2"
        );
        assert_eq!(Address::at("/filings").text(), "/filings");
    }

    #[test]
    fn a_strange_host_does_not_end_the_quotes_of_a_command() {
        let upgrade_contact = UpgradeContact::default();
        let view = View {
            language: Language::English,
            chosen: true,
            origin: "http://a';reboot;'".into(),
            is_local: true,
            base: upgrade_contact.base(),
            upgrade_contact,
            visitor: None,
            here: None,
        };
        let address = Address::at("/api/v1/market/fx").with("pair", Some("usd-brl"));
        let quoted = "'http://a%27;reboot;%27/api/v1/market/fx?pair=usd-brl'";
        assert_eq!(address.open_command(&view), format!("curl {quoted}"));
        assert_eq!(
            address.command(&view),
            format!("curl -H \"X-API-Key: $FINSERVE_KEY\" {quoted}")
        );
        assert_eq!(address.link(&view), "/api/v1/market/fx?pair=usd-brl&lang=en");
    }
}
