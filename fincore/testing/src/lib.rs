//! What every account store and every rate limiter must do. A crate for development, so that nothing of it is released.

pub mod accounts;
pub mod limits;
