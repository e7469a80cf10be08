//! Holes: figures that are missing between those that are held. Charts, the status and synchronising share the rule.
use crate::{
    answers::Span,
    calendar::{self, PublicationSchedule},
    market::{
        Rhythm, Side,
        freshness::{day_after, schedule_of_day, usual_gap},
        quotes,
        series::Series,
        series_definitions::{DEFINITIONS, SELIC, TJLP, definition},
    },
    store::Snapshot,
    values::{Currency, Date, Decimal, Pair, Result},
};

/// Whose figures are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figures {
    /// Those of the series of SGS with this number, as published.
    Series(u32),
    /// The closing quotes of a currency, with both sides.
    Quotes(Currency),
}

/// The calendar of business days is exact since this year. Before, up to [`MOST_TOLERATED`] days in a row may be holidays
/// that it does not know.
const EXACT_SINCE: u16 = 1991;
const MOST_TOLERATED: i32 = 5;

/// How many figures are missing between two neighbours, by the rhythm of their series.
#[must_use]
pub fn missing_between(rhythm: Rhythm, earlier: Date, later: Date) -> i32 {
    match rhythm {
        Rhythm::Daily => (later.day_number() - earlier.day_number() - 1).max(0),
        Rhythm::BusinessDays if later.day_number() - earlier.day_number() == 1 => 0,
        Rhythm::BusinessDays => {
            // The count includes the earlier day.
            calendar::count(earlier, later) - i32::from(calendar::is_business_day(earlier))
        }
        Rhythm::Monthly => {
            let month = |date: Date| i32::from(date.year()) * 12 + i32::from(date.month());
            (month(later) - month(earlier) - 1).max(0)
        }
    }
}

/// The holes between the first and the newest figure that is published, up to the snapshot's date, oldest first. None if the
/// rhythm of the figures is not known.
pub fn holes(snapshot: &Snapshot, figures: Figures) -> Result<Vec<Span>> {
    let Some(rhythm) = rhythm(figures) else { return Ok(Vec::new()) };
    Ok(between(rhythm, &published_days(snapshot, figures)?))
}

/// The holes within a window of days that are past, up to its end. Days before the first published figure are none.
pub fn holes_within(
    snapshot: &Snapshot,
    figures: Figures,
    first: Date,
    last: Date,
) -> Result<Vec<Span>> {
    let Some(rhythm) = rhythm(figures) else { return Ok(Vec::new()) };
    let mut days = published_days(snapshot, figures)?;
    days.retain(|day| *day <= last);
    if days.is_empty() {
        return Ok(Vec::new());
    }
    // As if the day after the window had a figure.
    days.extend(Date::from_day_number(last.day_number() + 1));
    let mut holes = between(rhythm, &days);
    holes.retain(|hole| hole.to >= first);
    Ok(holes)
}

/// The holes of all series in the catalogue as answers have them, with computed figures: by number, without those that have
/// none. Reads the days of all observations.
pub(crate) fn of_all_series(snapshot: &Snapshot) -> Result<Vec<(u32, Vec<Span>)>> {
    const SQL: &str = "SELECT date FROM rate WHERE series = ?1 AND date <= ?2 ORDER BY date";
    let mut all = Vec::new();
    for number in DEFINITIONS.iter().map(|series| series.number) {
        let Some(rhythm) = rhythm(Figures::Series(number)) else { continue };
        let today = snapshot.today();
        let holes = between(rhythm, &snapshot.rows(SQL, (number, today), |row| row.get(0))?);
        if !holes.is_empty() {
            all.push((number, holes));
        }
    }
    Ok(all)
}

/// The rhythm by which figures are complete; `None` if too little is known of it: savings and the TR have days without one.
pub(crate) fn rhythm(figures: Figures) -> Option<Rhythm> {
    match figures {
        Figures::Quotes(_) => Some(Rhythm::BusinessDays),
        Figures::Series(number) => match definition(number)?.rhythm {
            Rhythm::Daily if number != SELIC => None,
            known => Some(known),
        },
    }
}

fn published_days(snapshot: &Snapshot, figures: Figures) -> Result<Vec<Date>> {
    const RATE: &str = "SELECT date FROM rate WHERE series = ?1 AND date <= ?2 AND computed = 0
        ORDER BY date";
    const BUY: &str = "SELECT date FROM fx WHERE currency = ?1 AND date <= ?2 AND buy IS NOT NULL
        ORDER BY date";
    const SELL: &str = "SELECT date FROM fx WHERE currency = ?1 AND date <= ?2 AND sell IS NOT NULL
        ORDER BY date";
    const BOTH: &str = "SELECT date FROM fx WHERE currency = ?1 AND date <= ?2
        AND buy IS NOT NULL AND sell IS NOT NULL ORDER BY date";
    let today = snapshot.today();
    let quotes = |sql: &'static str, currency: Currency| {
        snapshot.rows(sql, (currency, today), |row| row.get(0))
    };
    match figures {
        Figures::Quotes(currency) => quotes(BOTH, currency),
        Figures::Series(number) => match definition(number).and_then(|series| series.quote) {
            Some((currency, Side::Buy)) => quotes(BUY, currency),
            Some((currency, Side::Sell)) => quotes(SELL, currency),
            None => snapshot.rows(RATE, (number, today), |row| row.get(0)),
        },
    }
}

/// The holes between neighbours among days that are in order.
fn between(rhythm: Rhythm, days: &[Date]) -> Vec<Span> {
    let hole = |pair: &[Date]| {
        let (earlier, later) = (pair[0], pair[1]);
        let tolerated = match rhythm {
            Rhythm::BusinessDays if earlier.year() < EXACT_SINCE => MOST_TOLERATED,
            Rhythm::BusinessDays | Rhythm::Daily | Rhythm::Monthly => 0,
        };
        if missing_between(rhythm, earlier, later) <= tolerated {
            return None;
        }
        let day = |number| Date::from_day_number(number);
        let (from, to) = match rhythm {
            Rhythm::Daily => (day(earlier.day_number() + 1)?, day(later.day_number() - 1)?),
            Rhythm::BusinessDays => (calendar::next(earlier)?, calendar::previous(later)?),
            Rhythm::Monthly => {
                let last = Date::new(earlier.year(), earlier.month(), 28)?.day_number();
                // Four days after the 28th are always in the next month.
                (
                    day(last + 4)?.first_of_month(),
                    later.first_of_month().days_before(1).first_of_month(),
                )
            }
        };
        Some(Span { from, to })
    };
    days.windows(2).filter_map(hole).collect()
}

/// No series of the central bank begins earlier.
const FIRST_DAY: Date = Date::new(1900, 1, 1).expect("a day of January");

/// How many days after today a figure may be dated. The Selic target is known up to the next meeting of Copom, at most some
/// 60 days; a figure of next month may be published by mistake, and is not served before its day.
const DAYS_AHEAD: i32 = 70;

/// The TJLP is set for a quarter, up to a month before it begins.
const TJLP_DAYS_AHEAD: i32 = 130;

/// Series that are not known may be forecasts.
const UNKNOWN_DAYS_AHEAD: i32 = 366;

/// Says which of these days is impossible for a series, if any is; `None` as the series means quotes.
pub(crate) fn doubt_days(
    series: Option<u32>,
    days: impl Iterator<Item = Date>,
    today: Date,
) -> Option<String> {
    let known = series.and_then(definition);
    let first = known.map_or(FIRST_DAY, |definition| definition.since);
    let ahead = match series {
        None | Some(SELIC) => DAYS_AHEAD,
        Some(TJLP) => TJLP_DAYS_AHEAD,
        Some(_) if known.is_some() => DAYS_AHEAD,
        Some(_) => UNKNOWN_DAYS_AHEAD,
    };
    let last = today.day_number().saturating_add(ahead);
    let what = series.map_or("a quote".to_owned(), |series| format!("SGS {series}"));
    for day in days {
        if day < first {
            return Some(format!("{what} is dated {day}, but begins on {first} at the earliest"));
        }
        if day.day_number() > last {
            return Some(format!("{what} is dated {day}, more than {ahead} days after today"));
        }
    }
    None
}

/// One side of a closing quote whose other side is not held.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct NewerSide {
    /// The side.
    pub side: Side,
    /// The name of the series that has it.
    pub series: &'static str,
    /// The newest day.
    pub date: Date,
    /// The price on it.
    pub value: Decimal,
}

/// The sides of a pair that are held for newer days than its newest quote, which has both sides.
///
/// ```
/// # let dir = tempfile::tempdir().unwrap();
/// # let catalogue = fincore::bundle::filled_copy(dir.path())?;
/// let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;
/// let newer = fincore::market::newer_sides(&snapshot, "USD/BRL".parse()?)?;
/// assert_eq!((newer[0].series, newer[0].value.to_string()), ("usd-sell", "4.9859".to_owned()));
/// # Ok::<(), fincore::Error>(())
/// ```
pub fn newer_sides(snapshot: &Snapshot, pair: Pair) -> Result<Vec<NewerSide>> {
    let mut newer = Vec::new();
    if pair.quote != Currency::BRL {
        return Ok(newer);
    }
    let newest = quotes::newest_day(snapshot, pair)?;
    for definition in DEFINITIONS.iter() {
        let Some((_, side)) = definition.quote.filter(|(currency, _)| *currency == pair.base)
        else {
            continue;
        };
        let rate = Series::from(definition.number).newest(snapshot)?;
        if let Some(rate) = rate.filter(|rate| newest.is_none_or(|newest| rate.date > newest)) {
            let (series, date, value) = (definition.name, rate.date, rate.value);
            newer.push(NewerSide { side, series, date, value });
        }
    }
    Ok(newer)
}

/// The day by which the observation after the newest one of a series should be published; `None` where that is not known,
/// or where values are published ahead. A day that has passed means that the copy is stale.
pub fn next_due(snapshot: &Snapshot, number: u32) -> Result<Option<Date>> {
    let Some(newest) = Series::from(number).newest(snapshot)? else { return Ok(None) };
    let next = day_after(newest.date);
    let Some(schedule) = schedule_of_day(snapshot, number, next)? else { return Ok(None) };
    let due = schedule.due_after(newest.date);
    Ok(due.filter(|due| schedule != PublicationSchedule::Ahead || *due <= snapshot.today()))
}

/// The day by which the closing quote after the newest one of a pair should be published.
pub fn next_quote_due(snapshot: &Snapshot, pair: Pair) -> Result<Option<Date>> {
    let newest = quotes::newest_day(snapshot, pair)?;
    Ok(newest.and_then(|newest| PublicationSchedule::SameDay.due_after(newest)))
}

/// The gap between figures of a series that has too few to tell: the longest of those that the central bank publishes often.
const UNKNOWN_GAP: u32 = 31;

/// The day by which a figure of a series should have been published.
pub(crate) fn published_by(snapshot: &Snapshot, number: u32, day: Date) -> Result<Date> {
    let schedule = match schedule_of_day(snapshot, number, day)? {
        Some(schedule) => schedule,
        None => PublicationSchedule::Gaps(usual_gap(snapshot, number)?.unwrap_or(UNKNOWN_GAP)),
    };
    Ok(schedule.due_after(day.days_before(1)).unwrap_or(day))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Date {
        text.parse().unwrap()
    }

    fn check(rhythm: Rhythm, days: &[&str], wanted: &[(&str, &str)]) {
        let days: Vec<Date> = days.iter().map(|text| day(text)).collect();
        let found: Vec<(Date, Date)> =
            between(rhythm, &days).iter().map(|hole| (hole.from, hole.to)).collect();
        let wanted: Vec<(Date, Date)> =
            wanted.iter().map(|(from, to)| (day(from), day(to))).collect();
        assert_eq!(found, wanted, "{days:?}");
    }

    #[test]
    fn finds_what_is_missing_by_the_rhythm() {
        use Rhythm::{BusinessDays, Daily, Monthly};
        // Carnival is no hole; the Thursday after it is.
        check(
            BusinessDays,
            &["2026-02-13", "2026-02-18", "2026-02-20"],
            &[("2026-02-19", "2026-02-19")],
        );
        check(BusinessDays, &["2025-12-31", "2026-07-01"], &[("2026-01-02", "2026-06-30")]);
        check(Daily, &["2026-02-13", "2026-02-14", "2026-02-16"], &[("2026-02-15", "2026-02-15")]);
        check(
            Monthly,
            &["2025-12-01", "2026-01-01", "2026-04-01"],
            &[("2026-02-01", "2026-03-01")],
        );
        check(Monthly, &["2026-01-01"], &[]);
        // The calendar does not know every holiday of those years.
        check(BusinessDays, &["1988-10-07", "1988-10-11"], &[]);
        check(BusinessDays, &["1988-10-07", "1988-11-11"], &[("1988-10-10", "1988-11-10")]);
    }

    #[test]
    fn savings_and_the_tr_have_days_without_a_figure() {
        for (number, known) in
            [(432, true), (12, true), (433, true), (226, false), (195, false), (9999, false)]
        {
            assert_eq!(rhythm(Figures::Series(number)).is_some(), known, "{number}");
        }
    }

    #[test]
    fn the_published_histories_have_no_holes_but_windows_may_end_early() {
        let dir = tempfile::tempdir().unwrap();
        let catalogue = crate::import::bundle::filled_copy(dir.path()).unwrap();
        let snapshot = catalogue.snapshot(day("2026-11-15")).unwrap();
        for number in [12, 433, 10813, 1] {
            assert!(holes(&snapshot, Figures::Series(number)).unwrap().is_empty(), "{number}");
        }
        // Some days of the Selic were carried: answers have them, but they are not published figures.
        assert_eq!(of_all_series(&snapshot).unwrap(), []);
        assert_eq!(holes(&snapshot, Figures::Series(432)).unwrap().len(), 2);
        let within = |first, last| {
            let holes =
                holes_within(&snapshot, Figures::Series(12), day(first), day(last)).unwrap();
            holes.iter().map(|hole| (hole.from, hole.to)).collect::<Vec<_>>()
        };
        assert!(within("2017-01-01", "2025-12-31").is_empty());
        // The bundled CDI begins in June 1994 and ends in September 2026.
        assert!(within("1986-03-06", "1994-12-31").is_empty());
        assert_eq!(within("2026-01-01", "2026-09-30"), [(day("2026-09-04"), day("2026-09-30"))]);
    }
}

#[cfg(test)]
mod possible_days_tests {
    use super::*;

    #[test]
    fn doubts_days_that_a_series_cannot_have() {
        let today: Date = "2026-11-15".parse().unwrap();
        let doubt = |series, day: &str| {
            doubt_days(series, [today, day.parse().unwrap()].into_iter(), today)
        };
        let possible = [
            (Some(433), "1980-01-01"),
            (Some(433), "2026-12-01"),
            (Some(432), "2027-01-20"),
            (Some(256), "2027-03-01"),
            (Some(7777), "1900-01-01"),
            (Some(7777), "2027-11-01"),
            (None, "2026-11-16"),
        ];
        for (series, day) in possible {
            assert_eq!(doubt(series, day), None, "{series:?} {day}");
        }
        let impossible = [
            (
                Some(433),
                "0001-01-01",
                "SGS 433 is dated 0001-01-01, but begins on 1980-01-01 at the earliest",
            ),
            (Some(433), "2099-01-01", "SGS 433 is dated 2099-01-01, more than 70 days after today"),
            (
                Some(256),
                "2027-04-01",
                "SGS 256 is dated 2027-04-01, more than 130 days after today",
            ),
            (
                Some(7777),
                "1899-12-31",
                "SGS 7777 is dated 1899-12-31, but begins on 1900-01-01 at the earliest",
            ),
            (None, "2027-02-01", "a quote is dated 2027-02-01, more than 70 days after today"),
        ];
        for (series, day, said) in impossible {
            assert_eq!(doubt(series, day).as_deref(), Some(said));
        }
    }
}
