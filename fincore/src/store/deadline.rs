//! Deadlines of queries, and limits on waiting.
//!
//! No answer depends on what happens here, so this file may read the clock; nothing else in the library does.
use std::{
    cell::Cell,
    time::{Duration, Instant},
};

use rusqlite::Connection;

use crate::values::{Error, Result};

/// The longest budget. SQLite counts its wait in milliseconds, with 31 bits: some 24 days.
const LONGEST_WAIT: Duration = Duration::from_secs(24 * 60 * 60);

/// SQLite checks the deadline after this number of operations of its virtual machine: about every ten microseconds.
const OPERATIONS: i32 = 2000;

thread_local! {
    static UNTIL: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Runs `work` with a deadline for its queries. A query that is not done by then fails with [`Error::Busy`]; its snapshot
/// can be used again. Inside another deadline, the earlier one holds.
///
/// Without a deadline, a query takes as long as it needs. Computing a value that is cached for later queries is never
/// interrupted, because otherwise it might never be completed.
///
/// ```
/// use std::time::{Duration, Instant};
/// use fincore::{Catalogue, deadline, market};
///
/// # let dir = tempfile::tempdir().unwrap();
/// # let catalogue = fincore::bundle::filled_copy(dir.path())?;
/// let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;
/// let until = Instant::now() + Duration::from_secs(5);
/// let selic = deadline::within(until, || market::selic_current(&snapshot))?;
/// # Ok::<(), fincore::Error>(())
/// ```
pub fn within<T>(until: Instant, work: impl FnOnce() -> T) -> T {
    let earlier = UNTIL.get().map_or(until, |known| known.min(until));
    with(Some(earlier), work)
}

/// Runs `work` with so much time for its queries, as [`within`] does. A time too long for the clock sets no deadline.
pub fn for_at_most<T>(time: Duration, work: impl FnOnce() -> T) -> T {
    match now().checked_add(time) {
        Some(until) => within(until, work),
        None => work(),
    }
}

/// Runs `work` without a deadline.
pub(crate) fn without<T>(work: impl FnOnce() -> T) -> T {
    with(None, work)
}

fn with<T>(until: Option<Instant>, work: impl FnOnce() -> T) -> T {
    /// Restores the deadline that was set before, even if the work panics.
    struct Restore(Option<Instant>);
    impl Drop for Restore {
        fn drop(&mut self) {
            UNTIL.set(self.0);
        }
    }
    let _restore = Restore(UNTIL.replace(until));
    work()
}

/// Makes the queries of a connection fail once the deadline of their thread has passed.
pub(crate) fn interrupt_queries(connection: &Connection) -> rusqlite::Result<()> {
    connection.progress_handler(OPERATIONS, Some(is_over))
}

/// Fails if the deadline of this thread has passed.
pub(crate) fn check() -> Result<()> {
    if is_over() { Err(Error::overdue()) } else { Ok(()) }
}

fn is_over() -> bool {
    UNTIL.get().is_some_and(|until| now() >= until)
}

/// The time that a call may spend waiting, for several locks in turn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WaitBudget(Instant);

impl WaitBudget {
    /// As long as `time`, but no longer than the deadline of this thread, and a day at most.
    pub(crate) fn new(time: Duration) -> WaitBudget {
        let until = now() + time.min(LONGEST_WAIT);
        WaitBudget(UNTIL.get().map_or(until, |known| known.min(until)))
    }

    /// The time that is left.
    pub(crate) fn remaining(self) -> Duration {
        self.0.saturating_duration_since(now())
    }
}

#[expect(clippy::disallowed_methods, reason = "how long something takes is no part of an answer")]
fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDLESS: &str = "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)
        SELECT MAX(x) FROM n";

    fn connection() -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        interrupt_queries(&connection).unwrap();
        connection
    }

    fn ask(connection: &Connection, sql: &str) -> Result<i64> {
        Ok(connection.query_row(sql, [], |row| row.get(0))?)
    }

    #[test]
    fn a_query_ends_at_its_deadline_and_the_next_one_is_whole() {
        let connection = connection();
        let until = now() + Duration::from_millis(10);
        let ended = within(until, || ask(&connection, ENDLESS));
        assert!(matches!(ended, Err(Error::Busy(_))), "{ended:?}");
        assert_eq!(ask(&connection, "SELECT 7").unwrap(), 7);
        assert!(check().is_ok());
    }

    #[test]
    fn the_earlier_of_two_deadlines_holds_and_is_put_back() {
        let (past, later) = (now(), now() + Duration::from_secs(3600));
        within(past, || {
            within(later, || assert!(check().is_err()));
            without(|| assert!(check().is_ok()));
            assert!(check().is_err());
            assert_eq!(WaitBudget::new(Duration::from_secs(9)).remaining(), Duration::ZERO);
        });
        let panicked = std::panic::catch_unwind(|| within(past, || panic!("in the work")));
        assert!(panicked.is_err() && check().is_ok());
    }

    #[test]
    fn the_longest_time_sets_no_deadline_and_leaves_an_earlier_one() {
        for_at_most(Duration::MAX, || assert!(check().is_ok()));
        within(now(), || for_at_most(Duration::MAX, || assert!(check().is_err())));
        let remaining = WaitBudget::new(Duration::MAX).remaining();
        assert!(remaining <= LONGEST_WAIT && remaining > LONGEST_WAIT / 2);
        connection().busy_timeout(remaining).unwrap();
    }
}
