//! Removes filings that CVM has withdrawn: a newer whole file of their form and year no longer has them.
use crate::{
    filings::{
        Filings,
        coverage::{self, FileExtent, FileOfYear},
        filing::DATASET as FILINGS,
        store::stored_filing,
    },
    store::{Change, Snapshot, Tally, Writer},
    values::{CvmCode, Error, FilingId, Form, Result, last_key},
};

/// Of so many hundredths of the stored filings of a form and year, all that a file lacks are removed. If it lacks more, they
/// are kept: the file may be damaged.
const MOST_PERCENT: u64 = 2;

/// Where a file comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileSource {
    /// From its publisher, so it is whole.
    Publisher,
    /// From the operator: it may be a part of a file.
    Operator,
}

/// How many filings may be removed at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RemovalLimit {
    /// At most [`MOST_PERCENT`] of those of the form and year.
    Few,
    /// Any number.
    None,
}

/// The outcome of comparing a file with the stored filings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Withdrawal {
    /// The filings that were removed.
    pub(crate) removed: Vec<FilingId>,
    pub(crate) tally: Tally,
    /// The number of filings that were kept because they are too many.
    pub(crate) kept: u64,
    /// The number of filings that were stored of the form and year.
    pub(crate) stored: u64,
}

impl Filings {
    /// Removes the filings that the file lacks which was stored last, if it is whole and no older than the one before.
    pub(crate) fn remove_withdrawn(
        &mut self,
        writer: &Writer,
        source: FileSource,
        limit: RemovalLimit,
    ) -> Result<Withdrawal> {
        let Some((file, extent)) = self.extents.largest() else { return Ok(Withdrawal::default()) };
        let stored = coverage::stored_filings(writer, file)?;
        let is_whole = match source {
            FileSource::Publisher => true,
            FileSource::Operator => coverage::is_whole(writer, file, extent, stored)?,
        };
        // An index of a few forms, or an older one, removes nothing unless the operator forces it.
        let decides = is_whole && is_newest(writer, file, extent)?;
        let is_index = matches!(file.form, Form::Dfp | Form::Itr) && source == FileSource::Operator;
        if !decides && !is_index {
            return Ok(Withdrawal::default());
        }
        let lacking =
            if stored > extent.ids.len() { lacking(writer, file, extent)? } else { vec![] };
        let count = lacking.len() as u64;
        let are_many = !decides || count * 100 > stored * MOST_PERCENT;
        if count > 0 && are_many && limit == RemovalLimit::Few {
            return Ok(Withdrawal { kept: count, stored, ..Withdrawal::default() });
        }
        let mut tally = Tally::default();
        let removed = lacking.iter().map(|(id, _)| *id).collect();
        for (id, key) in lacking {
            keep_as_it_was(writer, id)?;
            self.remove(writer, key)?;
            writer.log(FILINGS, id, Change::Removed)?;
            writer.touch(id.form().dataset());
            tally += Tally::REMOVED;
        }
        Ok(Withdrawal { removed, tally, kept: 0, stored })
    }
}

/// Whether no file of this form and year was seen that reaches further.
fn is_newest(writer: &Writer, file: FileOfYear, extent: &FileExtent) -> Result<bool> {
    const SQL: &str = "SELECT 1 FROM filing_file WHERE form = ?1 AND year = ?2 AND last > ?3";
    let row = (file.form as i64, file.year, extent.last);
    Ok(!writer.prepare(SQL)?.exists(row)?)
}

/// The stored filings that a file lacks, up to the last day that it has: later ones may be newer than the file.
fn lacking(writer: &Writer, file: FileOfYear, extent: &FileExtent) -> Result<Vec<(FilingId, i64)>> {
    let mut lacking = Vec::new();
    coverage::each_stored(writer, file, |key| {
        if let Some((id, _)) = FilingId::of_key(key)
            && (key <= last_key(extent.last) && !extent.ids.contains(id.number()))
        {
            lacking.push((id, key));
        }
    })?;
    Ok(lacking)
}

/// Keeps a filing as it is for the event about its withdrawal.
fn keep_as_it_was(writer: &Writer, id: FilingId) -> Result<()> {
    const SQL: &str =
        "INSERT OR REPLACE INTO withdrawn_filing (id, version, company, category, filing)
        VALUES (?1, ?2, ?3, ?4, ?5)";
    let Some(filing) = stored_filing(writer, id)? else { return Ok(()) };
    let json =
        serde_json::to_string(&filing).map_err(|err| Error::storage("cannot write JSON", err))?;
    let row = (id.to_bits(), writer.version(), filing.company_id, &filing.category, json);
    writer.prepare(SQL)?.execute(row)?;
    Ok(())
}

/// A filing as it was before it was withdrawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WithdrawnFiling {
    pub(crate) company: CvmCode,
    pub(crate) category: String,
    /// The filing as JSON.
    pub(crate) json: String,
}

/// The filing with this id as it was, if it was withdrawn and the change log still has that.
pub(crate) fn find(snapshot: &Snapshot, id: FilingId) -> Result<Option<WithdrawnFiling>> {
    const SQL: &str = "SELECT company, category, filing FROM withdrawn_filing WHERE id = ?1";
    snapshot.first(SQL, [id.to_bits()], |row| {
        Ok(WithdrawnFiling { company: row.get(0)?, category: row.get(1)?, json: row.get(2)? })
    })
}
