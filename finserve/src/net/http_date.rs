//! Checks that hyper can write the `Date` of responses. It panics where the clock is set before 1970 or after 9999,
//! whatever the response says itself, so that such a connection must not reach it.
use std::{
    cell::Cell,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// The first second that has no date in HTTP: of the year 10000.
const END: Duration = Duration::from_secs(253_402_300_800);

thread_local! {
    /// Whether hyper has read the clock on this thread. A clock that is set back later makes it write an old date.
    static WAS_READ: Cell<bool> = const { Cell::new(false) };
}

/// The answer to a connection while the date cannot be written.
pub(crate) const WRONG_CLOCK: &str = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\n\
    Cache-Control: no-store\r\nRetry-After: 60\r\nContent-Length: 72\r\nConnection: close\r\n\r\n\
    {\"error\":\"unavailable\",\"message\":\"the clock of this server is not set\"}\n";

/// Whether hyper can serve a connection on this thread, which it does at once then.
pub(crate) fn is_writable() -> bool {
    is_writable_at(SystemTime::now())
}

fn is_writable_at(now: SystemTime) -> bool {
    match now.duration_since(UNIX_EPOCH) {
        Ok(passed) if passed < END => {
            WAS_READ.set(true);
            true
        }
        Ok(_) => false,
        Err(_) => WAS_READ.get(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_can_be_written_where_the_clock_was_right_once() {
        let (before, right) = (UNIX_EPOCH - Duration::from_secs(1), UNIX_EPOCH + END / 2);
        let times = [before, right, before, UNIX_EPOCH + END, before, right];
        assert_eq!(times.map(is_writable_at), [false, true, true, false, true, true]);
    }

    #[test]
    fn the_answer_says_how_long_it_is() {
        let (head, body) = WRONG_CLOCK.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("Content-Length: {}\r\n", body.len())), "{}", body.len());
    }
}
