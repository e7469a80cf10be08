//! Filings parsed from a file, before they are stored.
use std::borrow::Cow;

#[cfg(feature = "import")]
use super::served::usual_url;
use crate::types::{CvmCode, Date, FilingId};

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
        let sequence =
            url.split('&').find_map(|part| part.strip_prefix("numSequencia=")?.parse().ok());
        if usual_url(id, sequence.unwrap_or_default(), version) == url {
            Link::Usual(sequence)
        } else {
            Link::Other(url)
        }
    }
}
