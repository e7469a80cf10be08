//! Companies side by side: the figures of all of them in a year.
use std::{borrow::Cow, cmp::Ordering, fmt, ops::Deref, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, ser::SerializeMap};

use crate::{
    answers::{Cell, ColumnKind, Hint, Meta, Table},
    companies,
    statements::{
        CompanyFinancials, Metric, Period,
        figures::plan,
        financials::{self, check_period},
        read::meta,
    },
    store::Snapshot,
    values::{
        CvmCode, Decimal, Error, Limit, Offset, Result, Wanted, as_text, deserialize_number, fold,
        whole_number,
    },
};

/// A query for the figures of all companies; by default of each the newest fiscal year.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ScreenQuery {
    /// The figures to return; by default all of them.
    pub metric: Option<Metrics>,
    /// Years, quarters, or the last four quarters.
    #[serde(default)]
    pub period: Period,
    /// The year in which the period ends; by default of each company the newest that there is.
    pub year: Option<Year>,
    /// Only companies of this sector; case and accents are ignored.
    pub sector: Option<String>,
    /// The companies that come first; those without the figure come last.
    #[serde(default)]
    pub order: MetricOrder,
    /// The most companies to return.
    #[serde(default)]
    pub limit: Limit<1000>,
    /// The number of companies to skip.
    #[serde(default)]
    pub offset: Offset,
}

/// Some metrics, separated by commas.
///
/// ```
/// use fincore::statements::Metrics;
///
/// assert!("net_income,revenue".parse::<Metrics>().is_ok());
/// assert!("profit".parse::<Metrics>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metrics(Vec<Metric>);

impl FromStr for Metrics {
    type Err = Error;

    fn from_str(text: &str) -> Result<Metrics> {
        let mut metrics: Vec<Metric> = Vec::new();
        for name in text.split(',') {
            let metric = name.trim().parse()?;
            if !metrics.contains(&metric) {
                metrics.push(metric);
            }
        }
        Ok(Metrics(metrics))
    }
}

impl Deref for Metrics {
    type Target = [Metric];

    fn deref(&self) -> &[Metric] {
        &self.0
    }
}

impl fmt::Display for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.iter().map(|metric| metric.name()).collect::<Vec<_>>().join(","))
    }
}

as_text!(Metrics);

/// A calendar year.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Year(u16);

impl FromStr for Year {
    type Err = Error;

    fn from_str(text: &str) -> Result<Year> {
        let year =
            whole_number(text).filter(|year| (1900..=2999).contains(year) && text.len() == 4);
        year.map(Year).ok_or_else(|| Error::invalid(text, Wanted::Year))
    }
}

impl<'de> Deserialize<'de> for Year {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserialize_number(deserializer)
    }
}

/// The order of companies: by name, or by a figure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MetricOrder {
    /// By name.
    #[default]
    Name,
    /// By a figure, the smallest first.
    Ascending(Metric),
    /// By a figure, the largest first.
    Descending(Metric),
}

impl FromStr for MetricOrder {
    type Err = Error;

    fn from_str(text: &str) -> Result<MetricOrder> {
        let wrong = || Error::invalid(text, Wanted::MetricOrder);
        match text.strip_prefix('-') {
            _ if text == "name" => Ok(MetricOrder::Name),
            Some(metric) => metric.parse().map(MetricOrder::Descending).map_err(|_| wrong()),
            None => text.parse().map(MetricOrder::Ascending).map_err(|_| wrong()),
        }
    }
}

impl fmt::Display for MetricOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MetricOrder::Name => f.write_str("name"),
            MetricOrder::Ascending(metric) => f.write_str(metric.name()),
            MetricOrder::Descending(metric) => write!(f, "-{}", metric.name()),
        }
    }
}

as_text!(MetricOrder);

/// The figures of a company beside those of others.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScreenedCompany {
    /// The CVM code.
    pub company_id: CvmCode,
    /// The name of the company.
    pub name: String,
    /// Its figures.
    pub financials: CompanyFinancials,
}

/// One page of companies with their figures.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ScreenPage {
    /// The companies of this page.
    pub data: Vec<ScreenedCompany>,
    /// The number of companies.
    pub total: u64,
    /// The most companies that a page can hold.
    pub limit: u32,
    /// The number of companies before this page.
    pub offset: u64,
    /// The source.
    pub meta: Meta,
    /// The figures that are shown.
    pub metrics: Vec<Metric>,
}

/// The figures of all companies that have any, each once: consolidated ones, or else individual ones.
///
/// Fails for years to date, of which there are statements only.
pub fn screen(snapshot: &Snapshot, query: ScreenQuery) -> Result<ScreenPage> {
    check_period(query.period)?;
    let mut companies = newest_of_each(snapshot, &query)?;
    sort(&mut companies, query.order);
    let (total, limit, offset) = (companies.len() as u64, query.limit.get(), query.offset.get());
    let mut meta = meta(snapshot)?;
    if total == 0 {
        let year = query.year.map(|Year(year)| year);
        meta.hints = hints(snapshot, query.period, year, query.sector.as_deref())?;
    }
    let shown = companies.into_iter().skip(usize::try_from(offset).unwrap_or(usize::MAX));
    Ok(ScreenPage {
        data: shown.take(limit as usize).collect(),
        total,
        limit,
        offset,
        meta,
        metrics: query.metric.map_or(Metric::ALL.to_vec(), |Metrics(metrics)| metrics),
    })
}

/// Of each company the newest period.
fn newest_of_each(snapshot: &Snapshot, query: &ScreenQuery) -> Result<Vec<ScreenedCompany>> {
    const SQL: &str = "SELECT financial.company,
            COALESCE(company.name, (SELECT name FROM filer WHERE filer.company = financial.company ORDER BY id DESC LIMIT 1), ''),
            period_start, period_end, scope, plan, figures
        FROM financial LEFT JOIN company ON company.id = financial.company
        WHERE period = ?1 AND period_end BETWEEN ?2 AND ?3 AND (?4 IS NULL OR company.sector_folded = ?4)
        ORDER BY financial.company, period_end DESC, scope";
    let (from, to) = match query.year {
        Some(Year(year)) => (format!("{year}-01-01"), format!("{year}-12-31")),
        None => ("".into(), "9999".into()),
    };
    let sector = query.sector.as_deref().map(fold);
    snapshot.read(|connection| {
        let mut statement = connection.prepare_cached(SQL)?;
        let mut rows = statement.query((query.period as i64, from, to, sector))?;
        let mut companies: Vec<ScreenedCompany> = Vec::new();
        while let Some(row) = rows.next()? {
            let company_id = row.get(0)?;
            if companies.last().is_some_and(|known| known.company_id == company_id) {
                continue;
            }
            let financials = financials::read(row, 2)?;
            companies.push(ScreenedCompany { company_id, name: row.get(1)?, financials });
        }
        Ok(companies)
    })
}

fn sort(companies: &mut [ScreenedCompany], order: MetricOrder) {
    let value = |company: &ScreenedCompany, metric| company.financials.figure(metric).value;
    let by = |one: Option<Decimal>, other: Option<Decimal>, order: fn(Ordering) -> Ordering| {
        match (one, other) {
            (Some(one), Some(other)) => order(one.cmp(&other)),
            // Those without a figure come last.
            _ => other.is_some().cmp(&one.is_some()),
        }
    };
    match order {
        MetricOrder::Name => companies.sort_by_cached_key(|company| fold(&company.name)),
        MetricOrder::Ascending(metric) => {
            companies
                .sort_by(|one, other| by(value(one, metric), value(other, metric), |order| order));
        }
        MetricOrder::Descending(metric) => {
            companies.sort_by(|one, other| {
                by(value(one, metric), value(other, metric), Ordering::reverse)
            });
        }
    }
}

impl Table for ScreenPage {
    fn columns(&self) -> Vec<(Cow<'_, str>, ColumnKind)> {
        let company = [
            ("company_id", ColumnKind::Text),
            ("name", ColumnKind::Text),
            ("period_end", ColumnKind::Day),
            ("scope", ColumnKind::Text),
            ("plan", ColumnKind::Text),
        ];
        let figures = self.metrics.iter().map(|metric| (metric.name(), ColumnKind::Figure));
        let columns = company.into_iter().chain(figures);
        columns.map(|(name, kind)| (name.into(), kind)).collect()
    }

    fn cells(&self) -> impl Iterator<Item = Vec<Cell<'_>>> {
        self.data.iter().map(|row| {
            let figures = &row.financials;
            let company = [
                Cell::display(row.company_id),
                (&*row.name).into(),
                figures.period_end.into(),
                figures.scope.name().into(),
                figures.plan.map(plan::AccountPlan::name).into(),
            ];
            let values = self.metrics.iter().map(|metric| figures.figure(*metric).value.into());
            company.into_iter().chain(values).collect()
        })
    }
}

impl Serialize for ScreenPage {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut page = serializer.serialize_map(None)?;
        let rows: Vec<_> =
            self.data.iter().map(|company| Line { company, metrics: &self.metrics }).collect();
        page.serialize_entry("data", &rows)?;
        page.serialize_entry("total", &self.total)?;
        page.serialize_entry("limit", &self.limit)?;
        page.serialize_entry("offset", &self.offset)?;
        page.serialize_entry("meta", &self.meta)?;
        page.end()
    }
}

struct Line<'p> {
    company: &'p ScreenedCompany,
    metrics: &'p [Metric],
}

impl Serialize for Line<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let ScreenedCompany { company_id, name, financials } = self.company;
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("company_id", company_id)?;
        object.serialize_entry("name", name)?;
        object.serialize_entry("period_end", &financials.period_end)?;
        object.serialize_entry("scope", &financials.scope)?;
        object.serialize_entry("plan", &financials.plan)?;
        for metric in self.metrics {
            object.serialize_entry(metric.name(), &financials.figure(*metric).value)?;
        }
        object.end()
    }
}

/// Explains which filter of a query matches nothing.
pub(crate) fn hints(
    snapshot: &Snapshot,
    period: Period,
    year: Option<u16>,
    sector: Option<&str>,
) -> Result<Vec<Hint>> {
    const SQL: &str = "SELECT MIN(period_end), MAX(period_end) FROM financial WHERE period = ?1";
    let mut hints = companies::hints(snapshot, 0, None, sector)?;
    let Some(year) = year.filter(|_| hints.is_empty()) else { return Ok(hints) };
    let held = snapshot.first(SQL, [period as i64], |row| {
        Ok(row.get::<_, Option<String>>(0)?.zip(row.get::<_, Option<String>>(1)?))
    })?;
    let year = year.to_string();
    match held.flatten() {
        Some((from, to)) if *year < from[..4] || *year > to[..4] => {
            hints.push(Hint::Held { from, to });
        }
        _ if sector.is_some() => {
            hints.push(Hint::NoneHasAll { fields: vec!["sector", "year"] });
        }
        _ => (),
    }
    Ok(hints)
}
