//! The metrics of background workers.
use std::time::Instant;

use prometheus_client::{
    metrics::{counter::Counter, family::Family, gauge::Gauge},
    registry::Registry,
};

use crate::observe::workers::Workers;

#[derive(Debug, Default)]
pub(super) struct WorkerMetrics {
    panics: Family<[(&'static str, &'static str); 1], Counter>,
    late: Family<[(&'static str, &'static str); 1], Gauge>,
}

impl WorkerMetrics {
    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register(
            "finserve_worker_panics",
            "Bugs that stopped a background worker, which then went on",
            self.panics.clone(),
        );
        registry.register(
            "finserve_worker_late",
            "Whether a background worker has not run when it should",
            self.late.clone(),
        );
    }

    pub(super) fn set(&self, workers: &Workers, now: Instant) {
        for worker in workers.all() {
            let label = [("worker", worker.name())];
            let counter = self.panics.get_or_create(&label);
            counter.inc_by(worker.panics().saturating_sub(counter.get()));
            self.late.get_or_create(&label).set(worker.is_late(now).into());
        }
    }
}
