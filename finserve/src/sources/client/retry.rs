//! When a failed request is repeated.
use std::time::Duration;

use fincore::chrono::{DateTime, Utc};

use crate::sources::failure::{Fault, FaultKind};

/// How often a request is sent at most; fewer times to a server that is silent, because each attempt takes long.
const MOST_TRIES: u32 = 5;
const MOST_SILENT_TRIES: u32 = 2;

/// The pause before a request is repeated; `None` if it is not, because that would not help or it was
/// repeated often enough. `tries` is how often it was sent, `jitter` from 0 to 1 spreads the requests of many programs.
pub(super) fn pause(fault: &Fault, tries: u32, first: Duration, jitter: f64) -> Option<Duration> {
    let backoff = || {
        let doubled = first.saturating_mul(1 << (tries - 1).min(16));
        doubled.mul_f64(0.5 + jitter.clamp(0.0, 1.0))
    };
    match fault.kind {
        FaultKind::Permanent | FaultKind::Refused | FaultKind::Skipped | FaultKind::Stopped => None,
        FaultKind::Temporary { wait } => {
            (tries < MOST_TRIES).then(|| backoff().max(wait.unwrap_or_default()))
        }
        FaultKind::NotData | FaultKind::Unreachable => (tries < MOST_TRIES).then(backoff),
        FaultKind::Silence => (tries < MOST_SILENT_TRIES).then(backoff),
    }
}

/// The time in a `Retry-After` header: seconds, or a date.
pub(super) fn retry_after(header: &str, now: DateTime<Utc>) -> Option<Duration> {
    let header = header.trim();
    if !header.is_empty() && header.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number that is too long is a time that is too long.
        return Some(Duration::from_secs(header.parse().unwrap_or(u64::MAX)));
    }
    let then = DateTime::parse_from_rfc2822(header).ok()?;
    // A date in the past means now.
    Some((then.to_utc() - now).to_std().unwrap_or_default())
}

/// A time in the largest unit of which there are some.
pub(super) fn in_words(time: Duration) -> String {
    const UNITS: [(u64, &str); 3] = [(86_400, "days"), (3600, "hours"), (60, "minutes")];
    let seconds = time.as_secs();
    let unit = UNITS.iter().find(|(unit, _)| seconds >= 2 * unit);
    let (unit, name) = unit.copied().unwrap_or((1, "seconds"));
    format!("{} {name}", seconds / unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_end() {
        let first = Duration::from_millis(500);
        let pauses = |fault: &Fault, jitter| {
            (1..10)
                .map_while(|tries| pause(fault, tries, first, jitter))
                .map(|pause| pause.as_millis())
                .collect::<Vec<_>>()
        };
        assert_eq!(pauses(&Fault::temporary("500"), 0.5), [500, 1000, 2000, 4000]);
        assert_eq!(pauses(&Fault::temporary("500"), 0.0), [250, 500, 1000, 2000]);
        assert_eq!(pauses(&Fault::silence("slow"), 1.0), [750]);
        assert!(pauses(&Fault::permanent("406"), 0.5).is_empty());
        assert!(pauses(&Fault::stopped(), 0.5).is_empty());
        let wait = Some(Duration::from_secs(3));
        let limited = Fault { message: "429".into(), kind: FaultKind::Temporary { wait } };
        assert_eq!(pauses(&limited, 0.5), [3000, 3000, 3000, 4000]);
    }

    #[test]
    fn says_times_in_words() {
        for (seconds, words) in [
            (0, "0 seconds"),
            (119, "119 seconds"),
            (120, "2 minutes"),
            (3600, "60 minutes"),
            (100_000, "27 hours"),
            (99_999_999, "1157 days"),
        ] {
            assert_eq!(in_words(Duration::from_secs(seconds)), words);
        }
    }

    #[test]
    fn reads_seconds_and_dates() {
        let now = "2026-11-15T12:00:00Z".parse().unwrap();
        for (header, seconds) in [
            ("7", Some(7)),
            (" 0 ", Some(0)),
            ("Sun, 15 Nov 2026 12:01:00 GMT", Some(60)),
            ("Sun, 15 Nov 2026 11:00:00 GMT", Some(0)),
            ("99999999", Some(99_999_999)),
            ("18446744073709551615", Some(u64::MAX)),
            ("99999999999999999999999", Some(u64::MAX)),
            ("soon", None),
            ("-1", None),
            ("", None),
        ] {
            assert_eq!(retry_after(header, now).map(|time| time.as_secs()), seconds, "{header}");
        }
    }
}
