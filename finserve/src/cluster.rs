//! Replicas that are one service: what they share, most of it through PostgreSQL, Valkey and object stores. Those are behind
//! the feature `cluster`; without it, the flags are still known, and say which build has them.

#[cfg(feature = "cluster")]
pub(crate) mod limits;
#[cfg(feature = "cluster")]
pub(crate) mod postgres;
pub(crate) mod publication;
#[cfg(not(feature = "cluster"))]
mod unsupported;

#[cfg(not(feature = "cluster"))]
pub(crate) use unsupported::{limits, postgres};
