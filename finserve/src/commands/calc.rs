//! `finserve calc`: calculations of the API, by the data directory or by a server.
use super::{
    Failure,
    data_directory::ReadOnlyData,
    get::{answer, origin},
};
use crate::cli;

pub(crate) fn run(data: ReadOnlyData<'_>, args: &cli::Calc) -> Result<(), Failure> {
    let (origin, _temporary) = origin(data, &args.remote)?;
    answer(&origin, &args.calculation.question(), &args.output)
}
