//! Makes what is derived from statements, when they are imported: plans of accounts, and the figures of companies.
use std::{collections::BTreeMap, ops::RangeInclusive};

use rusqlite::{Connection, OptionalExtension, types::ValueRef};

use crate::{
    statements::{
        CompanyFinancials, Content, FINANCIALS, FormKey, Scope, StoredForm,
        figures::plan::AccountPlan,
        financials::{Maker, PERIODS, plan_of_form},
        form::{self, parts_of},
    },
    store::{Change, Writer},
    values::{CvmCode, Date, Form, Result},
};

/// The last four quarters, and the periods that they are subtracted from, reach back less than so many days.
const BEFORE: i32 = 800;
/// A form is part of the last four quarters for less than so many days.
const AFTER: i32 = 380;

/// The first and last end of a period whose form changed, by company.
pub(crate) type ChangedPeriods = BTreeMap<CvmCode, (Date, Date)>;

/// Makes what follows from the forms that changed.
pub(crate) fn derive(writer: &Writer, changed: &ChangedPeriods) -> Result<()> {
    for (company, (first, last)) in changed {
        let days = |day: Date, more: i32| Date::from_day_number(day.day_number() + more);
        let from = days(*first, -BEFORE).unwrap_or(Date::MIN);
        let until = days(*last, AFTER).unwrap_or(Date::MAX);
        let mut forms = form::forms_of(writer.connection(), *company, None)?;
        forms.retain(|form| (from..=until).contains(&form.key.period_end));
        for form in forms.iter_mut().filter(|form| (*first..=*last).contains(&form.key.period_end))
        {
            note_plan(writer, form)?;
        }
        for scope in Scope::ALL {
            make_figures(writer, *company, scope, &forms, *first..=until)?;
        }
    }
    Ok(())
}

/// Makes everything that is derived, of all companies.
pub(crate) fn derive_all(writer: &Writer) -> Result<()> {
    let companies = companies(writer.connection())?;
    let all = companies.into_iter().map(|company| (company, (Date::MIN, Date::MAX)));
    derive(writer, &all.collect())?;
    // Figures of a company without any form.
    const ORPHANS: &str =
        "DELETE FROM financial WHERE company NOT IN (SELECT company FROM statement_form)";
    writer.prepare(ORPHANS)?.execute([])?;
    Ok(())
}

/// A period whose stored figures are not those that its statements make.
pub(crate) struct FigureDifference {
    pub(crate) name: String,
}

/// The periods of a company whose stored figures are not those that its statements make.
pub(crate) fn differences(
    connection: &Connection,
    company: CvmCode,
) -> Result<Vec<FigureDifference>> {
    const SQL: &str =
        "SELECT period, period_end, scope, COALESCE(period_start, ''), COALESCE(plan, -1), figures
        FROM main.financial WHERE company = ?1";
    type Stored = BTreeMap<(i64, String, i64), (String, i64, String)>;
    let forms = form::forms_of(connection, company, None)?;
    let mut made = Stored::new();
    for scope in Scope::ALL {
        let maker = Maker::read(connection, &forms, scope)?;
        for period in PERIODS {
            for figures in
                maker.ends(period).into_iter().filter_map(|end| maker.figures(period, end))
            {
                let start = figures.period_start.map(|day| day.to_string()).unwrap_or_default();
                let row = (start, figures.plan.map_or(-1, number), figures.base_text());
                made.insert((period as i64, figures.period_end.to_string(), scope as i64), row);
            }
        }
    }
    let mut statement = connection.prepare_cached(SQL)?;
    let stored = statement.query_map([company], |row| {
        Ok(((row.get(0)?, row.get(1)?, row.get(2)?), (row.get(3)?, row.get(4)?, row.get(5)?)))
    })?;
    let stored = stored.collect::<rusqlite::Result<Stored>>()?;
    let keys = made.keys().chain(stored.keys().filter(|key| !made.contains_key(*key)));
    let differs = keys.filter(|key| made.get(*key) != stored.get(*key));
    Ok(differs
        .map(|(period, end, scope)| FigureDifference {
            name: format!("{company} {period} {end} {scope}"),
        })
        .collect())
}

/// Stores the plan of accounts of a form.
fn note_plan(writer: &Writer, form: &mut StoredForm) -> Result<()> {
    const SQL: &str = "UPDATE statement_form SET plan = ?2 WHERE id = ?1 AND plan IS NOT ?2";
    let plan = plan_of_form(writer.connection(), form)?.map(|codes| codes as i64);
    if form.plan != plan {
        writer.prepare(SQL)?.execute((form.id, plan))?;
        form.plan = plan;
    }
    Ok(())
}

fn number(plan: AccountPlan) -> i64 {
    plan as i64
}

/// Makes the figures of all periods that end within these days, and removes those that can no longer be made.
fn make_figures(
    writer: &Writer,
    company: CvmCode,
    scope: Scope,
    forms: &[StoredForm],
    days: RangeInclusive<Date>,
) -> Result<()> {
    const STORED: &str = "SELECT period_end FROM financial
        WHERE company = ?1 AND period = ?2 AND scope = ?3 AND period_end BETWEEN ?4 AND ?5";
    const REMOVE: &str = "DELETE FROM financial WHERE company = ?1 AND period = ?2 AND scope = ?3 AND period_end = ?4";
    let maker = Maker::read(writer.connection(), forms, scope)?;
    for period in PERIODS {
        let mut made = maker.ends(period);
        made.retain(|end| days.contains(end));
        let (number, row) = (period as i64, (company, period as i64, scope as i64));
        let stored: Vec<Date> = {
            let mut statement = writer.prepare(STORED)?;
            let params = (row.0, row.1, row.2, days.start(), days.end());
            let rows = statement.query_map(params, |row| row.get(0))?;
            rows.collect::<rusqlite::Result<_>>()?
        };
        for end in &made {
            if let Some(figures) = maker.figures(period, *end) {
                write(writer, company, number, &figures)?;
            }
        }
        for end in stored.iter().filter(|end| !made.contains(end)) {
            writer.prepare(REMOVE)?.execute((row.0, row.1, row.2, end))?;
            writer.log(FINANCIALS, key(company, number, *end, scope), Change::Removed)?;
        }
    }
    Ok(())
}

/// How changes of figures are logged: `9512 0 2024-12-31 0`.
fn key(company: CvmCode, period: i64, end: Date, scope: Scope) -> String {
    format!("{company} {period} {end} {}", scope as i64)
}

fn write(
    writer: &Writer,
    company: CvmCode,
    period: i64,
    figures: &CompanyFinancials,
) -> Result<()> {
    const FIND: &str = "SELECT period_start IS ?5 AND plan IS ?6 AND figures = ?7 FROM financial
        WHERE period = ?1 AND period_end = ?2 AND company = ?3 AND scope = ?4";
    const WRITE: &str = "INSERT OR REPLACE INTO financial (period, period_end, company, scope, period_start, plan, figures)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let row = (
        period,
        figures.period_end,
        company,
        figures.scope as i64,
        figures.period_start,
        figures.plan.map(number),
        figures.base_text(),
    );
    let same: Option<bool> =
        writer.prepare(FIND)?.query_row(row.clone(), |row| row.get(0)).optional()?;
    if same == Some(true) {
        return Ok(());
    }
    writer.prepare(WRITE)?.execute(row)?;
    let change = if same.is_none() { Change::Added } else { Change::Changed };
    writer.log(FINANCIALS, key(company, period, figures.period_end, figures.scope), change)
}

/// A statement that cannot be read.
pub(crate) struct BadStatement {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) fault: &'static str,
    /// Its form, if it has one.
    pub(crate) key: Option<FormKey>,
}

/// The statements that cannot be read, or that name accounts or a form that are not there.
pub(crate) fn bad_statements(connection: &Connection) -> Result<Vec<BadStatement>> {
    const SQL: &str = "SELECT statement.id, content, figures, company, form, period_end, version
        FROM main.statement LEFT JOIN main.statement_form AS form ON form.id = statement.id / 16 ORDER BY statement.id";
    const MAX: &str = "SELECT COALESCE(MAX(id), 0) FROM main.account";
    let last: i64 = connection.query_row(MAX, [], |row| row.get(0))?;
    let mut statement = connection.prepare(SQL)?;
    let mut found = statement.query([])?;
    let mut bad = Vec::new();
    while let Some(row) = found.next()? {
        let id: i64 = row.get(0)?;
        let key = (|| {
            let form =
                if row.get::<_, i64>(4)? == Form::Itr as i64 { Form::Itr } else { Form::Dfp };
            let (company, period_end, version) = (row.get(3)?, row.get(5)?, row.get(6)?);
            Ok::<_, rusqlite::Error>(FormKey { company, form, period_end, version })
        })();
        let content = match row.get_ref(1)? {
            ValueRef::Blob(bytes) => Content::decode(bytes),
            _ => None,
        };
        let figures: Option<usize> =
            row.get::<_, i64>(2).ok().and_then(|n| usize::try_from(n).ok());
        let fault = match (&key, &content) {
            (Err(_), _) => "without a form",
            (_, None) => "that cannot be read",
            (Ok(_), Some(content))
                if content.accounts.iter().any(|id| !(1..=last).contains(&(id >> 1))) =>
            {
                "with an account that is not there"
            }
            (Ok(_), Some(content)) if figures != Some(content.values.iter().flatten().count()) => {
                "with another number of values than noted"
            }
            (Ok(_), Some(_)) => continue,
        };
        let (_, scope, table) = parts_of(id);
        let key = key.ok();
        let form = key.map_or_else(|| format!("form {}", id >> 4), |key| key.to_string());
        let name = format!("{form} {} {}", scope.name(), table.kind().name());
        bad.push(BadStatement { id, name, fault, key });
    }
    Ok(bad)
}

/// Every company with statements.
pub(crate) fn companies(connection: &Connection) -> Result<Vec<CvmCode>> {
    const SQL: &str = "SELECT DISTINCT company FROM main.statement_form ORDER BY company";
    let mut statement = connection.prepare(SQL)?;
    let companies = statement.query_map([], |row| row.get(0))?;
    Ok(companies.collect::<rusqlite::Result<_>>()?)
}
