//! The schema of the accounts file.
use crate::sqlite::{Audience, Schema};

pub(crate) const SCHEMA: Schema = Schema {
    what: "an accounts file",
    application_id: i32::from_be_bytes(*b"FINA"),
    migrations: &[
        include_str!("../../migrations/accounts/0001_accounts.sql"),
        include_str!("../../migrations/accounts/0002_application_id.sql"),
        include_str!("../../migrations/accounts/0003_webhooks.sql"),
        include_str!("../../migrations/accounts/0004_sessions.sql"),
        include_str!("../../migrations/accounts/0005_self_registered.sql"),
        include_str!("../../migrations/accounts/0006_links.sql"),
        include_str!("../../migrations/accounts/0007_holder.sql"),
    ],
    unmarked: 1,
    table: "key",
    remedy: "restore a backup; move it away only if no key was ever issued",
    audience: Audience::Owner,
};
