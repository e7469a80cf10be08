//! Calculators: [`fincore::calc`].
use fincore::{
    Snapshot,
    calc::{self, Accumulation, Conversion, Correction, RateConversion, RealRate},
};

use super::{AS_OF, NONE, queries};
use crate::answers::Sourced;
pub use crate::answers::calc::*;

queries! { "calc":
    /// An amount, corrected by an index.
    correction(query: Correction) -> Sourced<CorrectedAmount> = calc::correction, "/api/v1/calc/correction", AS_OF;
    /// The growth of a series.
    accumulate(query: Accumulation) -> Sourced<Growth> = calc::accumulate, "/api/v1/calc/accumulated", AS_OF;
    /// An amount in another currency.
    convert(query: Conversion) -> Sourced<ConvertedAmount> = calc::convert, "/api/v1/calc/convert", AS_OF;
    /// The real return of interest after inflation.
    real_rate(query: RealRate) -> Sourced<RealReturn> = calc::real_rate, "/api/v1/calc/real-rate", AS_OF;
    /// A rate in another convention.
    convert_rate(query: RateConversion) -> ConvertedRate = of_rate, "/api/v1/calc/rate", NONE;
}

/// It needs no data.
#[expect(clippy::needless_pass_by_value, reason = "all queries are passed by value")]
fn of_rate(_: &Snapshot, query: RateConversion) -> fincore::Result<calc::ConvertedRate> {
    calc::convert_rate(&query)
}
