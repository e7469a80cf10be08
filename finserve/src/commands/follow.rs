//! What `serve --catalogue-from` adds to a server: a catalogue that others publish.
use std::{fs, path::Path, sync::Arc, thread};

use fincore::Catalogue;

use super::{Failure, descriptors};
use crate::{
    cli,
    cluster::{
        postgres::Postgres,
        publication::{Follower, Leader, Target},
    },
    election::{self, Election},
    lock::{Sharing, Work},
    metrics::Metrics,
    ready::{About, Readiness},
    stop::Worker,
};

/// A publication that is followed, and perhaps led.
pub(super) struct Publication {
    target: Target,
    follower: Follower,
    leader: Option<Leader>,
}

impl Publication {
    /// That of the command line, if it names one.
    pub(super) fn of(
        data: &Path,
        args: &cli::Serve,
        postgres: Option<&Postgres>,
    ) -> Result<Option<Publication>, Failure> {
        let Some(typed) = &args.catalogue_from else { return Ok(None) };
        let target = typed.read().map_err(Failure::Said)?;
        if args.sharing() == Sharing::Shared {
            let words = "a server with --catalogue-from needs a data directory of its own: leave --shared out";
            return Err(Failure::Said(words.to_owned()));
        }
        let leader = if args.sync {
            let election = election(&target, postgres)?;
            let leader = Leader::new(&target, election, data, args.sources.config());
            Some(leader.map_err(Failure::Said)?)
        } else {
            None
        };
        let follower = Follower::new(&target, data, descriptors::readers());
        Ok(Some(Publication { follower: follower.map_err(Failure::Said)?, target, leader }))
    }

    /// What is served first: what was served last, or else the first publication. Waits for that: the bundled data
    /// would be other data than what the other servers have.
    pub(super) fn first(&mut self, ready: &Readiness) -> Catalogue {
        // A look at a directory costs nothing, and other servers may have something newer. Over a network it could
        // take long.
        if let Target::Directory(_) = self.target {
            self.follower.look();
        }
        loop {
            if let Some(catalogue) = self.follower.catalogue() {
                return catalogue.clone();
            }
            self.follower.look();
            if self.follower.catalogue().is_some() {
                continue;
            }
            if let Some(leader) = &mut self.leader {
                leader.step();
            }
            let why = self.follower.trouble().unwrap_or("nothing is published yet");
            ready.report(About::Catalogue, Some(format!("waiting for {}: {why}", self.target)));
            thread::sleep(self.follower.pause());
        }
    }

    pub(super) fn start(self, metrics: &Arc<Metrics>) -> Running {
        Running {
            following: self.follower.start(metrics.clone()),
            leading: self.leader.map(|leader| leader.start(metrics.clone())),
        }
    }
}

/// How the servers that follow a publication agree which of them synchronises.
fn election(target: &Target, postgres: Option<&Postgres>) -> Result<Election, Failure> {
    match (target, postgres) {
        (Target::Web(_), _) => Err(Failure::Said(format!(
            "--sync cannot publish to {target}, which can only be read: leave --sync out, or name the directory or store \
             that it serves"
        ))),
        (Target::S3 { .. }, Some(postgres)) => Ok(postgres.election(Work::Publish)),
        (Target::Directory(directory), _) => {
            let cannot = format!("cannot create {}", directory.display());
            fs::create_dir_all(directory).map_err(Failure::system(cannot))?;
            Ok(postgres.map_or_else(
                || election::in_directory(directory, Work::Publish),
                |postgres| postgres.election(Work::Publish),
            ))
        }
        (Target::S3 { .. }, None) => Err(Failure::Said(
            "--sync with a catalogue in s3:// needs --accounts postgres://…, through which the servers agree which of \
             them synchronises; or leave --sync out, and run `finserve sync` and `finserve publish` in one place"
                .to_owned(),
        )),
    }
}

/// What runs beside requests.
pub(super) struct Running {
    following: Worker,
    leading: Option<Worker>,
}

impl Running {
    /// Begins nothing more.
    pub(super) fn ask_to_stop(&self) {
        self.following.ask_to_stop();
        if let Some(leading) = &self.leading {
            leading.ask_to_stop();
        }
    }

    pub(super) fn stop(self) {
        self.ask_to_stop();
        if let Some(leading) = self.leading {
            leading.stop();
        }
        self.following.stop();
    }
}
