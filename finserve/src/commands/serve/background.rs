//! Background work of a server: housekeeping, webhooks, synchronising, following a publication.
use std::{path::Path, sync::Arc};

use super::{housekeeping::Housekeeping, published_catalogue::Publication};
use crate::{
    cli,
    cluster::postgres::Postgres,
    coordination::{directory_lock::ExclusiveTask, leader_election, worker::Worker},
    delivery::{Delivery, DeliveryContext},
    http::App,
    observe::readiness::Readiness,
    sources,
};

pub(super) struct Background {
    housekeeping: Housekeeping,
    delivery: Delivery,
    /// Synchronising, or following a publication.
    workers: Vec<Worker>,
}

impl Background {
    pub(super) fn start(
        app: &Arc<App>,
        ready: &Arc<Readiness>,
        (data, args): (&Path, &cli::Serve),
        postgres: Option<&Postgres>,
        publication: Option<Publication>,
    ) -> Background {
        let housekeeping = Housekeeping::start(app, ready, args.retention());
        let election = postgres.map_or_else(
            || leader_election::in_directory(data, ExclusiveTask::Webhooks),
            |postgres| postgres.election(ExclusiveTask::Webhooks),
        );
        let context = DeliveryContext {
            accounts: app.access().accounts().clone(),
            catalogue: app.catalogue().clone(),
            outbox: app.access().outbox().clone(),
            targets: args.targets(),
            window: args.event_window(),
            clock: app.clock().clone(),
        };
        let delivery = Delivery::start(context, election, app.metrics().workers());
        if let Some(postgres) = postgres {
            let app = app.clone();
            postgres.listen(move || app.access().refresh().signal.wake());
        }
        let workers = match publication {
            Some(publication) => publication.start(app.metrics()).collect(),
            None if args.sync => {
                let (catalogue, config) = (app.catalogue().clone(), args.sources.config());
                vec![sources::start(catalogue, data, config, app.metrics().clone())]
            }
            None => Vec::new(),
        };
        Background { housekeeping, delivery, workers }
    }

    /// Tells the threads to begin nothing more.
    pub(super) fn ask_to_stop(&self) {
        self.delivery.ask_to_stop();
        self.workers.iter().for_each(Worker::ask_to_stop);
    }

    /// Stops the threads. Housekeeping, which writes the last counts, ends last; no request may be counted any more.
    pub(super) fn stop(self) {
        self.ask_to_stop();
        self.workers.into_iter().for_each(Worker::stop);
        self.delivery.stop();
        self.housekeeping.stop();
    }
}
