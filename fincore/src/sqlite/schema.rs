//! The identity and the migrations of a kind of database file.

/// A kind of database file.
pub(crate) struct Schema {
    /// What the file is, for messages: `an accounts file`.
    pub(crate) what: &'static str,
    /// The application id in SQLite's header, which tells our files from other databases.
    pub(crate) application_id: i32,
    /// In order. A released migration never changes.
    pub(crate) migrations: &'static [&'static str],
    /// How many of the first migrations did not set the application id yet.
    pub(crate) unmarked: usize,
    /// A table that those migrations create.
    pub(crate) table: &'static str,
    /// Advice for a file that is not ours.
    pub(crate) remedy: &'static str,
    /// Who may read the file.
    pub(crate) audience: Audience,
}

/// Who may read a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Audience {
    /// Its owner only.
    Owner,
    /// The users that the system allows by default.
    Default,
}
