//! The metrics of a server, for Prometheus.
use std::{
    fmt,
    sync::{Arc, atomic::AtomicU64},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use fincore::{Date, chrono::NaiveDate, datasets::Status};
use prometheus_client::{
    encoding::text::encode,
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram, info::Info},
    registry::Registry,
};

mod process;
mod replicas;
mod workers;

pub(crate) use self::replicas::SharedState;
use self::{replicas::SharedMetrics, workers::WorkerMetrics};

use super::{build_info, workers::Workers};

/// The buckets of request durations, in seconds: from answers in the cache to requests that are cut off.
const SECONDS: [f64; 12] =
    [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0];

/// The label of requests that match no row of the table.
const NO_ROUTE: &str = "none";

/// A label and its value.
type Label = [(&'static str, String); 1];
type Labels = [(&'static str, &'static str); 1];
type Seconds = Gauge<f64, AtomicU64>;

/// Everything that is measured.
pub(crate) struct Metrics {
    registry: Registry,
    /// By the position of the route in the table; the last one counts requests without a route.
    routes: Vec<Route>,
    in_flight: Gauge,
    connections: Gauge,
    sent: Counter,
    refused: [Counter; Reason::ALL.len()],
    hits: Counter,
    misses: Counter,
    syncs: Family<[(&'static str, String); 2], Counter>,
    publications: Family<Labels, Counter>,
    sampled: SampledMetrics,
    workers: Arc<Workers>,
}

/// The metrics of the requests to one route.
struct Route {
    /// By the first digit of the status, from 1 on.
    answered: [Counter; 5],
    duration: Histogram,
}

/// The metrics that are sampled when Prometheus asks.
#[derive(Default)]
struct SampledMetrics {
    ready: Gauge,
    data_version: Gauge,
    newest: Family<Label, Seconds>,
    stale: Family<Label, Gauge>,
    left_out: Family<Label, Gauge>,
    holes: Family<Label, Gauge>,
    notes: Family<Label, Gauge>,
    synced: Family<Label, Seconds>,
    unwritten: Gauge,
    shared: SharedMetrics,
    webhook_queue: Gauge,
    files: Family<Label, Gauge>,
    panics: Counter,
    lost: Counter,
    memory: Gauge,
    descriptors: Gauge,
    workers: WorkerMetrics,
}

/// Why a request or a connection is not served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// One address has too many connections.
    ConnectionsPerAddress,
    /// A peer took too long.
    Overdue,
    /// A caller has used up its limit.
    RateLimit,
    /// Too much long work waits already.
    Queue,
    /// Too many bytes are in flight that peers do not read.
    Unread,
    /// The most exports, or listeners, are under way already.
    Slots,
    /// Another program holds a file, or a query took too long.
    Busy,
    /// A file cannot be used.
    Unavailable,
}

impl Reason {
    const ALL: [Reason; 8] = [
        Reason::ConnectionsPerAddress,
        Reason::Overdue,
        Reason::RateLimit,
        Reason::Queue,
        Reason::Unread,
        Reason::Slots,
        Reason::Busy,
        Reason::Unavailable,
    ];

    fn name(self) -> &'static str {
        match self {
            Reason::ConnectionsPerAddress => "connections_per_address",
            Reason::Overdue => "overdue",
            Reason::RateLimit => "rate_limit",
            Reason::Queue => "queue",
            Reason::Unread => "unread",
            Reason::Slots => "slots",
            Reason::Busy => "busy",
            Reason::Unavailable => "unavailable",
        }
    }
}

/// The values of the sampled metrics. A value that cannot be read is `None`, and its metric keeps the last one.
pub(crate) struct SampledState {
    pub(crate) ready: bool,
    pub(crate) data_version: Option<u64>,
    pub(crate) status: Option<Status>,
    /// Requests that are counted and not yet written.
    pub(crate) unwritten: u64,
    /// The engines that replicas share.
    pub(crate) shared: SharedState,
    /// Calls of webhooks that are due.
    pub(crate) webhook_queue: Option<u64>,
    /// The sizes of files, by their names.
    pub(crate) files: Option<Vec<(String, u64)>>,
}

/// A request that is in flight until this is dropped, whatever becomes of it.
pub(crate) struct InFlight(Gauge);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.dec();
    }
}

impl Metrics {
    /// The metrics for the routes of a table, each given by method and path.
    pub(crate) fn new(rows: impl Iterator<Item = (String, &'static str)>) -> Metrics {
        let mut registry = Registry::default();
        let answered = Family::<[(&'static str, String); 3], Counter>::default();
        let duration = Family::<[(&'static str, String); 2], Histogram, fn() -> Histogram>::new_with_constructor(
            || Histogram::new(SECONDS),
        );
        let route = |(method, path): (String, &str)| Route {
            answered: ["1xx", "2xx", "3xx", "4xx", "5xx"].map(|class| {
                answered.get_or_create_owned(&[
                    ("route", path.into()),
                    ("method", method.clone()),
                    ("class", class.into()),
                ])
            }),
            duration: duration
                .get_or_create_owned(&[("route", path.into()), ("method", method.clone())]),
        };
        let routes = rows.chain([("any".to_owned(), NO_ROUTE)]).map(route).collect();
        registry.register("finserve_requests", "Requests that were answered", answered);
        registry.register(
            "finserve_request_duration_seconds",
            "From a request to its answer, or to the end of one that is made while it is sent",
            duration,
        );
        let cache = Family::<Labels, Counter>::default();
        let [hits, misses] =
            ["hit", "miss"].map(|outcome| cache.get_or_create_owned(&[("outcome", outcome)]));
        registry.register(
            "finserve_cache",
            "Questions about the data, by whether the answer was kept",
            cache,
        );
        let refused_by = Family::<Labels, Counter>::default();
        let refused =
            Reason::ALL.map(|reason| refused_by.get_or_create_owned(&[("reason", reason.name())]));
        registry.register(
            "finserve_refused",
            "Requests and connections that were not served",
            refused_by,
        );
        let (in_flight, connections, sent) =
            (Gauge::default(), Gauge::default(), Counter::default());
        registry.register(
            "finserve_requests_in_flight",
            "Requests that are being answered",
            in_flight.clone(),
        );
        registry.register("finserve_connections", "Connections that are open", connections.clone());
        registry.register("finserve_sent_bytes", "Bytes of bodies", sent.clone());
        let syncs = Family::default();
        registry.register("finserve_sync_runs", "Datasets synchronised, by outcome", syncs.clone());
        let publications = Family::default();
        registry.register(
            "finserve_publications",
            "Catalogues that were published, followed or refused, and failures to ask for one",
            publications.clone(),
        );
        let sampled = SampledMetrics::default();
        sampled.register(&mut registry);
        Metrics {
            registry,
            routes,
            in_flight,
            connections,
            sent,
            refused,
            hits,
            misses,
            syncs,
            publications,
            sampled,
            workers: Arc::default(),
        }
    }

    /// Counts a request that has begun, until the value is dropped.
    pub(crate) fn begin(&self) -> InFlight {
        self.in_flight.inc();
        InFlight(self.in_flight.clone())
    }

    /// How many requests are in flight.
    #[cfg(test)]
    pub(crate) fn in_flight(&self) -> i64 {
        self.in_flight.get()
    }

    /// Counts a request that was answered, by the position of its route in the table.
    pub(crate) fn end(&self, row: Option<usize>, status: u16, bytes: u64, took: Duration) {
        let routes = self.routes.get(row.unwrap_or(usize::MAX)).or(self.routes.last());
        if let Some(route) = routes {
            if let Some(class) = route.answered.get(usize::from(status / 100).saturating_sub(1)) {
                class.inc();
            }
            route.duration.observe(took.as_secs_f64());
        }
        self.sent.inc_by(bytes);
    }

    pub(crate) fn set_connections(&self, count: usize) {
        self.connections.set(i64::try_from(count).unwrap_or(i64::MAX));
    }

    /// Counts a request or connection that was not served, unless that was the caller's fault.
    pub(crate) fn count_refusal(&self, reason: Option<Reason>) {
        if let Some(reason) = reason {
            self.refused[reason as usize].inc();
        }
    }

    /// Counts peers that took too long.
    pub(crate) fn count_overdue(&self, count: usize) {
        self.refused[Reason::Overdue as usize].inc_by(count as u64);
    }

    /// Counts an answer that was in the cache.
    pub(crate) fn count_cache_hit(&self) {
        self.hits.inc();
    }

    /// Counts an answer that was not in the cache.
    pub(crate) fn count_cache_miss(&self) {
        self.misses.inc();
    }

    /// Counts a dataset that was synchronised, or failed to be.
    pub(crate) fn count_sync(&self, dataset: &str, outcome: &'static str) {
        let labels = [("dataset", dataset.to_owned()), ("outcome", outcome.to_owned())];
        self.syncs.get_or_create(&labels).inc();
    }

    /// Counts a catalogue that was published, followed or refused, or that could not be asked for.
    pub(crate) fn count_publication(&self, outcome: &'static str) {
        self.publications.get_or_create(&[("outcome", outcome)]).inc();
    }

    /// The background workers, whose heartbeats are measured.
    pub(crate) fn workers(&self) -> &Arc<Workers> {
        &self.workers
    }

    /// Everything in the text format of Prometheus.
    pub(crate) fn text(&self, state: &SampledState) -> Result<String, fmt::Error> {
        self.sampled.set(state);
        self.sampled.workers.set(&self.workers, Instant::now());
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

impl SampledMetrics {
    fn register(&self, registry: &mut Registry) {
        let build = [
            ("version", env!("CARGO_PKG_VERSION").to_owned()),
            ("commit", build_info::COMMIT.unwrap_or("unknown").to_owned()),
            ("sqlite", fincore::sqlite_version().to_owned()),
        ];
        registry.register("finserve_build", "The program", Info::new(build));
        registry.register("finserve_ready", "Whether requests can be answered", self.ready.clone());
        registry.register(
            "finserve_data_version",
            "Increases with every import that changed something",
            self.data_version.clone(),
        );
        registry.register(
            "finserve_dataset_newest_timestamp_seconds",
            "The day of the newest observation",
            self.newest.clone(),
        );
        registry.register(
            "finserve_dataset_stale",
            "Whether newer data should have been published",
            self.stale.clone(),
        );
        registry.register(
            "finserve_dataset_synced_timestamp_seconds",
            "When it was last synchronised with its source",
            self.synced.clone(),
        );
        registry.register(
            "finserve_dataset_left_out_rows",
            "Rows of its last files that were left out",
            self.left_out.clone(),
        );
        registry.register(
            "finserve_dataset_holes",
            "Holes between its first and its newest figure, up to ten",
            self.holes.clone(),
        );
        registry.register("finserve_dataset_notes", "Notes on its last files", self.notes.clone());
        registry.register(
            "finserve_usage_unwritten_requests",
            "Requests that are counted and not yet on disk",
            self.unwritten.clone(),
        );
        self.shared.register(registry);
        registry.register(
            "finserve_webhook_queue",
            "Calls of webhooks that wait",
            self.webhook_queue.clone(),
        );
        registry.register("finserve_file_bytes", "The sizes of the data files", self.files.clone());
        registry.register(
            "finserve_panics",
            "Bugs that failed a request or a thread",
            self.panics.clone(),
        );
        registry.register(
            "finserve_log_lines_lost",
            "Lines of the log that could not be written",
            self.lost.clone(),
        );
        self.workers.register(registry);
        registry.register("process_resident_memory_bytes", "Memory in use", self.memory.clone());
        registry.register("process_open_fds", "Descriptors in use", self.descriptors.clone());
        let started = Seconds::default();
        started.set(seconds(SystemTime::now()));
        registry.register("process_start_time_seconds", "When the program was started", started);
    }

    fn set(&self, state: &SampledState) {
        let whole = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        self.ready.set(state.ready.into());
        self.unwritten.set(whole(state.unwritten));
        self.shared.set(state.shared);
        if let Some(version) = state.data_version {
            self.data_version.set(whole(version));
        }
        if let Some(waiting) = state.webhook_queue {
            self.webhook_queue.set(whole(waiting));
        }
        for dataset in state.status.iter().flat_map(|status| &status.data) {
            let label = [("dataset", dataset.dataset.to_string())];
            self.stale.get_or_create(&label).set(dataset.stale.into());
            self.left_out.get_or_create(&label).set(whole(dataset.left_out));
            self.notes.get_or_create(&label).set(whole(dataset.notes.len() as u64));
            if let Some(holes) = &dataset.holes {
                self.holes.get_or_create(&label).set(whole(holes.len() as u64));
            }
            if let Some(newest) = dataset.newest {
                self.newest.get_or_create(&label).set(midnight(newest));
            }
            if let Some(synced) = dataset.last_success {
                self.synced.get_or_create(&label).set(seconds(synced.into()));
            }
        }
        if let Some(files) = &state.files {
            self.files.clear();
            for (name, bytes) in files {
                self.files.get_or_create(&[("file", name.clone())]).set(whole(*bytes));
            }
        }
        let follow =
            |counter: &Counter, total: u64| counter.inc_by(total.saturating_sub(counter.get()));
        follow(&self.panics, super::log::panic_count());
        follow(&self.lost, super::log::lost_lines());
        self.memory.set(whole(process::memory()));
        self.descriptors.set(whole(process::descriptors()));
    }
}

/// The beginning of a day in UTC, in seconds after 1970.
fn midnight(day: Date) -> f64 {
    let days = NaiveDate::from(day).signed_duration_since(NaiveDate::default()).num_days();
    f64::from(i32::try_from(days).unwrap_or_default()) * 86_400.0
}

fn seconds(time: SystemTime) -> f64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}
