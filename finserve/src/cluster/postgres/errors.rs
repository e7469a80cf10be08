//! Translates errors of PostgreSQL.
use std::error::Error as StdError;

use deadpool_postgres::PoolError;
use fincore::Error;
use tokio_postgres::error::SqlState;

/// It cannot be reached, or cannot go on.
const AWAY: &str = "the accounts in PostgreSQL cannot be used";
/// It is there, but wants another login or has no such database.
const LOGIN: &str = "PostgreSQL refuses the login";
/// It is there, but an operator has to put it right.
const TROUBLE: &str = "the tables in PostgreSQL cannot be used";

/// It cannot be reached, or said that it cannot go on.
pub(super) fn unavailable(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Error {
    because(AWAY, source)
}

fn because(context: &str, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Error {
    Error::Unavailable { context: context.to_owned(), source: source.into() }
}

/// It has not answered in time. That alone does not mean that it is away.
pub(super) fn late_error() -> Error {
    Error::Busy("PostgreSQL does not answer in time".to_owned())
}

/// It was away a moment ago.
pub(super) fn away_error() -> Error {
    unavailable("it is away, and asked again all the time")
}

/// Whether it may pass by itself, without a change to this program or its configuration.
pub(super) fn is_temporary(err: &Error) -> bool {
    matches!(err, Error::Busy(_)) || is_away(err)
}

/// Whether it means that nothing can be asked now.
pub(super) fn is_away(err: &Error) -> bool {
    matches!(err, Error::Unavailable { context, .. } if context == AWAY)
}

pub(super) fn from_pool(err: PoolError) -> Error {
    match err {
        PoolError::Backend(err) => from_postgres(err),
        PoolError::Timeout(_) => Error::Busy("all connections to PostgreSQL are in use".to_owned()),
        other => unavailable(other.to_string()),
    }
}

pub(super) fn from_postgres(err: tokio_postgres::Error) -> Error {
    let Some(code) = err.code() else { return unavailable(words(&err)) };
    let is_busy = [
        SqlState::LOCK_NOT_AVAILABLE,
        SqlState::QUERY_CANCELED,
        SqlState::T_R_DEADLOCK_DETECTED,
        SqlState::T_R_SERIALIZATION_FAILURE,
    ];
    if is_busy.contains(code) {
        return Error::Busy("others keep the accounts in use".to_owned());
    }
    let is_of = |classes: &[&str]| classes.iter().any(|class| code.code().starts_with(class));
    if is_of(&["28", "3D"]) {
        return because(LOGIN, words(&err));
    }
    // A replica that cannot be written; tables that were removed, or the right to use them.
    let in_trouble = [
        SqlState::READ_ONLY_SQL_TRANSACTION,
        SqlState::UNDEFINED_TABLE,
        SqlState::INSUFFICIENT_PRIVILEGE,
    ];
    if in_trouble.contains(code) {
        return because(TROUBLE, words(&err));
    }
    // No room or no connections left, shutting down; a silent session that was ended.
    let has_ended = *code == SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT;
    if is_of(&["08", "53", "57", "58"]) || has_ended {
        return unavailable(words(&err));
    }
    Error::Storage {
        context: "PostgreSQL refused a statement".to_owned(),
        source: words(&err).into(),
    }
}

/// The error and its causes, which the type itself leaves out.
fn words(err: &(dyn StdError + 'static)) -> String {
    let mut words = err.to_string();
    let mut cause = err.source();
    while let Some(err) = cause {
        words = format!("{words}: {err}");
        cause = err.source();
    }
    words
}
