//! Where customers ask for a larger plan.
use std::str::FromStr;

use fincore::Email;
use hyper::Uri;
use serde_json::{Map, Value, json};

use super::{base_path::BasePath, public_url::PublicUrl};

/// Where the plans are described, unless the operator says something else.
const PRICING: &str = "/pricing";

/// The longest address that is accepted.
const MAX_LENGTH: usize = 1000;

/// An address that the operator gave: of a page, or for e-mail. It has no character that means anything in markup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address(Box<ContactAddress>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct ContactAddress {
    url: String,
    /// The bare address, if it is for e-mail.
    mail: Option<String>,
}

impl Address {
    /// The address of a page: nothing for e-mail.
    pub(crate) fn of_page(text: &str) -> Result<Address, String> {
        let page = text.parse::<Address>().ok().filter(|address| address.0.mail.is_none());
        page.ok_or_else(|| {
            "expected the address of a page such as https://example.com/legal".to_owned()
        })
    }

    /// The target of a link.
    pub(crate) fn url(&self) -> &str {
        &self.0.url
    }

    /// The text of a link: an e-mail address without `mailto:`, or the whole URL.
    pub(crate) fn shown(&self) -> &str {
        self.0.mail.as_deref().unwrap_or(&self.0.url)
    }
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Address, String> {
        const MESSAGE: &str = "expected an address such as sales@example.com, mailto:sales@example.com or https://example.com/plans";
        let is_plain = |c: char| c.is_ascii_graphic() && !"\"'<>\\^`{|}".contains(c);
        let found = (text.len() <= MAX_LENGTH && text.chars().all(is_plain))
            .then(|| mail(text).or_else(|| page(text)))
            .flatten();
        found.map(Box::new).map(Address).ok_or_else(|| MESSAGE.to_owned())
    }
}

/// An e-mail address, with or without `mailto:` and fields such as the subject.
fn mail(text: &str) -> Option<ContactAddress> {
    let (scheme, rest) = text.split_at_checked("mailto:".len()).unwrap_or(("", text));
    let given = if scheme.eq_ignore_ascii_case("mailto:") { rest } else { text };
    let (bare, filled_in) =
        given.split_once('?').map_or((given, None), |(bare, in_it)| (bare, Some(in_it)));
    let mail = bare.parse::<Email>().ok()?.to_string();
    let url = match filled_in {
        Some(filled_in) => format!("mailto:{mail}?{filled_in}"),
        None => format!("mailto:{mail}"),
    };
    Some(ContactAddress { url, mail: Some(mail) })
}

/// The address of a page, without a name or password in it.
fn page(text: &str) -> Option<ContactAddress> {
    let uri: Uri = text.parse().ok()?;
    let is_web = matches!(uri.scheme_str(), Some("http" | "https"));
    let host = uri.authority().filter(|authority| !authority.as_str().contains('@'))?.host();
    (is_web && !host.is_empty()).then(|| ContactAddress { url: text.to_owned(), mail: None })
}

/// Where callers get a larger plan, as the operator configured it. The addresses are leaked, because they last as long as
/// the program.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct UpgradeContact {
    base: BasePath,
    public_url: Option<PublicUrl>,
    contact: Option<&'static Address>,
    upgrade: Option<&'static Address>,
    legal: Option<&'static Address>,
}

impl UpgradeContact {
    pub(crate) fn new(
        base: BasePath,
        contact: Option<Address>,
        upgrade: Option<Address>,
    ) -> UpgradeContact {
        let (contact, upgrade) = (leak(contact), leak(upgrade));
        UpgradeContact { base, contact, upgrade, ..UpgradeContact::default() }
    }

    /// Uses one address of the service for all clients.
    pub(crate) fn with_public_url(self, public_url: Option<PublicUrl>) -> UpgradeContact {
        UpgradeContact { public_url, ..self }
    }

    /// Adds the operator's own page of privacy and terms.
    pub(crate) fn with_legal(self, legal: Option<Address>) -> UpgradeContact {
        UpgradeContact { legal: leak(legal), ..self }
    }

    /// The address of the service, if it is the same for all clients.
    pub(crate) fn public_url(self) -> Option<PublicUrl> {
        self.public_url
    }

    /// The prefix of all links.
    pub(crate) fn base(self) -> BasePath {
        self.base
    }

    /// Where customers write to, or ask.
    pub(crate) fn contact(self) -> Option<&'static Address> {
        self.contact
    }

    /// Where the operator sells larger plans.
    pub(crate) fn upgrade(self) -> Option<&'static Address> {
        self.upgrade
    }

    /// The operator's own page of privacy and terms.
    pub(crate) fn legal(self) -> Option<&'static Address> {
        self.legal
    }

    /// Where a caller gets a larger plan: where the operator says, or the page with the plans.
    pub(crate) fn upgrade_url(self) -> String {
        self.upgrade.map_or_else(|| self.base.link(PRICING), |address| address.url().to_owned())
    }

    /// The contact of the API's description, if there is something to say.
    pub(crate) fn described(self) -> Option<Value> {
        let addresses = [self.contact, self.upgrade].into_iter().flatten();
        let (mut contact, mut url) = (Map::new(), None);
        for address in addresses {
            match &address.0.mail {
                Some(mail) => drop(contact.entry("email").or_insert(json!(mail))),
                None => url = url.or(Some(address.url())),
            }
        }
        contact.extend(url.map(|url| ("url".to_owned(), json!(url))));
        (!contact.is_empty()).then_some(Value::Object(contact))
    }
}

fn leak(address: Option<Address>) -> Option<&'static Address> {
    address.map(|address| &*Box::leak(Box::new(address)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_for_e_mail_or_of_a_page() {
        for (text, url, shown) in [
            ("sales@example.com", "mailto:sales@example.com", "sales@example.com"),
            ("mailto:sales@example.com", "mailto:sales@example.com", "sales@example.com"),
            (
                "MailTo:a@b.example?subject=Gold%20plan",
                "mailto:a@b.example?subject=Gold%20plan",
                "a@b.example",
            ),
            ("https://example.com", "https://example.com", "https://example.com"),
            (
                "http://example.com:8080/a?b=c&d#e",
                "http://example.com:8080/a?b=c&d#e",
                "http://example.com:8080/a?b=c&d#e",
            ),
        ] {
            let address: Address = text.parse().unwrap();
            assert_eq!((address.url(), address.shown()), (url, shown));
        }
    }

    #[test]
    fn what_could_be_markup_or_run_is_refused() {
        let long = format!("https://example.com/{}", "a".repeat(MAX_LENGTH));
        for text in [
            "",
            " ",
            "example.com",
            "/pricing",
            "//example.com",
            "javascript:alert(1)",
            "data:text/html,x",
            "ftp://example.com",
            "https://",
            "https:///x",
            "https://a b",
            "https://example.com/\"><script>",
            "https://example.com/'",
            "mailto:",
            "mailto:nobody",
            "mailto:a@b.example\r\nBcc: x",
            "https://a:b@example.com/",
            "https://exämple.com",
            "sales@example.com>",
            "http:example.com",
            "JAVASCRIPT://example.com/%0aalert(1)",
            &long,
        ] {
            let message = text.parse::<Address>().unwrap_err();
            assert!(message.starts_with("expected an address such as"), "{text}: {message}");
        }
    }

    #[test]
    fn without_an_address_the_plans_are_where_they_are() {
        let base = BasePath::new("/data");
        let nothing = UpgradeContact::new(base, None, None);
        assert_eq!((nothing.upgrade_url().as_str(), nothing.described()), ("/data/pricing", None));
        let mail: Address = "a@b.example".parse().unwrap();
        let page: Address = "https://b.example/plans".parse().unwrap();
        let both = UpgradeContact::new(base, Some(mail.clone()), Some(page.clone()));
        assert_eq!(both.upgrade_url(), "https://b.example/plans");
        let wanted = json!({"email": "a@b.example", "url": "https://b.example/plans"});
        assert_eq!(both.described(), Some(wanted));
        let swapped = UpgradeContact::new(base, Some(page), Some(mail));
        assert_eq!(swapped.upgrade_url(), "mailto:a@b.example");
        assert_eq!(swapped.described(), both.described());
    }
}
