//! Statements and figures as rows of whole datasets, in the order of their keys.
use rusqlite::{OptionalExtension, Row};
use serde::Serialize;

use crate::{
    answers::{Cell, ColumnKind},
    statements::{
        AccountNames, ColumnOrder, CompanyFinancials, FormKey, Metric, Period, Scope,
        StatementKind, StoredForm, figures::plan, financials, form,
    },
    store::Snapshot,
    values::{CvmCode, Date, DateRange, Decimal, FilingId, Form, Result},
};

/// A value of a statement, as a row of the whole dataset.
#[derive(Clone, Debug)]
pub(crate) struct StatementValue<'f> {
    form: &'f StoredForm,
    scope: Scope,
    kind: StatementKind,
    order: ColumnOrder,
    start: Option<Date>,
    end: Date,
    account: (&'f str, &'f str, bool),
    part: Option<&'f str>,
    value: Decimal,
}

/// The names and kinds of the columns of [`StatementValue::cells`].
pub(crate) const HEADINGS: [(&str, ColumnKind); 16] = [
    ("company_id", ColumnKind::Text),
    ("form", ColumnKind::Text),
    ("period_end", ColumnKind::Day),
    ("version", ColumnKind::Integer),
    ("received", ColumnKind::Day),
    ("filing_id", ColumnKind::Text),
    ("scope", ColumnKind::Text),
    ("kind", ColumnKind::Text),
    ("comparative", ColumnKind::Truth),
    ("start", ColumnKind::Day),
    ("end", ColumnKind::Day),
    ("code", ColumnKind::Text),
    ("name", ColumnKind::Text),
    ("column", ColumnKind::Text),
    ("value", ColumnKind::Figure),
    ("fixed", ColumnKind::Truth),
];

/// The cells that identify a form.
pub(crate) fn form_cells(key: FormKey) -> [Cell<'static>; 4] {
    [
        Cell::display(key.company),
        Cell::display(key.form.name().to_ascii_uppercase()),
        key.period_end.into(),
        Cell::Integer(key.version.into()),
    ]
}

impl StatementValue<'_> {
    pub(crate) fn cells(&self) -> Vec<Cell<'_>> {
        let (code, name, fixed) = self.account;
        let rest = [
            self.form.received.into(),
            self.form.filing.map_or(Cell::Empty, Cell::display),
            self.scope.name().into(),
            self.kind.name().into(),
            (self.order != ColumnOrder::Last).into(),
            self.start.into(),
            self.end.into(),
            code.into(),
            name.into(),
            self.part.into(),
            self.value.into(),
            fixed.into(),
        ];
        form_cells(self.form.key).into_iter().chain(rest).collect()
    }
}

/// The number of values of all forms whose period ends on these days.
pub(crate) fn count_values(snapshot: &Snapshot, days: DateRange) -> Result<u64> {
    const SQL: &str = "SELECT COALESCE(SUM(figures), 0) FROM statement_form AS form
        JOIN statement ON statement.id BETWEEN form.id * 16 AND form.id * 16 + 15
        WHERE period_end BETWEEN ?1 AND ?2";
    snapshot.count(SQL, (days.from(), days.to()))
}

/// The keys of the forms after one, in order: by company, form, end of the period and version.
pub(crate) fn forms_after(
    snapshot: &Snapshot,
    after: Option<FormKey>,
    days: DateRange,
    limit: usize,
) -> Result<Vec<FormKey>> {
    const SQL: &str = "SELECT company, form, period_end, version FROM statement_form
        WHERE (company, form, period_end, version) > (?1, ?2, ?3, ?4) AND period_end BETWEEN ?5 AND ?6
        ORDER BY company, form, period_end, version LIMIT ?7";
    let (company, form, end, version) = after.map_or((0, 0, Date::MIN, 0), |key| {
        (key.company.get(), key.form as i64, key.period_end, key.version)
    });
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let after = (company, form, end, version, days.from(), days.to(), limit);
    snapshot.rows(SQL, after, read_key)
}

fn read_key(row: &Row<'_>) -> rusqlite::Result<FormKey> {
    let form: i64 = row.get(1)?;
    let form = if form == Form::Itr as i64 { Form::Itr } else { Form::Dfp };
    Ok(FormKey { company: row.get(0)?, form, period_end: row.get(2)?, version: row.get(3)? })
}

/// The number of values of a form; `None` if it is not stored.
pub(crate) fn values_of_form(snapshot: &Snapshot, key: FormKey) -> Result<Option<u64>> {
    const SQL: &str = "SELECT (SELECT COALESCE(SUM(figures), 0) FROM statement
            WHERE statement.id BETWEEN form.id * 16 AND form.id * 16 + 15) FROM statement_form AS form
        WHERE company = ?1 AND form = ?2 AND period_end = ?3 AND version = ?4";
    let row = (key.company, key.form as i64, key.period_end, key.version);
    let count: Option<i64> = snapshot.read(|connection| {
        Ok(connection.prepare_cached(SQL)?.query_row(row, |row| row.get(0)).optional()?)
    })?;
    Ok(count.map(i64::unsigned_abs))
}

/// A form with its statements, if it is stored.
fn find_form(snapshot: &Snapshot, key: FormKey) -> Result<Option<StoredForm>> {
    let forms = snapshot.read(|connection| form::forms_of(connection, key.company, None))?;
    Ok(forms.into_iter().find(|form| form.key == key))
}

/// Visits every value of a form: consolidated statements first, each by its accounts.
pub(crate) fn each_value(
    snapshot: &Snapshot,
    key: FormKey,
    mut visit: impl FnMut(&StatementValue<'_>) -> Result<()>,
) -> Result<()> {
    let Some(form) = find_form(snapshot, key)? else { return Ok(()) };
    for scope in Scope::ALL {
        for kind in StatementKind::ALL {
            for content in snapshot.read(|connection| form.contents(connection, scope, kind))? {
                let parts = content.columns.iter().map(|column| column.part);
                let ids = content.accounts.iter().copied().chain(parts);
                let names = snapshot.read(|connection| AccountNames::read(connection, ids))?;
                for (row, account) in content.accounts.iter().enumerate() {
                    let Some((code, name, fixed)) = names.get(*account) else { continue };
                    for (place, column) in content.columns.iter().enumerate() {
                        let Some(value) = content.value(row, place) else { continue };
                        visit(&StatementValue {
                            form: &form,
                            scope,
                            kind,
                            order: column.order,
                            start: column.start,
                            end: column.end,
                            account: (code, name, fixed),
                            part: names.get(column.part).map(|(_, name, _)| name.as_str()),
                            value,
                        })?;
                    }
                }
            }
        }
    }
    Ok(())
}

/// The newest end of a period.
pub(crate) fn newest_end(snapshot: &Snapshot) -> Result<Option<Date>> {
    const SQL: &str = "SELECT MAX(period_end) FROM statement_form";
    let newest = snapshot.first(SQL, [], |row| row.get::<_, Option<String>>(0))?.flatten();
    Ok(newest.and_then(|day| day.parse().ok()))
}

/// Published statements: a version of a form, with its contents.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PublishedForm {
    pub(crate) company_id: CvmCode,
    form: String,
    period_end: Date,
    version: u32,
    pub(crate) received: Option<Date>,
    filing_id: Option<FilingId>,
    scopes: Vec<Scope>,
    kinds: Vec<StatementKind>,
}

/// A form that was published, by its key in the change log; `None` if it is gone.
pub(crate) fn published(snapshot: &Snapshot, key: &str) -> Result<Option<PublishedForm>> {
    let Some(key) = FormKey::parse(key) else { return Ok(None) };
    let form = find_form(snapshot, key)?.filter(|form| !form.tables.is_empty());
    Ok(form.map(|form| {
        let has = |scope: &Scope| form.tables.iter().any(|(known, _)| known == scope);
        let is_there =
            |kind: &StatementKind| Scope::ALL.iter().any(|scope| form.has(*scope, *kind));
        PublishedForm {
            company_id: key.company,
            form: key.form.name().to_ascii_uppercase(),
            period_end: key.period_end,
            version: key.version,
            received: form.received,
            filing_id: form.filing,
            scopes: Scope::ALL.into_iter().filter(has).collect(),
            kinds: StatementKind::ALL.into_iter().filter(is_there).collect(),
        }
    }))
}

/// The figures of a company in a period, as a row of the whole dataset.
#[derive(Clone, Debug)]
pub(crate) struct FigureRow {
    pub(crate) key: FigureKey,
    figures: CompanyFinancials,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FigureKey {
    pub(crate) company: CvmCode,
    pub(crate) period: Period,
    pub(crate) period_end: Date,
    pub(crate) scope: Scope,
}

impl FigureKey {
    /// Reads a key of the change log.
    pub(crate) fn parse(text: &str) -> Option<FigureKey> {
        let mut parts = text.split(' ');
        let company = parts.next()?.parse().ok()?;
        let period = period_of(parts.next()?.parse().ok()?)?;
        let period_end = parts.next()?.parse().ok()?;
        let scope = if parts.next()? == "0" { Scope::Consolidated } else { Scope::Individual };
        Some(FigureKey { company, period, period_end, scope })
    }

    pub(crate) fn cells(self) -> [Cell<'static>; 4] {
        [
            Cell::display(self.company),
            self.period.name().into(),
            self.period_end.into(),
            self.scope.name().into(),
        ]
    }
}

fn period_of(number: i64) -> Option<Period> {
    financials::PERIODS.into_iter().find(|period| *period as i64 == number)
}

impl FigureRow {
    /// The names and kinds of its columns.
    pub(crate) fn headings() -> Vec<(&'static str, ColumnKind)> {
        let key = [
            ("company_id", ColumnKind::Text),
            ("period", ColumnKind::Text),
            ("period_end", ColumnKind::Day),
            ("scope", ColumnKind::Text),
            ("period_start", ColumnKind::Day),
            ("plan", ColumnKind::Text),
        ];
        let figures = Metric::ALL.map(|metric| (metric.name(), ColumnKind::Figure));
        key.into_iter().chain(figures).collect()
    }

    pub(crate) fn cells(&self) -> Vec<Cell<'_>> {
        let figures = &self.figures;
        let rest = [figures.period_start.into(), figures.plan.map(plan::AccountPlan::name).into()];
        let values = Metric::ALL.map(|metric| figures.figure(metric).value.into());
        self.key.cells().into_iter().chain(rest).chain(values).collect()
    }
}

/// The number of figures of periods that end on these days.
pub(crate) fn count_figures(snapshot: &Snapshot, days: DateRange) -> Result<u64> {
    const SQL: &str = "SELECT COUNT(*) FROM financial WHERE period_end BETWEEN ?1 AND ?2";
    snapshot.count(SQL, (days.from(), days.to()))
}

/// The figures after a key, in order: by company, period, end and scope.
pub(crate) fn figures_after(
    snapshot: &Snapshot,
    after: Option<FigureKey>,
    days: DateRange,
    limit: usize,
) -> Result<Vec<FigureRow>> {
    const SQL: &str = "SELECT period_start, period_end, scope, plan, figures, company, period FROM financial
        WHERE (company, period, period_end, scope) > (?1, ?2, ?3, ?4) AND period_end BETWEEN ?5 AND ?6
        ORDER BY company, period, period_end, scope LIMIT ?7";
    let (company, period, end, scope) = after.map_or((0, 0, Date::MIN, 0), |key| {
        (key.company.get(), key.period as i64, key.period_end, key.scope as i64)
    });
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let after = (company, period, end, scope, days.from(), days.to(), limit);
    snapshot.rows(SQL, after, read_figures)
}

/// The figures of a key.
pub(crate) fn find_figures(snapshot: &Snapshot, key: FigureKey) -> Result<Option<FigureRow>> {
    const SQL: &str =
        "SELECT period_start, period_end, scope, plan, figures, company, period FROM financial
        WHERE company = ?1 AND period = ?2 AND period_end = ?3 AND scope = ?4";
    let FigureKey { company, period, period_end, scope } = key;
    let row = (company, period as i64, period_end, scope as i64);
    snapshot.first(SQL, row, read_figures)
}

fn read_figures(row: &Row<'_>) -> rusqlite::Result<FigureRow> {
    let figures = financials::read(row, 0)?;
    let (company, period) = (row.get(5)?, period_of(row.get(6)?).unwrap_or_default());
    let (period_end, scope) = (figures.period_end, figures.scope);
    Ok(FigureRow { key: FigureKey { company, period, period_end, scope }, figures })
}
