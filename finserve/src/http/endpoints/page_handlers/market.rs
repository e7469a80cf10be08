//! The pages of the market.
use fincore::{Date, Pair, SeriesId, Snapshot};
use maud::{Markup, html};
use serde::Deserialize;

use super::{
    PageQuery,
    form_fields::{given, page_number, read},
    plan_preview::snapshot,
    shown, view,
};
use crate::{
    http::{
        endpoints::context::Context,
        message::{parameters::Params, refusal::Refusal, reply::Reply},
    },
    pages::{
        self, Asked, ComparisonAsked, ComparisonForm, HistoryForm, Language, Subject, Transformed,
        View,
    },
};

/// The parameters of the page of a series. Empty fields of a form count as missing.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SeriesPage {
    series: SeriesId,
    range: Option<String>,
    from: Option<String>,
    to: Option<String>,
    frequency: Option<String>,
    units: Option<String>,
    page: Option<String>,
    lang: Option<Language>,
}

/// The parameters of the page of a currency.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PairPage {
    pair: Pair,
    range: Option<String>,
    from: Option<String>,
    to: Option<String>,
    frequency: Option<String>,
    units: Option<String>,
    page: Option<String>,
    lang: Option<Language>,
}

/// `GET /market`
pub(crate) fn market(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    let PageQuery { lang } = params.read()?;
    let view = view(context, lang);
    Ok(shown(pages::market(&snapshot(context)?, &view)?))
}

/// `GET /market/selic/decisions`
pub(crate) fn decisions(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    let PageQuery { lang } = params.read()?;
    let view = view(context, lang);
    Ok(shown(pages::decisions(&snapshot(context)?, &view)?))
}

/// The parameters of the page of several series.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ComparisonPage {
    series: Option<String>,
    from: Option<String>,
    to: Option<String>,
    frequency: Option<String>,
    units: Option<String>,
    page: Option<String>,
    lang: Option<Language>,
}

/// `GET /market/compare`; a question that is wrong is answered as such, with its form.
pub(crate) fn compare(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    let ComparisonPage { series, from, to, frequency, units, page, lang } = params.read()?;
    let view = view(context, lang);
    let snapshot = snapshot(context)?;
    let [series, from, to, frequency, units, page] =
        [series, from, to, frequency, units, page].map(given);
    let form = ComparisonForm { series, from, to, frequency, units };
    let asked = || -> Result<ComparisonAsked, Refusal> {
        Ok(ComparisonAsked {
            ids: read(form.series.as_ref())?,
            from: day(form.from.as_ref())?,
            to: day(form.to.as_ref())?,
            transformed: transformed(form.frequency.as_ref(), form.units.as_ref())?,
            page: page_number(page.as_ref())?,
        })
    };
    let draw = |asked| Ok(pages::comparison(&snapshot, &view, &form, &asked)?);
    match asked().and_then(draw) {
        Err(Refusal::BadRequest(wrong)) => {
            let page = pages::wrong_comparison(&snapshot, &view, &form, &wrong)?;
            Err(Refusal::Shown(Box::new(wrong.into()), page))
        }
        page => Ok(shown(page?)),
    }
}

/// A day that may be left out. A month means its first day.
fn day(text: Option<&String>) -> Result<Option<Date>, Refusal> {
    Ok(read(text.map(|text| pages::first_day(text)).as_ref())?)
}

fn transformed(frequency: Option<&String>, units: Option<&String>) -> Result<Transformed, Refusal> {
    Ok(Transformed { frequency: read(frequency)?, units: read(units)?.unwrap_or_default() })
}

/// `GET /market/{series}`
pub(crate) fn series(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    let SeriesPage { series, range, from, to, frequency, units, page, lang } = params.read()?;
    let view = view(context, lang);
    let snapshot = snapshot(context)?;
    let subject = Subject::series(&snapshot, &series)??;
    let compare = pages::compare_links(&snapshot, &view, &subject)?;
    let more = html! {
        (pages::decisions_link(&view, &subject))
        (pages::compound_link(&view, &subject))
        (compare)
    };
    history(&snapshot, &view, &subject, &Sent::of([range, from, to, frequency, units, page]), &more)
}

/// `GET /market/fx/{pair}`
pub(crate) fn pair(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    let PairPage { pair, range, from, to, frequency, units, page, lang } = params.read()?;
    let view = view(context, lang);
    let snapshot = snapshot(context)?;
    let subject = Subject::pair(&snapshot, pair)??;
    let convert = pages::convert_form(&snapshot, &view, pair.base)?;
    let compare = pages::compare_links(&snapshot, &view, &subject)?;
    let more = html! { (convert) (compare) };
    history(&snapshot, &view, &subject, &Sent::of([range, from, to, frequency, units, page]), &more)
}

/// The fields of a history.
struct Sent {
    range: Option<String>,
    form: HistoryForm,
    page: Option<String>,
}

impl Sent {
    fn of(fields: [Option<String>; 6]) -> Sent {
        let [range, from, to, frequency, units, page] = fields.map(given);
        Sent { range, form: HistoryForm { from, to, frequency, units }, page }
    }

    fn asked(&self) -> Result<Asked, Refusal> {
        let form = &self.form;
        Ok(Asked {
            range: read(self.range.as_ref())?,
            from: day(form.from.as_ref())?,
            to: day(form.to.as_ref())?,
            transformed: transformed(form.frequency.as_ref(), form.units.as_ref())?,
            page: page_number(self.page.as_ref())?,
        })
    }
}

/// The page of a history; a question that is wrong is answered as such, with its form.
fn history(
    snapshot: &Snapshot,
    view: &View,
    subject: &Subject,
    sent: &Sent,
    more: &Markup,
) -> Result<Reply, Refusal> {
    let draw = |asked| Ok(pages::history(snapshot, view, subject, &asked, more)?);
    match sent.asked().and_then(draw) {
        Err(Refusal::BadRequest(wrong)) => {
            let page = pages::wrong_history(snapshot, view, subject, &sent.form, &wrong)?;
            Err(Refusal::Shown(Box::new(wrong.into()), page))
        }
        page => Ok(shown(page?)),
    }
}
