//! `serve --catalogue-from`: a server that follows a published catalogue, and perhaps publishes it.
//!
//! A leader begins with what is published, so data versions rise over all leaders; it works on a copy, so that it shows
//! nothing that the others do not have.
use std::{fs, path::Path, sync::Arc, thread};

use fincore::Catalogue;

use crate::{
    cli,
    cluster::{
        postgres::Postgres,
        publication::{Follower, Leader, Target},
    },
    commands::{Failure, descriptor_limits},
    coordination::{
        directory_lock::{ExclusiveTask, Sharing},
        leader_election::{self, Election},
        worker::Worker,
    },
    observe::{
        metrics::Metrics,
        readiness::{Component, Readiness},
    },
};

/// A published catalogue that this server follows, and may publish itself if it is elected.
pub(super) struct Publication {
    target: Target,
    follower: Follower,
    leader: Option<Leader>,
}

impl Publication {
    /// The publication that the command line names, if any.
    pub(super) fn from_args(
        data: &Path,
        args: &cli::Serve,
        postgres: Option<&Postgres>,
    ) -> Result<Option<Publication>, Failure> {
        let Some(argument) = &args.catalogue_from else { return Ok(None) };
        let target = argument.read().map_err(Failure::Message)?;
        if args.sharing() == Sharing::Shared {
            let message = "a server with --catalogue-from needs a data directory of its own: leave --shared out";
            return Err(Failure::Message(message.to_owned()));
        }
        let leader = if args.sync {
            let election = election(&target, postgres)?;
            let leader = Leader::new(&target, election, data, args.sources.config());
            Some(leader.map_err(Failure::Message)?)
        } else {
            None
        };
        let follower = Follower::new(&target, data, descriptor_limits::readers());
        Ok(Some(Publication { follower: follower.map_err(Failure::Message)?, target, leader }))
    }

    /// The catalogue that is served first: the one that was served last, or else the first that is published. Waits for
    /// that: the bundled data would differ from what the other servers have.
    pub(super) fn first_catalogue(&mut self, ready: &Readiness) -> Catalogue {
        // Reading a directory costs nothing, and it may have a newer catalogue. Over a network this could take long.
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
            ready.report(Component::Catalogue, Some(format!("waiting for {}: {why}", self.target)));
            thread::sleep(self.follower.pause());
        }
    }

    /// Starts the threads that follow and, with --sync, publish.
    pub(super) fn start(self, metrics: &Arc<Metrics>) -> impl Iterator<Item = Worker> {
        let leading = self.leader.map(|leader| leader.start(metrics.clone()));
        leading.into_iter().chain([self.follower.start(metrics.clone())])
    }
}

/// How the servers that follow a publication agree which of them synchronises.
fn election(target: &Target, postgres: Option<&Postgres>) -> Result<Election, Failure> {
    match (target, postgres) {
        (Target::Web(_), _) => Err(Failure::Message(format!(
            "--sync cannot publish to {target}, which can only be read: leave --sync out, or name the directory or store \
             that it serves"
        ))),
        (Target::S3 { .. }, Some(postgres)) => Ok(postgres.election(ExclusiveTask::Publish)),
        (Target::Directory(directory), _) => {
            let cannot = format!("cannot create {}", directory.display());
            fs::create_dir_all(directory).map_err(Failure::system(cannot))?;
            Ok(postgres.map_or_else(
                || leader_election::in_directory(directory, ExclusiveTask::Publish),
                |postgres| postgres.election(ExclusiveTask::Publish),
            ))
        }
        (Target::S3 { .. }, None) => Err(Failure::Message(
            "--sync with a catalogue in s3:// needs --accounts postgres://…, through which the servers agree which of \
             them synchronises; or leave --sync out, and run `finserve sync` and `finserve publish` in one place"
                .to_owned(),
        )),
    }
}
