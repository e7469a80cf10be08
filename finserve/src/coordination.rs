//! How threads and servers work side by side: clock, locks, leader election, signals to threads,
//! their priority, jitter.
pub(crate) mod clock;
pub(crate) mod directory_lock;
pub(crate) mod interrupt;
pub(crate) mod jitter;
pub(crate) mod leader_election;
pub(crate) mod priority;
pub(crate) mod signal;
pub(crate) mod wait_for_import;
pub(crate) mod worker;
