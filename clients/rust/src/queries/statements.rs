//! Financial statements: [`fincore::statements`].
use fincore::statements::{Layout, StatementQuery};

pub use crate::answers::statements::*;
use crate::{Result, Source, answers::Page};

#[expect(unreachable_pub, reason = "all but one are public, which has a function here")]
mod rows;
pub(super) use rows::QUERIES;
pub use rows::{financials, list, screen};

/// A statement of a company, always in the long layout, which alone has all that a statement says.
///
/// As [`fincore::statements::statement`] does; `GET /api/v1/companies/{id}/statements/{kind}`.
pub async fn statement(source: &Source, query: StatementQuery) -> Result<Page<Statement>> {
    rows::statement(source, StatementQuery { layout: Layout::Long, ..query }).await
}
