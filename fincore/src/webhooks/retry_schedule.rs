//! The schedule of retries after a failed call.
use chrono::TimeDelta;

/// The time after each failed attempt, in seconds. The attempt after the last of them is the last.
const DELAYS: [i32; 9] =
    [5, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 10 * 3600, 14 * 3600, 20 * 3600, 24 * 3600];

/// The largest part of the time that jitter adds or takes, so that calls that failed together are not retried together.
/// 10 % is documented, and a call also starts some moments after it is due.
const TOLERANCE: f64 = 0.07;

/// The wait after this number of failed attempts; `None` after the last one. `jitter` is from -1 to 1.
pub(super) fn retry_delay(failed: u32, jitter: f64) -> Option<TimeDelta> {
    let seconds = DELAYS.get((failed as usize).checked_sub(1)?)?;
    let jitter = if jitter.is_nan() { 0.0 } else { jitter.clamp(-1.0, 1.0) };
    let milliseconds = f64::from(*seconds) * 1000.0 * (1.0 + TOLERANCE * jitter);
    #[expect(clippy::cast_possible_truncation, reason = "at most 26.4 hours")]
    Some(TimeDelta::milliseconds(milliseconds.round() as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_ten_attempts_each_later_than_the_one_before() {
        let seconds = |jitter| -> Vec<i64> {
            (1..)
                .map_while(|failed| retry_delay(failed, jitter))
                .map(|time| time.num_seconds())
                .collect()
        };
        let exact = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
        assert_eq!(seconds(0.0), exact);
        assert_eq!(seconds(f64::NAN), exact);
        for (jitter, share) in [(1.0, 107), (-1.0, 93), (7.0, 107)] {
            assert_eq!(seconds(jitter), exact.map(|time| time * share / 100), "{jitter}");
        }
        assert_eq!(retry_delay(0, 0.0), None);
    }
}
