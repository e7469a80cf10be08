//! What a request and its reply are made of: head, parameters, negotiation, encoding, bodies, refusals.
pub(crate) mod accept;
pub(crate) mod cookies;
pub(crate) mod encoding;
pub(crate) mod etags;
pub(crate) mod formats;
pub(crate) mod header_names;
pub(crate) mod links;
pub(crate) mod parameter_types;
pub(crate) mod parameters;
pub(crate) mod payload;
pub(crate) mod refusal;
pub(crate) mod render;
pub(crate) mod reply;
pub(crate) mod request;
pub(crate) mod response_headers;
pub(crate) mod return_path;
pub(crate) mod stream;
