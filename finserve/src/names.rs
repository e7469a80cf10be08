//! Names that both pages and HTTP use.

/// The header that carries a key, as people write it. A macro, so that longer texts can be made of it.
macro_rules! x_api_key {
    () => {
        "X-API-Key"
    };
}
pub(crate) use x_api_key;

/// Whether a parameter only tells where a visitor comes from: newsletters and social networks add such to links.
pub(crate) fn is_tracker(name: &str) -> bool {
    const KNOWN: [&str; 8] =
        ["fbclid", "gclid", "dclid", "msclkid", "igshid", "mc_cid", "mc_eid", "_ga"];
    name.starts_with("utm_") || KNOWN.contains(&name)
}
