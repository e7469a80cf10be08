//! The metrics that are sampled when Prometheus asks: how new the data is, how large its files are.
use std::{
    fmt, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use fincore::{datasets, webhooks};

use crate::{
    cluster::limits::SharedLimits,
    http::App,
    observe::{
        metrics::{SampledState, SharedState},
        readiness::{Component, Readiness},
    },
};

/// The sources of the sampled metrics.
pub(crate) struct Measurements {
    pub(crate) ready: Arc<Readiness>,
    /// The data directory.
    pub(crate) data: PathBuf,
    pub(crate) app: Arc<App>,
}

impl Measurements {
    /// All metrics in the text format of Prometheus.
    pub(crate) fn text(&self) -> Result<String, fmt::Error> {
        self.app.metrics().text(&self.state())
    }

    fn state(&self) -> SampledState {
        let app = &self.app;
        let now = app.clock().now();
        let snapshot = app.catalogue().snapshot(now.today()).ok();
        let subscriptions = webhooks::list_all(app.access().accounts()).ok();
        let limits = app.access().shared_limits();
        let pending =
            |all: Vec<webhooks::OwnedWebhook>| all.iter().map(|owned| owned.pending).sum();
        SampledState {
            ready: self.ready.reasons().is_empty(),
            data_version: snapshot.as_ref().and_then(|all| all.version().ok()),
            status: snapshot.and_then(|all| datasets::status(&all).ok()),
            unwritten: app.access().unwritten(),
            shared: SharedState {
                accounts_away: self.ready.has_reason_about(Component::Accounts),
                usage_lost: app.access().lost(),
                limits_away: limits.is_some_and(SharedLimits::is_away),
                limits_alone: limits.map_or(0, SharedLimits::decided_alone),
            },
            webhook_queue: subscriptions.map(pending),
            files: files(&self.data).ok().map(|mut files| {
                // A server that follows a published catalogue has its copies here.
                files.extend(files_below(&self.data, "published"));
                files
            }),
        }
    }
}

fn files_below(data: &Path, directory: &str) -> Vec<(String, u64)> {
    let files = files(&data.join(directory)).unwrap_or_default().into_iter();
    files.map(|(name, bytes)| (format!("{directory}/{name}"), bytes)).collect()
}

/// The sizes of the files in the directory of the data.
fn files(data: &Path) -> io::Result<Vec<(String, u64)>> {
    let mut files = Vec::new();
    for entry in data.read_dir()? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        // The file may be gone by now.
        if let (true, Ok(file)) = (name.contains(".db"), entry.metadata()) {
            files.push((name, file.len()));
        }
    }
    Ok(files)
}
