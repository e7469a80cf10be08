//! Filings parsed from a file, before they are stored.
use std::borrow::Cow;

#[cfg(feature = "import")]
use super::reader::usual_url;
use crate::types::{CvmCode, Date, FilingId};
#[cfg(feature = "import")]
use crate::types::{Form, whole_number};

/// A filing parsed from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NewFiling<'a> {
    pub(crate) id: FilingId,
    pub(crate) date: Date,
    pub(crate) company: CvmCode,
    pub(crate) company_name: Cow<'a, str>,
    pub(crate) category: Cow<'a, str>,
    pub(crate) kind: Cow<'a, str>,
    pub(crate) species: Cow<'a, str>,
    pub(crate) subject: Cow<'a, str>,
    pub(crate) reference_date: Option<Date>,
    pub(crate) version: u32,
    pub(crate) link: Link<'a>,
}

/// Where the document is.
///
/// The addresses of all filings differ in two numbers only. To store just these saves 200 MB in 1.5 million filings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Link<'a> {
    /// At CVM's usual address, which contains this sequence number.
    Usual(Option<u32>),
    /// Anywhere else. Bundled filings are all at the usual address.
    #[cfg_attr(not(feature = "import"), allow(dead_code))]
    Other(Cow<'a, str>),
}

#[cfg(feature = "import")]
impl<'a> Link<'a> {
    /// Keeps only what cannot be derived from the rest of the filing.
    pub(crate) fn new(url: Cow<'a, str>, id: FilingId, version: u32) -> Link<'a> {
        let sequence = sequence_in(&url);
        if usual_url(id, sequence.unwrap_or_default(), version) == url {
            Link::Usual(sequence)
        } else {
            Link::Other(url)
        }
    }

    /// CVM's usual address of a filing, if enough of it stands in this text.
    pub(crate) fn usual(url: &str, id: FilingId) -> Option<Link<'a>> {
        match (id.form(), sequence_in(url)) {
            (Form::Ipe, None) => None,
            (Form::Ipe, sequence) => Some(Link::Usual(sequence)),
            (Form::Dfp | Form::Itr | Form::Fre | Form::Fca, _) => Some(Link::Usual(None)),
        }
    }

    /// Whether a browser can be sent there: an address of the web, and nothing that hides in it.
    pub(crate) fn is_web(url: &str) -> bool {
        let starts = |with: &str| {
            url.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with))
        };
        (starts("http://") || starts("https://"))
            // Nearly all are ASCII, which is looked through faster.
            && (url.bytes().all(|byte| byte.is_ascii_graphic())
                || !url.contains(|c: char| c.is_control() || c.is_whitespace()))
    }
}

/// The second number of CVM's usual address.
#[cfg(feature = "import")]
fn sequence_in(url: &str) -> Option<u32> {
    let mut parts = url.as_bytes().split(|byte| matches!(byte, b'?' | b'&'));
    let digits = parts.find_map(|part| part.strip_prefix(b"numSequencia="))?;
    str::from_utf8(digits).ok().and_then(whole_number)
}

#[cfg(test)]
#[cfg(feature = "import")]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_web_are_links() {
        for url in ["https://www.rad.cvm.gov.br/x", "HTTP://cvm/"] {
            assert!(Link::is_web(url), "{url}");
        }
        for url in
            ["", "javascript:alert(1)", "ftp://cvm/", "http:", "https://a b", "https://\u{7}"]
        {
            assert!(!Link::is_web(url), "{url}");
        }
    }

    #[test]
    fn the_sequence_is_digits_only() {
        let id: FilingId = "7".parse().unwrap();
        let url = |sequence: &str| usual_url(id, 5, 1).replace("numSequencia=5", sequence);
        assert_eq!(Link::new(url("numSequencia=5").into(), id, 1), Link::Usual(Some(5)));
        for sequence in ["numSequencia=+5", "numSequencia=05", "numSequencia=", "x=5"] {
            let url = url(sequence);
            assert_eq!(Link::new(url.clone().into(), id, 1), Link::Other(url.into()));
        }
    }
}
