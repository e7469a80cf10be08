//! The queries of filings.
use serde::{Deserialize, Serialize};

#[cfg(doc)]
use super::each;
use super::filter::FilterFields;
use crate::{
    error::{Result, Wanted},
    types::{self, CompanyRef, Date, Limit, Offset, Words, choices},
};

/// A query for filings; by default the newest twenty.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct List {
    /// Only filings of this company.
    pub company: Option<CompanyRef>,
    /// Only filings in this category; case and accents are ignored.
    pub category: Option<String>,
    /// Only filings of this type; case and accents are ignored.
    pub r#type: Option<String>,
    /// The first delivery date.
    pub from: Option<Date>,
    /// The last delivery date.
    pub to: Option<Date>,
    /// The most filings to return; [`each`] ignores it.
    #[serde(default)]
    pub limit: Limit<1000>,
    /// The number of filings to skip; [`each`] ignores it.
    #[serde(default)]
    pub offset: Offset,
}

impl List {
    pub(super) fn filter_fields<'q>(&'q self) -> FilterFields<'q> {
        FilterFields {
            company: self.company.as_ref(),
            category: self.category.as_deref(),
            kind: self.r#type.as_deref(),
            from: self.from,
            to: self.to,
        }
    }
}

/// A search for filings; by default the newest twenty that match.
///
/// ```
/// use fincore::filings::Search;
///
/// let facts = Search { category: Some("fato relevante".into()), ..Search::new("vale 2024")? };
/// # Ok::<(), fincore::Error>(())
/// ```
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Search {
    /// All words must match; the last one matches as a prefix. Words in double quotes are a phrase.
    pub q: Words,
    /// Only filings of this company.
    pub company: Option<CompanyRef>,
    /// Only filings in this category; case and accents are ignored.
    pub category: Option<String>,
    /// Only filings of this type; case and accents are ignored.
    pub r#type: Option<String>,
    /// The first delivery date.
    pub from: Option<Date>,
    /// The last delivery date.
    pub to: Option<Date>,
    /// Which matches come first.
    #[serde(default)]
    pub order: Order,
    /// The most filings to return.
    #[serde(default)]
    pub limit: Limit<1000>,
    /// The number of filings to skip.
    #[serde(default)]
    pub offset: Offset,
}

impl Search {
    /// A search for the words in `text`, in all filings.
    ///
    /// Fails if `text` has no words, or too many.
    pub fn new(text: &str) -> Result<Search> {
        Ok(types::Search::new(text)?.into())
    }

    pub(super) fn filter_fields<'q>(&'q self) -> FilterFields<'q> {
        FilterFields {
            company: self.company.as_ref(),
            category: self.category.as_deref(),
            kind: self.r#type.as_deref(),
            from: self.from,
            to: self.to,
        }
    }
}

impl From<types::Search> for Search {
    fn from(types::Search { q, limit, offset }: types::Search) -> Search {
        Search {
            q,
            company: None,
            category: None,
            r#type: None,
            from: None,
            to: None,
            order: Order::default(),
            limit,
            offset,
        }
    }
}

/// Which matches of a search come first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The newest first among those that match equally well.
    #[default]
    Newest,
    /// Besides, filings about the words before filings that only mention them.
    Relevance,
}

choices!(Order, Wanted::Order, "newest" => Order::Newest, "relevance" => Order::Relevance);

/// A query for the latest filings; by default twenty.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Recent {
    /// The most filings to return.
    #[serde(default)]
    pub limit: Limit<1000>,
}

/// A query for the filings of one company.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct OfCompany {
    /// The company, by its CVM code, CNPJ or ticker.
    pub id: CompanyRef,
    /// Only filings in this category; case and accents are ignored.
    pub category: Option<String>,
    /// Only filings of this type; case and accents are ignored.
    pub r#type: Option<String>,
    /// The first delivery date.
    pub from: Option<Date>,
    /// The last delivery date.
    pub to: Option<Date>,
    /// The most filings to return.
    #[serde(default)]
    pub limit: Limit<1000>,
    /// The number of filings to skip.
    #[serde(default)]
    pub offset: Offset,
}

impl OfCompany {
    /// The newest twenty filings of a company.
    #[must_use]
    pub fn new(id: CompanyRef) -> OfCompany {
        OfCompany {
            id,
            category: None,
            r#type: None,
            from: None,
            to: None,
            limit: Limit::default(),
            offset: Offset::default(),
        }
    }

    pub(super) fn filter_fields<'q>(&'q self, company: &'q CompanyRef) -> FilterFields<'q> {
        FilterFields {
            company: Some(company),
            category: self.category.as_deref(),
            kind: self.r#type.as_deref(),
            from: self.from,
            to: self.to,
        }
    }
}
