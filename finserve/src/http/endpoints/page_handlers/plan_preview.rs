//! How far a page of data reaches: as far as the caller's plan, or a preview. The only place where a page reads what the
//! same caller's request to the API would be refused.
use fincore::{Error, Feature, Limit, Meta, Offset, Page, Snapshot, plans::Upgrade};

use crate::{
    http::{endpoints::context::Context, message::refusal::Refusal},
    pages::{Found, PAGE_ROWS, PREVIEW_ROWS},
};

/// The data as the caller's plan includes it.
pub(crate) fn snapshot(context: &Context<'_>) -> Result<Snapshot, Refusal> {
    let snapshot = context.catalogue.snapshot(context.request.now.today())?;
    Ok(snapshot.for_plan(context.caller.plan))
}

/// The snapshot that a page reads from, and how far the caller's plan reaches in it.
pub(crate) struct Reach {
    snapshot: Snapshot,
}

impl Reach {
    pub(crate) fn of(context: &Context<'_>) -> Result<Reach, Refusal> {
        Ok(Reach { snapshot: snapshot(context)? })
    }

    /// The data, for what every plan includes, or this one does.
    pub(crate) fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// Fails with the prompt where the plan does not include the feature.
    pub(crate) fn need(&self, feature: Feature) -> Result<(), Upgrade> {
        self.snapshot.plan().need(feature)
    }

    /// The page `number` of a list, from 1; where the plan does not include the feature, the first three rows of the
    /// list, whichever page is asked for, and not how many there are. What is wrong with the question becomes part of
    /// the answer.
    pub(crate) fn list<R: Clone>(
        &self,
        feature: Feature,
        number: u64,
        ask: impl FnOnce(&Snapshot, Limit<1000>, Offset) -> Result<Page<R>, Refusal>,
    ) -> Result<Found<R>, Refusal> {
        let found = match self.need(feature) {
            Ok(()) => page(number)
                .map_err(Refusal::from)
                .and_then(|(limit, offset)| ask(&self.snapshot, limit, offset))
                .map(|page| Found::Whole(Box::new(page))),
            Err(prompt) => {
                let preview = |(rows, meta)| Found::Preview { rows, meta: Box::new(meta), prompt };
                self.first(ask).map(preview)
            }
        };
        match found {
            Err(Refusal::BadRequest(wrong)) => Ok(Found::Wrong(wrong)),
            found => found,
        }
    }

    /// The first rows of a list, which everybody may see, and what is said about them.
    pub(crate) fn first<R: Clone, E: From<Error>>(
        &self,
        ask: impl FnOnce(&Snapshot, Limit<1000>, Offset) -> Result<Page<R>, E>,
    ) -> Result<(Vec<R>, Meta), E> {
        let page = ask(&self.snapshot, Limit::new(PREVIEW_ROWS)?, Offset::default())?;
        let (meta, mut rows) = (page.meta, page.data.into_vec());
        rows.truncate(PREVIEW_ROWS as usize);
        Ok((rows, meta))
    }

    /// One thing, and the prompt if the plan does not include it: then the page may show as much of it as a row of a
    /// preview does.
    pub(crate) fn one<T>(
        &self,
        feature: Feature,
        ask: impl FnOnce(&Snapshot) -> fincore::Result<T>,
    ) -> Result<(T, Option<Upgrade>), Refusal> {
        Ok((ask(&self.snapshot)?, self.need(feature).err()))
    }
}

/// Which rows a page of a list has.
fn page(number: u64) -> Result<(Limit<1000>, Offset), Error> {
    let rows = u64::from(PAGE_ROWS);
    Ok((Limit::new(PAGE_ROWS)?, Offset::new(number.saturating_sub(1).saturating_mul(rows))?))
}
