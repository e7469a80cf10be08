//! Answers queries for the statements of a company.
use rusqlite::Connection;
use serde::Serialize;

use crate::{
    answers::{Cell, Column, ColumnKind, Meta, Page, table},
    calendar::freshness,
    companies::queries,
    statements::{
        Account, AccountNames, FormsQuery, History, Period, PeriodValues, Restated, Scope,
        Statement, StatementKind, StatementPage, StatementQuery, StoredForm, form,
        statement::in_capitals,
    },
    store::Snapshot,
    values::{
        CompanyId, CompanyRef, CvmCode, Date, DateRange, Error, FilingId, Form, Invalid, Resource,
        Result,
    },
};

/// The source of statements.
pub(crate) const SOURCE: &str = "CVM, demonstrações financeiras (DFP e ITR)";

/// Statements that a company filed: those of a form, version and scope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct StatementForm {
    /// The form.
    #[serde(serialize_with = "in_capitals")]
    pub form: Form,
    /// The first day of the fiscal period, as far as a statement says it.
    pub period_start: Option<Date>,
    /// Its last day.
    pub period_end: Date,
    /// Whose figures they are.
    pub scope: Scope,
    /// The version of the form.
    pub version: u32,
    /// When CVM received it; `None` if its index of forms was never imported.
    pub received: Option<Date>,
    /// The statements it has.
    pub kinds: Vec<StatementKind>,
    /// Its filing.
    pub filing_id: Option<FilingId>,
    #[serde(skip)]
    kind_names: Vec<String>,
}

fn names_of(kinds: &[StatementKind]) -> Vec<String> {
    kinds.iter().map(|kind| kind.name().to_owned()).collect()
}

impl table::Row for StatementForm {
    const COLUMNS: &'static [Column<StatementForm>] = &[
        Column::new("form", ColumnKind::Text, |row| {
            Cell::display(row.form.name().to_ascii_uppercase())
        }),
        Column::new("period_start", ColumnKind::Day, |row| row.period_start.into()),
        Column::new("period_end", ColumnKind::Day, |row| row.period_end.into()),
        Column::new("scope", ColumnKind::Text, |row| row.scope.name().into()),
        Column::new("version", ColumnKind::Integer, |row| Cell::Integer(row.version.into())),
        Column::new("received", ColumnKind::Day, |row| row.received.into()),
        Column::new("kinds", ColumnKind::List, |row| Cell::List(&row.kind_names)),
        Column::new("filing_id", ColumnKind::Text, |row| {
            row.filing_id.map_or(Cell::Empty, Cell::display)
        }),
    ];
}

/// The forms with statements of a company, newest first: each version, and each scope, by itself.
///
/// Fails with [`Error::NotFound`] if there is no such company, and if `from` is after `to`.
pub fn list(snapshot: &Snapshot, query: FormsQuery) -> Result<Page<StatementForm>> {
    let company = find_company(snapshot, &query.id)?;
    let ends = DateRange::new(query.from, query.to)?;
    let forms = snapshot.read(|connection| form::forms_of(connection, company, None))?;
    let within = |form: &&StoredForm| ends.contains(form.key.period_end);
    let mut rows = Vec::new();
    for form in forms.iter().filter(within) {
        for scope in Scope::ALL {
            let kinds = StatementKind::ALL.into_iter().filter(|kind| form.has(scope, *kind));
            let kinds: Vec<StatementKind> = kinds.collect();
            if !kinds.is_empty() {
                rows.push((form, scope, kinds));
            }
        }
    }
    let total = rows.len() as u64;
    let (limit, offset) = (query.limit.get(), query.offset.get());
    let shown = rows.into_iter().skip(usize::try_from(offset).unwrap_or(usize::MAX));
    Page::read(total, limit, offset, meta(snapshot)?, || {
        let shown = shown.take(limit as usize);
        snapshot.read(|connection| {
            shown.map(|(form, scope, kinds)| form_row(connection, form, scope, kinds)).collect()
        })
    })
}

fn form_row(
    connection: &Connection,
    form: &StoredForm,
    scope: Scope,
    kinds: Vec<StatementKind>,
) -> Result<StatementForm> {
    let mut period_start = None;
    for kind in kinds.iter().filter(|kind| **kind != StatementKind::BalanceSheet) {
        for content in form.contents(connection, scope, *kind)? {
            let own = content.columns.iter().filter(|column| column.end == form.key.period_end);
            period_start = period_start.or(own.filter_map(|column| column.start).min());
        }
        if period_start.is_some() {
            break;
        }
    }
    Ok(StatementForm {
        form: form.key.form,
        period_start,
        period_end: form.key.period_end,
        scope,
        version: form.key.version,
        received: form.received,
        kind_names: names_of(&kinds),
        kinds,
        filing_id: form.filing,
    })
}

/// A statement of a company in several periods, newest first.
///
/// Fails with [`Error::NotFound`] if there is no such company; if `from` is after `to`; if `as_of` lies in the future; and for
/// quarters of changes of equity, which begin with a balance and so cannot be subtracted.
pub fn statement(snapshot: &Snapshot, query: StatementQuery) -> Result<StatementPage> {
    let company = find_company(snapshot, &query.id)?;
    let ends = DateRange::new(query.from, query.to)?;
    if let Some(day) = query.as_of.filter(|day| *day > snapshot.today()) {
        return Err(Invalid::AsOfFuture { day: day.into(), today: snapshot.today().into() }.into());
    }
    let computed = matches!(query.period, Period::Quarter | Period::TrailingTwelveMonths);
    if query.kind == StatementKind::EquityChanges && computed {
        let (period, fitting) = (query.period.name(), "annual or ytd");
        return Err(Invalid::StatementPeriod { period, fitting }.into());
    }
    let forms = snapshot.read(|connection| form::forms_of(connection, company, query.as_of))?;
    let scope = query.scope.unwrap_or_else(|| default_scope(&forms, query.kind));
    let history =
        snapshot.read(|connection| History::read(connection, &forms, scope, query.kind))?;
    let mut periods = history.periods(query.period);
    periods.retain(|period| ends.contains(period.end()));
    let (limit, offset) = (query.limit.get(), query.offset.get());
    let total = periods.len() as u64;
    let shown =
        periods.iter().skip(usize::try_from(offset).unwrap_or(usize::MAX)).take(limit as usize);
    let all_names = match query.restated {
        Restated::Yes => {
            let ids = history.account_ids();
            Some(snapshot.read(|connection| AccountNames::read(connection, ids))?)
        }
        Restated::No => None,
    };
    let values: Vec<PeriodValues> = shown
        .map(|period| {
            let restated = all_names.as_ref().and_then(|names| history.restated(period, names));
            restated.unwrap_or_else(|| history.values(period))
        })
        .collect();
    let ids = values.iter().flat_map(|period| &period.values);
    let ids = ids.flat_map(|((account, part), _)| [*account, *part]);
    let names = snapshot.read(|connection| AccountNames::read(connection, ids))?;
    let depth = query.depth.map_or(usize::MAX, |depth| depth.get() as usize);
    let mut meta = meta(snapshot)?;
    meta.as_of = query.as_of;
    Ok(StatementPage {
        data: rows(&history, &values, &names, depth),
        total,
        limit,
        offset,
        meta,
        layout: query.layout,
        has_parts: query.kind == StatementKind::EquityChanges,
    })
}

/// The rows of periods, with the names of their accounts.
pub(crate) fn rows(
    history: &History<'_>,
    values: &[PeriodValues],
    names: &AccountNames,
    depth: usize,
) -> Vec<Statement> {
    let row = |period: &PeriodValues| {
        let form = &history.forms[period.forms[0]];
        let filings = period.forms.iter().filter_map(|form| history.forms[*form].filing);
        let accounts = period.values.iter().filter_map(|((account, part), value)| {
            let (code, name, fixed) = names.get(*account)?;
            let column = names.get(*part).map(|(_, name, _)| name.clone());
            let account =
                Account { code: code.clone(), name: name.clone(), column, value: *value, fixed };
            (account.depth() <= depth && !(period.is_computed && account.is_per_share()))
                .then_some(account)
        });
        Statement {
            period_start: period.start,
            period_end: period.end,
            scope: history.scope(),
            form: form.key.form,
            version: form.key.version,
            received: form.received,
            currency: "BRL",
            origin: period.origin,
            filing_ids: filings.collect(),
            accounts: accounts.collect(),
        }
    };
    values.iter().map(row).collect()
}

/// Consolidated if any form has such a statement, else individual.
fn default_scope(forms: &[StoredForm], kind: StatementKind) -> Scope {
    let has = |scope: &Scope| forms.iter().any(|form| form.has(*scope, kind));
    Scope::ALL.into_iter().find(has).unwrap_or(Scope::Consolidated)
}

/// The company that is meant, also one that only has statements.
pub(crate) fn find_company(snapshot: &Snapshot, id: &CompanyRef) -> Result<CvmCode> {
    const FILES: &str = "SELECT COUNT(*) FROM statement_form WHERE company = ?1";
    if let Some(company) = queries::resolve(snapshot, id)? {
        return Ok(company);
    }
    match id {
        CompanyRef::Id(CompanyId::Cvm(code)) if snapshot.count(FILES, [code])? > 0 => Ok(*code),
        CompanyRef::Id(_) | CompanyRef::Ticker(_) => {
            Err(Error::not_found(Resource::Company, &id.to_string()))
        }
    }
}

/// The number of forms with statements, and the first and last end of their periods.
pub(crate) fn held_forms(snapshot: &Snapshot) -> Result<(u64, Option<Date>, Option<Date>)> {
    const SQL: &str = "SELECT COUNT(*), MIN(period_end), MAX(period_end) FROM statement_form";
    let held = snapshot.first(SQL, [], |row| {
        Ok((row.get::<_, i64>(0)?.unsigned_abs(), row.get(1)?, row.get(2)?))
    })?;
    Ok(held.unwrap_or_default())
}

pub(crate) fn meta(snapshot: &Snapshot) -> Result<Meta> {
    let mut meta = Meta::new(SOURCE);
    meta.updated_at = freshness::sync_record(snapshot, form::DATASET)?.updated_at;
    Ok(meta)
}
