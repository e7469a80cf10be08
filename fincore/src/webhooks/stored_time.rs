//! Times as the accounts store them: milliseconds since 1970.
use chrono::{DateTime, Utc};

pub(super) fn to_millis(time: DateTime<Utc>) -> i64 {
    time.timestamp_millis()
}

pub(super) fn from_millis(millis: i64) -> DateTime<Utc> {
    DateTime::from_timestamp_millis(millis).unwrap_or_default()
}
