//! The header that carries a key: pages show it, HTTP reads it.

/// The header that carries a key, as people write it. A macro, so that `concat!` can use it.
macro_rules! x_api_key {
    () => {
        "X-API-Key"
    };
}
pub(crate) use x_api_key;
