//! Documents that companies filed with CVM.
//!
//! A [`Filing`] is looked up by its id ([`find`]), by words ([`search`]), by company ([`of_company`]), or
//! in a [`list`] filtered by category and delivery date; [`recent`] returns the latest. [`all`] iterates
//! over a whole list without loading it into memory.
//!
//! ```
//! use fincore::filings;
//!
//! # let dir = tempfile::tempdir().unwrap();
//! # let catalogue = fincore::bundle::filled_copy(dir.path())?;
//! let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;
//! let april = filings::List {
//!     category: Some("fato relevante".into()),
//!     from: Some("2024-04-01".parse()?),
//!     to: Some("2024-04-30".parse()?),
//!     ..Default::default()
//! };
//! assert_eq!(filings::list(&snapshot, april)?.total, 230);
//! # Ok::<(), fincore::Error>(())
//! ```
use crate::{
    answers::{
        Hint, Page, Sourced, Span,
        table::{self, Cell, Column, ColumnKind, serialize_by_columns},
    },
    companies,
    filings::{
        filing::with_index,
        queries::{Filter, FilterFields},
    },
    index::{Condition, PageWindow, TermKind},
    store::snapshot::{Snapshot, in_batches},
    values::{
        CompanyId, CompanyRef, Date, FilingId, KeyRange, PageQuery,
        error::{Error, Resource, Result},
        fold, nearest_to_unknown,
    },
};

pub(crate) mod coverage;
pub(crate) mod filing;
mod near_search;
pub(crate) mod queries;
mod search_tiers;
mod search_units;
pub(crate) mod search_words;
pub(crate) mod store;
pub(crate) mod withdrawn;
mod word_conditions;

pub(crate) use coverage::FileExtents;
pub use coverage::{FormCoverage, coverage};
pub use filing::Filing;
pub(crate) use filing::{Link, NewFiling};
pub use queries::{List, OfCompany, Order, Recent, Search};
pub(crate) use search_tiers::MeantCompany;
pub(crate) use search_units::{SearchUnit, UnitSense};
pub use search_words::search;
pub(crate) use store::Filings;
pub(crate) use withdrawn::FileSource;
pub(crate) use word_conditions::ClassLevels;

/// Filings by delivery date, newest first. An unknown company, category or type gives an empty list.
///
/// Fails if `from` is after `to`.
pub fn list(snapshot: &Snapshot, query: List) -> Result<Page<Filing>> {
    let fields = query.filter_fields();
    let page = Filter::new(snapshot, &fields)?.page(snapshot, query.limit, query.offset)?;
    with_hints(snapshot, page, &fields)
}

/// Every filing that matches `query`, newest first, without loading them all. `limit` and `offset` are ignored.
///
/// ```
/// use fincore::filings;
///
/// # let dir = tempfile::tempdir().unwrap();
/// # let catalogue = fincore::bundle::filled_copy(dir.path())?;
/// # let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;
/// let query = filings::List { category: Some("assembleia".into()), ..Default::default() };
/// let mut assemblies = 0;
/// for filing in filings::all(&snapshot, &query)? {
///     assemblies += usize::from(filing?.version == 1);
/// }
/// assert!(assemblies > 1000);
/// # Ok::<(), fincore::Error>(())
/// ```
pub fn all<'s>(
    snapshot: &'s Snapshot,
    query: &List,
) -> Result<impl Iterator<Item = Result<Filing>> + use<'s>> {
    let filter = Filter::new(snapshot, &query.filter_fields())?;
    let KeyRange { first, mut last } = filter.keys;
    let filings = in_batches(move |limit| {
        let filings = filing::read_range(snapshot, KeyRange { first, last }, limit)?;
        last = filings.last().map_or(last, |filing| filing.id.key(filing.date) - 1);
        Ok(filings)
    });
    Ok(filings.filter(move |filing| filing.as_ref().map_or(true, |filing| filter.admits(filing))))
}

/// The latest filings, newest first. `total` is the number returned.
pub fn recent(snapshot: &Snapshot, query: Recent) -> Result<Page<Filing>> {
    const SQL: &str = "SELECT key FROM filing ORDER BY key DESC LIMIT ?1";
    let limit = query.limit.get();
    let keys = snapshot.rows(SQL, [limit], |row| row.get(0))?;
    Ok(Page::cut(filing::read_keys(snapshot, &keys)?, limit, 0, coverage::meta(snapshot)?))
}

/// One filing, by its id.
///
/// Fails with [`Error::NotFound`] if there is none.
pub fn find(snapshot: &Snapshot, id: FilingId) -> Result<Sourced<Filing>> {
    let filing = filing::find(snapshot, id)?
        .ok_or_else(|| Error::not_found(Resource::Filing, &id.to_string()))?;
    Ok(Sourced::new(filing, coverage::meta(snapshot)?))
}

/// Filings of one company, newest first.
///
/// Fails with [`Error::NotFound`] if the company is neither in the registry nor named by a filing.
pub fn of_company(snapshot: &Snapshot, query: OfCompany) -> Result<Page<Filing>> {
    let company = companies::queries::resolve(snapshot, &query.id)?
        .ok_or_else(|| Error::not_found(Resource::Company, &query.id.to_string()))?;
    let company = CompanyRef::Id(company.into());
    let fields = query.filter_fields(&company);
    let page = Filter::new(snapshot, &fields)?.page(snapshot, query.limit, query.offset)?;
    with_hints(snapshot, page, &fields)
}

/// Adds to a list without a row why it has none.
fn with_hints(
    snapshot: &Snapshot,
    mut page: Page<Filing>,
    fields: &FilterFields<'_>,
) -> Result<Page<Filing>> {
    if page.total == 0 {
        page.meta.hints = hints(snapshot, fields)?;
    }
    Ok(page)
}

/// Reads the directory of the index, which all queries need.
pub(crate) fn prepare(snapshot: &Snapshot) -> Result<()> {
    with_index(snapshot, |_| Ok(()))
}

/// Where the categories and types are listed.
const CATEGORIES: &str = "see /api/v1/filings/categories";

/// Explains which filters match nothing; empty if every filter matches something.
pub(crate) fn hints(snapshot: &Snapshot, fields: &FilterFields<'_>) -> Result<Vec<Hint>> {
    let mut hints = Vec::new();
    if let Some(company) = fields.company
        && companies::queries::resolve(snapshot, company)?.is_none()
    {
        hints.push(Hint::UnknownCompany { company: company.to_string() });
    }
    if fields.category.is_some() || fields.kind.is_some() {
        let classes = classes(snapshot)?;
        let known = |of: fn(&Category) -> &String| {
            let mut known: Vec<String> = classes.iter().map(of).cloned().collect();
            known.retain(|value| !value.is_empty());
            known.sort();
            known.dedup();
            known
        };
        let unknown = |field, given: Option<&str>, known: Vec<String>| {
            let given = given?;
            nearest_to_unknown(given, &known).map(|nearest| Hint::UnknownValue {
                row: "filing",
                field,
                given: given.to_owned(),
                nearest,
                otherwise: CATEGORIES.to_owned(),
            })
        };
        hints.extend(unknown("category", fields.category, known(|class| &class.category)));
        hints.extend(unknown("type", fields.kind, known(|class| &class.r#type)));
    }
    if let (Some((first, last)), true) = (held(snapshot)?, hints.is_empty())
        && (fields.from.is_some_and(|from| from > last) || fields.to.is_some_and(|to| to < first))
    {
        hints.push(Hint::Held { from: first.to_string(), to: last.to_string() });
    }
    let names = fields.names();
    if hints.is_empty() && names.len() > 1 {
        hints.push(Hint::NoneHasAll { fields: names });
    }
    Ok(hints)
}

/// The first and the last day of delivery.
fn held(snapshot: &Snapshot) -> Result<Option<(Date, Date)>> {
    const SQL: &str = "SELECT (SELECT key FROM filing ORDER BY key LIMIT 1), (SELECT key FROM filing ORDER BY key DESC LIMIT 1)";
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let keys: Option<(Option<i64>, Option<i64>)> = snapshot.first(SQL, [], read)?;
    let day = |key: i64| FilingId::of_key(key).map(|(_, date)| date);
    Ok(keys.and_then(|(first, last)| Some((day(first?)?, day(last?)?))))
}

/// A category and type of filings.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Category {
    /// The first of CVM's levels of classification.
    pub category: String,
    /// The second level; empty for many categories.
    pub r#type: String,
    /// How many filings there are.
    pub filings: u64,
}

impl table::Row for Category {
    const COLUMNS: &'static [Column<Category>] = &[
        Column::new("category", ColumnKind::Text, |row| row.category.as_str().into()),
        Column::new("type", ColumnKind::Text, |row| row.r#type.as_str().into()),
        Column::new("filings", ColumnKind::Integer, |row| Cell::Integer(row.filings)),
    ];
}

serialize_by_columns!(Category);

/// The categories and types that filings have, with their numbers: those with most filings first.
pub fn categories(snapshot: &Snapshot, query: PageQuery) -> Result<Page<Category>> {
    Ok(Page::cut(
        classes(snapshot)?,
        query.limit.get(),
        query.offset.get(),
        coverage::meta(snapshot)?,
    ))
}

/// All of them.
pub(crate) fn classes(snapshot: &Snapshot) -> Result<Vec<Category>> {
    const SQL: &str =
        "SELECT category, type, SUM(filings) FROM class_total JOIN class ON class.id = class
        GROUP BY category, type ORDER BY SUM(filings) DESC, category, type";
    snapshot.rows(SQL, [], |row| {
        let filings = row.get::<_, i64>(2)?.unsigned_abs();
        Ok(Category { category: row.get(0)?, r#type: row.get(1)?, filings })
    })
}

/// The filings of a company in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Profile {
    /// How many there are.
    pub total: u64,
    /// The categories that it has filings of, those with most first.
    pub categories: Vec<CategoryCount>,
    /// The days from which to which event documents are complete, which are most of what companies file.
    pub covered: Option<Span>,
    /// From the end of that time back to its start, or to the oldest filing: years, or months if there are only a few of
    /// those. Other times are left out, because few filings of them are held.
    pub periods: Vec<PeriodCount>,
}

/// The filings of a company in one category.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CategoryCount {
    /// The category.
    pub category: String,
    /// How many there are.
    pub filings: u64,
}

/// The filings that a company delivered in one month or year.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PeriodCount {
    /// Its first day.
    pub from: Date,
    /// Its last day.
    pub to: Date,
    /// How many there are.
    pub filings: u64,
}

impl PeriodCount {
    /// True for a whole year.
    #[must_use]
    pub fn is_year(&self) -> bool {
        self.from.month() != self.to.month()
    }
}

/// Longer spans are counted by years.
const MOST_MONTHS: usize = 36;

/// The filings of one company, counted. The sum of categories is the total.
///
/// Fails with [`Error::NotFound`] if the company is neither in the registry nor named by a filing.
///
/// ```
/// # let dir = tempfile::tempdir().unwrap();
/// # let catalogue = fincore::bundle::filled_copy(dir.path())?;
/// # let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;
/// let vale = fincore::filings::profile(&snapshot, "4170".parse()?)?;
/// assert!(vale.categories.iter().any(|row| row.category == "Fato Relevante" && row.filings > 10));
/// # Ok::<(), fincore::Error>(())
/// ```
pub fn profile(snapshot: &Snapshot, company: CompanyId) -> Result<Profile> {
    const CATEGORIES: &str = "SELECT DISTINCT category FROM class ORDER BY category";
    let code = companies::queries::resolve(snapshot, &company.into())?
        .ok_or_else(|| Error::not_found(Resource::Company, &company.to_string()))?;
    let names: Vec<String> = snapshot.rows(CATEGORIES, [], |row| row.get(0))?;
    let [event_documents, ..] = coverage(snapshot)?;
    let covered = event_documents.span;
    let of_company = Condition::company(code.get());
    let always = KeyRange::ALL;
    with_index(snapshot, |index| {
        let at = |offset| index.find_newest(&of_company, always, PageWindow { limit: 1, offset });
        let newest = at(0)?;
        let day = |keys: &[i64]| keys.first().and_then(|key| FilingId::of_key(*key));
        let Some((_, last)) = day(&newest.keys) else {
            return Ok(Profile { covered, ..Profile::default() });
        };
        let first = day(&at(newest.total - 1)?.keys).map_or(last, |(_, first)| first);
        let mut categories: Vec<CategoryCount> = Vec::new();
        for category in names {
            let of_category = Condition::Term(TermKind::Category, fold(&category));
            let filings =
                index.count(&Condition::All(vec![of_company.clone(), of_category]), always)?;
            // Two spellings of a category are one term.
            let is_known = categories.iter().any(|row| fold(&row.category) == fold(&category));
            if filings > 0 && !is_known {
                categories.push(CategoryCount { category, filings });
            }
        }
        categories.sort_by(|a, b| b.filings.cmp(&a.filings).then(a.category.cmp(&b.category)));
        let mut periods = Vec::new();
        let spans = covered.map(|covered| spans(covered.from.max(first), covered.to));
        for (from, to) in spans.unwrap_or_default() {
            let filings = index.count(&of_company, KeyRange::of(from, to))?;
            periods.push(PeriodCount { from, to, filings });
        }
        Ok(Profile { total: newest.total, categories, covered, periods })
    })
}

/// The months from that of `last` back to that of `first`; or the years, if that were many.
fn spans(first: Date, last: Date) -> Vec<(Date, Date)> {
    let number = |day: Date| usize::from(day.year()) * 12 + usize::from(day.month()) - 1;
    let months = number(first)..=number(last);
    if months.clone().count() > MOST_MONTHS {
        let year = |year| Date::new(year, 1, 1).zip(Date::new(year, 12, 31));
        return (first.year()..=last.year()).rev().filter_map(year).collect();
    }
    let start = |month: usize| {
        let (year, month) = (u16::try_from(month / 12).ok()?, u8::try_from(month % 12).ok()?);
        Date::new(year, month + 1, 1)
    };
    let month = |month| {
        let from = start(month)?;
        Some((from, start(month + 1).map_or(Date::MAX, |next| next.days_before(1))))
    };
    months.rev().filter_map(month).collect()
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod profile_tests {
    use crate::filings;
    use crate::import::bundle;

    use super::*;

    #[test]
    fn spans_are_months_or_years() {
        let check = |first: &str, last: &str| {
            let spans = spans(first.parse().unwrap(), last.parse().unwrap());
            spans.iter().map(|(from, to)| format!("{from}/{to}")).collect::<Vec<_>>()
        };
        assert_eq!(
            check("2023-12-31", "2024-02-01"),
            ["2024-02-01/2024-02-29", "2024-01-01/2024-01-31", "2023-12-01/2023-12-31"]
        );
        let years = check("2009-05-01", "2012-05-01");
        assert_eq!((years.len(), years[0].as_str()), (4, "2012-01-01/2012-12-31"));
        assert_eq!(check("9999-12-31", "9999-12-31"), ["9999-12-01/9999-12-31"]);
    }

    #[test]
    fn counts_what_lists_hold() {
        let dir = tempfile::tempdir().unwrap();
        let catalogue = bundle::filled_copy(dir.path()).unwrap();
        let snapshot = catalogue.snapshot(Date::MAX).unwrap();
        for id in ["4170", "9512", "1023"] {
            let profile = profile(&snapshot, id.parse().unwrap()).unwrap();
            let list = |category: Option<&str>, from, to| {
                let category = category.map(str::to_owned);
                let query = filings::queries::List {
                    company: Some(id.parse().unwrap()),
                    category,
                    from,
                    to,
                    ..Default::default()
                };
                list(&snapshot, query).unwrap().total
            };
            assert_eq!(profile.total, list(None, None, None));
            for row in &profile.categories {
                assert_eq!(row.filings, list(Some(&row.category), None, None), "{row:?}");
            }
            for row in &profile.periods {
                assert_eq!(row.filings, list(None, Some(row.from), Some(row.to)), "{row:?}");
            }
            let sum: u64 = profile.categories.iter().map(|row| row.filings).sum();
            assert_eq!(sum, profile.total);
            // Event documents are held of 18 months; the annual statements of other years would look like silence.
            let ends = |row: &PeriodCount| format!("{} {}", row.from, row.to);
            let (newest, oldest) = (&profile.periods[0], &profile.periods[17]);
            assert_eq!(profile.periods.len(), 18);
            assert_eq!(ends(newest), "2025-06-01 2025-06-30");
            assert_eq!(ends(oldest), "2024-01-01 2024-01-31");
        }
        assert!(profile(&snapshot, "999999".parse().unwrap()).is_err());
    }
}
