//! HTTP: from a connection to a reply.
//!
//! `server` accepts connections and reads a `request`; `answer` takes it through the steps that every request goes
//! through; `routes` names the function that answers it; `render` writes what the function returned, `reply` and
//! `refusal` turn that or the failure into a response.
mod accept;
mod access;
mod answer;
mod app;
mod cache;
mod caller;
mod certificate;
mod connections;
mod context;
mod cookie;
mod cost;
mod data;
mod description;
mod encoding;
mod envelope;
mod events;
mod exchange;
mod export;
mod formats;
mod front;
mod global_search;
mod headers;
mod inside;
mod links;
mod listen;
mod listener;
mod llms;
mod mcp;
mod params;
mod patience;
mod payload;
mod pool;
mod refusal;
mod relay;
mod render;
mod reply;
mod request;
mod respond;
mod routes;
mod server;
mod service;
mod sign_in;
mod sitemap;
mod slots;
mod stream;
mod tag;
mod target;
mod targets;
mod visit;
mod visitor;
mod webhooks;

pub(crate) use access::{Access, Signal};
pub(crate) use app::App;
pub(crate) use certificate::Certificate;
pub(crate) use connections::Bounds;
pub(crate) use inside::Inside;
pub(crate) use listener::{Inherited, Listener, notify};
pub(crate) use render::Heading;
#[cfg(test)]
pub(crate) use routes::{Handler, Match, Routes};
pub(crate) use server::{Settings, serve};
