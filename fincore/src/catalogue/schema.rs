//! The tables of the data file.
use crate::sqlite::{self, Schema};

pub(crate) const SCHEMA: Schema = Schema {
    what: "a data catalogue",
    application_id: i32::from_be_bytes(*b"FINC"),
    migrations: &[
        include_str!("../../migrations/catalogue/0001_market.sql"),
        include_str!("../../migrations/catalogue/0002_companies_and_filings.sql"),
        include_str!("../../migrations/catalogue/0003_application_id.sql"),
        include_str!("../../migrations/catalogue/0004_changes_and_freshness.sql"),
        include_str!("../../migrations/catalogue/0005_identity.sql"),
        include_str!("../../migrations/catalogue/0006_search.sql"),
        include_str!("../../migrations/catalogue/0007_filing_files.sql"),
        include_str!("../../migrations/catalogue/0008_incomplete_windows.sql"),
        include_str!("../../migrations/catalogue/0009_notes_and_withdrawn_filings.sql"),
        include_str!("../../migrations/catalogue/0010_copom_meetings.sql"),
        include_str!("../../migrations/catalogue/0011_past.sql"),
        include_str!("../../migrations/catalogue/0012_statements.sql"),
    ],
    unmarked: 2,
    table: "rate",
    remedy: "restore a backup, or move it away to start again from the bundled data, and repeat your imports",
    audience: sqlite::Audience::Default,
};
