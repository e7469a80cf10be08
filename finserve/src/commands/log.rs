//! `finserve log`: what the imports changed, oldest first: a summary of each, and the newest changes.
use std::{
    io::{self, BufWriter, Write},
    path::Path,
};

use fincore::{
    Catalogue, Change,
    changes::{self, ChangeCount, ChangeEntry},
};

use super::{Failure, data_directory::find_catalogue};
use crate::{cli, coordination::clock::Now};

/// How many changes are shown unless the user asks for all of them.
const NEWEST: u64 = 50;

/// Prints the changes one by one, however many there are; ends without an error if the reader closes the output.
pub(crate) fn run(data: &Path, args: &cli::Log) -> Result<(), Failure> {
    let catalogue = Catalogue::open(find_catalogue(data)?)?;
    let snapshot = catalogue.snapshot(Now::read().today())?;
    let after = match args.since {
        Some(version) => version,
        None => changes::complete_after(&snapshot)?,
    };
    let mut output = Output::new(args.json);
    // Programs, and users who name a version, get everything.
    let is_summary = !args.all && !args.json && args.since.is_none();
    let mut skipped = 0;
    if is_summary {
        let counts = changes::counts(&snapshot, after)?;
        let total: u64 = counts.iter().map(|count| count.rows).sum();
        skipped = usize::try_from(total.saturating_sub(NEWEST)).unwrap_or(usize::MAX);
        output.write(&summary(&counts, total))?;
    }
    let written = changes::since(&snapshot, after)?.enumerate().try_for_each(|(at, entry)| {
        let entry = entry?;
        if at < skipped { Ok(()) } else { output.entry(&entry) }
    });
    match written.and_then(|()| output.end()) {
        Err(Failure::System { source, .. }) if source.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        outcome => outcome,
    }
}

/// The changes as a table, or as one JSON array with a line for each of them.
struct Output {
    out: BufWriter<io::Stdout>,
    json: bool,
    entries: u64,
}

impl Output {
    fn new(json: bool) -> Output {
        Output { out: BufWriter::new(io::stdout()), json, entries: 0 }
    }

    fn entry(&mut self, entry: &ChangeEntry) -> Result<(), Failure> {
        let line = if self.json { json(entry, self.entries)? } else { row(entry, self.entries) };
        self.entries += 1;
        self.write(&line)
    }

    fn end(mut self) -> Result<(), Failure> {
        match (self.json, self.entries) {
            (true, 0) => self.write("[]\n")?,
            (true, _) => self.write("\n]\n")?,
            (false, 0) => self.write("no changes\n")?,
            (false, _) => (),
        }
        self.out.flush().map_err(cannot_write())
    }

    fn write(&mut self, text: &str) -> Result<(), Failure> {
        self.out.write_all(text.as_bytes()).map_err(cannot_write())
    }
}

/// A line for each import, and how many of the changes are shown below.
fn summary(counts: &[ChangeCount], total: u64) -> String {
    if total == 0 {
        return String::new();
    }
    let mut lines = String::new();
    for import in counts.chunk_by(|one, next| one.version == next.version) {
        let datasets = import.chunk_by(|one, next| one.dataset == next.dataset).map(|kinds| {
            let rows = kinds.iter().map(|count| format!("{} {}", count.rows, name(count.change)));
            format!("{} {}", kinds[0].dataset, rows.collect::<Vec<_>>().join(", "))
        });
        let ChangeCount { version, time, .. } = &import[0];
        let time = time.format("%Y-%m-%dT%H:%M:%SZ");
        let datasets = datasets.collect::<Vec<_>>().join("; ");
        lines += &format!("{version:>7} {time} {datasets}\n");
    }
    if total > NEWEST {
        lines += &format!("\nthe newest {NEWEST} of {total} changes; --all prints all\n");
    }
    lines + "\n"
}

fn name(change: Change) -> String {
    format!("{change:?}").to_lowercase()
}

fn cannot_write() -> impl FnOnce(io::Error) -> Failure {
    Failure::system("cannot write to the standard output")
}

fn json(entry: &ChangeEntry, before: u64) -> Result<String, Failure> {
    let entry = serde_json::to_string(entry).map_err(io::Error::from);
    let entry = entry.map_err(Failure::system("the change cannot be written as JSON"))?;
    Ok(format!("{}{entry}", if before == 0 { "[\n" } else { ",\n" }))
}

fn row(entry: &ChangeEntry, before: u64) -> String {
    let header = ["version", "time", "change", "dataset", "key"];
    let [version, time, change, dataset, key] = header;
    let mut rows = String::new();
    if before == 0 {
        rows += &format!("{version:>7} {time:<20} {change:<7} {dataset:<15} {key}\n");
    }
    let ChangeEntry { version, time, dataset, key, change, .. } = entry;
    let time = time.format("%Y-%m-%dT%H:%M:%SZ");
    let change = name(*change);
    rows += &format!("{version:>7} {time} {change:<7} {dataset:<15} {key}\n");
    rows
}
