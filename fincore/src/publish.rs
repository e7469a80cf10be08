//! publish.

pub mod events;
pub mod export;
#[cfg(feature = "webhooks")]
pub mod webhooks;
