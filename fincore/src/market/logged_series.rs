//! Series as the change log names them.
use super::{
    series::Series,
    series_definitions::{self, DEFINITIONS, SeriesDefinition},
};
use crate::{catalogue::Snapshot, error::Result, types::SeriesId};

/// A series of the change log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoggedSeries {
    pub(crate) number: u32,
    pub(crate) definition: Option<&'static SeriesDefinition>,
}

/// The series that is logged under this name of a dataset; `None` if the dataset is something else. A side of an
/// exchange rate is not found either: its quotes are logged as such.
pub(crate) fn find(dataset: &str) -> Option<LoggedSeries> {
    let named = DEFINITIONS.iter().find(|definition| definition.name == dataset);
    match named {
        Some(definition) if definition.quote.is_some() => None,
        Some(definition) => {
            Some(LoggedSeries { number: definition.number, definition: Some(definition) })
        }
        None => dataset.parse().ok().map(|number| LoggedSeries { number, definition: None }),
    }
}

/// The name under which a series is logged; `None` if there is no such series. It may be one side of an exchange
/// rate.
#[cfg_attr(not(feature = "webhooks"), expect(dead_code, reason = "only webhooks filter by series"))]
pub(crate) fn dataset_name(snapshot: &Snapshot, id: &SeriesId) -> Result<Option<String>> {
    const SQL: &str = "SELECT 1 FROM rate WHERE series = ?1 LIMIT 1";
    let Ok(series) = Series::find(id) else { return Ok(None) };
    let exists = series.definition.is_some() || snapshot.count(SQL, [series.number])? > 0;
    Ok(exists.then(|| series_definitions::dataset(series.number).into_owned()))
}
