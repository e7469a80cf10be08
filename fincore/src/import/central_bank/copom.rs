//! The calendar of the monetary policy committee (Copom): the iCalendar file of the central bank's site, or a table
//! `first_day,second_day`.
use crate::{
    import::{Refusal, file_scan},
    market::Meeting,
    values::{Date, Error, day_of},
};

const TABLE: &str = "first_day,second_day";
const CALENDAR: &str = "BEGIN:VCALENDAR";

/// A meeting takes two days that follow one another; more than a week between them is a typing error.
const MOST_DAYS: i32 = 7;

/// The meetings, the oldest first; `None` if it is another kind of file.
pub(crate) fn parse(name: &str, text: &str) -> Result<Option<Vec<Meeting>>, Refusal> {
    let meetings = match text.lines().next().map(str::trim_end) {
        Some(TABLE) => parse_table(text)?,
        Some(CALENDAR) if is_of_copom(name) || is_of_copom(text) => parse_calendar(text)?,
        Some(CALENDAR) => {
            let reason = "this calendar does not name Copom, whose meetings are wanted";
            return Err(Refusal::whole(reason));
        }
        _ => return Ok(None),
    };
    if meetings.is_empty() {
        return Err(Refusal::whole("the calendar has no meetings"));
    }
    Ok(Some(meetings))
}

/// Other calendars of the same site have the same form.
fn is_of_copom(text: &str) -> bool {
    text.to_ascii_lowercase().contains("copom")
}

fn parse_table(text: &str) -> Result<Vec<Meeting>, Refusal> {
    let mut meetings: Vec<Meeting> = Vec::new();
    for (number, line) in file_scan::lines(text)?.skip(1) {
        let meeting = parse_row(line).map_err(|err| Refusal::at(number, err))?;
        let overlaps = |other: &&Meeting| {
            other.first_day <= meeting.second_day && meeting.first_day <= other.second_day
        };
        if let Some(other) = meetings.iter().find(overlaps) {
            let (first, second) = (other.first_day, other.second_day);
            let reason = format!("the meeting overlaps the one of {first} and {second}");
            return Err(Refusal::at(number, reason));
        }
        meetings.push(meeting);
    }
    meetings.sort_by_key(|meeting| meeting.second_day);
    Ok(meetings)
}

fn parse_row(line: &str) -> Result<Meeting, Error> {
    let (first, second) = line.split_once(',').ok_or_else(|| Error::in_file(line, TABLE))?;
    let (first_day, second_day): (Date, Date) = (first.trim().parse()?, second.trim().parse()?);
    let days = second_day.day_number() - first_day.day_number();
    if !(0..MOST_DAYS).contains(&days) {
        return Err(Error::in_file(line, "the first and the second day of a meeting"));
    }
    Ok(Meeting { first_day, second_day })
}

/// One event a day: two days that follow one another are a meeting.
fn parse_calendar(text: &str) -> Result<Vec<Meeting>, Refusal> {
    if !text.lines().any(|line| line.trim_end() == "END:VCALENDAR") {
        return Err(Refusal::whole("the calendar does not end: the file is truncated"));
    }
    let mut days = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if let Some(start) = line.strip_prefix("DTSTART") {
            let day = event_day(start.trim_end());
            let wanted = || Error::in_file(line.trim_end(), "the day of an event");
            days.push(day.ok_or_else(|| Refusal::at(index + 1, wanted()))?);
        }
    }
    days.sort_unstable();
    days.dedup();
    let follows = |one: &Date, next: &Date| one.day_number() + 1 == next.day_number();
    let meeting = |days: &[Date]| match *days {
        [first_day, second_day] => Ok(Meeting { first_day, second_day }),
        [first, ..] => {
            let found = format!("the meeting that begins on {first} has {} days", days.len());
            Err(Refusal::whole(format!("{found}, but meetings take two")))
        }
        [] => Err(Refusal::whole("the calendar has no meetings")),
    };
    days.chunk_by(follows).map(meeting).collect()
}

/// The day of `;VALUE=DATE:20260127`, or of a time such as `:20260127T000000`. It is the day in Brasília: the file has no
/// hours of meetings.
fn event_day(start: &str) -> Option<Date> {
    let (_, value) = start.split_once(':')?;
    let (day, time) = value.split_at_checked(8)?;
    let is_time = time.is_empty() || time.starts_with('T');
    is_time.then(|| day_of(day.get(..4)?, day.get(4..6)?, day.get(6..)?))?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days(text: &str) -> Vec<String> {
        let meetings = parse("copom.ics", text).unwrap().unwrap();
        meetings.iter().map(|day| format!("{} {}", day.first_day, day.second_day)).collect()
    }

    fn calendar(starts: &[&str]) -> String {
        let event = |start: &&str| {
            format!(
                "BEGIN:VEVENT\r\nSUMMARY:Reuni\u{e3}o do Copom\r\nDTSTART{start}\r\nEND:VEVENT\r\n"
            )
        };
        let events: String = starts.iter().map(event).collect();
        format!("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{events}END:VCALENDAR\r\n")
    }

    #[test]
    fn reads_a_table_and_a_calendar() {
        let table =
            "first_day,second_day\r\n2026-03-17,2026-03-18\r\n2026-01-27, 2026-01-28\r\n\r\n";
        let wanted = ["2026-01-27 2026-01-28", "2026-03-17 2026-03-18"];
        assert_eq!(days(table), wanted);
        let file = calendar(&[
            ";VALUE=DATE:20260318",
            ";TZID=America/Sao_Paulo:20260317T000000",
            ":20260127T030000Z",
            ":20260128",
        ]);
        assert_eq!(days(&file), wanted);
        assert_eq!(parse("copom.csv", "data;valor\n"), Ok(None));
    }

    #[test]
    fn refuses_what_is_no_calendar_of_meetings() {
        let row = |row: &str| format!("first_day,second_day\n2026-01-27,2026-01-28\n{row}\n");
        let cases = [
            (row("2026-03-17"), Some(3), "\"2026-03-17\" is not first_day,second_day"),
            (row("2026-03-18,2026-03-17"), Some(3), "is not the first and the second day"),
            (row("2026-03-17,2026-04-18"), Some(3), "is not the first and the second day"),
            (row("17/03/2026,18/03/2026"), Some(3), "is not a date"),
            (row("2026-01-28,2026-01-29"), Some(3), "overlaps the one of 2026-01-27"),
            ("first_day,second_day\n".into(), None, "no meetings"),
            ("first_day,second_day\n2026-01-27,2026-01-28".into(), Some(2), "truncated"),
            (calendar(&[]), None, "no meetings"),
            (calendar(&[":20260127"]), None, "has 1 days, but meetings take two"),
            (calendar(&[":20260132"]), Some(5), "is not the day of an event"),
            (calendar(&[":2026é"]), Some(5), "is not the day of an event"),
            (calendar(&[":20260127"]).replace("END:VCALENDAR", ""), None, "truncated"),
        ];
        for (text, line, reason) in cases {
            let refusal = parse("copom", &text).unwrap_err();
            assert_eq!(refusal.line, line, "{refusal:?}");
            assert!(refusal.reason.contains(reason), "{refusal:?} lacks {reason}");
        }
        let holidays = calendar(&[":20260127", ":20260128"]).replace("Copom", "feriados");
        assert!(parse("holidays.ics", &holidays).unwrap_err().reason.contains("Copom"));
    }
}
