//! `finserve backup`: copies the accounts while they are in use.
use std::path::Path;

use fincore::Accounts;

use super::{
    Failure,
    data::{ACCOUNTS, existing},
    terminal::print,
};
use crate::cli;

pub(crate) fn run(data: &Path, args: &cli::Backup) -> Result<(), Failure> {
    Accounts::open(existing(data, ACCOUNTS)?)?.backup(&args.file)?;
    print(&format!("{}: backup complete and verified\n", args.file.display()))
}
