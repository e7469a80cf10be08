//! `finserve export`: a whole dataset as a file.
use std::path::Path;

use super::Failure;
use crate::cli;

pub(crate) fn run(_: &Path, _: &cli::Export) -> Result<(), Failure> {
    Ok(())
}
