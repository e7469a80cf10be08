//! How many filings a company has: in all, of each category, and in each month or year.
use super::{coverage::coverage, index_query::with_index};
use crate::{
    answers::Span,
    catalogue::Snapshot,
    company_lookup,
    error::{Error, Resource, Result},
    index::{Condition, PageWindow, TermKind},
    types::{CompanyId, Date, FilingId, first_key, fold, last_key},
};

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
    /// Whether it is a whole year.
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
    let code = company_lookup::resolve(snapshot, &company.into())?
        .ok_or_else(|| Error::not_found(Resource::Company, &company.to_string()))?;
    let names: Vec<String> = snapshot.rows(CATEGORIES, [], |row| row.get(0))?;
    let [event_documents, ..] = coverage(snapshot)?;
    let covered = event_documents.span;
    let of_company = Condition::company(code.get());
    let always = (first_key(Date::MIN), last_key(Date::MAX));
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
            let filings = index.count(&of_company, (first_key(from), last_key(to)))?;
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
#[cfg(feature = "bundle")]
mod tests {
    use super::*;
    use crate::{bundle, filings};

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
                let query = filings::List {
                    company: Some(id.parse().unwrap()),
                    category,
                    from,
                    to,
                    ..Default::default()
                };
                filings::list(&snapshot, query).unwrap().total
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
