//! Checks a file against the stored data, and adds notes to its report.
use std::collections::HashMap;

use crate::{
    companies::{self, RegistryEntry, store::stored_registry},
    filings::{
        NewFiling,
        store::{known_filer_name, stored_filing},
        withdrawn::Withdrawal,
    },
    import::{ImportError, Imported, Refusal},
    market::{
        self, CrossedQuote, Quote, Rate, Side, series_definitions::DEFINITIONS, store::MissingDays,
    },
    store::Writer,
    values::{CvmCode, Date, FilingId, Result},
};

/// A registry that lost more than one company in this many was truncated: in a whole year, none disappears.
const MOST_LOST: usize = 20;

/// More than one active company in this many that is no longer active, for each day between the stored registry and this
/// one, is a mistake; so is a fifth of them, however many days that are. In a year one in fifteen changes its status.
const MOST_DEACTIVATED: usize = 20;
const MOST_DAYS: usize = 4;

/// Refuses a registry that is older than the stored one, that lost many companies, or in which many are no longer active.
/// Days after `today` are typing errors, so they are ignored when the age of a registry is determined.
pub(crate) fn check_registry(
    writer: &Writer,
    rows: &[RegistryEntry],
    today: Date,
) -> Result<(), ImportError> {
    let known = companies::store::stored_registry(writer)?;
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
    // How much newer it is by its own events, or at most by the time since the last sync.
    let days_between = |from: Option<Date>, to: Option<Date>| {
        let (from, to) = (from?.day_number(), to?.day_number());
        Some(to.saturating_sub(from).max(1).unsigned_abs() as usize)
    };
    let by_events = days_between(known_until, until).unwrap_or(1);
    let synchronised_on = companies::store::registry_synchronised_on(writer)?;
    let since_sync = days_between(synchronised_on, Some(today)).unwrap_or(usize::MAX);
    check_active(&known, rows, by_events.min(since_sync))
}

/// Refuses a registry in which many companies are no longer active that were so this many days ago.
fn check_active(
    known: &HashMap<CvmCode, RegistryEntry>,
    rows: &[RegistryEntry],
    days: usize,
) -> Result<(), ImportError> {
    let active = known.values().filter(|entry| entry.is_active()).count();
    let was_active =
        |row: &&RegistryEntry| known.get(&row.id).is_some_and(RegistryEntry::is_active);
    let ended = rows.iter().filter(was_active).filter(|row| !row.is_active()).count();
    if ended > 1 && ended * MOST_DEACTIVATED > active * days.min(MOST_DAYS) {
        let since = if days == 1 { "a day".into() } else { format!("{days} days") };
        let reason =
            format!("{ended} of {active} active companies are no longer active after {since}");
        let reason = format!("{reason}; over 5 % a day, or 20 % in all, is too many");
        return Err(ImportError::Doubtful(reason));
    }
    Ok(())
}

/// Refuses a quote whose buying price is above the selling price.
pub(crate) fn check_sides(writer: &Writer, day: CrossedQuote) -> Result<(), ImportError> {
    let Some(CrossedQuote { currency, date, buy, sell }) =
        market::store::find_still_crossed(writer, day)?
    else {
        return Ok(());
    };
    let reason = format!("{currency} on {date} would be bought at {buy} and sold at {sell}");
    Err(Refusal::whole(format!("{reason}, but buying is never dearer")).into())
}

/// The number of days or filings that a sentence names.
const EXAMPLES: usize = 3;

/// Notes which stored figures an answer lacks, and what became of them.
pub(crate) fn note_missing_days(missing: &MissingDays, imported: &mut Imported) {
    let named = |days: &[Date]| {
        let named: Vec<String> = days.iter().take(EXAMPLES).map(Date::to_string).collect();
        let more = if days.len() > EXAMPLES { " …" } else { "" };
        format!("{}{more}", named.join(", "))
    };
    let MissingDays { removed, kept } = missing;
    if !removed.is_empty() {
        let (days, named) = (removed.len(), named(removed));
        imported.notes.push(format!("figures that the source has withdrawn: {days} ({named})"));
    }
    if !kept.is_empty() {
        let (days, named) = (kept.len(), named(kept));
        let note = "stored figures that the answer lacks, which are kept";
        imported.notes.push(format!("{note}: {days} ({named})"));
    }
}

/// Counts filings that are delivered after tomorrow as left out.
pub(crate) fn leave_out_impossible(filings: &[(FilingId, Date)], imported: &mut Imported) {
    let named = filings.iter().take(EXAMPLES).map(|(id, date)| format!("{id} on {date}"));
    let named = named.collect::<Vec<_>>().join(", ");
    let more = if filings.len() > EXAMPLES { " …" } else { "" };
    if !filings.is_empty() {
        let reason = format!("filings that are delivered after tomorrow ({named}{more})");
        imported.left_out.push((filings.len(), reason));
    }
}

/// Why filings that a file lacks are kept.
const NEEDS_FORCE: &str = "only a forced import removes them, because they are over 2 %, or the file is older or an excerpt";

/// Notes how many filings were withdrawn, or kept because they are too many.
pub(crate) fn note_withdrawn(withdrawal: &Withdrawal, imported: &mut Imported) {
    let Withdrawal { tally, kept, stored, .. } = withdrawal;
    if tally.removed > 0 {
        imported.notes.push(format!("filings that CVM has withdrawn: {}", tally.removed));
    }
    if *kept > 0 {
        let lacks = format!("the file lacks {kept} of {stored} stored filings, which are kept");
        imported.notes.push(format!("{lacks}: {NEEDS_FORCE}"));
    }
}

/// Notes how many observations are dated after today.
pub(crate) fn note_future_rates(rows: &[Rate], today: Date, imported: &mut Imported) {
    note_future(rows.iter().filter(|row| row.date > today).count(), imported);
}

/// Notes how many quotes are dated after today.
pub(crate) fn note_future_quotes(rows: &[Quote], today: Date, imported: &mut Imported) {
    note_future(rows.iter().filter(|row| row.date > today).count(), imported);
}

/// Notes how many quotes have one side only.
pub(crate) fn note_one_sided_quotes(
    writer: &Writer,
    rows: &[Quote],
    imported: &mut Imported,
) -> Result<()> {
    // A file of one side is a series, so all rows have the same currency and side.
    let Some(first) = rows.iter().find(|row| row.buy.is_none() || row.sell.is_none()) else {
        return Ok(());
    };
    let days = market::store::count_one_sided(writer, rows)?;
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

/// Completes the entries of a registry that lacks these columns.
pub(crate) fn complete_companies(
    writer: &Writer,
    rows: &mut [RegistryEntry],
    missing: &[&str],
) -> Result<()> {
    if missing.is_empty() {
        return Ok(());
    }
    let stored = stored_registry(writer)?;
    for row in rows {
        let Some(known) = stored.get(&row.id) else { continue };
        for column in missing {
            match *column {
                "DENOM_COMERC" => row.trade_name.clone_from(&known.trade_name),
                "DT_REG" => row.registered_on = known.registered_on,
                "DT_CANCEL" => row.cancelled_on = known.cancelled_on,
                "DT_INI_SIT" => row.status_since = known.status_since,
                "SETOR_ATIV" => row.sector.clone_from(&known.sector),
                _ => (),
            }
        }
    }
    Ok(())
}

/// Completes filings of a table that lacks these columns.
pub(crate) fn complete_filings(
    writer: &Writer,
    filings: &mut [NewFiling<'_>],
    missing: &[&str],
) -> Result<()> {
    if missing.is_empty() {
        return Ok(());
    }
    for filing in filings {
        let known = stored_filing(writer, filing.id)?;
        if filing.company_name.is_empty() {
            let name = match &known {
                Some(known) => Some(known.company_name.clone()),
                None => known_filer_name(writer, filing.company)?,
            };
            filing.company_name = name.unwrap_or_default().into();
        }
        let Some(known) = known else { continue };
        for column in missing {
            match *column {
                "Data_Referencia" | "DT_REFER" => filing.reference_date = known.reference_date,
                "Tipo" => filing.kind = known.r#type.clone().into(),
                "Especie" => filing.species = known.species.clone().into(),
                "Assunto" => filing.subject = known.subject.clone().unwrap_or_default().into(),
                "VERSAO" => filing.version = known.version,
                _ => (),
            }
        }
    }
    Ok(())
}
