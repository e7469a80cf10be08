//! Replaces PostgreSQL and Valkey in a build without the feature `cluster`: every address is refused.
pub(crate) mod limits;
pub(crate) mod postgres;

/// Why something is refused that needs the feature, and how to get it.
pub(super) fn unsupported(what: &str) -> String {
    format!(
        "this build has no support for {what}: build it with `cargo build --release --features cluster`"
    )
}
