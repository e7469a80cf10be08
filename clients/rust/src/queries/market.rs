//! Market data: [`fincore::market`].
use fincore::market::{
    self, Comparison, FxCurrent, FxHistory, FxPairs, History, SeriesCurrent, SeriesHistory,
    SeriesList, SummaryQuery,
    transform::{QuoteTransformation, Transformation},
};

use super::{AS_OF, AS_OF_OR_FIRST, NONE, queries};
pub use crate::answers::market::*;
use crate::answers::{Page, Sourced};

queries! { "market":
    /// The newest value of each of the four indicators.
    overview() -> Overview = market::overview, "/api/v1/market/overview", AS_OF;
    /// The Selic target now.
    selic_current() -> Sourced<Rate> = market::selic_current, "/api/v1/market/selic/current", AS_OF;
    /// Decisions on the Selic target, and the next meetings.
    selic_decisions(query: History) -> Decisions = market::selic_decisions, "/api/v1/market/selic/decisions", NONE;
    /// The history of the Selic target.
    selic(query: History) -> Page<Rate> = market::selic, "/api/v1/market/selic", AS_OF_OR_FIRST;
    /// The CDI now.
    cdi_current() -> Sourced<Rate> = market::cdi_current, "/api/v1/market/cdi/current", AS_OF;
    /// The history of the CDI.
    cdi(query: History) -> Page<Rate> = market::cdi, "/api/v1/market/cdi", AS_OF_OR_FIRST;
    /// The IPCA of the newest month.
    ipca_current() -> Sourced<Rate> = market::ipca_current, "/api/v1/market/ipca/current", AS_OF;
    /// The history of the IPCA.
    ipca(query: History) -> Page<Rate> = market::ipca, "/api/v1/market/ipca", AS_OF_OR_FIRST;
    /// The newest closing quote of a pair.
    fx_current(query: FxCurrent) -> Sourced<FxRate> = market::fx_current, "/api/v1/market/fx/current", AS_OF;
    /// The currency pairs.
    fx_pairs(query: FxPairs) -> Page<FxPair> = market::fx_pairs, "/api/v1/market/fx/pairs", NONE;
    /// The closing quotes of a pair.
    fx(query: FxHistory) -> Page<FxRate> = market::fx, "/api/v1/market/fx", AS_OF_OR_FIRST;
    /// The closing quotes of a pair, transformed.
    transformed_quotes(query: FxHistory, transformation: QuoteTransformation) -> Page<TransformedRate> =
        market::transformed_quotes, "/api/v1/market/fx", AS_OF_OR_FIRST;
    /// The newest observation of a series.
    series_current(query: SeriesCurrent) -> Sourced<Rate> =
        market::series_current, "/api/v1/market/series/{series}/current", AS_OF;
    /// The figures of a series that have had more than one value.
    revisions(query: SeriesHistory) -> Page<Revision> =
        market::revisions, "/api/v1/market/series/{series}/revisions", NONE;
    /// The observations of a series, summed up.
    summary(query: SummaryQuery) -> Sourced<Summary> =
        market::summary, "/api/v1/market/series/{series}/summary", AS_OF;
    /// The history of a series.
    series(query: SeriesHistory) -> Page<Rate> = market::series, "/api/v1/market/series/{series}", AS_OF_OR_FIRST;
    /// The history of a series, transformed.
    transformed(query: SeriesHistory, transformation: Transformation) -> Page<TransformedRate> =
        market::transformed, "/api/v1/market/series/{series}", AS_OF_OR_FIRST;
    /// The series.
    series_list(query: SeriesList) -> Page<ListedSeries> = market::series_list, "/api/v1/market/series", NONE;
    /// Several series side by side.
    compare(query: Comparison, transformation: Option<Transformation>) -> Page<ComparedRow, ComparedMeta> =
        market::compare, "/api/v1/market/series", AS_OF_OR_FIRST;
}
