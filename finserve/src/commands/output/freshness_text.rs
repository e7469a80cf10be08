//! How fresh the data is, for a terminal.
use fincore::{
    Catalogue, Date, Span,
    chrono::{DateTime, Utc},
    datasets::{self, Dataset, Status},
};

/// The datasets that are listed one by one, and their names; all others are counted as further series.
const NAMED: [(&str, &str); 11] = [
    ("selic", "Selic"),
    ("cdi", "CDI"),
    ("ipca", "IPCA"),
    ("fx", "USD/BRL"),
    ("companies", "companies"),
    ("filings.ipe", "notices (IPE)"),
    ("filings.dfp", "DFP"),
    ("filings.itr", "ITR"),
    ("filings.fre", "FRE"),
    ("filings.fca", "FCA"),
    ("statements", "statements"),
];

fn named_datasets(status: &Status) -> impl Iterator<Item = (&'static str, &Dataset)> {
    NAMED.into_iter().filter_map(|(dataset, name)| {
        status.data.iter().find(|found| found.dataset == dataset).map(|found| (name, found))
    })
}

/// The newest day of the best-known datasets, in one line.
pub(crate) fn newest_line(status: &Status) -> String {
    let newest = named_datasets(status)
        .map(|(name, dataset)| format!("{name} {}", day(dataset.held_until(), "none")));
    newest.collect::<Vec<_>>().join(", ")
}

/// The stale datasets, in one line; empty if all are fresh.
pub(crate) fn stale_line(status: &Status) -> String {
    let stale =
        named_datasets(status).filter(|(_, dataset)| dataset.stale).map(|(name, dataset)| {
            let (newest, expected) =
                (day(dataset.held_until(), "none"), day(dataset.expected, "newer"));
            format!("{name} {newest} (expected {expected})")
        });
    let mut stale: Vec<String> = stale.collect();
    let others = status
        .data
        .iter()
        .filter(|dataset| dataset.stale && NAMED.iter().all(|(name, _)| *name != dataset.dataset));
    match others.count() {
        0 => (),
        1 => stale.push("1 other series".to_owned()),
        others => stale.push(format!("{others} other series")),
    }
    if stale.is_empty() {
        return String::new();
    }
    format!("stale: {}", stale.join(", "))
}

/// Every dataset as a row of a table. If the status cannot be read, the text says why: the rest of the report must not be
/// lost.
pub(crate) fn report(catalogue: &Catalogue, today: Date) -> String {
    let status = catalogue.snapshot(today).and_then(|snapshot| datasets::status(&snapshot));
    match status {
        Ok(status) => table(&status),
        Err(err) => format!("freshness: cannot be determined: {err}\n"),
    }
}

fn table(status: &Status) -> String {
    let width = status.data.iter().map(|dataset| dataset.dataset.len()).max().unwrap_or(0).max(7);
    let row = |cells: [&str; 6]| {
        let [dataset, newest, expected, stale, success, error] = cells;
        let row = format!(
            "  {dataset:<width$}  {newest:<10}  {expected:<10}  {stale:<5}  {success:<16}  {error}"
        );
        format!("{}\n", row.trim_end())
    };
    let mut table = format!("freshness on {}:\n", status.today);
    table += &row(["dataset", "newest", "expected", "stale", "last success", "error"]);
    for dataset in &status.data {
        let error = dataset.error.as_deref().unwrap_or("-").replace(char::is_control, " ");
        table += &row([
            &dataset.dataset,
            &day(dataset.held_until(), "-"),
            &day(dataset.expected, "-"),
            if dataset.stale { "yes" } else { "no" },
            &time(dataset.last_success),
            &error,
        ]);
    }
    table + &holes(status)
}

/// The days without figures between those that are held, a line for each dataset that has such holes.
fn holes(status: &Status) -> String {
    let line = |dataset: &Dataset| {
        let holes = dataset.holes.as_deref().filter(|holes| !holes.is_empty())?;
        let span = |hole: &Span| match hole.from == hole.to {
            true => hole.from.to_string(),
            false => format!("{} to {}", hole.from, hole.to),
        };
        let spans = holes.iter().map(span).collect::<Vec<_>>().join(", ");
        Some(format!("  {}: {spans}\n", dataset.dataset))
    };
    let lines: String = status.data.iter().filter_map(line).collect();
    if lines.is_empty() { lines } else { format!("figures are missing:\n{lines}") }
}

fn day(day: Option<Date>, otherwise: &str) -> String {
    day.map_or_else(|| otherwise.to_owned(), |day| day.to_string())
}

fn time(time: Option<DateTime<Utc>>) -> String {
    time.map_or_else(|| "-".to_owned(), |time| time.format("%Y-%m-%d %H:%M").to_string())
}
