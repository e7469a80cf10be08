//! The path of a request, from its first line to the response.
use std::{
    any::Any,
    collections::hash_map::RandomState,
    hash::BuildHasher,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use fincore::{
    Caller, Catalogue, Plan, Snapshot, datasets::Watch, export::Shelf, limits::Standing,
    usage::Outcome, webhooks::Targets,
};
use hyper::{
    Response,
    header::{HeaderMap, IF_NONE_MATCH},
};

use super::{
    access::Access,
    cache::{self, Cache, Kept, Question, Sent},
    context::Context,
    data::{data, question},
    envelope::{Envelope, RequestId},
    export, formats,
    payload::Payload,
    pool::Pool,
    refusal::Refusal,
    render::Media,
    reply::Reply,
    request::Request,
    routes::{Cost, Handler, Route, RouteId, Routes},
    slots::Slots,
    target::{self, Matched, Target, target},
};
use crate::now::Now;

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
    /// What begins the ids of requests; it differs from start to start.
    start: String,
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

/// What a request is answered with.
enum Done {
    Reply(Reply),
    /// What the data say.
    Data(Sent),
}

impl Done {
    /// An answer from the data, compressed or left out as the request allows.
    fn data(kept: Arc<Kept>, headers: &HeaderMap) -> Done {
        match Reply::unchanged(&kept.tag, headers) {
            Some(unchanged) => Done::Reply(unchanged),
            None => Done::Data(Sent::new(kept, headers)),
        }
    }
}

/// How far a request has come on the thread of its connection.
enum Step {
    Done(Done),
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
            Ok(Step::Done(done)) => Answered::Now(self.respond(&request, &trail, Ok(done))),
            Err(refusal) => Answered::Now(self.respond(&request, &trail, Err(refusal))),
        }
    }

    /// Counts a request that has been answered, and makes the response.
    fn respond(
        &self,
        request: &Request,
        trail: &Trail,
        done: Result<Done, Refusal>,
    ) -> Response<Payload> {
        let id = RequestId::new(&self.start);
        let route = trail.route.map_or("no route", |route| self.routes.row(route).path);
        let done = done.unwrap_or_else(|refusal| Done::Reply(refusal.reply(id, route)));

        // A request that failed before its caller was identified still gets the headers of its address.
        let caller = trail.caller.unwrap_or_else(|| self.access.by_address(request));
        let standing = trail.standing.unwrap_or_else(|| self.access.peek(&caller, request.now));
        if let Some(outcome) = trail.counted {
            let failed = matches!(&done, Done::Reply(reply) if reply.is_error());
            let outcome = match outcome {
                Outcome::Success if failed => Outcome::Failure,
                outcome => outcome,
            };
            self.access.count(&caller, route, outcome, request.now);
        }
        let envelope = Envelope { id, caller, standing, now: request.now };
        match done {
            Done::Reply(reply) => reply.respond(&envelope),
            Done::Data(sent) => sent.respond(&envelope),
        }
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

        // Whoever asks on the same plan in the same words gets the same answer: all but the limit has been checked.
        if let Some(caller) = &trail.caller.filter(|_| target::is_plain(&request.head))
            && let Some(kept) = self.known(request, caller)
        {
            trail.route = Some(kept.route);
            self.admit(self.routes.row(kept.route), caller, request, trail)?;
            return Ok(Step::Done(Done::data(kept, &request.head.headers)));
        }

        // Grammar, and what the request is about.
        let mut target = match target(&self.routes, request)? {
            Target::Matched(matched) => matched,
            Target::Options(allow) => return done(Reply::options(&allow)),
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

        self.admit(target.route, &caller, request, trail)?;

        // Plan, for the endpoint and then for the format.
        if let Some(feature) = target.route.feature {
            caller.plan.need(feature)?;
            let format = target.route.formats.feature(&target.params, &request.head.headers);
            format.map_or(Ok(()), |feature| caller.plan.need(feature))?;
        }

        // Parameters.
        target.params.only(&target.route.params, &target.captures)?;
        let media = target.media(request)?;

        // Answer, here or where it holds up nobody. To know that it has not changed takes no query.
        let (route, headers) = (target.route, &request.head.headers);
        if matches!(route.handler, Handler::Query(_)) && headers.contains_key(IF_NONE_MATCH) {
            let snapshot = self.snapshot(request, caller.plan)?;
            let tag = question(&snapshot, &request.head, media);
            if let Some(unchanged) = Reply::confirmed(&tag, headers) {
                return done(unchanged);
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

    /// Counts a request against the limit of its caller, where its row of the table has one.
    fn admit(
        &self,
        route: &Route,
        caller: &Caller,
        request: &Request,
        trail: &mut Trail,
    ) -> Result<(), Refusal> {
        if route.feature.is_none() {
            return Ok(());
        }
        let admitted = self.access.admit(caller, request.now);
        trail.standing = Some(admitted.unwrap_or_else(|standing| standing));
        trail.counted =
            Some(if admitted.is_ok() { Outcome::Success } else { Outcome::RateLimited });
        admitted.map(drop).map_err(|standing| too_many(caller, standing))
    }

    /// The answer to this question, if it is kept.
    fn known(&self, request: &Request, caller: &Caller) -> Option<Arc<Kept>> {
        let Now { instant, .. } = request.now;
        let recent = self.catalogue.recent_fingerprint(request.now.today(), caller.plan, instant);
        let fingerprint = match recent {
            Some(fingerprint) => fingerprint,
            // A failure comes again where the question is answered.
            None => self.snapshot(request, caller.plan).ok()?.fingerprint(),
        };
        self.cache.get(&asked(fingerprint, request))
    }

    /// The last step, on another thread.
    fn rest(&self, request: &Request, trail: &Trail) -> Result<Done, Refusal> {
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
    ) -> Result<Done, Refusal> {
        let params = target.captures.and(target.params)?;
        let headers = &request.head.headers;
        match &target.route.handler {
            Handler::Query(query) => {
                let snapshot = self.snapshot(request, caller.plan)?;
                let (route, head) = ((target.id, target.route), &request.head);
                let kept = Arc::new(data(&snapshot, route, query.as_ref(), head, params, media)?);
                self.cache.keep(&asked(snapshot.fingerprint(), request), &kept);
                Ok(Done::data(kept, headers))
            }
            Handler::Direct(direct) => {
                let reply = direct(&self.context(request, caller), params)?;
                Ok(Done::Reply(reply.encode(headers)))
            }
        }
    }

    fn snapshot(&self, request: &Request, plan: Plan) -> Result<Snapshot, Refusal> {
        let snapshot = self.catalogue.recent_snapshot(request.now.today(), request.now.instant)?;
        Ok(snapshot.for_plan(plan))
    }

    fn context<'r>(&'r self, request: &'r Request, caller: Caller) -> Context<'r> {
        let App { catalogue, access, watch, shelf, exports, streams, targets, .. } = self;
        let targets = *targets;
        Context { catalogue, access, watch, shelf, exports, streams, targets, request, caller }
    }
}

/// What an answer from the data with this fingerprint is kept under.
fn asked(fingerprint: u64, request: &Request) -> Question<'_> {
    let uri = &request.head.uri;
    let target = uri.path_and_query().map_or(uri.path(), |target| target.as_str());
    Question { fingerprint, target, csv: formats::prefers_csv(&request.head.headers) }
}

fn done(reply: Reply) -> Result<Step, Refusal> {
    Ok(Step::Done(Done::Reply(reply)))
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
