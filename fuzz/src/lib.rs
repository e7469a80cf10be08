//! What the targets share: a server in this process, and something to search in.
//!
//! `finserve` is a program, not a library. Its modules are compiled here from the same files, so that nothing has to be
//! made public, or split, for the sake of this package.
#![allow(dead_code, unused_imports, reason = "the program uses more of its modules than the targets do")]

#[path = "../../finserve/src/base_path.rs"]
mod base_path;
#[path = "../../finserve/src/bell.rs"]
mod bell;
#[path = "../../finserve/src/build.rs"]
mod build;
#[path = "../../finserve/src/http.rs"]
mod http;
#[path = "../../finserve/src/log.rs"]
mod log;
#[path = "../../finserve/src/metrics.rs"]
mod metrics;
#[path = "../../finserve/src/names.rs"]
mod names;
#[path = "../../finserve/src/now.rs"]
mod now;
#[path = "../../finserve/src/pages.rs"]
mod pages;

mod server;
mod shelf;
pub use server::{answer, answer_with_body};
pub use shelf::shelf;
