//! Everything that requests share.
use std::{collections::hash_map::RandomState, hash::BuildHasher, sync::Arc};

use fincore::{
    Caller, Catalogue, Plan, Snapshot, datasets::Watch, export::Shelf, webhooks::Targets,
};

use super::{
    access::Access,
    cache::{self, Cache},
    context::Context,
    export,
    pool::Pool,
    refusal::Refusal,
    request::Request,
    routes::Routes,
    slots::Slots,
};
use crate::{metrics::Metrics, offer::Offer};

/// How much of answers may be on its way that is not read yet: in all, and to one address. A page of the most rows
/// takes two MiB.
const UNREAD: usize = 80 * 1024 * 1024;
const UNREAD_PER_ADDRESS: usize = 48 * 1024 * 1024;

/// Everything that requests share.
pub(crate) struct App {
    pub(super) catalogue: Catalogue,
    pub(super) access: Access,
    /// How fresh the data is.
    pub(super) watch: Watch,
    /// What can be exported.
    pub(super) shelf: Shelf,
    /// How many exports may be under way.
    pub(super) exports: Slots,
    /// Whom webhooks may call.
    pub(super) targets: Targets,
    pub(super) routes: Routes,
    /// Answers that were given to others.
    pub(super) cache: Cache,
    /// Where long work is done, and where work waits.
    pub(super) pool: Pool,
    pub(super) waiting: Pool,
    /// Where streams are made.
    pub(super) streams: Arc<Pool>,
    /// Bytes of answers that are not read yet, by address.
    pub(super) unread: Slots,
    pub(super) metrics: Arc<Metrics>,
    /// What begins the ids of requests; it differs from start to start.
    pub(super) start: String,
}

impl App {
    pub(crate) fn new(catalogue: Catalogue, access: Access, targets: Targets, offer: Offer) -> App {
        App::with_routes(catalogue, access, targets, Routes::new(offer), cache::CAPACITY)
    }

    pub(super) fn with_routes(
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
            catalogue,
            access,
            watch: Watch::default(),
            shelf: Shelf::default(),
            targets,
            routes,
            cache: Cache::new(cache),
            pool: Pool::start(),
            waiting: Pool::for_waiting(),
            unread: Slots::new(UNREAD_PER_ADDRESS, UNREAD),
            metrics,
            streams: Arc::new(Pool::for_streams()),
            start: format!("{start:08x}-"),
        }
    }

    /// The data that is served.
    pub(crate) fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// How fresh the data is.
    pub(crate) fn watch(&self) -> &Watch {
        &self.watch
    }

    pub(crate) fn access(&self) -> &Access {
        &self.access
    }

    pub(crate) fn metrics(&self) -> &Arc<Metrics> {
        &self.metrics
    }

    /// Waits for work that nobody waits for any more.
    pub(crate) fn finish(&self) {
        self.pool.close();
        self.waiting.close();
        self.streams.close();
    }

    /// Drops the answers that were kept, if the snapshot is of other data or of another day than the last one.
    pub(crate) fn follow(&self, snapshot: &Snapshot) {
        self.cache.follow(snapshot.fingerprint());
    }

    pub(super) fn snapshot(&self, request: &Request, plan: Plan) -> Result<Snapshot, Refusal> {
        let snapshot = self.catalogue.recent_snapshot(request.now.today(), request.now.instant)?;
        Ok(snapshot.for_plan(plan))
    }

    pub(super) fn context<'r>(&'r self, request: &'r Request, caller: Caller) -> Context<'r> {
        let App { catalogue, access, watch, shelf, exports, streams, targets, routes, .. } = self;
        let Routes { base, offer, ref pages, .. } = *routes;
        Context {
            catalogue,
            access,
            watch,
            shelf,
            exports,
            streams,
            targets: *targets,
            base,
            offer,
            pages,
            request,
            caller,
        }
    }
}
