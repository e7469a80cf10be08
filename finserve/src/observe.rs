//! The view of operators: the log, metrics, readiness, access records, and the admin address that serves them.
pub(crate) mod access_record;
pub(crate) mod admin;
pub(crate) mod build_info;
pub(crate) mod log;
pub(crate) mod metrics;
pub(crate) mod readiness;
pub(crate) mod workers;
