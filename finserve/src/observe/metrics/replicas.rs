//! The metrics of what replicas share: the accounts and the limits.
use prometheus_client::{
    metrics::{counter::Counter, gauge::Gauge},
    registry::Registry,
};

/// Their values when Prometheus asks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SharedState {
    /// Whether accounts cannot be read or written, wherever they are.
    pub(crate) accounts_away: bool,
    /// Requests that were not counted, because too much waits to be written.
    pub(crate) usage_lost: u64,
    /// Whether limits of all replicas are counted by this one alone, and how many requests it has decided so.
    pub(crate) limits_away: bool,
    pub(crate) limits_alone: u64,
}

#[derive(Debug, Default)]
pub(super) struct SharedMetrics {
    accounts_away: Gauge,
    usage_lost: Counter,
    limits_away: Gauge,
    limits_alone: Counter,
}

impl SharedMetrics {
    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register(
            "finserve_accounts_away",
            "Whether the accounts cannot be used, so that no key can be registered",
            self.accounts_away.clone(),
        );
        registry.register(
            "finserve_usage_lost_requests",
            "Requests that were not counted, because the accounts were away for too long",
            self.usage_lost.clone(),
        );
        registry.register(
            "finserve_limits_away",
            "Whether this server counts limits alone, because Valkey is away or slow",
            self.limits_away.clone(),
        );
        registry.register(
            "finserve_limits_alone",
            "Requests that this server has admitted or refused alone since it was started",
            self.limits_alone.clone(),
        );
    }

    pub(super) fn set(&self, state: SharedState) {
        let follow =
            |counter: &Counter, total: u64| counter.inc_by(total.saturating_sub(counter.get()));
        self.accounts_away.set(state.accounts_away.into());
        follow(&self.usage_lost, state.usage_lost);
        self.limits_away.set(state.limits_away.into());
        follow(&self.limits_alone, state.limits_alone);
    }
}
