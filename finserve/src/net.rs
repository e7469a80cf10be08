//! Sockets and TLS: the listener, and outgoing requests with the certificates they trust.
pub(crate) mod http_client;
pub(crate) mod http_date;
pub(crate) mod listener;
pub(crate) mod trusted_certificates;
