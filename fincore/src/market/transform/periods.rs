//! Weeks, months, quarters and years.
use super::{nature::Nature, parameters::Frequency};
use crate::{calendar, market::Rhythm, types::Date};

impl Frequency {
    /// The first day of the period that a day belongs to.
    pub(super) fn start(self, day: Date) -> Date {
        let month = day.month();
        match self {
            // Day 1 of the calendar was a Monday.
            Frequency::Week => {
                Date::from_day_number((day.day_number() - 1) / 7 * 7 + 1).unwrap_or(Date::MIN)
            }
            Frequency::Month => day.first_of_month(),
            Frequency::Quarter => first_of(day.year(), (month - 1) / 3 * 3 + 1),
            Frequency::Year => first_of(day.year(), 1),
        }
    }

    /// The first day of the period after the one that begins on a day.
    fn next(self, start: Date) -> Date {
        let months = match self {
            Frequency::Week => {
                return Date::from_day_number(start.day_number() + 7).unwrap_or(Date::MAX);
            }
            Frequency::Month => 1,
            Frequency::Quarter => 3,
            Frequency::Year => 12,
        };
        start.months_after(months)
    }

    /// The first day of the same period a year earlier. A year has no whole number of weeks: 52 weeks earlier.
    pub(super) fn year_earlier(self, start: Date) -> Option<Date> {
        match self {
            Frequency::Week => Date::from_day_number(start.day_number() - 52 * 7),
            Frequency::Month | Frequency::Quarter | Frequency::Year => year_before(start),
        }
    }

    /// Whether the period that begins on a day has ended for a series whose newest observation is this.
    pub(super) fn has_ended(self, start: Date, nature: &Nature, newest: Date) -> bool {
        let last = self.next(start).days_before(1);
        let needed = match nature.rhythm {
            Rhythm::Daily => last,
            Rhythm::BusinessDays if calendar::is_business_day(last) => last,
            Rhythm::BusinessDays => calendar::previous(last).unwrap_or(last),
            Rhythm::Monthly => last.first_of_month(),
        };
        newest >= needed
    }
}

/// The same day of the year before, if that year has it.
pub(super) fn year_before(day: Date) -> Option<Date> {
    Date::new(day.year().checked_sub(1)?, day.month(), day.day())
}

fn first_of(year: u16, month: u8) -> Date {
    Date::new(year, month, 1).unwrap_or(Date::MIN)
}
