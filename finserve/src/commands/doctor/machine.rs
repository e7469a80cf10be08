//! Checks of the machine: disk, descriptors and clock.
use std::{fs, path::Path};

use fincore::chrono::{DateTime, TimeDelta, Utc};
use rustix::{
    fs::statvfs,
    process::{Resource, getrlimit},
};

use super::{Finding, format_size, format_time};

/// The least free space: for a day of imports and a log.
const LEAST_FREE: u64 = 256 << 20;

/// Descriptors beside those of connections: files, webhooks, downloads. The server sets aside as many.
const OTHER_FILES: u64 = 64;
/// With fewer descriptors, a server can serve hardly any connections.
const FEW_FILES: u64 = 256;

/// If the data is older than this, the clock is wrong or the server was forgotten.
const LONG_AGO: TimeDelta = TimeDelta::days(1000);

/// Checks whether an import fits on the disk: it may write each page of the catalogue to the log once more.
pub(super) fn check_disk(data: &Path) -> Option<Finding> {
    let system = statvfs(data).ok()?;
    let free = system.f_bavail.saturating_mul(system.f_frsize);
    let files = fs::read_dir(data).ok()?.flatten();
    let held: u64 = files.filter_map(|file| file.metadata().ok()).map(|file| file.len()).sum();
    let needed = held.max(LEAST_FREE);
    let says = format!(
        "{} are free on the disk; the data takes {}.",
        format_size(free),
        format_size(held)
    );
    if free < needed {
        let remedy = format!(
            "An import can write as much as the data takes. Free {} more, or move the data to a larger disk.",
            format_size(needed - free)
        );
        return Some(Finding::wrong("disk", says, remedy));
    }
    // File systems that count no files have zero of both.
    if system.f_files > 0 && system.f_favail < 100 {
        let says = format!("Only {} more files can be created on the disk.", system.f_favail);
        return Some(Finding::wrong("disk", says, "Delete files that are not needed."));
    }
    Some(Finding::fine("disk", says))
}

/// Checks whether there are enough descriptors for connections. The limit is that of this process; the server's may differ.
pub(super) fn check_descriptors(max_connections: u32) -> Finding {
    let needed = u64::from(max_connections) + OTHER_FILES;
    let Some(limit) = getrlimit(Resource::Nofile).current else {
        return Finding::fine("descriptors", "There is no limit on open files.".into());
    };
    let says =
        format!("{limit} files may be open here; {max_connections} connections need {needed}.");
    if limit < FEW_FILES {
        let remedy = format!("ulimit -n {needed}, or LimitNOFILE={needed} in the unit.");
        return Finding::wrong("descriptors", says, remedy);
    }
    if limit < needed {
        let says = format!(
            "{says} A server started from here serves fewer at once; a systemd unit has its own limit."
        );
        return Finding::note("descriptors", says);
    }
    Finding::fine("descriptors", says)
}

/// Checks whether the clock can be right, given the time at which the data last changed.
pub(super) fn check_clock(now: DateTime<Utc>, newest: Option<DateTime<Utc>>) -> Option<Finding> {
    let newest = newest?;
    let says = format!(
        "The clock says {}; the data last changed at {}",
        format_time(now),
        format_time(newest)
    );
    if now < newest {
        let remedy = "Set the clock: days, limits and certificates depend on it.";
        return Some(Finding::wrong("clock", format!("{says}, which is later."), remedy));
    }
    if now - newest > LONG_AGO {
        let remedy = "Set the clock if it is wrong; if it is right, synchronise the data.";
        return Some(Finding::wrong("clock", format!("{says}, years earlier."), remedy));
    }
    Some(Finding::fine("clock", format!("{says}.")))
}
