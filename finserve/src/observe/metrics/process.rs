//! The memory and descriptors of this process, as the system reports them.
use std::fs;

/// The memory that it takes, in bytes; zero where the system does not say.
pub(super) fn memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.trim().split(' ').next()?.parse::<u64>().ok());
    kib.unwrap_or_default() * 1024
}

/// How many descriptors it has open.
pub(super) fn descriptors() -> u64 {
    // Reading the directory takes one itself.
    fs::read_dir("/proc/self/fd").map_or(0, |entries| entries.count().saturating_sub(1) as u64)
}
