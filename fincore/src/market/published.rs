//! Series as the change log names them.
use super::{
    known::{self, KNOWN, Known},
    series::Series,
};
use crate::{catalogue::Snapshot, error::Result, types::SeriesId};

/// A series as the change log names it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Logged {
    pub(crate) number: u32,
    pub(crate) known: Option<&'static Known>,
}

/// The series that is logged under this name of a dataset; `None` if the dataset is something else. One side of an
/// exchange rate is none either: its quotes are logged as such.
pub(crate) fn logged(dataset: &str) -> Option<Logged> {
    let named = KNOWN.iter().find(|known| known.name == dataset);
    match named {
        Some(known) if known.quote.is_some() => None,
        Some(known) => Some(Logged { number: known.number, known: Some(known) }),
        None => dataset.parse().ok().map(|number| Logged { number, known: None }),
    }
}

/// The name under which a series is logged; `None` if there is no such series. It may be one side of an exchange
/// rate.
pub(crate) fn dataset(snapshot: &Snapshot, id: &SeriesId) -> Result<Option<String>> {
    const SQL: &str = "SELECT 1 FROM rate WHERE series = ?1 LIMIT 1";
    let Ok(series) = Series::of(id) else { return Ok(None) };
    let exists = series.known.is_some() || snapshot.count(SQL, [series.number])? > 0;
    Ok(exists.then(|| known::dataset(series.number).into_owned()))
}
