//! The lines that a server prints and logs when it has started: where it listens, and how new its data is.
use std::path::Path;

use fincore::{Catalogue, datasets};

use crate::{
    cli,
    commands::{
        Failure,
        output::{freshness_text, terminal::print},
    },
    coordination::clock::Clock,
    http::Bounds,
};

/// A server that has started.
pub(super) struct StartupReport<'a> {
    pub(super) data: &'a Path,
    pub(super) args: &'a cli::Serve,
    pub(super) url: String,
    /// The admin address, if there is one.
    pub(super) admin: Option<String>,
    pub(super) bounds: &'a Bounds,
    pub(super) clock: &'a Clock,
}

impl StartupReport<'_> {
    pub(super) fn print(&self) -> Result<(), Failure> {
        print(&format!("finserve {} listens on {}\n", env!("CARGO_PKG_VERSION"), self.url))
    }

    /// The published catalogue that is served, if one is.
    fn followed_target(&self) -> Option<String> {
        Some(self.args.catalogue_from.as_ref()?.read().ok()?.to_string())
    }

    pub(super) fn log(&self) {
        tracing::info!(
            version = env!("CARGO_PKG_VERSION"),
            sqlite = fincore::sqlite_version(),
            url = &*self.url,
            admin = self.admin.as_deref(),
            base_path = &*self.args.base_path,
            data = &*self.data.to_string_lossy(),
            connections = self.bounds.most,
            connections_per_address = self.bounds.per_address,
            registrations_per_hour = self.args.registrations_per_hour,
            sync = self.args.sync,
            shared_limits = self.args.limits.is_some(),
            catalogue_from = self.followed_target().as_deref(),
            "started"
        );
    }

    /// Prints where the data is and how new it is.
    pub(super) fn print_freshness(&self, catalogue: &Catalogue) {
        let printed = self.freshness(catalogue).and_then(|text| print(&text));
        if let Err(failure) = printed {
            tracing::warn!("cannot tell how new the data is: {failure}");
        }
    }

    fn freshness(&self, catalogue: &Catalogue) -> Result<String, Failure> {
        let status = datasets::status(&catalogue.snapshot(self.clock.now().today())?)?;
        for dataset in &status.data {
            tracing::info!(
                dataset = &*dataset.dataset,
                newest = dataset.newest.map(|day| day.to_string()),
                stale = dataset.stale,
                rows = dataset.rows,
                "data"
            );
        }
        let (newest, stale) =
            (freshness_text::newest_line(&status), freshness_text::stale_line(&status));
        let about = format!("data directory: {}\nnewest data: {newest}\n", self.data.display());
        Ok(match (stale.is_empty(), self.args.sync, self.followed_target()) {
            (true, _, _) => about,
            (false, true, _) => format!("{about}{stale}; synchronising now\n"),
            (false, false, Some(target)) => {
                format!("{about}{stale}; {target} has nothing newer yet\n")
            }
            (false, false, None) => {
                format!(
                    "{about}{stale}; `finserve sync` or `finserve serve --sync` brings newer data\n"
                )
            }
        })
    }
}
