//! The types that parameters are read into, and what is wrong with a text that is none of their values.
//!
//! Errors of serde carry a text and nothing else. So where a parameter cannot be read, the parser of its type is run once
//! more for its own error, which is a value. The type is the one that serde asked for.
//!
//! A slot beside the error, one per thread, would be shorter, but could hold the error of another value.
use std::{any::TypeId, str::FromStr};

use fincore::{
    CompanyId, CompanyRef, Currency, Date, Error, FilingId, Limit, LinkId, Offset, Pair, SeriesId,
    Words,
    calc::{Amount, Convention, Months, Percent, QuotedRate, Spread, Steps},
    companies::Listed,
    events::Cursor,
    filings::Order,
    market::{
        Release, SeriesIds, Side,
        transform::{Aggregate, Frequency, Only, Partial, Units},
    },
    statements::{
        FigureSources, Layout, MetricOrder, Metrics, Period, Restated, Scope, StatementKind, Year,
    },
    webhooks::{DeliveryId, WebhookId},
};

use super::return_path::ReturnPath;
use crate::{errors::Problem, pages::Language};

/// A type of parameters.
struct ParameterType {
    /// The type, and the same where it may be left out.
    ids: [TypeId; 2],
    /// The problem with a text, if there is one.
    problem: fn(&str) -> Option<Problem>,
}

/// All of them, but text, which cannot be wrong.
fn all() -> [ParameterType; 46] {
    [
        library::<Aggregate>(),
        library::<Amount>(),
        library::<CompanyId>(),
        library::<CompanyRef>(),
        library::<Convention>(),
        library::<Currency>(),
        library::<Cursor>(),
        library::<Date>(),
        library::<DeliveryId>(),
        library::<FigureSources>(),
        library::<FilingId>(),
        library::<Frequency>(),
        library::<Layout>(),
        library::<Limit<9>>(),
        library::<Limit<10>>(),
        library::<Limit<200>>(),
        library::<Limit<1000>>(),
        library::<Limit<10_000>>(),
        library::<LinkId>(),
        library::<Listed>(),
        library::<MetricOrder>(),
        library::<Metrics>(),
        library::<Months>(),
        library::<Offset>(),
        library::<Only>(),
        library::<Order>(),
        library::<Pair>(),
        library::<Partial>(),
        library::<Percent>(),
        library::<Period>(),
        library::<QuotedRate>(),
        library::<Release>(),
        library::<Restated>(),
        library::<Scope>(),
        library::<SeriesId>(),
        library::<SeriesIds>(),
        library::<Side>(),
        library::<Spread>(),
        library::<StatementKind>(),
        library::<Steps>(),
        library::<Units>(),
        library::<WebhookId>(),
        library::<Words>(),
        library::<Year>(),
        own::<Language>(),
        own::<ReturnPath>(),
    ]
}

/// A type of the library.
fn library<T: FromStr<Err = Error> + 'static>() -> ParameterType {
    ParameterType {
        ids: [TypeId::of::<T>(), TypeId::of::<Option<T>>()],
        problem: |text| Problem::of_library(&text.parse::<T>().err()?),
    }
}

/// A type of the server.
fn own<T: FromStr<Err = Problem> + 'static>() -> ParameterType {
    ParameterType {
        ids: [TypeId::of::<T>(), TypeId::of::<Option<T>>()],
        problem: |text| text.parse::<T>().err(),
    }
}

/// The problem with a text that cannot be read as a `T`; `None` if `T` is no type of parameters.
pub(super) fn problem<T>(text: &str) -> Option<Problem> {
    let id = typeid::of::<T>();
    all().iter().find(|known| known.ids.contains(&id)).and_then(|known| (known.problem)(text))
}

/// Whether a `T` is read by one of these types, or is text.
pub(super) fn is_known<T>() -> bool {
    let id = typeid::of::<T>();
    let text = [TypeId::of::<String>(), TypeId::of::<Option<String>>()];
    text.contains(&id) || all().iter().any(|known| known.ids.contains(&id))
}
