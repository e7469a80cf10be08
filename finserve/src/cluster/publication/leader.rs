//! The one of several followers that synchronises and publishes.
use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use fincore::{Catalogue, Date, Edition, backup::CATALOGUE, bundle};

use super::{
    local_store::{LocalStore, decompress_to, remove_database},
    log_once::LogOnce,
    publish::{Direction, Outcome, PublishError, publish, published_manifest},
    store::Store,
    target::Target,
};
use crate::{
    coordination::{
        directory_lock::ExclusiveTask,
        leader_election::{self, Elected, Election},
        worker::Worker,
    },
    observe::metrics::Metrics,
    sources::{self, Config},
};

/// How often it is looked whether this server leads, and whether there is something to publish.
const PAUSE: Duration = Duration::from_secs(1);

/// After a failure it is tried again after twice as long as before, up to this time.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// Longer than a catalogue takes to be published, or to be fetched from the former leader.
const LONGEST_STEP: Duration = Duration::from_secs(3600);

/// The catalogue that is synchronised. It is not the one that is served: that is followed, as by all others.
const WORKING_COPY: &str = "sync.db";

/// Synchronises and publishes while it is elected.
pub(crate) struct Leader {
    election: Election,
    store: Box<dyn Store>,
    local: LocalStore,
    data: PathBuf,
    config: Config,
    elected: Option<Box<dyn Elected>>,
    work: Option<WorkingCopy>,
    has_logged_follower: bool,
    error: LogOnce,
    /// How long to wait after a failure, and since when.
    failed: Option<(Duration, Instant)>,
    metrics: Option<Arc<Metrics>>,
}

struct WorkingCopy {
    catalogue: Catalogue,
    /// The published edition.
    published: Option<Edition>,
    sync: Option<Worker>,
}

impl Leader {
    /// Fails, in words, where the data directory or the target cannot be used.
    pub(crate) fn new(
        target: &Target,
        election: Election,
        data: &Path,
        config: Config,
    ) -> Result<Leader, String> {
        Ok(Leader {
            election,
            store: target.open()?,
            // Few read from what is synchronised.
            local: LocalStore::open(data, 4)?,
            data: data.to_owned(),
            config,
            elected: None,
            work: None,
            has_logged_follower: false,
            error: LogOnce::new("the catalogue cannot be published"),
            failed: None,
            metrics: None,
        })
    }

    /// Does what there is to do now. Nothing is downloaded before [`start`](Leader::start).
    pub(crate) fn step(&mut self) {
        if self.elected.as_mut().is_some_and(|elected| !elected.holds()) {
            tracing::warn!(
                "another server may synchronise and publish by now; this one stops that"
            );
            self.elected = None;
            self.rest();
        }
        if self.elected.is_none() {
            self.elected = (self.election)();
            if self.elected.is_none() {
                if !self.has_logged_follower {
                    tracing::info!("another server synchronises and publishes; this one follows");
                    self.has_logged_follower = true;
                }
                return;
            }
            tracing::info!("this server synchronises and publishes from now on");
            self.has_logged_follower = false;
        }
        if self.failed.is_some_and(|(pause, since)| since.elapsed() < pause) {
            return;
        }
        let error = self.lead().err();
        self.failed = error.as_ref().map(|_| {
            let pause = self.failed.map_or(PAUSE, |(pause, _)| (2 * pause).min(LONGEST_PAUSE));
            (pause, Instant::now())
        });
        self.error.report(error);
    }

    fn lead(&mut self) -> Result<(), String> {
        if self.work.is_none() {
            self.work = Some(self.begin()?);
        }
        let Some(WorkingCopy { catalogue, published, sync }) = &mut self.work else {
            return Ok(());
        };
        if sync.is_none()
            && published.is_some()
            && let Some(metrics) = &self.metrics
        {
            let (catalogue, config) = (catalogue.clone(), self.config.clone());
            *sync = Some(sources::start(catalogue, &self.data, config, metrics.clone()));
        }
        let edition = catalogue.snapshot(Date::MAX).and_then(|snapshot| snapshot.edition());
        let edition = edition.map_err(|err| err.to_string())?;
        // While a sync is running there is more to come.
        let is_running =
            || leader_election::in_directory(&self.data, ExclusiveTask::Sync)().is_none();
        if published.as_ref() == Some(&edition) || is_running() {
            return Ok(());
        }
        let elected = &mut self.elected;
        let mut may_publish = || elected.as_mut().is_some_and(|elected| elected.holds());
        let (store, forwards) = (&*self.store, Direction::Forwards);
        match publish(catalogue, store, &self.data, forwards, &mut may_publish, &mut |_| ()) {
            Ok(Outcome::Published(manifest)) => {
                tracing::info!("data version {} is published", manifest.edition.data_version);
                if let Some(metrics) = &self.metrics {
                    metrics.count_publication("published");
                }
                *published = Some(manifest.edition);
                Ok(())
            }
            Ok(Outcome::Already(manifest)) => {
                *published = Some(manifest.edition);
                Ok(())
            }
            Err(why @ (PublishError::Older { .. } | PublishError::Another)) => {
                // Another program has published: it goes on from there.
                self.rest();
                Err(why.words())
            }
            Err(PublishError::Failed(words)) => Err(words),
        }
    }

    /// Begins with what is published; where nothing is, with the catalogue of the data directory or the bundled data.
    fn begin(&self) -> Result<WorkingCopy, String> {
        let path = self.local.file(WORKING_COPY);
        let published = published_manifest(&*self.store)?;
        let edition = published.as_ref().map(|manifest| manifest.edition.clone());
        let open = || -> fincore::Result<_> {
            let catalogue = Catalogue::open(&path)?;
            Ok((catalogue.snapshot(Date::MAX)?.edition()?, catalogue))
        };
        // A copy that was not published may be of another line than what others have published since.
        let is_current = path.exists() && open().is_ok_and(|(found, _)| Some(found) == edition);
        if !is_current {
            remove_database(&path)?;
            let own = self.data.join(CATALOGUE);
            if let Some(manifest) = &published {
                decompress_to(&*self.store, manifest, &path)?;
            } else if own.exists() {
                let copied = Catalogue::open(own).and_then(|own| own.write_copy(&path));
                copied.map_err(|err| err.to_string())?;
            }
        }
        let (_, catalogue) = open().map_err(|err| err.to_string())?;
        bundle::fill(&catalogue).map_err(|err| err.to_string())?;
        Ok(WorkingCopy { catalogue, published: edition, sync: None })
    }

    /// Synchronises no more.
    fn rest(&mut self) {
        if let Some(WorkingCopy { sync: Some(sync), .. }) = self.work.take() {
            sync.stop();
        }
    }

    /// Leads, or tries to, until it is stopped. What was not published by then is made again by the next leader.
    pub(crate) fn start(mut self, metrics: Arc<Metrics>) -> Worker {
        let heartbeat = metrics.workers().add("leader", LONGEST_STEP);
        self.metrics = Some(metrics);
        Worker::start(heartbeat.clone(), move |stop| {
            while !stop.is_stopped() {
                heartbeat.beat();
                self.step();
                stop.wait(PAUSE);
            }
            self.rest();
        })
    }
}
