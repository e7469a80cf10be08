//! The pages of the market.
use fincore::{Pair, SeriesId, Snapshot};
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
    pages::{self, Asked, Language, Subject, View},
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
    let view = view(context, lang);
    Ok(shown(pages::market(&snapshot(context)?, &view)?))
}

/// `GET /market/selic/decisions`
pub(crate) fn decisions(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    let PageQuery { lang } = params.read()?;
    let view = view(context, lang);
    Ok(shown(pages::decisions(&snapshot(context)?, &view)?))
}

/// `GET /market/{series}`
pub(crate) fn series(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    let SeriesPage { series, range, from, to, page, lang } = params.read()?;
    let view = view(context, lang);
    let snapshot = snapshot(context)?;
    let subject = Subject::series(&snapshot, &series)??;
    let more = html! {
        (pages::decisions_link(&view, &subject))
        (pages::compound_link(&view, &subject))
    };
    history(&snapshot, &view, &subject, Sent::of([range, from, to, page]), &more)
}

/// `GET /market/fx/{pair}`
pub(crate) fn pair(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    let PairPage { pair, range, from, to, page, lang } = params.read()?;
    let view = view(context, lang);
    let snapshot = snapshot(context)?;
    let subject = Subject::pair(&snapshot, pair)??;
    let more = pages::convert_form(&snapshot, &view, pair.base)?;
    history(&snapshot, &view, &subject, Sent::of([range, from, to, page]), &more)
}

/// The fields of a history.
struct Sent {
    range: Option<String>,
    from: Option<String>,
    to: Option<String>,
    page: Option<String>,
}

impl Sent {
    fn of(fields: [Option<String>; 4]) -> Sent {
        let [range, from, to, page] = fields.map(given);
        Sent { range, from, to, page }
    }

    /// What is asked. A month means its first day.
    fn asked(&self) -> Result<Asked, Refusal> {
        let day = |text: &Option<String>| read(text.as_deref().map(pages::first_day).as_ref());
        Ok(Asked {
            range: read(self.range.as_ref())?,
            from: day(&self.from)?,
            to: day(&self.to)?,
            page: page_number(self.page.as_ref())?,
        })
    }
}

/// The page of a history; a question that is wrong is answered as such, with its form.
fn history(
    snapshot: &Snapshot,
    view: &View,
    subject: &Subject,
    sent: Sent,
    more: &Markup,
) -> Result<Reply, Refusal> {
    let draw = |asked| Ok(pages::history(snapshot, view, subject, &asked, more)?);
    match sent.asked().and_then(draw) {
        Err(Refusal::BadRequest(wrong)) => {
            let days = [sent.from, sent.to];
            let page = pages::wrong_history(snapshot, view, subject, days, &wrong)?;
            Err(Refusal::Shown(Box::new(wrong.into()), page))
        }
        page => Ok(shown(page?)),
    }
}
