//! What imports derive from all filings, computed anew: the search index, the counts of words, the totals.
use super::{
    counts::WordCounts,
    served::from_filing,
    store::{searchable, write_totals},
};
use crate::{catalogue::Writer, error::Result, types::fold};

/// The words of a filing, as the search index has them, from the texts of its filer, class and subject.
pub(crate) fn words([filer, class, subject]: [&str; 3]) -> String {
    searchable([&fold(filer), &fold(class), &fold(subject)])
}

/// The counts over all filings, whose words are given one filing at a time.
#[derive(Debug, Default)]
pub(crate) struct Counts(WordCounts);

impl Counts {
    /// Counts one filing; writes the counts so far where they take much memory.
    pub(crate) fn add(&mut self, writer: &Writer, words: &str) -> Result<()> {
        self.0.add(words);
        if self.0.is_full() { self.0.write(writer) } else { Ok(()) }
    }

    /// Writes the remaining counts of words, and the totals. The table of words was empty before the first filing.
    pub(crate) fn write(mut self, writer: &Writer) -> Result<()> {
        self.0.write(writer)?;
        write_totals(writer)
    }
}

/// Writes the search index and all counts anew, from the rows. Calls `done` with the number of filings so far.
pub(crate) fn rebuild(writer: &Writer, mut done: impl FnMut(u64)) -> Result<()> {
    const FORGET_INDEX: &str = "INSERT INTO filing_search (filing_search) VALUES ('delete-all')";
    const FORGET_WORDS: &str = "DELETE FROM filing_word";
    // In the order of keys the index is written fastest, and ends up smallest.
    const TEXTS: &str = concat!(
        "SELECT key, filer.name, class.category || ' ' || type || ' ' || species, subject ",
        from_filing!(),
        "ORDER BY key"
    );
    const INDEX: &str = "INSERT INTO filing_search (rowid, words) VALUES (?1, ?2)";
    for forget in [FORGET_INDEX, FORGET_WORDS] {
        writer.prepare(forget)?.execute([])?;
    }
    let (mut texts, mut index) = (writer.prepare(TEXTS)?, writer.prepare(INDEX)?);
    let mut counts = Counts::default();
    let mut rows = texts.query([])?;
    let mut filings = 0;
    while let Some(row) = rows.next()? {
        let text = |column| row.get_ref(column)?.as_str().map_err(rusqlite::Error::from);
        let words = words([text(1)?, text(2)?, text(3)?]);
        counts.add(writer, &words)?;
        index.execute((row.get::<_, i64>(0)?, &words))?;
        filings += 1;
        done(filings);
    }
    counts.write(writer)
}
