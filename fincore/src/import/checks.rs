//! Checks a file against the stored data, and adds notes to its report.
use super::{
    import_error::{ImportError, Refusal},
    imported::Imported,
};
use crate::{
    catalogue::Writer,
    companies::store::{self as companies, RegistryEntry},
    error::Result,
    market::{
        Rate,
        series_definitions::{DEFINITIONS, Side},
        store::{self, CrossedQuote, Quote},
    },
    types::Date,
};

/// A registry that lost more than one company in this many was truncated: in a whole year, none disappears.
const MOST_LOST: usize = 20;

/// Refuses a registry that is older than the stored one, or that lost many companies. Days after `today` are typing
/// errors, so they are ignored when the age of a registry is determined.
pub(super) fn check_registry(
    writer: &Writer,
    rows: &[RegistryEntry],
    today: Date,
) -> Result<(), ImportError> {
    let known = companies::stored_registry(writer)?;
    let newest = |day: Option<Date>| day.map_or("an unknown day".into(), |day| day.to_string());
    let event = |entry: &RegistryEntry| entry.newest_event_until(today);
    let known_until = known.values().filter_map(event).max();
    let until = rows.iter().filter_map(event).max();
    let lost = known.len() - rows.iter().filter(|row| known.contains_key(&row.id)).count();
    if until < known_until {
        let (until, known_until) = (newest(until), newest(known_until));
        let reason = format!("the registry ends on {until}, the known one on {known_until}");
        return Err(ImportError::Doubtful(reason));
    }
    if lost * MOST_LOST > known.len() {
        let reason = format!("{lost} of {} known companies are missing", known.len());
        return Err(ImportError::Doubtful(reason));
    }
    Ok(())
}

/// Refuses a quote whose buying price is above the selling price.
pub(super) fn check_sides(writer: &Writer, day: CrossedQuote) -> Result<(), ImportError> {
    let Some(CrossedQuote { currency, date, buy, sell }) = store::find_still_crossed(writer, day)?
    else {
        return Ok(());
    };
    let reason = format!("{currency} on {date} would be bought at {buy} and sold at {sell}");
    Err(Refusal::whole(format!("{reason}, but buying is never dearer")).into())
}

/// Notes how many observations are dated after today.
pub(super) fn note_future_rates(rows: &[Rate], today: Date, imported: &mut Imported) {
    note_future(rows.iter().filter(|row| row.date > today).count(), imported);
}

/// Notes how many quotes are dated after today, and how many have one side only.
pub(super) fn note_incomplete_quotes(
    writer: &Writer,
    rows: &[Quote],
    today: Date,
    imported: &mut Imported,
) -> Result<()> {
    note_future(rows.iter().filter(|row| row.date > today).count(), imported);
    // A file of one side is a series, so all rows have the same currency and side.
    let Some(first) = rows.iter().find(|row| row.buy.is_none() || row.sell.is_none()) else {
        return Ok(());
    };
    let days = store::count_one_sided(writer, rows)?;
    let side = if first.buy.is_some() { Side::Buy } else { Side::Sell };
    let series = DEFINITIONS.iter().find(|series| series.quote == Some((first.currency, side)));
    if let (1.., Some(series)) = (days, series) {
        let served = format!("served as the series {} until the other side is there", series.name);
        imported.notes.push(match days {
            1 => format!("1 day has only one side; it is {served}"),
            _ => format!("{days} days have only one side; they are {served}"),
        });
    }
    Ok(())
}

fn note_future(days: usize, imported: &mut Imported) {
    match days {
        0 => (),
        1 => imported.notes.push("1 day after today is kept, and served when it comes".into()),
        _ => {
            let note = format!("{days} days after today are kept, and served when they come");
            imported.notes.push(note);
        }
    }
}
