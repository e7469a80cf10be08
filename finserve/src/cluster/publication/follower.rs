//! Following a publication: looking for a new one, verifying it, and switching to it.
use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use fincore::Catalogue;

use super::{
    local_store::LocalStore, log_once::LogOnce, manifest::Manifest, store::Store, target::Target,
};
use crate::{coordination::worker::Worker, observe::metrics::Metrics};

/// After a publication was refused, it is fetched again after this time, and then after twice that, up to the longest:
/// an operator who copies files into a directory may not have copied all of them yet.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// Longer than any catalogue takes to be fetched and verified.
const LONGEST_LOOK: Duration = Duration::from_secs(3600);

/// Follows a publication.
pub(crate) struct Follower {
    store: Box<dyn Store>,
    local: LocalStore,
    /// The served publication, once there is one.
    served: Option<(Manifest, Catalogue)>,
    refused: Option<RefusedPublication>,
    error: LogOnce,
    metrics: Option<Arc<Metrics>>,
}

/// A publication that could not be used.
struct RefusedPublication {
    manifest: Manifest,
    words: String,
    pause: Duration,
    since: Instant,
}

/// Why there is nothing new.
enum Trouble {
    /// It cannot be found out what is published.
    Unreachable(String),
    /// The publication cannot be used.
    Unusable(String),
    /// Either of them, known for some time.
    Known(String),
}

impl Follower {
    /// Fails, in words, where the data directory or the target cannot be used.
    pub(crate) fn new(target: &Target, data: &Path, readers: usize) -> Result<Follower, String> {
        let local = LocalStore::open(data, readers)?;
        let error = LogOnce::new("the published catalogue cannot be followed");
        let served = local.newest();
        let store = target.open()?;
        Ok(Follower { store, local, served, refused: None, error, metrics: None })
    }

    /// The served catalogue, once there is one.
    pub(crate) fn catalogue(&self) -> Option<&Catalogue> {
        self.served.as_ref().map(|(_, catalogue)| catalogue)
    }

    /// The problem with the publication, if there is one.
    pub(crate) fn trouble(&self) -> Option<&str> {
        self.error.last()
    }

    /// How long to wait between two looks.
    pub(crate) fn pause(&self) -> Duration {
        self.store.pause()
    }

    /// Looks whether there is something new, and switches to it.
    pub(crate) fn look(&mut self) {
        let (outcome, words) = match self.attempt() {
            Ok(None) => (None, None),
            Ok(Some(version)) => {
                tracing::info!("data version {version} is served now");
                (Some("followed"), None)
            }
            Err(Trouble::Unreachable(words)) => (Some("unreachable"), Some(words)),
            Err(Trouble::Unusable(words)) => (Some("refused"), Some(words)),
            Err(Trouble::Known(words)) => (None, Some(words)),
        };
        // A lasting error is one failure.
        let is_new = words.is_none() || words.as_deref() != self.error.last();
        if let (Some(metrics), Some(outcome), true) = (&self.metrics, outcome, is_new) {
            metrics.count_publication(outcome);
        }
        self.error.report(words);
    }

    /// The data version that is served from now on; nothing if it is the same as before.
    fn attempt(&mut self) -> Result<Option<u64>, Trouble> {
        let found = match self.store.manifest() {
            Ok(Some(bytes)) => Manifest::read(&bytes).map_err(Trouble::Unusable)?,
            // Nothing is published yet, or not any more.
            Ok(None) => return Ok(None),
            Err(words) => return Err(Trouble::Unreachable(words)),
        };
        if let Some((served, _)) = &self.served {
            if served.is_same(&found) {
                self.refused = None;
                return Ok(None);
            }
            // A cache on the way may have an old one. An old version that is published on purpose has a later time.
            if found.published_at <= served.published_at {
                return Err(Trouble::Unusable(format!(
                    "data version {} was published before version {}, which is served",
                    found.edition.data_version, served.edition.data_version
                )));
            }
        }
        if let Some(refused) = self.refused.as_ref().filter(|refused| refused.manifest == found)
            && refused.since.elapsed() < refused.pause
        {
            return Err(Trouble::Known(refused.words.clone()));
        }
        self.switch_to(&found).map_err(|words| {
            let pause = match self.refused.take().filter(|refused| refused.manifest == found) {
                Some(refused) => (2 * refused.pause).min(LONGEST_PAUSE),
                None => FIRST_PAUSE,
            };
            let since = Instant::now();
            let refused =
                RefusedPublication { manifest: found.clone(), words: words.clone(), pause, since };
            self.refused = Some(refused);
            Trouble::Unusable(words)
        })?;
        Ok(Some(found.edition.data_version))
    }

    /// Serves a publication from now on.
    fn switch_to(&mut self, found: &Manifest) -> Result<(), String> {
        let new = self.local.fetch(&*self.store, found)?;
        // Before any request sees it: a server that is killed now goes on with it.
        self.local.record_served(found)?;
        // All readers have a clone of the one that is served.
        let served = match self.served.take() {
            Some((_, served)) => {
                served.switch_to(&new);
                served
            }
            None => new,
        };
        self.served = Some((found.clone(), served));
        self.refused = None;
        Ok(())
    }

    /// Follows until it is stopped. What was not completed by then is removed with the next start.
    pub(crate) fn start(mut self, metrics: Arc<Metrics>) -> Worker {
        let heartbeat = metrics.workers().add("follower", LONGEST_LOOK);
        self.metrics = Some(metrics);
        Worker::start(heartbeat.clone(), move |stop| {
            while !stop.is_stopped() {
                heartbeat.beat();
                self.look();
                stop.wait(self.pause());
            }
        })
    }
}
