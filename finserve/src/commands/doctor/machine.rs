//! Disk, descriptors and clock.
use std::{fs, path::Path};

use fincore::chrono::{DateTime, TimeDelta, Utc};
use rustix::{
    fs::statvfs,
    process::{Resource, getrlimit},
};

use super::{Finding, second, size};

/// What should be free at least: a day of imports and a log.
const LEAST_FREE: u64 = 256 << 20;

/// Descriptors beside those of connections: files, webhooks, downloads. The server sets aside as many.
const OTHER_FILES: u64 = 64;
/// Fewer serve hardly anybody.
const FEW_FILES: u64 = 256;

/// Nobody leaves a server without newer data for this long; its clock is wrong, or it was forgotten.
const LONG_AGO: TimeDelta = TimeDelta::days(1000);

/// Whether an import fits: it may write each page of the catalogue to the log once more.
pub(super) fn disk(data: &Path) -> Option<Finding> {
    let system = statvfs(data).ok()?;
    let free = system.f_bavail.saturating_mul(system.f_frsize);
    let files = fs::read_dir(data).ok()?.flatten();
    let held: u64 = files.filter_map(|file| file.metadata().ok()).map(|file| file.len()).sum();
    let wanted = held.max(LEAST_FREE);
    let says = format!("{} are free on the disk, the data has {}.", size(free), size(held));
    if free < wanted {
        let remedy = format!(
            "An import can write as much as the data has. Free {} more, or move the data to a larger disk.",
            size(wanted - free)
        );
        return Some(Finding::wrong("disk", says, remedy));
    }
    // File systems that count no files have zero of both.
    if system.f_files > 0 && system.f_favail < 100 {
        let says = format!("Only {} more files can be made on the disk.", system.f_favail);
        return Some(Finding::wrong("disk", says, "Delete files that nobody needs."));
    }
    Some(Finding::fine("disk", says))
}

/// Whether connections find descriptors. This is the limit of whoever runs this command; the server's may be another.
pub(super) fn descriptors(max_connections: u32) -> Finding {
    let wanted = u64::from(max_connections) + OTHER_FILES;
    let Some(limit) = getrlimit(Resource::Nofile).current else {
        return Finding::fine("descriptors", "There is no limit of open files.".into());
    };
    let says =
        format!("{limit} files may be open here; {max_connections} connections take {wanted}.");
    if limit < FEW_FILES {
        let remedy = format!("ulimit -n {wanted}, or LimitNOFILE={wanted} in the unit.");
        return Finding::wrong("descriptors", says, remedy);
    }
    if limit < wanted {
        let says = format!(
            "{says} A server that is started here serves fewer at once; the unit has a limit of its own."
        );
        return Finding::note("descriptors", says);
    }
    Finding::fine("descriptors", says)
}

/// Whether the clock can be right, by the time at which the data last changed.
pub(super) fn clock(now: DateTime<Utc>, newest: Option<DateTime<Utc>>) -> Option<Finding> {
    let newest = newest?;
    let says = format!("The clock says {}, the data last changed {}", second(now), second(newest));
    if now < newest {
        let remedy = "Set the clock: days, limits and certificates go by it.";
        return Some(Finding::wrong("clock", format!("{says}, which is later."), remedy));
    }
    if now - newest > LONG_AGO {
        let remedy = "Set the clock if it is wrong; if it is right, synchronise the data.";
        return Some(Finding::wrong("clock", format!("{says}, years before."), remedy));
    }
    Some(Finding::fine("clock", format!("{says}.")))
}
