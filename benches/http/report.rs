//! What was measured, as Markdown.
use std::{cmp::Ordering, time::Duration};

use crate::load::Measured;

/// The rounds of a row: ours and the bare server's.
pub(crate) type Rounds = Vec<(Measured, Measured)>;

/// Begins the table of rows.
pub(crate) fn head() {
    println!(
        "| request | ratio | goal | reached | processor µs a request (bare) | requests/s (bare) | p99 ms (bare) | bytes | peak MiB |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
}

/// A row of it. `peak` is the memory of the server so far.
pub(crate) fn row(name: &str, goal: Option<f64>, rounds: &Rounds, size: usize, peak: f64) {
    let ratio = median(rounds.iter().map(|(ours, bare)| ours.rate / bare.rate));
    let (goal, reached) = match goal {
        Some(goal) if ratio >= goal => (format!("{goal:.2}"), "yes"),
        Some(goal) => (format!("{goal:.2}"), "no"),
        None => ("–".into(), "–"),
    };
    let both = |of: fn(&Measured) -> f64, digits: usize| {
        let ours = median(rounds.iter().map(|(ours, _)| of(ours)));
        let bare = median(rounds.iter().map(|(_, bare)| of(bare)));
        format!("{ours:.digits$} ({bare:.digits$})")
    };
    println!(
        "| {name} | {ratio:.3} | {goal} | {reached} | {} | {} | {} | {size} | {peak:.0} |",
        both(|measured| measured.processor, 1),
        both(|measured| measured.rate, 0),
        both(|measured| milliseconds(measured.p99), 1),
    );
}

/// A row that could not be measured.
pub(crate) fn refused(name: &str, why: &str) {
    println!("| {name} | no ratio: {} | | | | | | | |", why.replace('\n', " "));
}

pub(crate) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// The middle one; of an even number the lower of the two.
pub(crate) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
    values.get(values.len().saturating_sub(1) / 2).copied().unwrap_or(f64::NAN)
}
