//! Replicas that are one service: what they share, most of it through engines that others run. Those are behind the feature
//! `cluster`; without it, the flags are still known, and say that this build has no support for them.

#[cfg(feature = "cluster")]
pub(crate) mod limits;
#[cfg(feature = "cluster")]
pub(crate) mod postgres;
pub(crate) mod publication;
#[cfg(not(feature = "cluster"))]
mod without;

#[cfg(not(feature = "cluster"))]
pub(crate) use without::{limits, postgres};
