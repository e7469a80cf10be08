//! Faults of a request, as values. `Display` is the English of the API; pages have words of their own.
mod bad_request;
mod not_found;
mod problem;

pub(crate) use bad_request::{AddressFault, BadRequest};
pub(crate) use not_found::NotFound;
pub(crate) use problem::{Problem, Wanted};
