//! From one day to another.
use serde::Serialize;

use crate::types::Date;

/// The days from which to which data is held, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Span {
    /// The first day.
    pub from: Date,
    /// The last day.
    pub to: Date,
}
