//! Financial statements: [`fincore::statements`].
use fincore::statements::{Layout, Metric, ScreenPage, ScreenQuery, StatementPage, StatementQuery};

use crate::{Result, Source};

#[expect(unreachable_pub, reason = "two of them are public, the others have a function here")]
mod rows;
pub(super) use rows::QUERIES;
pub use rows::{financials, list};

/// A statement of a company.
///
/// As [`fincore::statements::statement`] does; `GET /api/v1/companies/{id}/statements/{kind}`.
pub async fn statement(source: &Source, query: StatementQuery) -> Result<StatementPage> {
    // The layout is how a page is written. A server is asked for the long one, which alone has all that a page knows.
    let layout = query.layout;
    let mut page =
        rows::statement(source, StatementQuery { layout: Layout::Long, ..query }).await?;
    page.layout = layout;
    Ok(page)
}

/// Companies side by side.
///
/// As [`fincore::statements::screen`] does; `GET /api/v1/financials`. From a server, a company has only the figures that were
/// asked for, and no first day of the period.
pub async fn screen(source: &Source, query: ScreenQuery) -> Result<ScreenPage> {
    // An empty page does not say which figures were asked for.
    let metrics = query.metric.as_deref().unwrap_or(&Metric::ALL).to_vec();
    let mut page = rows::screen(source, query).await?;
    page.metrics = metrics;
    Ok(page)
}
