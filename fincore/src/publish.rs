//! Published data for other programs: events, exports and webhooks.

pub mod events;
pub mod export;
#[cfg(feature = "webhooks")]
pub mod webhooks;
