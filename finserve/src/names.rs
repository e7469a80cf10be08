//! Names that both pages and HTTP use.

/// The header that carries a key, as people write it. A macro, so that longer texts can be made of it.
macro_rules! x_api_key {
    () => {
        "X-API-Key"
    };
}
pub(crate) use x_api_key;
