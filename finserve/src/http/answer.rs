//! The path of a request, from its first line to the response.
use std::{
    any::Any,
    collections::hash_map::RandomState,
    hash::BuildHasher,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use fincore::{
    Caller, Catalogue, Snapshot, datasets::Watch, export::Shelf, limits::Standing, usage::Outcome,
    webhooks::Targets,
};
use hyper::{Response, header::IF_NONE_MATCH};

use super::{
    access::Access,
    cache::{self, Cache, Question},
    context::Context,
    data::{data, question},
    envelope::Envelope,
    export,
    params::Params,
    payload::Payload,
    pool::Pool,
    refusal::Refusal,
    render::Media,
    reply::Reply,
    request::Request,
    routes::{Cost, Handler, Query, Route, RouteId, Routes},
    slots::Slots,
    target::{Matched, Target, target},
};

/// Everything that requests share.
pub(crate) struct App {
    catalogue: Catalogue,
    access: Access,
    /// How fresh the data is.
    watch: Watch,
    /// What can be exported.
    shelf: Shelf,
    /// How many exports may be under way.
    exports: Slots,
    /// Whom webhooks may call.
    targets: Targets,
    routes: Routes,
    /// Answers that were given to others.
    cache: Cache,
    /// Where long work is done.
    pool: Pool,
    /// Where streams are made.
    streams: Arc<Pool>,
    /// Request ids are this, which differs from start to start, and a count.
    start: String,
    requests: AtomicU64,
}

/// What is known of a request once it has been answered: for counting, logging and measuring.
#[derive(Default)]
struct Trail {
    /// The row of the table that it matched.
    route: Option<RouteId>,
    /// Who sent it.
    caller: Option<Caller>,
    /// The caller's standing after it, where it was counted.
    standing: Option<Standing>,
    /// What its usage is counted as, if it is.
    counted: Option<Outcome>,
}

/// How a request is answered.
pub(crate) enum Answered {
    /// At once.
    Now(Response<Payload>),
    /// After work that would hold up other requests here.
    Later(Later),
}

/// Work that answers a request, and the kind of thread that it belongs to.
pub(crate) struct Later {
    pub(crate) on: Threads,
    pub(crate) work: Box<dyn FnOnce() -> Response<Payload> + Send>,
}

/// Where work is done that takes longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Threads {
    /// Those for computing.
    Pool,
    /// Those for waiting.
    Waiting,
}

/// How far a request has come on the thread of its connection.
enum Step {
    Done(Reply),
    /// The rest takes longer.
    Longer(Threads),
}

impl App {
    pub(crate) fn new(catalogue: Catalogue, access: Access, targets: Targets) -> App {
        App::with_routes(catalogue, access, targets, Routes::new(), cache::CAPACITY)
    }

    fn with_routes(
        catalogue: Catalogue,
        access: Access,
        targets: Targets,
        routes: Routes,
        cache: u64,
    ) -> App {
        let start = RandomState::new().hash_one("request id") >> 32;
        App {
            catalogue,
            access,
            watch: Watch::default(),
            shelf: Shelf::default(),
            exports: export::slots(),
            targets,
            routes,
            cache: Cache::new(cache),
            pool: Pool::start(),
            streams: Arc::new(Pool::for_streams()),
            start: format!("{start:08x}-"),
            requests: AtomicU64::new(0),
        }
    }

    /// The data that is served.
    pub(crate) fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    pub(crate) fn access(&self) -> &Access {
        &self.access
    }

    pub(crate) fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Waits for work that nobody waits for any more.
    pub(crate) fn finish(&self) {
        self.pool.close();
        self.streams.close();
    }

    /// Drops the answers that were kept, if the snapshot is of other data or of another day than the last one.
    pub(crate) fn follow(&self, snapshot: &Snapshot) {
        self.cache.follow(snapshot.fingerprint());
    }

    /// Answers a request of the caller that its key or address stands for. A panic on the way fails this request only.
    pub(crate) fn answer(
        self: &Arc<App>,
        request: Request,
        caller: Result<Caller, Refusal>,
    ) -> Answered {
        let mut trail = Trail::default();
        let step = guarded(|| self.steps(&request, caller, &mut trail));
        match step {
            Ok(Step::Longer(on)) => {
                let app = self.clone();
                let work = Box::new(move || {
                    let done = guarded(|| app.rest(&request, &trail));
                    app.respond(&request, &trail, done)
                });
                Answered::Later(Later { on, work })
            }
            Ok(Step::Done(reply)) => Answered::Now(self.respond(&request, &trail, Ok(reply))),
            Err(refusal) => Answered::Now(self.respond(&request, &trail, Err(refusal))),
        }
    }

    /// Counts a request that has been answered, and makes the response.
    fn respond(
        &self,
        request: &Request,
        trail: &Trail,
        done: Result<Reply, Refusal>,
    ) -> Response<Payload> {
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        let id = [&self.start, itoa::Buffer::new().format(number)].concat();
        let route = trail.route.map_or("no route", |route| self.routes.row(route).path);
        let reply = done.unwrap_or_else(|refusal| refusal.reply(&id, route));

        // A request that failed before its caller was identified still gets the headers of its address.
        let caller = trail.caller.unwrap_or_else(|| self.access.by_address(request));
        let standing = trail.standing.unwrap_or_else(|| self.access.peek(&caller, request.now));
        if let Some(outcome) = trail.counted {
            let outcome = match outcome {
                Outcome::Success if reply.is_error() => Outcome::Failure,
                outcome => outcome,
            };
            self.access.count(&caller, route, outcome, request.now);
        }
        reply.respond(&Envelope { id: &id, caller, standing, now: request.now })
    }

    /// The steps that every request goes through, in order; the first that fails answers.
    fn steps(
        &self,
        request: &Request,
        caller: Result<Caller, Refusal>,
        trail: &mut Trail,
    ) -> Result<Step, Refusal> {
        // Even a request with bad grammar gets its caller's headers.
        trail.caller = caller.as_ref().ok().copied();

        // Grammar, and what the request is about.
        let mut target = match target(&self.routes, request)? {
            Target::Matched(matched) => matched,
            Target::Options(allow) => return Ok(Step::Done(Reply::options(&allow))),
        };
        trail.route = Some(target.id);

        // Credential. An invalid key is charged to the address, so that guessing has a limit.
        let caller = caller.inspect_err(|refusal| {
            if matches!(refusal, Refusal::InvalidKey) {
                let anonymous = self.access.by_address(request);
                let admitted = self.access.admit(&anonymous, request.now);
                trail.standing = Some(admitted.unwrap_or_else(|standing| standing));
            }
        })?;

        if let Some(feature) = target.route.feature {
            // Limit.
            let admitted = self.access.admit(&caller, request.now);
            trail.standing = Some(admitted.unwrap_or_else(|standing| standing));
            trail.counted = Some(Outcome::RateLimited);
            admitted.map_err(|standing| too_many(&caller, standing))?;
            trail.counted = Some(Outcome::Success);

            // Plan, for the endpoint and then for the format.
            caller.plan.need(feature)?;
            let format = target.route.formats.feature(&target.params, &request.head.headers);
            format.map_or(Ok(()), |feature| caller.plan.need(feature))?;
        }

        // Parameters.
        target.params.only(&target.route.params, &target.captures)?;
        let media = target.media(request)?;

        // Answer: one that was given before, or a new one, here or where it holds up nobody.
        let (route, headers) = (target.route, &request.head.headers);
        if let Handler::Query(_) = &route.handler {
            let snapshot = self.snapshot(request, caller)?;
            if let Some(kept) = self.cache.get(&asked(&snapshot, request, media)) {
                return Ok(Step::Done(kept.reply().encode(headers)));
            }
            if headers.contains_key(IF_NONE_MATCH) {
                let tag = question(&snapshot, &request.head, media);
                if let Some(unchanged) = Reply::confirmed(&tag, headers) {
                    return Ok(Step::Done(unchanged));
                }
            }
        }
        if route.cost.is_short(&target.params) {
            return self.made(request, caller, target, media).map(Step::Done);
        }
        Ok(Step::Longer(match route.cost {
            Cost::Disk => Threads::Waiting,
            Cost::Short | Cost::Rows(_) | Cost::Long => Threads::Pool,
        }))
    }

    /// The last step, on another thread.
    fn rest(&self, request: &Request, trail: &Trail) -> Result<Reply, Refusal> {
        let Target::Matched(mut target) = target(&self.routes, request)? else {
            return Err(Refusal::Internal("a request leads elsewhere the second time".into()));
        };
        let media = target.media(request)?;
        let caller = trail.caller.unwrap_or_else(|| self.access.by_address(request));
        self.made(request, caller, target, media)
    }

    /// An answer that nobody was given before.
    fn made(
        &self,
        request: &Request,
        caller: Caller,
        target: Matched<'_, '_>,
        media: Media,
    ) -> Result<Reply, Refusal> {
        let params = target.captures.and(target.params)?;
        let reply = match &target.route.handler {
            Handler::Query(query) => {
                self.queried(request, caller, target.route, query.as_ref(), params, media)
            }
            Handler::Direct(direct) => direct(&self.context(request, caller), params),
        }?;
        Ok(reply.encode(&request.head.headers))
    }

    fn queried(
        &self,
        request: &Request,
        caller: Caller,
        route: &Route,
        query: &Query,
        params: Params<'_>,
        media: Media,
    ) -> Result<Reply, Refusal> {
        let snapshot = self.snapshot(request, caller)?;
        let kept = Arc::new(data(&snapshot, route, query, &request.head, params, media)?);
        self.cache.keep(&asked(&snapshot, request, media), &kept);
        Ok(kept.reply())
    }

    fn snapshot(&self, request: &Request, caller: Caller) -> Result<Snapshot, Refusal> {
        let snapshot = self.catalogue.recent_snapshot(request.now.today(), request.now.instant)?;
        Ok(snapshot.for_plan(caller.plan))
    }

    fn context<'r>(&'r self, request: &'r Request, caller: Caller) -> Context<'r> {
        let App { catalogue, access, watch, shelf, exports, streams, targets, .. } = self;
        let targets = *targets;
        Context { catalogue, access, watch, shelf, exports, streams, targets, request, caller }
    }
}

/// What an answer from this snapshot is kept under.
fn asked<'r>(snapshot: &Snapshot, request: &'r Request, media: Media) -> Question<'r> {
    let uri = &request.head.uri;
    let target = uri.path_and_query().map_or(uri.path(), |target| target.as_str());
    Question { fingerprint: snapshot.fingerprint(), target, media }
}

/// Runs a step; a panic in it becomes a refusal.
fn guarded<T>(step: impl FnOnce() -> Result<T, Refusal>) -> Result<T, Refusal> {
    catch_unwind(AssertUnwindSafe(step))
        .unwrap_or_else(|panic| Err(Refusal::Internal(panic_message(panic.as_ref()))))
}

fn too_many(caller: &Caller, standing: Standing) -> Refusal {
    let (plan, limit) = (caller.plan.name(), standing.limit);
    let allowed = format!("the {plan} plan allows {limit} requests per minute");
    Refusal::RateLimited { allowed, retry_after: standing.retry_after }
}

/// What a panic said, for the log.
fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("panicked: {}", text.unwrap_or("without a message"))
}

#[cfg(test)]
pub(crate) mod tests;
