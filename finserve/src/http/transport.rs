//! Below HTTP messages: connections and their time-outs, the threads that do the work, slots that bound both.
pub(crate) mod certificate;
pub(crate) mod concurrency_slots;
pub(crate) mod connections;
pub(crate) mod fair_queue;
pub(crate) mod peer_timeouts;
pub(crate) mod stop_signals;
pub(crate) mod turns;
pub(crate) mod worker_pool;
