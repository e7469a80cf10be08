//! The counts of requests, and the report on them.
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{plans::Plan, types::Date};

/// The outcome of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Admitted, and answered successfully.
    Success,
    /// Admitted, and answered with an error.
    Failure,
    /// Refused by the rate limit.
    RateLimited,
}

/// Numbers of requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Counts {
    /// Admitted requests.
    pub requests: u64,
    /// Admitted requests that ended in an error.
    pub errors: u64,
    /// Requests that the rate limit refused.
    pub rate_limited: u64,
    /// Admitted requests that came by a link. Left out of the JSON if there are none.
    #[serde(skip_serializing_if = "is_zero")]
    pub by_links: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Counts {
    /// One request that ended so.
    pub(super) fn one(outcome: Outcome) -> Counts {
        match outcome {
            Outcome::Success => Counts { requests: 1, ..Counts::default() },
            Outcome::Failure => Counts { requests: 1, errors: 1, ..Counts::default() },
            Outcome::RateLimited => Counts { rate_limited: 1, ..Counts::default() },
        }
    }

    /// Admitted or not.
    pub(super) fn all(self) -> u64 {
        self.requests + self.rate_limited
    }
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, more: Counts) {
        self.requests += more.requests;
        self.errors += more.errors;
        self.rate_limited += more.rate_limited;
        self.by_links += more.by_links;
    }
}

/// The range of a report; by default the last 30 days, up to today. It has all of a summed month or none of it, depending on
/// the first day of the month.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UsageQuery {
    /// The first day.
    pub from: Option<Date>,
    /// The last day.
    pub to: Option<Date>,
}

/// The requests of a key over a range of days.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The prefix of the key and an ellipsis: `fin_AbCdEfGh…`.
    pub key: String,
    /// Its plan.
    pub plan: Plan,
    /// Requests per minute on that plan.
    pub rate_limit: u32,
    /// The first day of the report.
    pub from: Date,
    /// The last day of the report.
    pub to: Date,
    /// The sum over all days.
    pub total: Counts,
    /// The days with requests, newest first.
    pub data: Vec<DayReport>,
}

/// The requests of a key on a day, or in the month that [`sum_by_month`](super::sum_by_month) has summed on its first day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DayReport {
    /// The day, UTC; the first one of a month that was summed.
    pub date: Date,
    /// The sum over all endpoints.
    #[serde(flatten)]
    pub counts: Counts,
    /// Admitted requests by endpoint.
    pub endpoints: BTreeMap<String, u64>,
}
