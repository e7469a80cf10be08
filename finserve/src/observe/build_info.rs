//! The source that this program was built from.
use std::sync::LazyLock;

/// The commit, where it was known when building.
pub(crate) const COMMIT: Option<&str> = option_env!("FINSERVE_BUILT_FROM");

/// Version, commit and SQLite, as `--version` prints them.
pub(crate) static VERSION: LazyLock<String> = LazyLock::new(|| {
    let version = env!("CARGO_PKG_VERSION");
    let commit = COMMIT.unwrap_or("unknown");
    format!("{version} (commit {commit}, SQLite {})", fincore::sqlite_version())
});
