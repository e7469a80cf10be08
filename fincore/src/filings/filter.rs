//! Which filings a query is about, and one page of them.
use super::{coverage, filing::Filing, index_query::with_index, reader};
use crate::{
    answers::Page,
    catalogue::Snapshot,
    company_lookup,
    error::Result,
    index::{Condition, Executor, KeyPage, PageWindow, TermKind},
    types::{CompanyRef, CvmCode, Date, DateRange, Limit, Offset, first_key, fold, last_key},
};

/// The filters of a query, as they are given.
pub(super) struct FilterFields<'q> {
    pub(super) company: Option<&'q CompanyRef>,
    pub(super) category: Option<&'q str>,
    pub(super) kind: Option<&'q str>,
    pub(super) from: Option<Date>,
    pub(super) to: Option<Date>,
}

impl FilterFields<'_> {
    /// The names of those that are given.
    pub(super) fn names(&self) -> Vec<&'static str> {
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

/// Which filings a query is about.
pub(super) struct Filter {
    conditions: Vec<Condition>,
    /// The smallest and the largest key that they can have.
    pub(super) keys: (i64, i64),
    company: Option<Option<CvmCode>>,
    category: Option<String>,
    kind: Option<String>,
}

impl Filter {
    /// Fails if `from` is after `to`.
    pub(super) fn new(snapshot: &Snapshot, fields: &FilterFields<'_>) -> Result<Filter> {
        let days = DateRange::new(fields.from, fields.to)?;
        let company =
            fields.company.map(|company| company_lookup::resolve(snapshot, company)).transpose()?;
        let (category, kind) = (fields.category.map(fold), fields.kind.map(fold));
        let of_company = company.map(|code| {
            code.map_or_else(Condition::nothing, |code| Condition::company(code.get()))
        });
        let of_category =
            category.clone().map(|folded| Condition::Term(TermKind::Category, folded));
        let of_type = kind.clone().map(|folded| Condition::Term(TermKind::Type, folded));
        let conditions = [of_company, of_category, of_type].into_iter().flatten().collect();
        let keys = (first_key(days.from()), last_key(days.to()));
        Ok(Filter { conditions, keys, company, category, kind })
    }

    /// Whether a filing with a key in the range is one of them.
    pub(super) fn admits(&self, filing: &Filing) -> bool {
        self.company.is_none_or(|code| code == Some(filing.company_id))
            && self.category.as_deref().is_none_or(|folded| folded == fold(&filing.category))
            && self.kind.as_deref().is_none_or(|folded| folded == fold(&filing.r#type))
    }

    /// One page of them, newest first.
    pub(super) fn page(
        &self,
        snapshot: &Snapshot,
        part: (Limit<1000>, Offset),
    ) -> Result<Page<Filing>> {
        let found =
            with_index(snapshot, |index| self.find(index, vec![Condition::everything()], part))?;
        page_of(snapshot, found, part)
    }

    /// The keys of the filings that meet further conditions, in tiers.
    pub(super) fn find(
        &self,
        index: &Executor<'_>,
        tiers: Vec<Condition>,
        (limit, offset): (Limit<1000>, Offset),
    ) -> Result<KeyPage> {
        let within = |condition| Condition::all(self.conditions.iter().cloned().chain([condition]));
        let tiers: Vec<Condition> = tiers.into_iter().map(within).collect();
        let part = PageWindow { limit: limit.get() as usize, offset: offset.get() };
        index.find_ranked(&tiers, self.keys, part)
    }
}

/// The page with the filings that were found.
pub(super) fn page_of(
    snapshot: &Snapshot,
    found: KeyPage,
    (limit, offset): (Limit<1000>, Offset),
) -> Result<Page<Filing>> {
    Page::read(found.total, (limit.get(), offset.get()), coverage::meta(snapshot)?, || {
        reader::read_keys(snapshot, &found.keys)
    })
}
