//! What a file must agree with in the data that is stored, and what is told about what it brings.
use super::{rows::Imported, text::Refusal, trouble::Trouble};
use crate::{
    catalogue::Writer,
    companies::store::{self as companies, RegistryEntry},
    error::Result,
    market::{
        Rate,
        known::{KNOWN, Side},
        store::{self, Crossed, Quote},
    },
    types::Date,
};

/// A registry that lost more than one company in this many was truncated: in a whole year none
/// disappears.
const MOST_LOST: usize = 20;

/// Doubts a registry that is older than the stored one, or that lost many companies. Days after `today` are
/// typing errors, and do not tell how old a registry is.
pub(super) fn registry(
    writer: &Writer,
    rows: &[RegistryEntry],
    today: Date,
) -> Result<(), Trouble> {
    let known = companies::known(writer)?;
    let newest = |day: Option<Date>| day.map_or("an unknown day".into(), |day| day.to_string());
    let event = |entry: &RegistryEntry| entry.newest_event_until(today);
    let known_until = known.values().filter_map(event).max();
    let until = rows.iter().filter_map(event).max();
    let lost = known.len() - rows.iter().filter(|row| known.contains_key(&row.id)).count();
    if until < known_until {
        let (until, known_until) = (newest(until), newest(known_until));
        let reason = format!("the registry ends on {until}, the known one on {known_until}");
        return Err(Trouble::Doubtful(reason));
    }
    if lost * MOST_LOST > known.len() {
        let reason = format!("{lost} of {} known companies are missing", known.len());
        return Err(Trouble::Doubtful(reason));
    }
    Ok(())
}

/// Refuses a quote whose buying price is above the selling price.
pub(super) fn sides(writer: &Writer, day: Crossed) -> Result<(), Trouble> {
    let Some(Crossed { currency, date, buy, sell }) = store::still_crossed(writer, day)? else {
        return Ok(());
    };
    let reason = format!("{currency} on {date} would be bought at {buy} and sold at {sell}");
    Err(Refusal::whole(format!("{reason}, but buying is never dearer")).into())
}

/// Tells how many observations lie after today.
pub(super) fn tell_of_rates(rows: &[Rate], today: Date, imported: &mut Imported) {
    tell_of_future(rows.iter().filter(|row| row.date > today).count(), imported);
}

/// Tells how many quotes lie after today, and how many have one side only.
pub(super) fn tell_of_quotes(
    writer: &Writer,
    rows: &[Quote],
    today: Date,
    imported: &mut Imported,
) -> Result<()> {
    tell_of_future(rows.iter().filter(|row| row.date > today).count(), imported);
    // A file of one side is a series, so all rows have the same currency and side.
    let Some(first) = rows.iter().find(|row| row.buy.is_none() || row.sell.is_none()) else {
        return Ok(());
    };
    let days = store::one_sided(writer, rows)?;
    let side = if first.buy.is_some() { Side::Buy } else { Side::Sell };
    let series = KNOWN.iter().find(|known| known.quote == Some((first.currency, side)));
    if let (1.., Some(series)) = (days, series) {
        let served = format!("served as the series {} until the other side is there", series.name);
        imported.notes.push(match days {
            1 => format!("1 day has only one side; it is {served}"),
            _ => format!("{days} days have only one side; they are {served}"),
        });
    }
    Ok(())
}

fn tell_of_future(days: usize, imported: &mut Imported) {
    match days {
        0 => (),
        1 => imported.notes.push("1 day after today is kept, and served when it comes".into()),
        _ => {
            let note = format!("{days} days after today are kept, and served when they come");
            imported.notes.push(note);
        }
    }
}
