//! What the targets share: a server in this process, and something to search in.
//!
//! `finserve` is a program, not a library. Its modules are compiled here from the same files, by links to them, so that
//! nothing has to be made public, or split, for the sake of this package.
#![allow(
    dead_code,
    unused_imports,
    reason = "the program uses more of its modules than the targets do"
)]

mod api;
mod base_path;
mod bell;
mod build;
/// As in a build without the engines that replicas share.
mod cluster {
    pub(crate) mod limits;
}
mod http;
mod log;
mod mcp;
mod metrics;
mod names;
mod now;
mod offer;
mod ordered;
mod pages;

mod server;
mod shelf;
pub use server::{answer, answer_with_body};
pub use shelf::shelf;
