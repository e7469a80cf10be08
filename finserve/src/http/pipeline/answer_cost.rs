//! The cost of an answer, which decides where it is made.
use crate::http::message::parameters::Params;

/// The parameters each of which transforms a history by itself; the others are refused without one of them.
const TRANSFORMING: [&str; 5] = ["frequency", "units", "only", "partial", "side"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cost {
    /// Microseconds: less than handing it to another thread would take.
    Short,
    /// Short for a page of up to so many rows, long for one of more.
    Rows(u32),
    /// A history of which every observation is read, because it is transformed.
    History(u32),
    /// Up to milliseconds of computing, on threads that stand back behind those of short answers.
    Long,
    /// It may wait for the disk or the network, on threads that do nothing else meanwhile.
    Disk,
}

impl Cost {
    pub(crate) fn is_short(self, params: &Params<'_>) -> bool {
        match self {
            Cost::Short => true,
            Cost::History(_) if TRANSFORMING.iter().any(|name| params.get(name).is_some()) => false,
            Cost::Rows(most) | Cost::History(most) => {
                let limit = params.get("limit").map_or(Ok(0), str::parse);
                // An unreadable limit is refused, and a refusal is short.
                limit.map_or(true, |limit: u32| limit <= most)
            }
            Cost::Long | Cost::Disk => false,
        }
    }
}
