//! The time that calls wait for the accounts, and the error after it.
use std::time::Duration;

use crate::{deadline::WaitBudget, error::Error};

/// For other programs and other threads together. Reading and writing take milliseconds, so
/// it is better to fail with "try again" than to keep a request waiting.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// The budget of a call that begins now.
pub(crate) fn call_budget() -> WaitBudget {
    WaitBudget::new(MAX_WAIT)
}

/// The error of a call whose budget is used up.
pub(crate) fn busy_error() -> Error {
    Error::Busy("others keep the accounts in use".to_owned())
}
