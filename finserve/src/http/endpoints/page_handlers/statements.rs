//! The pages of financial statements.
use fincore::{
    CompanyId, CompanyRef, CvmCode, Feature, Limit, Offset, companies,
    statements::{
        self, FinancialsQuery, FormsQuery, ScreenPage, ScreenQuery, StatementKind, StatementQuery,
    },
};
use serde::Deserialize;

use super::{
    companies_and_filings::{found_at, no_id},
    form_fields::{given, page_number, read},
    plan_preview::Reach,
    shown, view,
};
use crate::{
    errors::{BadRequest, Problem, Wanted},
    http::{
        endpoints::context::Context,
        message::{parameters::Params, refusal::Refusal, reply::Reply},
    },
    pages::{
        self, CompaniesCompared, CompaniesScreened, ComparedCompany, Language, PAGE_ROWS, PERIODS,
        PREVIEW_ROWS, ScreenSought, StatementShown, StatementSought, StatementsOf, USUAL_ORDER,
    },
};

/// How many companies can stand side by side.
const MOST_COMPARED: usize = 5;

/// The parameters of `/companies/{id}/statements`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StatementsPage {
    id: String,
    kind: Option<String>,
    period: Option<String>,
    scope: Option<String>,
    as_of: Option<String>,
    restated: Option<String>,
    page: Option<String>,
    lang: Option<Language>,
}

/// `GET /companies/{id}/statements`; a question that is wrong is answered as such, with its form.
pub(crate) fn statement(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    let StatementsPage { id, kind, period, scope, as_of, restated, page, lang } = params.read()?;
    let view = view(context, lang);
    let wanted: CompanyRef = id.parse().map_err(no_id)?;
    let reach = Reach::of(context)?;
    let (code, _) = reach.one(Feature::Companies, |all| companies::resolve(all, &wanted))?;
    if code.to_string() != id {
        return found_at(context, &format!("/companies/{code}/statements"));
    }
    let [kind, period, scope, as_of, restated, page] =
        [kind, period, scope, as_of, restated, page].map(given);
    let number = page_number(page.as_ref());
    let page = *number.as_ref().unwrap_or(&1);
    let kind = match kind {
        None => usual_kind(&reach, code)?.map(|kind| kind.name().to_owned()),
        chosen => chosen,
    };
    let sought = StatementSought { kind, period, scope, as_of, restated, page };
    let (company, _) = reach.one(Feature::Companies, |all| companies::find(all, code.into()))?;
    let of = StatementsOf { id: &id, name: &company.answer.name };
    let draw = |shown| pages::statement(&view, &of, &sought, shown);
    if let Err(prompt) = reach.need(Feature::Filings) {
        return Ok(shown(draw(&StatementShown::Locked(prompt))));
    }
    let found = number.map_err(Refusal::from).and_then(|_| whole(&reach, code, &sought));
    match found {
        Err(Refusal::BadRequest(wrong)) => {
            let page = draw(&StatementShown::Wrong(wrong.clone()));
            Err(Refusal::Shown(Box::new(wrong.into()), page))
        }
        found => Ok(shown(draw(&found?))),
    }
}

/// The statement without a choice if a company has no income statement here: another that it has.
fn usual_kind(reach: &Reach, code: CvmCode) -> Result<Option<StatementKind>, Refusal> {
    if reach.need(Feature::Filings).is_err() {
        return Ok(None);
    }
    let query = FormsQuery::new(CompanyId::Cvm(code).into());
    let forms = statements::list(reach.snapshot(), query)?.data;
    let has = |kind: &StatementKind| forms.iter().any(|form| form.kinds.contains(kind));
    match has(&StatementKind::Income) {
        true => Ok(None),
        false => Ok(StatementKind::ALL.into_iter().find(has)),
    }
}

/// The statement, and which forms the company has.
fn whole(
    reach: &Reach,
    code: CvmCode,
    sought: &StatementSought,
) -> Result<StatementShown, Refusal> {
    let id: CompanyRef = CompanyId::Cvm(code).into();
    let kind = read(sought.kind.as_ref())?.unwrap_or(StatementKind::Income);
    let skipped = sought.page.saturating_sub(1).saturating_mul(u64::from(PERIODS));
    let query = StatementQuery {
        period: read(sought.period.as_ref())?.unwrap_or_default(),
        scope: read(sought.scope.as_ref())?,
        as_of: read(sought.as_of.as_ref())?,
        restated: read(sought.restated.as_ref())?.unwrap_or_default(),
        limit: Limit::new(PERIODS)?,
        offset: Offset::new(skipped)?,
        ..StatementQuery::new(id.clone(), kind)
    };
    let page = Box::new(statements::statement(reach.snapshot(), query)?);
    // Only what is missing is explained by the forms.
    let forms = match page.data.is_empty() {
        true => statements::list(reach.snapshot(), FormsQuery::new(id))?.data.into_vec(),
        false => Vec::new(),
    };
    Ok(StatementShown::Whole { page, forms })
}

/// The parameters of `/companies/compare`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ComparedPage {
    ids: Option<String>,
    lang: Option<Language>,
}

/// `GET /companies/compare`; a question that is wrong is answered as such, with its form.
pub(crate) fn compare(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    let ComparedPage { ids, lang } = params.read()?;
    let view = view(context, lang);
    let ids = given(ids);
    let reach = Reach::of(context)?;
    let draw = |found| pages::compared_companies(&view, ids.as_deref(), found);
    let Some(text) = ids.as_deref() else {
        return Ok(shown(draw(&CompaniesCompared::Nothing)));
    };
    if let Err(prompt) = reach.need(Feature::Filings) {
        return Ok(shown(draw(&CompaniesCompared::Locked(prompt))));
    }
    match compared(&reach, text) {
        Err(Refusal::BadRequest(wrong)) => {
            let page = draw(&CompaniesCompared::Wrong(wrong.clone()));
            Err(Refusal::Shown(Box::new(wrong.into()), page))
        }
        found => Ok(shown(draw(&CompaniesCompared::Whole(found?)))),
    }
}

/// The companies of a list, each once, with the figures of their newest years.
fn compared(reach: &Reach, text: &str) -> Result<Vec<ComparedCompany>, Refusal> {
    let names = || text.split(',').map(str::trim).filter(|name| !name.is_empty());
    if !(1..=MOST_COMPARED).contains(&names().count()) {
        let wanted = Wanted::Companies { most: MOST_COMPARED };
        return Err(BadRequest::Value(Problem::value(text, wanted)).into());
    }
    let mut found: Vec<ComparedCompany> = Vec::new();
    for name in names() {
        let code = companies::resolve(reach.snapshot(), &name.parse()?)?;
        if found.iter().any(|known| known.company.id == code) {
            continue;
        }
        let query = FinancialsQuery {
            limit: Limit::new(1)?,
            ..FinancialsQuery::new(CompanyId::Cvm(code).into())
        };
        let newest = statements::financials(reach.snapshot(), query)?.data.into_vec();
        found.push(ComparedCompany {
            company: companies::find(reach.snapshot(), code.into())?.answer,
            newest: newest.into_iter().next(),
        });
    }
    Ok(found)
}

/// The parameters of `/companies/screen`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScreenedPage {
    order: Option<String>,
    period: Option<String>,
    year: Option<String>,
    sector: Option<String>,
    page: Option<String>,
    lang: Option<Language>,
}

/// `GET /companies/screen`; a question that is wrong is answered as such, with its form.
pub(crate) fn screen(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    let ScreenedPage { order, period, year, sector, page, lang } = params.read()?;
    let view = view(context, lang);
    let [order, period, year, sector, page] = [order, period, year, sector, page].map(given);
    let number = page_number(page.as_ref());
    let page = *number.as_ref().unwrap_or(&1);
    let sought = ScreenSought { order, period, year, sector, page };
    let reach = Reach::of(context)?;
    let sectors = match reach.need(Feature::Companies) {
        Ok(()) => Some(companies::filter_values(reach.snapshot())?.sectors),
        Err(_) => None,
    };
    let draw = |found| pages::screened_companies(&view, &sought, sectors.as_deref(), found);
    let prompt = reach.need(Feature::Filings).err();
    let rows = match &prompt {
        Some(_) => (PREVIEW_ROWS, 1),
        None => (PAGE_ROWS, page),
    };
    let found = number.map_err(Refusal::from).and_then(|_| screened(&reach, &sought, rows));
    match (found, prompt) {
        (Err(Refusal::BadRequest(wrong)), _) => {
            let page = draw(&CompaniesScreened::Wrong(wrong.clone()));
            Err(Refusal::Shown(Box::new(wrong.into()), page))
        }
        (found, None) => Ok(shown(draw(&CompaniesScreened::Whole(Box::new(found?))))),
        (found, Some(prompt)) => {
            let names = found?.data.into_iter().map(|row| (row.company_id, row.name)).collect();
            Ok(shown(draw(&CompaniesScreened::Preview { names, prompt })))
        }
    }
}

/// A page of all companies: so many rows, of the page with this number.
fn screened(
    reach: &Reach,
    sought: &ScreenSought,
    (rows, page): (u32, u64),
) -> Result<ScreenPage, Refusal> {
    let query = ScreenQuery {
        metric: None,
        period: read(sought.period.as_ref())?.unwrap_or_default(),
        year: read(sought.year.as_ref())?,
        sector: sought.sector.clone(),
        order: read(sought.order.as_ref())?.unwrap_or(USUAL_ORDER),
        limit: Limit::new(rows)?,
        offset: Offset::new(page.saturating_sub(1).saturating_mul(u64::from(rows)))?,
    };
    let (page, _) = reach.one(Feature::Filings, |all| statements::screen(all, query))?;
    Ok(page)
}
