//! `finserve calc`: calculations of the API, by the data directory or by a server.
use super::{
    Failure,
    data::Seen,
    get::{answer, origin},
};
use crate::cli;

pub(crate) fn run(seen: Seen<'_>, args: &cli::Calc) -> Result<(), Failure> {
    let (origin, _kept) = origin(seen, &args.whom)?;
    answer(&origin, &args.what.question(), &args.shown)
}
