//! The one of several followers that synchronises and publishes.
use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use fincore::{Catalogue, Date, Edition, backup::CATALOGUE, bundle};

use super::{
    publish::{Direction, Outcome, Unpublished, publish, published},
    said::Said,
    shelf::{Shelf, remove_database, unpack_to},
    store::Store,
    target::Target,
};
use crate::{
    election::{self, Elected, Election},
    lock::Work,
    metrics::Metrics,
    sources::{self, Config},
    stop::Worker,
};

/// How often it is looked whether this server leads, and whether there is something to publish.
const PAUSE: Duration = Duration::from_secs(1);

/// After a failure it is tried again after twice as long as before, up to this time.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// The catalogue that is synchronised. It is not the one that is served: that is followed, as by all others.
const WORKING_COPY: &str = "sync.db";

/// Synchronises and publishes while it is elected.
pub(crate) struct Leader {
    election: Election,
    store: Box<dyn Store>,
    shelf: Shelf,
    data: PathBuf,
    config: Config,
    elected: Option<Box<dyn Elected>>,
    work: Option<Working>,
    /// Whether it was said that another one leads.
    said_follower: bool,
    said: Said,
    /// How long to wait after a failure, and since when.
    failed: Option<(Duration, Instant)>,
    metrics: Option<Arc<Metrics>>,
}

/// What is being synchronised.
struct Working {
    catalogue: Catalogue,
    /// What is published.
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
            shelf: Shelf::open(data, 4)?,
            data: data.to_owned(),
            config,
            elected: None,
            work: None,
            said_follower: false,
            said: Said::new("the catalogue cannot be published"),
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
                if !self.said_follower {
                    tracing::info!("another server synchronises and publishes; this one follows");
                    self.said_follower = true;
                }
                return;
            }
            tracing::info!("this server synchronises and publishes from now on");
            self.said_follower = false;
        }
        if self.failed.is_some_and(|(pause, since)| since.elapsed() < pause) {
            return;
        }
        let wrong = self.lead().err();
        self.failed = wrong.as_ref().map(|_| {
            let pause = self.failed.map_or(PAUSE, |(pause, _)| (2 * pause).min(LONGEST_PAUSE));
            (pause, Instant::now())
        });
        self.said.report(wrong);
    }

    fn lead(&mut self) -> Result<(), String> {
        if self.work.is_none() {
            self.work = Some(self.begin()?);
        }
        let Some(Working { catalogue, published, sync }) = &mut self.work else { return Ok(()) };
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
        let is_running = || election::in_directory(&self.data, Work::Sync)().is_none();
        if published.as_ref() == Some(&edition) || is_running() {
            return Ok(());
        }
        let elected = &mut self.elected;
        let mut may = || elected.as_mut().is_some_and(|elected| elected.holds());
        let (store, forwards) = (&*self.store, Direction::Forwards);
        match publish(catalogue, store, &self.data, forwards, &mut may, &mut |_| ()) {
            Ok(Outcome::Published(manifest)) => {
                tracing::info!("data version {} is published", manifest.edition.data_version);
                if let Some(metrics) = &self.metrics {
                    metrics.published("published");
                }
                *published = Some(manifest.edition);
                Ok(())
            }
            Ok(Outcome::Already(manifest)) => {
                *published = Some(manifest.edition);
                Ok(())
            }
            Err(why @ (Unpublished::Older { .. } | Unpublished::Another)) => {
                // Somebody else has published: it goes on from there.
                self.rest();
                Err(why.words())
            }
            Err(Unpublished::Failed(words)) => Err(words),
        }
    }

    /// Begins with what is published; where nothing is, with the catalogue of the data directory or the bundled data.
    fn begin(&self) -> Result<Working, String> {
        let path = self.shelf.file(WORKING_COPY);
        let published = published(&*self.store)?;
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
                unpack_to(&*self.store, manifest, &path)?;
            } else if own.exists() {
                let copied = Catalogue::open(own).and_then(|own| own.write_copy(&path));
                copied.map_err(|err| err.to_string())?;
            }
        }
        let (_, catalogue) = open().map_err(|err| err.to_string())?;
        bundle::fill(&catalogue).map_err(|err| err.to_string())?;
        Ok(Working { catalogue, published: edition, sync: None })
    }

    /// Synchronises no more.
    fn rest(&mut self) {
        if let Some(Working { sync: Some(sync), .. }) = self.work.take() {
            sync.stop();
        }
    }

    /// Leads, or tries to, until it is stopped. What was not published by then is made again by the next leader.
    pub(crate) fn start(mut self, metrics: Arc<Metrics>) -> Worker {
        self.metrics = Some(metrics);
        Worker::start(move |stop| {
            while !stop.is_stopped() {
                self.step();
                stop.wait(PAUSE);
            }
            self.rest();
        })
    }
}
