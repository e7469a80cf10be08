//! Requests for what does not exist.
use fincore::{Invalid, Resource};

use super::problem::Problem;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotFound {
    /// The data has nothing under the id.
    #[error("{}{}", .what.not_found(.id), hint(*.what))]
    Data { what: Resource, id: String },
    /// A part of the path cannot be an id.
    #[error("there is nothing at this path: {0}")]
    Path(Problem),
    /// The id in the path of a page is none.
    #[error("{0}")]
    Id(Invalid),
    /// No route has the path.
    #[error("there is nothing at {path:?}; /docs lists what there is")]
    Route { path: String },
    /// No query has the path, for those who ask within the program.
    #[error("there is nothing at {path:?}")]
    Query { path: String },
    /// The one row whose value is asked for does not exist.
    #[error("no row matches")]
    Row,
    /// There is no such file of the pages.
    #[error("there is no asset {name:?}")]
    Asset { name: String },
}

/// Where the API lists what there is.
fn hint(what: Resource) -> &'static str {
    match what {
        Resource::CurrencyPair => "; GET /api/v1/market/fx/pairs lists the pairs that have quotes",
        Resource::Series | Resource::UnknownSeries => {
            "; GET /api/v1/market/series lists the series that have some"
        }
        Resource::Dataset => "; GET /api/v1/export lists the datasets",
        Resource::Company
        | Resource::Filing
        | Resource::SavingsOfDay
        | Resource::SavingsUntil2012
        | Resource::Key
        | Resource::Link
        | Resource::Webhook
        | Resource::Delivery => "",
    }
}
