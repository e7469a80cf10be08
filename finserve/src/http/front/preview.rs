//! How far a page of data reaches: as far as the caller's plan, or a preview. The only place where a page reads what the
//! same caller's request to the API would be refused.
use fincore::{Error, ErrorKind, Feature, Key, Limit, Offset, Page, Snapshot, plans::Upgrade};

use crate::{
    http::{context::Context, refusal::Refusal},
    pages::{Found, PAGE_ROWS, PREVIEW_ROWS},
};

/// The data as the caller's plan includes it.
pub(crate) fn snapshot(context: &Context<'_>) -> Result<Snapshot, Refusal> {
    let snapshot = context.catalogue.snapshot(context.request.now.today())?;
    Ok(snapshot.for_plan(context.caller.plan))
}

/// The page `number` of a list, from 1; where the plan does not include the feature, the first three rows of the list,
/// whichever page is asked for, and not how many there are. What is wrong with the question becomes part of the answer.
pub(crate) fn list<R: Clone>(
    context: &Context<'_>,
    feature: Feature,
    number: u64,
    ask: impl FnOnce(&Snapshot, Limit<1000>, Offset) -> fincore::Result<Page<R>>,
) -> Result<Found<R>, Refusal> {
    let snapshot = snapshot(context)?;
    let found = match context.caller.plan.need(feature) {
        Ok(()) => {
            page(number).and_then(|(limit, offset)| ask(&snapshot, limit, offset)).map(Found::Whole)
        }
        Err(prompt) => previewed(snapshot, prompt, ask),
    };
    match found {
        Err(err) if matches!(err.kind(), ErrorKind::Invalid) => {
            Ok(Found::Wrong(Key::redact(&err.to_string())))
        }
        found => Ok(found?),
    }
}

/// The first rows, as those see them whose plan includes them.
fn previewed<R: Clone>(
    snapshot: Snapshot,
    prompt: Upgrade,
    ask: impl FnOnce(&Snapshot, Limit<1000>, Offset) -> fincore::Result<Page<R>>,
) -> fincore::Result<Found<R>> {
    let snapshot = snapshot.for_plan(prompt.required_plan);
    let page = ask(&snapshot, Limit::new(PREVIEW_ROWS)?, Offset::default())?;
    let (is_fuzzy, mut rows) = (page.meta.fuzzy, page.data.into_vec());
    rows.truncate(PREVIEW_ROWS as usize);
    Ok(Found::Preview { rows, is_fuzzy, prompt })
}

/// One thing, and the prompt if the plan does not include it: then the page may show as much of it as a row of a
/// preview does.
pub(crate) fn one<T>(
    context: &Context<'_>,
    feature: Feature,
    ask: impl FnOnce(&Snapshot) -> fincore::Result<T>,
) -> Result<(T, Option<Upgrade>), Refusal> {
    let prompt = context.caller.plan.need(feature).err();
    let mut snapshot = snapshot(context)?;
    if let Some(prompt) = &prompt {
        snapshot = snapshot.for_plan(prompt.required_plan);
    }
    Ok((ask(&snapshot)?, prompt))
}

/// Which rows a page of a list has.
fn page(number: u64) -> Result<(Limit<1000>, Offset), Error> {
    let rows = u64::from(PAGE_ROWS);
    Ok((Limit::new(PAGE_ROWS)?, Offset::new(number.saturating_sub(1).saturating_mul(rows))?))
}
