//! Everything that requests share.
use std::{collections::hash_map::RandomState, hash::BuildHasher, sync::Arc, time::Instant};

use fincore::{Caller, Catalogue, Plan, Snapshot, events::EventWindow, webhooks::Targets};

use super::{
    answer_cache::{self, Cache},
    route_table::{Route, Routes},
    uncounted_answers::UncountedAnswers,
};
use crate::{
    coordination::clock::Clock,
    http::{
        access::Access,
        endpoints::{context::Context, dataset_list::DatasetList, export},
        message::{refusal::Refusal, request::Request},
        transport::{
            concurrency_slots::Slots,
            fair_queue::Share,
            worker_pool::{Lane, Pool},
        },
    },
    observe::metrics::Metrics,
    site::upgrade_contact::UpgradeContact,
};

/// How much of answers may be on its way that is not read yet: in all, and to one address. A page of the most rows
/// takes two MiB.
const UNREAD: usize = 80 * 1024 * 1024;
const UNREAD_PER_ADDRESS: usize = 48 * 1024 * 1024;

/// Everything that requests share.
pub(crate) struct App {
    pub(crate) catalogue: Catalogue,
    pub(crate) access: Access,
    /// The datasets to export.
    pub(crate) dataset_list: DatasetList,
    /// How many exports may be under way.
    pub(crate) exports: Slots,
    /// How many of them may be exports of the past.
    pub(crate) past_exports: Slots,
    /// Whom webhooks may call.
    pub(crate) targets: Targets,
    /// How old what comes in may be and still be an event.
    window: EventWindow,
    pub(crate) routes: Routes,
    /// Answers that were given to others.
    pub(crate) cache: Cache,
    /// A cache of answers that are not counted.
    pub(crate) uncounted_answers: UncountedAnswers,
    /// Where long work is done, where work waits, and where answers are made that are not counted.
    pub(crate) pool: Pool,
    pub(crate) waiting: Pool,
    pub(crate) uncounted: Pool,
    /// Where streams are made.
    pub(crate) streams: Arc<Pool>,
    /// Bytes of answers that are not read yet, by address.
    pub(crate) unread: Slots,
    pub(crate) metrics: Arc<Metrics>,
    /// The prefix of request ids; it differs from start to start.
    pub(crate) start: String,
    clock: Clock,
}

impl App {
    pub(crate) fn new(
        catalogue: Catalogue,
        access: Access,
        targets: Targets,
        upgrade_contact: UpgradeContact,
        clock: Clock,
    ) -> App {
        let (routes, cache) = (Routes::new(upgrade_contact), answer_cache::CAPACITY);
        App { clock, ..App::with_routes(catalogue, access, targets, routes, cache) }
    }

    /// Sets the window of events.
    pub(crate) fn with_event_window(self, window: EventWindow) -> App {
        App { window, ..self }
    }

    pub(crate) fn with_routes(
        catalogue: Catalogue,
        access: Access,
        targets: Targets,
        routes: Routes,
        cache: u64,
    ) -> App {
        let start = RandomState::new().hash_one("request id") >> 32;
        let metrics = Arc::new(Metrics::new(routes.rows()));
        App {
            exports: export::slots(&catalogue),
            past_exports: export::past_slots(&catalogue),
            catalogue,
            access,
            dataset_list: DatasetList::default(),
            targets,
            window: EventWindow::default(),
            routes,
            cache: Cache::new(cache),
            pool: Pool::start(),
            waiting: Pool::for_waiting(),
            uncounted_answers: UncountedAnswers::default(),
            uncounted: Pool::for_uncounted_answers(),
            unread: Slots::new(UNREAD_PER_ADDRESS, UNREAD),
            metrics,
            streams: Arc::new(Pool::for_streams()),
            start: format!("{start:08x}-"),
            clock: Clock::system(),
        }
    }

    /// The data that is served.
    pub(crate) fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// Where the time comes from.
    pub(crate) fn clock(&self) -> &Clock {
        &self.clock
    }

    pub(crate) fn access(&self) -> &Access {
        &self.access
    }

    pub(crate) fn metrics(&self) -> &Arc<Metrics> {
        &self.metrics
    }

    /// Refuses the work that waits for a thread, and all that comes later. Streams that have begun go on.
    pub(crate) fn refuse_waiting(&self) {
        [&self.pool, &self.waiting, &self.uncounted].into_iter().for_each(Pool::close);
    }

    /// Ends streams, and waits for work that is being done, until then.
    pub(crate) fn finish(&self, until: Instant) {
        self.streams.close();
        for pool in [&self.pool, &self.waiting, &self.uncounted, &self.streams] {
            pool.finish(until);
        }
    }

    /// In whose turn the work of a request is done.
    pub(crate) fn share(&self, request: &Request, caller: Caller) -> Share {
        Share::of(caller, self.access.by_address(request).id)
    }

    /// Drops the answers that were kept, if the snapshot is of other data or of another day than the last one.
    pub(crate) fn follow(&self, snapshot: &Snapshot) {
        self.cache.follow(snapshot.fingerprint());
        self.uncounted_answers.follow(snapshot.fingerprint());
    }

    /// Makes the list of datasets anew, if it is asked for and the data has changed.
    pub(crate) fn refresh_dataset_list(&self, snapshot: &Snapshot) {
        // A failure comes again where the list is asked for.
        let _ = self.dataset_list.refresh(snapshot, self.routes.base);
    }

    pub(crate) fn snapshot(&self, request: &Request, plan: Plan) -> Result<Snapshot, Refusal> {
        let snapshot = self.catalogue.recent_snapshot(request.now.today(), request.now.instant)?;
        Ok(snapshot.for_plan(plan))
    }

    pub(crate) fn context<'r>(
        &'r self,
        route: &'r Route,
        request: &'r Request,
        caller: Caller,
        origin: Option<String>,
    ) -> Context<'r> {
        let App {
            catalogue, access, dataset_list, exports, past_exports, streams, targets, ..
        } = self;
        let routes = &self.routes;
        let Routes { base, upgrade_contact, ref pages, .. } = *routes;
        let share = self.share(request, caller);
        Context {
            catalogue,
            access,
            dataset_list,
            workers: self.metrics.workers(),
            exports,
            past_exports,
            streams: Lane::new(streams, share),
            targets: *targets,
            window: self.window,
            origin,
            base,
            upgrade_contact,
            pages,
            link_paths: routes,
            parameters: route.query_parameters(),
            request,
            caller,
            clock: &self.clock,
        }
    }
}
