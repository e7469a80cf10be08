//! `finserve webhooks`: what the operator sees and ends.
use std::path::Path;

use super::Failure;
use crate::cli;

pub(crate) fn run(_: &Path, _: cli::Webhooks) -> Result<(), Failure> {
    Ok(())
}
