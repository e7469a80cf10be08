//! HTTP, from a connection to a reply.
//!
//! `server` accepts connections and hands each request to the `pipeline`, whose steps read top to bottom. The
//! `pipeline`'s route table names library functions and, for the rest, `endpoints`. `access` knows callers, limits and
//! usage; `message` is what requests and replies are made of; `transport` lies below both.
mod access;
mod endpoints;
mod message;
mod pipeline;
mod server;
mod transport;

pub(crate) use access::Access;
pub(crate) use message::render::Heading;
pub(crate) use pipeline::app::App;
pub(crate) use pipeline::link_scope::operator_link_path;
pub(crate) use pipeline::local_queries::LocalQueries;
#[cfg(test)]
pub(crate) use pipeline::route_table::{Handler, Match, Routes};
pub(crate) use server::{Settings, serve};
pub(crate) use transport::certificate;
pub(crate) use transport::connections::Bounds;
pub(crate) use transport::stop_signals::{StopOn, StopReason};
