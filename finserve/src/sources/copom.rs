//! The calendar of the monetary policy committee (Copom), as the central bank's site exports it.
use super::{
    publisher_address::BaseUrl,
    request::{Absence, Publisher, Repeat, Request},
};

/// The request for the calendar: iCalendar, an event for each day of a meeting, this year and the next. The site offers it
/// as a download; it is no documented service, so an answer of another form is refused, and what is stored stays.
pub(super) fn calendar(base: &BaseUrl) -> Request {
    let path = "/api/exportarics/sitebcb/agendaics?lista=Reuni%C3%B5es%20do%20Copom";
    Request {
        publisher: Publisher::Site,
        url: base.join(path),
        file: "copom.ics".into(),
        what: "calendar of Copom meetings".into(),
        days: None,
        absence: Absence::Failure,
        repeat: Repeat::Always,
    }
}
