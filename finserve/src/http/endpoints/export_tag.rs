//! The entity tag of an export: the list of datasets names it before an export is asked for.
use fincore::{
    Date, Snapshot,
    export::Query,
    market::transform::{Aggregate, Frequency, Only, Partial, Transformation},
};
use hyper::header::HeaderValue;

use crate::http::message::{etags::tag, render};

/// The tag of what a query gives. The plan is not in it: every plan that may export gets the same.
pub(super) fn tag_of(snapshot: &Snapshot, query: &Query, as_of: Option<Date>) -> HeaderValue {
    let Query { dataset, from, to, since, transformation, format } = query;
    let (_, format, _) = render::of_export(*format);
    let day = |day: &Option<Date>| day.map(|day| day.to_string()).unwrap_or_default();
    let since = since.map(|version| version.to_string()).unwrap_or_default();
    let how = transformation.as_ref().map(how_text).unwrap_or_default();
    let days = [day(from), day(to), day(&as_of)].join(" ");
    tag(snapshot, &["export", &dataset.to_string(), &days, &since, &how, format])
}

/// A text that differs between any two transformations.
pub(super) fn how_text(how: &Transformation) -> String {
    let Transformation { frequency, aggregate, units, base, only, partial } = how;
    let base = base.map(|day| day.to_string());
    let parts = [
        frequency.map(Frequency::as_str),
        aggregate.map(Aggregate::as_str),
        Some(units.as_str()),
        base.as_deref(),
        only.map(Only::as_str),
        (*partial == Partial::Shown).then_some("partial"),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("-")
}
