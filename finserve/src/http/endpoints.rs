//! Endpoints that are not a library function: service, exports, events, webhooks, sign-in, agents, pages.
pub(crate) mod context;
pub(crate) mod dataset_list;
pub(crate) mod event_stream;
pub(crate) mod events;
pub(crate) mod export;
mod export_tag;
pub(crate) mod global_search;
pub(crate) mod llms;
pub(crate) mod mcp;
pub(crate) mod openapi_document;
pub(crate) mod own_key;
pub(crate) mod page_handlers;
pub(crate) mod service;
pub(crate) mod sign_in;
pub(crate) mod sitemap;
pub(crate) mod webhook_hosts;
pub(crate) mod webhooks;
