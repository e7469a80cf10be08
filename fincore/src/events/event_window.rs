//! How old what comes in may be and still be an event.
use chrono::{DateTime, Utc};

use crate::types::Date;

/// For how many days after its publication something that comes in makes an event. What is older when it comes in, such as
/// the filings of 2010, is in the data and in the change log, but makes no event.
///
/// The publication is compared with the time at which a change came in, not with the time at which its event is read: so an
/// event does not vanish while clients read the log. Figures and filings that are new are published on the day that their
/// source names, or by which it should have published them; companies, and figures that changed, when they come in.
///
/// ```
/// use fincore::events::EventWindow;
///
/// assert_eq!(EventWindow::default(), EventWindow::days(30));
/// assert_eq!(EventWindow::days(0), EventWindow::ALL);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventWindow {
    days: u32,
}

impl EventWindow {
    /// Everything that comes in is an event, however old it is.
    pub const ALL: EventWindow = EventWindow { days: 0 };

    /// This many days; 0 for [`EventWindow::ALL`].
    #[must_use]
    pub const fn days(days: u32) -> EventWindow {
        EventWindow { days }
    }

    /// Whether what was published on this day is an event if it came in at this time.
    pub(crate) fn includes(self, published: Date, came_in: DateTime<Utc>) -> bool {
        self == EventWindow::ALL || published >= Date::in_brasilia(came_in).days_before(self.days)
    }
}

impl Default for EventWindow {
    /// 30 days.
    fn default() -> EventWindow {
        EventWindow::days(30)
    }
}

impl std::fmt::Display for EventWindow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.days)
    }
}
