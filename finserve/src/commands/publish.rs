//! `finserve publish`: writes a copy of the data for servers that follow it.
use std::{fs, path::Path};

use fincore::Catalogue;

use super::{
    Failure,
    data::{CATALOGUE, existing, refuse_followed},
    terminal::{print, progress},
};
use crate::{
    cli,
    cluster::publication::{Outcome, Target, Unpublished, publish},
    lock::{Lock, Work},
};

pub(crate) fn run(data: &Path, args: &cli::Publish) -> Result<(), Failure> {
    let target = args.target.read().map_err(Failure::Said)?;
    if let Target::Web(_) = target {
        return Err(Failure::Said(format!(
            "{target} can only be read: publish to the directory or store that it serves"
        )));
    }
    let store = target.open().map_err(Failure::Said)?;
    refuse_followed(data)?;
    let catalogue = Catalogue::open(existing(data, CATALOGUE)?)?;
    let _ours = lock(data, "another program publishes from this data directory")?;
    let _theirs = match &target {
        Target::Directory(directory) => Some(lock_target(data, directory)?),
        Target::S3 { .. } | Target::Web(_) => None,
    };
    let mut bar = None;
    let published =
        publish(&catalogue, &*store, data, args.direction(), &mut || true, &mut |step| {
            let bar = bar.get_or_insert_with(|| progress(100, "%"));
            bar.set_position(100 * step.done / step.of.max(1));
            bar.set_message(step.doing);
        });
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    match published {
        Ok(Outcome::Published(manifest)) => {
            let (version, packed) = (manifest.edition.data_version, &manifest.packed);
            let (bytes, compressed) = (packed.bytes, packed.compressed_bytes);
            print(&format!(
                "{target}: data version {version} published, {bytes} bytes in {compressed}\n"
            ))
        }
        Ok(Outcome::Already(manifest)) => {
            let version = manifest.edition.data_version;
            print(&format!("{target}: data version {version} is published already\n"))
        }
        Err(why @ (Unpublished::Older { .. } | Unpublished::Another)) => {
            let words = why.words();
            Err(Failure::Said(format!("{target}: {words}; --force publishes it nevertheless")))
        }
        Err(Unpublished::Failed(words)) => Err(Failure::Said(format!("{target}: {words}"))),
    }
}

/// Takes the directory that is published to; it is made where it is missing.
fn lock_target(data: &Path, directory: &Path) -> Result<Lock, Failure> {
    let cannot = format!("cannot create {}", directory.display());
    fs::create_dir_all(directory).map_err(Failure::system(cannot))?;
    let is_data = fs::canonicalize(data).ok() == fs::canonicalize(directory).ok();
    if is_data {
        let words = "publish to another directory than that of the data";
        return Err(Failure::Said(words.to_owned()));
    }
    let taken = "another program publishes there: a server with --sync does that by itself";
    lock(directory, taken)
}

fn lock(directory: &Path, taken: &str) -> Result<Lock, Failure> {
    let cannot = format!("cannot lock {}", directory.display());
    let lock = Lock::attempt(directory, Work::Publish).map_err(Failure::system(cannot))?;
    lock.ok_or_else(|| Failure::Said(format!("{}: {taken}", directory.display())))
}
