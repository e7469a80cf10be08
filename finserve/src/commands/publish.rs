//! `finserve publish`: writes a copy of the data for servers that follow it.
use std::{fs, path::Path};

use fincore::Catalogue;

use super::{
    Failure,
    data_directory::{CATALOGUE, find_file, refuse_followed},
    output::terminal::{print, progress},
};
use crate::{
    cli,
    cluster::publication::{Outcome, PublishError, Target, publish},
    coordination::directory_lock::{ExclusiveTask, Lock},
};

pub(crate) fn run(data: &Path, args: &cli::Publish) -> Result<(), Failure> {
    let target = args.target.read().map_err(Failure::Message)?;
    if let Target::Web(_) = target {
        return Err(Failure::Message(format!(
            "{target} can only be read: publish to the directory or store that it serves"
        )));
    }
    let store = target.open().map_err(Failure::Message)?;
    refuse_followed(data)?;
    let catalogue = Catalogue::open(find_file(data, CATALOGUE)?)?;
    let _source_lock = lock(data, "another program is publishing from this data directory")?;
    let _target_lock = match &target {
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
            let (version, copy) = (manifest.edition.data_version, &manifest.copy);
            let (bytes, compressed) = (copy.bytes, copy.compressed_bytes);
            print(&format!(
                "{target}: data version {version} published, {bytes} bytes in {compressed}\n"
            ))
        }
        Ok(Outcome::Already(manifest)) => {
            let version = manifest.edition.data_version;
            print(&format!("{target}: data version {version} is already published\n"))
        }
        Err(why @ (PublishError::Older { .. } | PublishError::Another)) => {
            let reason = why.words();
            Err(Failure::Message(format!("{target}: {reason}; --force publishes it anyway")))
        }
        Err(PublishError::Failed(reason)) => Err(Failure::Message(format!("{target}: {reason}"))),
    }
}

/// Locks the directory that is published to; creates it if it is missing.
fn lock_target(data: &Path, directory: &Path) -> Result<Lock, Failure> {
    let cannot = format!("cannot create {}", directory.display());
    fs::create_dir_all(directory).map_err(Failure::system(cannot))?;
    let is_data = fs::canonicalize(data).ok() == fs::canonicalize(directory).ok();
    if is_data {
        let message = "publish to a directory other than the data directory";
        return Err(Failure::Message(message.to_owned()));
    }
    let taken = "another program is publishing there: a server with --sync does that by itself";
    lock(directory, taken)
}

fn lock(directory: &Path, taken: &str) -> Result<Lock, Failure> {
    let cannot = format!("cannot lock {}", directory.display());
    let lock = Lock::attempt(directory, ExclusiveTask::Publish).map_err(Failure::system(cannot))?;
    lock.ok_or_else(|| Failure::Message(format!("{}: {taken}", directory.display())))
}
