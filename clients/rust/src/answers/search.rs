//! Answers of searches over everything.
use fincore::{CvmCode, search::MatchedNameKind};
use serde::Deserialize;

use super::{Meta, companies::Company, filings::Filing, plans::Upgrade};

/// As [`fincore::search::Matches`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Matches {
    pub companies: Vec<Company>,
    pub filings: Vec<Filing>,
    pub upgrade: Option<Upgrade>,
    pub meta: Meta,
}

/// As [`fincore::search::Suggestions`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Suggestions {
    pub data: Vec<Suggestion>,
    pub meta: Meta,
}

/// As [`fincore::search::Suggestion`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
#[non_exhaustive]
pub enum Suggestion {
    Company {
        text: String,
        company_id: CvmCode,
        tickers: Vec<String>,
        matched: Option<MatchedName>,
    },
    Ticker {
        text: String,
        company_id: CvmCode,
    },
    Filings {
        text: String,
        company_id: CvmCode,
        name: String,
        category: Option<String>,
        year: Option<u16>,
        filings: u64,
    },
    Category {
        text: String,
    },
    /// A kind that this version does not know.
    #[serde(other)]
    Other,
}

/// As [`fincore::search::MatchedName`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct MatchedName {
    pub by: MatchedNameKind,
    pub text: String,
}
