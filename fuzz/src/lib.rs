//! What the targets share: a server in this process, and a small catalogue to search in.
mod sample;
mod server;

pub use sample::catalogue;
pub use server::{answer, answer_with_body};
