//! When a failed request is repeated.
use std::time::Duration;

use fincore::chrono::{DateTime, Utc};

use super::failure::{Fault, FaultKind};

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
        FaultKind::Permanent | FaultKind::Skipped | FaultKind::Stopped => None,
        FaultKind::Temporary { wait } => {
            (tries < MOST_TRIES).then(|| backoff().max(wait.unwrap_or_default()))
        }
        FaultKind::Unreachable => (tries < MOST_TRIES).then(backoff),
        FaultKind::Silence => (tries < MOST_SILENT_TRIES).then(backoff),
    }
}

/// The time in a `Retry-After` header: seconds, or a date.
pub(super) fn retry_after(header: &str, now: DateTime<Utc>) -> Option<Duration> {
    let header = header.trim();
    if let Ok(seconds) = header.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let then = DateTime::parse_from_rfc2822(header).ok()?;
    // A date in the past means now.
    Some((then.to_utc() - now).to_std().unwrap_or_default())
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
    fn reads_seconds_and_dates() {
        let now = "2026-11-15T12:00:00Z".parse().unwrap();
        for (header, seconds) in [
            ("7", Some(7)),
            (" 0 ", Some(0)),
            ("Sun, 15 Nov 2026 12:01:00 GMT", Some(60)),
            ("Sun, 15 Nov 2026 11:00:00 GMT", Some(0)),
            ("soon", None),
            ("-1", None),
            ("", None),
        ] {
            assert_eq!(retry_after(header, now).map(|time| time.as_secs()), seconds, "{header}");
        }
    }
}
