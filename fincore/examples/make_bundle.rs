//! Rebuilds the tables in `data/` from official files.
//!
//! `cargo run --release -p fincore --example make_bundle -- data FILE…`
#![allow(clippy::print_stdout)]
use std::{env, error::Error, fs, path::PathBuf};

use fincore::{Catalogue, Date, Import, bundle};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = env::args_os().skip(1).map(PathBuf::from);
    let target = args.next().ok_or("usage: make_bundle DIR FILE…")?;

    let dir = tempfile::tempdir()?;
    let catalogue = Catalogue::open(dir.path().join("catalogue.db"))?;
    let mut import = Import::begin(&catalogue, fincore::chrono::Utc::now())?;
    for path in args {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let imported = import.file(&name, &fs::read(&path)?)?;
        let (new, changed) = (imported.tally.new, imported.tally.changed);
        println!("{name}: {}, {new} new, {changed} changed", imported.what);
    }
    import.commit()?;
    bundle::write_tables(&catalogue.snapshot(Date::MAX)?, &target)?;
    Ok(())
}
