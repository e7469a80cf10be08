//! The queries, by the modules and names that they have in `fincore`: one row each, with the path of the API.
use crate::source::Past;

pub mod calc;
pub mod calendar;
pub mod companies;
pub mod filings;
pub mod market;
pub mod plans;
pub mod search;
pub mod statements;

/// A query of this client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Query {
    /// The module and the function: `market::selic`.
    pub name: &'static str,
    /// The path of the API: `/api/v1/market/selic`.
    pub path: &'static str,
}

/// All of them.
#[must_use]
pub fn all() -> Vec<Query> {
    [
        calc::QUERIES,
        calendar::QUERIES,
        companies::QUERIES,
        filings::QUERIES,
        market::QUERIES,
        plans::QUERIES,
        search::QUERIES,
        statements::QUERIES,
    ]
    .concat()
}

/// Makes a function of each row: its name and arguments, its answer, the function of `fincore`, the path, and which past it
/// has.
macro_rules! queries {
    ($module:literal: $(
        $(#[$doc:meta])*
        $name:ident($($argument:ident: $query:ty),*) -> $answer:ty = $library:path, $path:literal, $past:expr;
    )+) => {
        $(
            $(#[$doc])*
            #[doc = concat!("\n\nAs [`fincore::", $module, "::", stringify!($name), "`] does; `GET ", $path, "`.")]
            pub async fn $name(
                source: &crate::Source,
                $($argument: $query),*
            ) -> crate::Result<$answer> {
                let target = crate::target::Target::new($path)$(.with(&$argument)?)*;
                source.ask((target, $past), move |snapshot| $library(snapshot, $($argument),*)).await
            }
        )+

        pub(crate) const QUERIES: &[crate::queries::Query] = &[$(crate::queries::Query {
            name: concat!($module, "::", stringify!($name)),
            path: $path,
        }),+];
    };
}
use queries;

const NONE: Past = Past::None;
const AS_OF: Past = Past::AsOf;
const AS_OF_OR_FIRST: Past = Past::AsOfOrFirst;
