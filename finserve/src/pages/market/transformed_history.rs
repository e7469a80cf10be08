//! The transformed history of a series or currency, as its page shows it.
use fincore::{
    Date, Decimal, Figure, Limit, Meta, Offset, Page, Result, SeriesId, Snapshot,
    market::{
        self, FxHistory, History,
        transform::{Nature, QuoteTransformation, Transformation, TransformedRate, Units},
    },
};

use super::{Transformed, series_or_pair::Subject};

/// The first and the last day.
type Days = (Option<Date>, Option<Date>);

/// The transformed figures of a range of days.
pub(super) struct TransformedHistory {
    /// All of them, newest first.
    pub(super) rows: Vec<TransformedRate>,
    pub(super) meta: Meta,
    /// The day of an index that is 100.
    pub(super) base: Option<Date>,
}

impl TransformedHistory {
    /// Fails where the transformation has no meaning for the figures. An index begins with the first day of the range.
    pub(super) fn read(
        snapshot: &Snapshot,
        subject: &Subject,
        days: Days,
        mut how: Transformation,
    ) -> Result<TransformedHistory> {
        if how.units == Units::Index {
            let plain = Transformation { units: Units::Value, ..how };
            how.base = read_all(snapshot, subject, days, plain)?.0.last().map(|row| row.date);
        }
        let (rows, meta) = read_all(snapshot, subject, days, how)?;
        Ok(TransformedHistory { rows, meta, base: how.base })
    }

    /// The figures as a chart draws them, oldest first.
    pub(super) fn points(&self) -> Vec<(Date, Decimal)> {
        let point = |row: &TransformedRate| Some((row.date, drawn(&row.value)?));
        self.rows.iter().rev().filter_map(point).collect()
    }
}

/// Whether a transformation has a meaning for the figures.
pub(super) fn fits(subject: &Subject, transformed: Transformed) -> bool {
    let Some(how) = transformed.transformation() else { return true };
    let nature = match subject {
        Subject::Pair(covered) => Nature::of_quotes(covered.pair.to_string()),
        Subject::Series(series) => {
            let known = market::known_series().iter().find(|known| known.number == series.number);
            match known {
                Some(known) => Nature::of(known),
                // Nothing is known of what it measures.
                None => Nature::of_quotes(series.name.to_string()),
            }
        }
    };
    how.check(&nature).is_ok()
}

fn read_all(
    snapshot: &Snapshot,
    subject: &Subject,
    days: Days,
    how: Transformation,
) -> Result<(Vec<TransformedRate>, Meta)> {
    let mut rows = Vec::new();
    loop {
        let offset = Offset::new(u64::try_from(rows.len()).unwrap_or(u64::MAX))?;
        let Page { data, total, meta, .. } = read(snapshot, subject, days, offset, how)?;
        let is_last = data.is_empty();
        rows.extend(data);
        if is_last || rows.len() as u64 >= total {
            return Ok((rows, meta));
        }
    }
}

fn read(
    snapshot: &Snapshot,
    subject: &Subject,
    (from, to): Days,
    offset: Offset,
    how: Transformation,
) -> Result<Page<TransformedRate>> {
    match subject {
        Subject::Series(series) => {
            let query = History { from, to, limit: Limit::MAX, offset };
            market::transformed(snapshot, query.of(SeriesId::from(series.number)), how)
        }
        Subject::Pair(covered) => {
            let Transformation { frequency, aggregate, units, base, only, partial } = how;
            let how = QuoteTransformation {
                frequency,
                aggregate,
                units,
                base,
                only,
                partial,
                ..QuoteTransformation::default()
            };
            let query = FxHistory { pair: covered.pair, from, to, limit: Limit::MAX, offset };
            market::transformed_quotes(snapshot, query, how)
        }
    }
}

/// A figure as it is drawn: with fewer decimals where it has more digits than a number that was published.
fn drawn(figure: &Figure) -> Option<Decimal> {
    let text = figure.to_string();
    let whole = text.split_once('.').map(|(whole, _)| whole);
    text.parse().ok().or_else(|| whole?.parse().ok())
}
