//! Catalogues that one program publishes and others follow.
//!
//! A publication is a compressed copy of a catalogue and `manifest.json`, which names it and is written last, so that
//! whoever reads the manifest finds a whole file. Followers verify it, open it beside the one that they serve, and switch.
mod directory;
mod follow;
mod lead;
mod manifest;
mod pack;
mod publish;
#[cfg(feature = "cluster")]
mod s3;
mod said;
mod shelf;
mod store;
mod target;
mod web;

pub(crate) use follow::Follower;
pub(crate) use lead::Leader;
pub(crate) use publish::{Direction, Outcome, Unpublished, publish};
pub(crate) use shelf::{follows, served};
pub(crate) use target::{Target, TypedTarget};

#[cfg(test)]
mod tests;
