//! Records which files of filings were seen whole.
use std::collections::BTreeMap;

use roaring::RoaringTreemap;

use super::new_filing::NewFiling;
use crate::{
    catalogue::Writer,
    error::Result,
    types::{Date, Form, first_key, last_key},
};

/// What a file has of one form and year, as far as it was read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FileExtent {
    /// The numbers of its filings.
    pub(super) ids: RoaringTreemap,
    first: Date,
    pub(super) last: Date,
}

/// What files have, by form and year.
#[derive(Debug, Default)]
pub(crate) struct FileExtents(BTreeMap<(Form, u16), FileExtent>);

/// The fewest filings that a whole file has.
#[cfg(feature = "import")]
const FEWEST: u64 = 10;

/// Of so many hundredths of the stored filings a file may know nothing and still be whole: CVM withdraws a few.
#[cfg(feature = "import")]
const WITHDRAWN: u64 = 2;

impl FileExtents {
    /// Adds a filing. CVM's files have the event documents that were delivered in a year, and the periodic forms about it.
    pub(super) fn add(&mut self, filing: &NewFiling<'_>) {
        let (form, date) = (filing.id.form(), filing.date);
        let year = match form {
            Form::Ipe => date,
            Form::Dfp | Form::Itr | Form::Fre | Form::Fca => filing.reference_date.unwrap_or(date),
        };
        let new = || FileExtent { ids: RoaringTreemap::new(), first: date, last: date };
        let extent = self.0.entry((form, year.year())).or_insert_with(new);
        extent.ids.insert(filing.id.number());
        extent.first = extent.first.min(date);
        extent.last = extent.last.max(date);
    }

    /// The form and year of which a file has most filings. Others are there because a day was mistyped.
    #[cfg(feature = "import")]
    pub(super) fn largest(&self) -> Option<((Form, u16), &FileExtent)> {
        let largest = self.0.iter().max_by_key(|(_, extent)| extent.ids.len());
        largest.map(|(file, extent)| (*file, extent))
    }

    /// Records everything as whole, and as seen on its last day of delivery: the bundled data.
    #[cfg(feature = "bundle")]
    pub(crate) fn record_bundled(&self, writer: &Writer) -> Result<()> {
        self.0.iter().try_for_each(|(file, extent)| record(writer, *file, extent, extent.last))
    }

    /// Records what was downloaded from CVM today, which is whole.
    #[cfg(feature = "import")]
    pub(crate) fn record_downloaded(&self, writer: &Writer, today: Date) -> Result<()> {
        self.0.iter().try_for_each(|(file, extent)| record(writer, *file, extent, today))
    }

    /// Records what is whole by its content: it has the stored filings of its form and year, and more than a few. Returns
    /// whether any is.
    #[cfg(feature = "import")]
    pub(crate) fn record_whole(&self, writer: &Writer, today: Date) -> Result<bool> {
        let mut any = false;
        for (file, extent) in &self.0 {
            if is_whole(writer, *file, extent, stored_filings(writer, *file)?)? {
                record(writer, *file, extent, today)?;
                any = true;
            }
        }
        Ok(any)
    }
}

/// Whether a file is whole by its content, of which so many filings are stored.
#[cfg(feature = "import")]
pub(super) fn is_whole(
    writer: &Writer,
    (form, year): (Form, u16),
    extent: &FileExtent,
    stored: u64,
) -> Result<bool> {
    const LARGEST: &str = "SELECT COALESCE(MAX(filings), 0) FROM filing_file WHERE form = ?1";
    let filings = extent.ids.len();
    if filings < FEWEST || filings * 100 < stored * (100 - WITHDRAWN) {
        return Ok(false);
    }
    // A file without the first weeks of its year, or with a tenth of another year's forms, is a part of one.
    Ok(match form {
        Form::Ipe => Date::new(year, 1, 31).is_some_and(|day| extent.first <= day),
        Form::Dfp | Form::Itr | Form::Fre | Form::Fca => {
            let largest: i64 =
                writer.prepare(LARGEST)?.query_row([form as i64], |row| row.get(0))?;
            filings * 10 >= largest.unsigned_abs()
        }
    })
}

/// The stored filings of a form and year: those between two keys, or with a reference day between two others.
#[cfg(feature = "import")]
macro_rules! stored_filings {
    ($select:literal, delivered) => {
        concat!($select, " FROM filing WHERE key BETWEEN ?1 AND ?2 AND id BETWEEN ?3 AND ?4")
    };
    ($select:literal, referring) => {
        concat!(
            $select,
            " FROM filing WHERE id BETWEEN ?3 AND ?4
            AND COALESCE(reference_day, key >> 40) BETWEEN ?1 AND ?2"
        )
    };
}

/// How many filings of a form and year are stored.
#[cfg(feature = "import")]
pub(super) fn stored_filings(writer: &Writer, (form, year): (Form, u16)) -> Result<u64> {
    const DELIVERED: &str = stored_filings!("SELECT COUNT(*)", delivered);
    const REFERRING: &str = stored_filings!("SELECT COUNT(*)", referring);
    let Some(bounds) = bounds_of(form, year) else { return Ok(0) };
    let sql = if form == Form::Ipe { DELIVERED } else { REFERRING };
    let count: i64 = writer.prepare(sql)?.query_row(bounds, |row| row.get(0))?;
    Ok(count.unsigned_abs())
}

/// Visits the keys of all stored filings of a form and year.
#[cfg(feature = "import")]
pub(super) fn each_stored(
    writer: &Writer,
    (form, year): (Form, u16),
    mut visit: impl FnMut(i64),
) -> Result<()> {
    const DELIVERED: &str = stored_filings!("SELECT key", delivered);
    const REFERRING: &str = stored_filings!("SELECT key", referring);
    let Some(bounds) = bounds_of(form, year) else { return Ok(()) };
    let mut statement = writer.prepare(if form == Form::Ipe { DELIVERED } else { REFERRING })?;
    let mut rows = statement.query(bounds)?;
    while let Some(row) = rows.next()? {
        visit(row.get(0)?);
    }
    Ok(())
}

/// The first and the last of keys or days, and of ids.
#[cfg(feature = "import")]
fn bounds_of(form: Form, year: u16) -> Option<(i64, i64, i64, i64)> {
    let (from, to) = Date::new(year, 1, 1).zip(Date::new(year, 12, 31))?;
    let (from, to) = match form {
        Form::Ipe => (first_key(from), last_key(to)),
        Form::Dfp | Form::Itr | Form::Fre | Form::Fca => {
            (from.day_number().into(), to.day_number().into())
        }
    };
    let (first, last) = form.id_bits();
    Some((from, to, first, last))
}

/// Records a whole file, unless it was seen later than this.
fn record(
    writer: &Writer,
    (form, year): (Form, u16),
    extent: &FileExtent,
    seen_on: Date,
) -> Result<()> {
    const SQL: &str = "INSERT INTO filing_file (form, year, filings, first, last, seen_on)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6)
        ON CONFLICT DO UPDATE SET filings = excluded.filings, first = excluded.first,
            last = excluded.last, seen_on = excluded.seen_on
        WHERE excluded.seen_on >= seen_on";
    let FileExtent { ids, first, last } = extent;
    // A later date is a typing error.
    let [first, last] = [first, last].map(|day| (*day).min(seen_on).to_string());
    let filings = ids.len().cast_signed();
    let row = (form as i64, year, filings, first, last, seen_on.to_string());
    writer.prepare(SQL)?.execute(row)?;
    Ok(())
}
