//! Which filings a query is about, and one page of them.
use super::{Filing, SOURCE, indexed, served::served};
use crate::{
    answers::{Meta, Page},
    catalogue::Snapshot,
    error::Result,
    index::{Found, Index, Kind, Want, Window},
    lookup,
    types::{CompanyRef, CvmCode, Date, DateRange, Limit, Offset, first_key, fold, last_key},
};

/// What a query is narrowed to.
pub(super) struct Narrow<'q> {
    pub(super) company: Option<&'q CompanyRef>,
    pub(super) category: Option<&'q str>,
    pub(super) kind: Option<&'q str>,
    pub(super) from: Option<Date>,
    pub(super) to: Option<Date>,
}

/// Which filings a query is about.
pub(super) struct Filter {
    want: Vec<Want>,
    /// The smallest and the largest key that they can have.
    pub(super) keys: (i64, i64),
    company: Option<Option<CvmCode>>,
    category: Option<String>,
    kind: Option<String>,
}

impl Filter {
    /// Fails if `from` is after `to`.
    pub(super) fn new(snapshot: &Snapshot, narrow: &Narrow<'_>) -> Result<Filter> {
        let days = DateRange::new(narrow.from, narrow.to)?;
        let company = narrow.company.map(|company| lookup::meant(snapshot, company)).transpose()?;
        let (category, kind) = (narrow.category.map(fold), narrow.kind.map(fold));
        let of_company =
            company.map(|code| code.map_or_else(Want::nothing, |code| Want::company(code.get())));
        let of_category = category.clone().map(|folded| Want::Term(Kind::Category, folded));
        let of_type = kind.clone().map(|folded| Want::Term(Kind::Type, folded));
        let want = [of_company, of_category, of_type].into_iter().flatten().collect();
        let keys = (first_key(days.from()), last_key(days.to()));
        Ok(Filter { want, keys, company, category, kind })
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
        let found = indexed(snapshot, |index| self.find(index, vec![Want::everything()], part))?;
        shown(snapshot, found, part)
    }

    /// The keys of those that meet further conditions, in tiers.
    pub(super) fn find(
        &self,
        index: &Index<'_>,
        tiers: Vec<Want>,
        (limit, offset): (Limit<1000>, Offset),
    ) -> Result<Found> {
        let within = |want| Want::all(self.want.iter().cloned().chain([want]));
        let tiers: Vec<Want> = tiers.into_iter().map(within).collect();
        let part = Window { limit: limit.get() as usize, offset: offset.get() };
        index.ranked(&tiers, self.keys, part)
    }
}

/// The page with the filings that were found.
pub(super) fn shown(
    snapshot: &Snapshot,
    found: Found,
    (limit, offset): (Limit<1000>, Offset),
) -> Result<Page<Filing>> {
    Page::read(found.total, (limit.get(), offset.get()), Meta::of(SOURCE), || {
        served(snapshot, &found.keys)
    })
}
