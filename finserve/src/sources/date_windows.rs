//! Windows of days to ask publishers for.
use fincore::{
    Date, Span,
    chrono::{NaiveDate, TimeDelta},
};

/// A first and a last day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    pub(super) first: Date,
    pub(super) last: Date,
}

impl Window {
    pub(super) fn includes(self, other: Window) -> bool {
        self.first <= other.first && other.last <= self.last
    }

    /// Its two halves, each of whole calendar years; `None` if it lies within one.
    pub(super) fn halves(self) -> Option<[Window; 2]> {
        let years = self.last.year() - self.first.year() + 1;
        let middle = Date::new(self.first.year() + years / 2, 1, 1).filter(|_| years > 1)?;
        let first = Window { first: self.first, last: middle.days_before(1) };
        Some([first, Window { first: middle, last: self.last }])
    }
}

/// The days from `first` up to the day before `end`, in windows of at most `years` calendar years, oldest first.
pub(super) fn windows(first: Date, end: Date, years: u16) -> Vec<Window> {
    let mut windows = Vec::new();
    let mut first = first;
    while first < end {
        let next = Date::new(first.year() + years, 1, 1).unwrap_or(Date::MAX).min(end);
        windows.push(Window { first, last: next.days_before(1) });
        first = next;
    }
    windows
}

/// The calendar years with holes, up to the day before `end`, in windows of at most `years` of them, oldest first. So two
/// requests for one hole are the same, even if a part of it was filled.
pub(super) fn windows_with_holes(holes: &[Span], end: Date, years: u16) -> Vec<Window> {
    let mut spans: Vec<(Date, Date)> = Vec::new();
    for hole in holes.iter().filter(|hole| hole.from < end) {
        let next = Date::new(hole.to.year() + 1, 1, 1).unwrap_or(Date::MAX).min(end);
        match spans.last_mut() {
            Some((_, last)) if *last >= year_start(hole.from) => *last = next.max(*last),
            _ => spans.push((year_start(hole.from), next)),
        }
    }
    spans.iter().flat_map(|(first, end)| windows(*first, *end, years)).collect()
}

/// 1 January of the year of this day.
pub(super) fn year_start(day: Date) -> Date {
    Date::new(day.year(), 1, 1).unwrap_or(day)
}

/// The first day of the quarter of this day.
pub(super) fn quarter_start(day: Date) -> Date {
    Date::new(day.year(), (day.month() - 1) / 3 * 3 + 1, 1).unwrap_or(day)
}

/// Every day from `first` to `last`.
pub(super) fn days(first: Date, last: Date) -> impl Iterator<Item = Date> {
    let day = |day: &NaiveDate| day.checked_add_signed(TimeDelta::days(1));
    std::iter::successors(Some(NaiveDate::from(first)), day)
        .map_while(|day| Date::try_from(day).ok())
        .take_while(move |day| *day <= last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Date {
        text.parse().unwrap()
    }

    #[test]
    fn windows_cover_each_day_once() {
        let shown = |first, end, years| {
            let windows = windows(day(first), day(end), years).into_iter();
            windows.map(|window| format!("{} {}", window.first, window.last)).collect::<Vec<_>>()
        };
        assert_eq!(
            shown("1994-07-01", "2026-01-01", 9),
            [
                "1994-07-01 2002-12-31",
                "2003-01-01 2011-12-31",
                "2012-01-01 2020-12-31",
                "2021-01-01 2025-12-31"
            ]
        );
        assert_eq!(
            shown("2025-07-31", "2026-04-01", 1),
            ["2025-07-31 2025-12-31", "2026-01-01 2026-03-31"]
        );
        assert!(shown("2026-01-01", "2026-01-01", 9).is_empty());
        assert!(shown("2026-02-01", "2026-01-01", 9).is_empty());
        assert_eq!(shown("9998-01-01", "9999-12-31", 9), ["9998-01-01 9999-12-30"]);
    }

    #[test]
    fn finds_where_year_and_quarter_begin() {
        assert_eq!(year_start(day("2026-11-15")), day("2026-01-01"));
        for (given, start) in [
            ("2026-11-15", "2026-10-01"),
            ("2026-03-31", "2026-01-01"),
            ("2026-04-01", "2026-04-01"),
        ] {
            assert_eq!(quarter_start(day(given)), day(start));
        }
    }

    #[test]
    fn both_ends_are_included() {
        assert_eq!(days(day("2026-10-19"), day("2026-10-25")).count(), 7);
        assert_eq!(days(day("9999-12-30"), Date::MAX).count(), 2);
    }
}
