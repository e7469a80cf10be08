//! Catalogues that one program publishes and others follow.
//!
//! A publication is a compressed copy of a catalogue and `manifest.json`, which names it and is written last, so that a
//! follower that reads the manifest finds a whole file. Followers verify it, open it beside the one that they serve, and
//! switch.
mod compression;
mod directory;
mod follower;
mod http_server;
mod leader;
mod local_store;
mod log_once;
mod manifest;
mod publish;
#[cfg(feature = "cluster")]
mod s3;
mod store;
mod target;

pub(crate) use follower::Follower;
pub(crate) use leader::Leader;
pub(crate) use local_store::{holds_publication, served_file};
pub(crate) use publish::{Direction, Outcome, PublishError, publish};
pub(crate) use target::{Target, TypedTarget};

#[cfg(test)]
mod tests;
