//! How many files and connections a server may have open.
use std::{num::NonZero, thread};

use rustix::process::{Resource, getrlimit, setrlimit};

use crate::{cli, http::Bounds};

/// How many descriptors a server needs besides connections and readers of the data: for files, listening sockets and calls
/// of webhooks.
const BASE: u64 = 16;

/// How many descriptors an asynchronous runtime takes. There is one for each processor, one that accepts connections, and one for
/// the admin address.
const RUNTIME: u64 = 4;

/// How many descriptors a reader of the data takes.
const READER: u64 = 2;

/// How many connections there may be, by the command line and by what the system allows.
pub(crate) fn bounds(args: &cli::Serve) -> Bounds {
    let files = files();
    let processors = thread::available_parallelism().map_or(1, NonZero::get) as u64;
    let left = connections(files, processors).max(4);
    let most =
        usize::try_from(left).unwrap_or(usize::MAX).min(args.socket.max_connections as usize);
    let per_address =
        args.max_connections_per_address.map_or(most.div_ceil(4), |most| most as usize);
    Bounds { most, per_address, proxies: args.proxies() }
}

/// How many descriptors are left for connections.
fn connections(files: u64, processors: u64) -> u64 {
    let readers = u64::from(readers_of(files));
    // A catalogue has a quarter as many of the past, and at least two.
    let readers = readers + (readers / 4).max(2);
    let taken = BASE + RUNTIME * (processors + 2) + READER * readers;
    files.saturating_sub(taken)
}

/// How many readers of the data there may be.
pub(crate) fn readers() -> usize {
    readers_of(files()) as usize
}

fn readers_of(files: u64) -> u32 {
    u32::try_from(files / 8).unwrap_or(u32::MAX).clamp(6, 512)
}

/// The most descriptors that this process may have. Many systems keep the soft limit low for programs that
/// use `select`; it is raised to the hard one.
fn files() -> u64 {
    let limit = getrlimit(Resource::Nofile);
    let raised = rustix::process::Rlimit { current: limit.maximum, maximum: limit.maximum };
    let files = match setrlimit(Resource::Nofile, raised) {
        Ok(()) => limit.maximum,
        Err(_) => limit.current,
    };
    files.unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_leave_room_for_connections() {
        assert_eq!([64, 256, 1024, 8192].map(readers_of), [8, 32, 128, 512]);
        let on = |processors| [64, 256, 1024, 8192].map(|files| connections(files, processors));
        assert_eq!(on(2), [12, 144, 672, 6880]);
        assert_eq!(on(16), [0, 88, 616, 6824]);
    }
}
