//! The pages of the market.
use std::{fmt::Display, str::FromStr};

use fincore::{Date, Pair, SeriesId};
use serde::Deserialize;

use super::{PageQuery, by_plan, preview::snapshot, view};
use crate::{
    http::{context::Context, params::Params, refusal::Refusal, reply::Reply},
    pages::{self, Asked, Language, Range, Subject},
};

/// What can be chosen on the page of a series. Fields that a form leaves empty are none.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SeriesPage {
    series: SeriesId,
    range: Option<String>,
    from: Option<String>,
    to: Option<String>,
    page: Option<String>,
    lang: Option<Language>,
}

/// What can be chosen on the page of a currency.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PairPage {
    pair: Pair,
    range: Option<String>,
    from: Option<String>,
    to: Option<String>,
    page: Option<String>,
    lang: Option<Language>,
}

/// `GET /market`
pub(crate) fn market(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    let PageQuery { lang } = params.read()?;
    let view = view(context.request, context.offer, lang);
    Ok(by_plan(pages::market(&snapshot(context)?, &view)?))
}

/// `GET /market/{series}`
pub(crate) fn series(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    let SeriesPage { series, range, from, to, page, lang } = params.read()?;
    let view = view(context.request, context.offer, lang);
    let snapshot = snapshot(context)?;
    let subject = Subject::series(&snapshot, &series)?;
    let asked = asked(range, from, to, page)?;
    let more = pages::compound_link(&view, &subject);
    Ok(by_plan(pages::history(&snapshot, &view, &subject, &asked, &more)?))
}

/// `GET /market/fx/{pair}`
pub(crate) fn pair(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    let PairPage { pair, range, from, to, page, lang } = params.read()?;
    let view = view(context.request, context.offer, lang);
    let snapshot = snapshot(context)?;
    let subject = Subject::pair(&snapshot, pair)?;
    let asked = asked(range, from, to, page)?;
    let more = pages::convert_form(&snapshot, &view, pair.base)?;
    Ok(by_plan(pages::history(&snapshot, &view, &subject, &asked, &more)?))
}

fn asked(
    range: Option<String>,
    from: Option<String>,
    to: Option<String>,
    page: Option<String>,
) -> Result<Asked, Refusal> {
    let range: Option<Range> = given("range", range)?;
    let (from, to): (Option<Date>, Option<Date>) = (day("from", from)?, day("to", to)?);
    let page = given::<u32>("page", page)?.unwrap_or(1);
    // As many pages as there can be rows.
    if !(1..=1_000_000).contains(&page) {
        return Err(Refusal::BadRequest("parameter \"page\": pages are numbered from 1".into()));
    }
    Ok(Asked { range, from, to, page })
}

/// A day, or the first one of a month.
fn day(name: &str, text: Option<String>) -> Result<Option<Date>, Refusal> {
    given(name, text.map(|text| pages::first_day(text.trim())))
}

/// The value of a field that is not empty.
fn given<T: FromStr<Err: Display>>(name: &str, text: Option<String>) -> Result<Option<T>, Refusal> {
    let Some(text) = text.filter(|text| !text.trim().is_empty()) else { return Ok(None) };
    let wrong = |err: T::Err| Refusal::BadRequest(format!("parameter {name:?}: {err}"));
    text.trim().parse().map(Some).map_err(wrong)
}
