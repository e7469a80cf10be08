//! Business days: [`fincore::calendar`].
use fincore::calendar::{self, BusinessDaysQuery, DayQuery};

use super::{NONE, queries};
pub use crate::answers::calendar::*;

queries! { "calendar":
    /// The business days of a range.
    business_days(query: BusinessDaysQuery) -> BusinessDays =
        calendar::business_days, "/api/v1/calendar/business-days", NONE;
    /// A day with its neighbours and holiday.
    day(query: DayQuery) -> Day = calendar::day, "/api/v1/calendar/{date}", NONE;
}
