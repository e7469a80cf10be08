//! Published data for other programs: events, exports and webhooks.

pub mod events;
pub mod export;
#[cfg(feature = "webhooks")]
pub mod webhooks;
pub(crate) use events::{EventType, EventWindow};
pub(crate) use export::{RowSource, VisitRow};
#[cfg(feature = "webhooks")]
pub(crate) use webhooks::{DeliveryId, WebhookId};
