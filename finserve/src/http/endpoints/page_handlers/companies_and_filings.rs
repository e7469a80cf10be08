//! The pages of companies and filings.
use fincore::{
    CompanyId, CompanyRef, CvmCode, Error, Feature, FilingId, Limit, PageQuery, companies, filings,
    search::{self, Suggest, Suggestion},
    statements::{self, FinancialsQuery},
};
use hyper::header::HeaderValue;
use serde::Deserialize;
use serde_json::json;

use super::{
    form_fields::{given, page_number, read},
    plan_preview::Reach,
    shown, view,
};
use crate::{
    errors::NotFound,
    http::{
        endpoints::context::Context,
        message::{
            parameters::{self, Params},
            refusal::Refusal,
            reply::{Body, Caching, Reply},
        },
    },
    pages::{
        self, CompaniesSought, CompanyShown, Filed, FilingShown, FilingsSought, Found, Language,
        NEWEST, YearsShown,
    },
};

/// The parameters of `/companies`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CompaniesQuery {
    lang: Option<Language>,
    q: Option<String>,
    status: Option<String>,
    sector: Option<String>,
    page: Option<String>,
}

/// The parameters of `/filings`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FilingsQuery {
    lang: Option<Language>,
    q: Option<String>,
    company: Option<String>,
    category: Option<String>,
    r#type: Option<String>,
    from: Option<String>,
    to: Option<String>,
    order: Option<String>,
    page: Option<String>,
}

/// One company or filing.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OneQuery {
    id: String,
    lang: Option<Language>,
}

/// A text that is being typed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SuggestQuery {
    q: String,
    lang: Option<Language>,
}

/// A page with a list; a question that is wrong is answered as such, with its form.
fn listed<R>(
    found: Found<R>,
    page: impl FnOnce(&Found<R>) -> maud::Markup,
) -> Result<Reply, Refusal> {
    let markup = page(&found);
    match found {
        Found::Wrong(wrong) => Err(Refusal::Shown(Box::new(wrong.into()), markup)),
        Found::Whole(_) | Found::Preview { .. } => Ok(shown(markup)),
    }
}

/// `GET /companies`
pub(crate) fn companies(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    let query: CompaniesQuery = params.read()?;
    let view = view(context, query.lang);
    let page = given(query.page);
    let number = page_number(page.as_ref());
    let [q, status, sector] = [query.q, query.status, query.sector].map(given);
    let sought = CompaniesSought { q, status, sector, page: *number.as_ref().unwrap_or(&1) };
    let reach = Reach::of(context)?;
    let found = reach.list(Feature::Companies, sought.page, |all, limit, offset| {
        number?;
        let CompaniesSought { q, status, sector, .. } = sought.clone();
        Ok(match q {
            Some(q) => {
                let q = q.parse()?;
                companies::search(
                    all,
                    companies::Search { q, status, sector, listed: None, limit, offset },
                )
            }
            None => companies::list(
                all,
                companies::List { status, sector, listed: None, limit, offset },
            ),
        }?)
    })?;
    let kinds = match reach.need(Feature::Companies) {
        Ok(()) => Some(companies::filter_values(reach.snapshot())?),
        Err(_) => None,
    };
    listed(found, |found| pages::companies(&view, &sought, kinds.as_ref(), found))
}

/// `GET /companies/suggest`: what a text may become, for the script of the page; on the plan of the key that is signed in.
pub(crate) fn suggest(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    let SuggestQuery { q, lang } = params.read()?;
    let reach = Reach::of(context)?;
    reach.need(Feature::Companies)?;
    let view = view(context, lang);
    let found = search::suggest(reach.snapshot(), Suggest::new(&q)?)?;
    let row = |suggestion: &Suggestion| {
        let (text, detail, link, company) = match suggestion {
            Suggestion::Company { text, company_id, tickers, matched } => {
                let link = pages::company_link(&view, *company_id);
                let why = matched.as_ref().map(|matched| pages::why_suggested(&view, matched));
                let detail = tickers.iter().cloned().chain(why).collect::<Vec<_>>().join(" ");
                (text.clone(), detail, link, Some(*company_id))
            }
            Suggestion::Ticker { text, company_id } => {
                let kind = view.language.pick("ticker", "código de negociação");
                let link = pages::company_link(&view, *company_id);
                (text.clone(), kind.to_owned(), link, Some(*company_id))
            }
            Suggestion::Filings { company_id, name, category, year, filings, .. } => {
                let text = pages::filings_of(&view, name, category.as_deref(), *year);
                let count = view.language.count(*filings);
                let detail =
                    view.language.pick(format!("{count} filings"), format!("{count} documentos"));
                let link =
                    pages::company_filings_link(&view, *company_id, category.as_deref(), *year);
                (text, detail, link, None)
            }
            Suggestion::Category { text } => {
                let kind = view.language.pick("category of filings", "categoria de documentos");
                (text.clone(), kind.to_owned(), pages::category_link(&view, text), None)
            }
            _ => return None,
        };
        Some(json!({ "text": text, "detail": detail, "href": link, "company": company }))
    };
    let rows: Vec<_> = found.data.iter().filter_map(row).collect();
    let body = Body::new("application/json", json!({ "data": rows }).to_string());
    Ok(Reply::ok(body, Caching::Never))
}

/// `GET /companies/{id}`: by its CVM code; a CNPJ or a ticker leads there.
pub(crate) fn company(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    let OneQuery { id, lang } = params.read()?;
    let view = view(context, lang);
    let wanted: CompanyRef = id.parse().map_err(no_id)?;
    let reach = Reach::of(context)?;
    let (code, _) = reach.one(Feature::Companies, |all| companies::resolve(all, &wanted))?;
    if code.to_string() != id {
        return found_at(context, &format!("/companies/{code}"));
    }
    let known = reach.one(Feature::Companies, |all| Ok(companies::find(all, code.into())?.answer));
    let shown_of_it = match known {
        Ok((company, prompt)) => {
            let filed = filed(&reach, code, &company)?;
            match (prompt, company) {
                (_, companies::Company { name, status: None, tickers, .. }) => {
                    CompanyShown::OnlyFiles { name, tickers, filed }
                }
                (Some(prompt), companies::Company { name, status: Some(status), .. }) => {
                    CompanyShown::Glimpse { name, status, prompt, filed }
                }
                (None, company) => CompanyShown::Whole { company: Box::new(company), filed },
            }
        }
        Err(refusal) => return Err(refusal),
    };
    Ok(shown(pages::company(&view, &id, &shown_of_it, &years(&reach, code)?)))
}

/// The figures of the newest years of a company, as far as the plan reaches.
fn years(reach: &Reach, code: CvmCode) -> Result<YearsShown, Refusal> {
    let query = FinancialsQuery::new(CompanyId::Cvm(code).into());
    let (years, prompt) =
        reach.one(Feature::Filings, |all| Ok(statements::financials(all, query)?.data))?;
    Ok(match prompt {
        _ if years.is_empty() => YearsShown::None,
        Some(prompt) => YearsShown::Locked(prompt),
        None => YearsShown::Whole(years.into_vec()),
    })
}

/// The id in the path of a page is none.
pub(super) fn no_id(err: Error) -> Refusal {
    match err {
        Error::Invalid(invalid) => NotFound::Id(invalid).into(),
        err => Refusal::from(err),
    }
}

/// The filings of a company, as far as the plan reaches.
fn filed(reach: &Reach, code: CvmCode, company: &companies::Company) -> Result<Filed, Refusal> {
    let (id, snapshot) = (CompanyId::Cvm(code), reach.snapshot());
    if let Err(prompt) = reach.need(Feature::Filings) {
        // A company that never filed has an empty list here.
        let (rows, _) = reach.first(|all, limit, offset| {
            let company = Some(id.into());
            filings::list(all, filings::List { company, limit, offset, ..Default::default() })
        })?;
        return Ok(Filed::Preview { rows, prompt });
    }
    let newest =
        filings::OfCompany { limit: Limit::new(NEWEST)?, ..filings::OfCompany::new(id.into()) };
    Ok(Filed::Whole {
        profile: filings::profile(snapshot, id)?,
        newest: Box::new(filings::of_company(snapshot, newest)?),
        names: companies::other_names(snapshot, company)?,
    })
}

/// Leads to the page of a company by its code, with what was chosen there.
pub(super) fn found_at(context: &Context<'_>, path: &str) -> Result<Reply, Refusal> {
    let query = context.request.head.uri.query().unwrap_or_default();
    let query = parameters::known_query(query, &context.parameters);
    let link = HeaderValue::try_from(context.base.link(path) + &query);
    let link = link.map_err(|_| Refusal::Internal("a link of ours cannot be sent".into()))?;
    Ok(Reply::found_at(link))
}

/// `GET /filings`
pub(crate) fn filings(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    let query: FilingsQuery = params.read()?;
    let view = view(context, query.lang);
    let page = given(query.page);
    let number = page_number(page.as_ref());
    let [q, company, category, kind] =
        [query.q, query.company, query.category, query.r#type].map(given);
    let [from, to, order] = [query.from, query.to, query.order].map(given);
    let page = *number.as_ref().unwrap_or(&1);
    let sought = FilingsSought { q, company, category, kind, from, to, order, page };
    let reach = Reach::of(context)?;
    let found = reach.list(Feature::Filings, page, |all, limit, offset| {
        number?;
        let FilingsSought { category, kind: r#type, .. } = sought.clone();
        let company = read(sought.company.as_ref())?;
        let (from, to) = (read(sought.from.as_ref())?, read(sought.to.as_ref())?);
        let order = read(sought.order.as_ref())?.unwrap_or_default();
        Ok(match read(sought.q.as_ref())? {
            Some(q) => filings::search(
                all,
                filings::Search { q, company, category, r#type, from, to, order, limit, offset },
            ),
            None => filings::list(
                all,
                filings::List { company, category, r#type, from, to, limit, offset },
            ),
        }?)
    })?;
    let categories = match reach.need(Feature::Filings) {
        Ok(()) => {
            let every = PageQuery { limit: Limit::MAX, ..PageQuery::default() };
            Some(filings::categories(reach.snapshot(), every)?.data.into_vec())
        }
        Err(_) => None,
    };
    let [event_documents, ..] = filings::coverage(reach.snapshot())?;
    let coverage = (&event_documents, reach.snapshot().today());
    listed(found, |found| pages::filings(&view, &sought, categories.as_deref(), coverage, found))
}

/// `GET /filings/{id}`
pub(crate) fn filing(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    let OneQuery { id, lang } = params.read()?;
    let view = view(context, lang);
    let id: FilingId = id.parse().map_err(no_id)?;
    let reach = Reach::of(context)?;
    let (filing, prompt) = reach.one(Feature::Filings, |all| Ok(filings::find(all, id)?.answer))?;
    let shown_of_it = match prompt {
        Some(prompt) => FilingShown::Glimpse {
            company: filing.company_name,
            category: filing.category,
            date: filing.date,
            prompt,
        },
        None => FilingShown::Whole(Box::new(filing)),
    };
    Ok(shown(pages::filing(&view, id, &shown_of_it)))
}
