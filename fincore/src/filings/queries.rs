//! The queries of filings.
use serde::{Deserialize, Serialize};

use crate::{
    answers::Page,
    companies::queries,
    filings::{
        Filing, coverage,
        filing::{self, with_index},
    },
    index::{Condition, Executor, KeyPage, PageWindow, TermKind},
    store::Snapshot,
    values::{
        CompanyRef, CvmCode, Date, DateRange, KeyRange, Limit, Offset, Result, Wanted, Words,
        as_text, fold, words,
    },
};

#[cfg(doc)]
use crate::filings::all;

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
    /// The most filings to return; [`all`] ignores it.
    #[serde(default)]
    pub limit: Limit<1000>,
    /// The number of filings to skip; [`all`] ignores it.
    #[serde(default)]
    pub offset: Offset,
}

impl List {
    pub(crate) fn filter_fields<'q>(&'q self) -> FilterFields<'q> {
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
    /// The matches that come first.
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
        Ok(words::Search::new(text)?.into())
    }

    pub(crate) fn filter_fields<'q>(&'q self) -> FilterFields<'q> {
        FilterFields {
            company: self.company.as_ref(),
            category: self.category.as_deref(),
            kind: self.r#type.as_deref(),
            from: self.from,
            to: self.to,
        }
    }
}

impl From<words::Search> for Search {
    fn from(words::Search { q, limit, offset }: words::Search) -> Search {
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

/// The matches of a search that come first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The newest first among those that match equally well.
    #[default]
    Newest,
    /// Besides, filings about the words before filings that only mention them.
    Relevance,
}

as_text!(Order::as_str, Wanted::Order, "newest" => Newest, "relevance" => Relevance);

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

    pub(crate) fn filter_fields<'q>(&'q self, company: &'q CompanyRef) -> FilterFields<'q> {
        FilterFields {
            company: Some(company),
            category: self.category.as_deref(),
            kind: self.r#type.as_deref(),
            from: self.from,
            to: self.to,
        }
    }
}

/// The filters of a query, as they are given.
pub(crate) struct FilterFields<'q> {
    pub(crate) company: Option<&'q CompanyRef>,
    pub(crate) category: Option<&'q str>,
    pub(crate) kind: Option<&'q str>,
    pub(crate) from: Option<Date>,
    pub(crate) to: Option<Date>,
}

impl FilterFields<'_> {
    /// The names of those that are given.
    pub(crate) fn names(&self) -> Vec<&'static str> {
        let given = [
            ("company", self.company.is_some()),
            ("category", self.category.is_some()),
            ("type", self.kind.is_some()),
            ("from", self.from.is_some()),
            ("to", self.to.is_some()),
        ];
        given.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name).collect()
    }
}

pub(crate) struct Filter {
    conditions: Vec<Condition>,
    /// The smallest and the largest key that they can have.
    pub(crate) keys: KeyRange,
    company: Option<Option<CvmCode>>,
    category: Option<String>,
    kind: Option<String>,
}

impl Filter {
    /// Fails if `from` is after `to`.
    pub(crate) fn new(snapshot: &Snapshot, fields: &FilterFields<'_>) -> Result<Filter> {
        let days = DateRange::new(fields.from, fields.to)?;
        let company =
            fields.company.map(|company| queries::resolve(snapshot, company)).transpose()?;
        let (category, kind) = (fields.category.map(fold), fields.kind.map(fold));
        let of_company = company.map(|code| {
            code.map_or_else(Condition::nothing, |code| Condition::company(code.get()))
        });
        let of_category =
            category.clone().map(|folded| Condition::Term(TermKind::Category, folded));
        let of_type = kind.clone().map(|folded| Condition::Term(TermKind::Type, folded));
        let conditions = [of_company, of_category, of_type].into_iter().flatten().collect();
        let keys = KeyRange::of(days.from(), days.to());
        Ok(Filter { conditions, keys, company, category, kind })
    }

    pub(crate) fn admits(&self, filing: &Filing) -> bool {
        self.company.is_none_or(|code| code == Some(filing.company_id))
            && self.category.as_deref().is_none_or(|folded| folded == fold(&filing.category))
            && self.kind.as_deref().is_none_or(|folded| folded == fold(&filing.r#type))
    }

    /// One page of them, newest first.
    pub(crate) fn page(
        &self,
        snapshot: &Snapshot,
        limit: Limit<1000>,
        offset: Offset,
    ) -> Result<Page<Filing>> {
        let all = vec![Condition::everything()];
        let found = with_index(snapshot, |index| self.find(index, all, limit, offset))?;
        page_of(snapshot, found, limit, offset)
    }

    /// The keys of the filings that meet further conditions, in tiers.
    pub(crate) fn find(
        &self,
        index: &Executor<'_>,
        tiers: Vec<Condition>,
        limit: Limit<1000>,
        offset: Offset,
    ) -> Result<KeyPage> {
        let within = |condition| Condition::all(self.conditions.iter().cloned().chain([condition]));
        let tiers: Vec<Condition> = tiers.into_iter().map(within).collect();
        let part = PageWindow { limit: limit.get() as usize, offset: offset.get() };
        index.find_ranked(&tiers, self.keys, part)
    }
}

/// The page with the filings that were found.
pub(crate) fn page_of(
    snapshot: &Snapshot,
    found: KeyPage,
    limit: Limit<1000>,
    offset: Offset,
) -> Result<Page<Filing>> {
    Page::read(found.total, limit.get(), offset.get(), coverage::meta(snapshot)?, || {
        filing::read_keys(snapshot, &found.keys)
    })
}
