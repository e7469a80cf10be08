//! The path of a request, from its first line to the response.
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use fincore::{Caller, Plan, deadline, limits::Standing, usage::Outcome};
use hyper::{Response, header::IF_NONE_MATCH};
use tokio::sync::oneshot;

use super::{
    answer_cache::{CacheKey, CachedAnswer},
    answer_cost::Cost,
    app::App,
    link_scope,
    query_answer::{data, question},
    respond::{Done, RequestOutcome},
    route_table::{Handler, Route, RouteId},
    session,
    target::{self, Destination, Input, Target, leads_to_page},
    uncounted_answers::UncountedKey,
};
use crate::{
    coordination::clock::Now,
    errors::NotFound,
    http::{
        access::{Charge, Charged},
        endpoints::page_handlers,
        message::{
            link_parameter,
            payload::Payload,
            refusal::Refusal,
            render::Media,
            reply::{KeptReply, ORIGIN_MARK, Reply},
            request::{Request, Session},
        },
        transport::worker_pool::Turn,
    },
    observe::log::catch,
};

/// How a request is answered.
pub(crate) enum Answered {
    /// At once.
    Now(Response<Payload>),
    /// After work that would hold up other requests here. The sender is dropped if that panics.
    Later(oneshot::Receiver<Response<Payload>>),
}

/// How long an answer may take to be made, its time in the queue included. The longest search takes a fraction of a second;
/// in a build that is not optimised, as tests are, some ten times as long.
pub(super) const LONGEST: Duration =
    Duration::from_secs(if cfg!(debug_assertions) { 100 } else { 10 });

/// After so long in the queue, a request that waits for the disk is held up by others, and has this long in all.
const HELD_UP: Duration = Duration::from_millis(100);
const LONGEST_HELD_UP: Duration = Duration::from_secs(if cfg!(debug_assertions) { 12 } else { 2 });

/// The threads on which work is done that takes longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WorkerThreads {
    Computing,
    /// For what waits for the disk or the network.
    Waiting,
    /// For answers that are not counted.
    Uncounted,
}

/// How far a request has come on the thread of its connection.
enum Progress<'r> {
    Done(Done),
    /// The rest takes longer.
    Longer(WorkerThreads, RouteId, Input<'r>),
}

/// The rest of a request, to be done on another thread.
pub(crate) struct Pending {
    on: WorkerThreads,
    route: RouteId,
    input: Input<'static>,
    outcome: RequestOutcome,
}

/// A request whose steps have been taken on the thread of its connection.
pub(crate) enum Begun {
    Answered(Response<Payload>),
    Pending(Box<Pending>),
}

impl App {
    /// The response to a question that was asked before, on the same plan and in the same words: it needs no parsing, and
    /// all but the limit was checked then. Pages and what their scripts ask are left out, because sessions and languages
    /// count there too.
    pub(crate) fn answer_from_cache(&self, request: &Request) -> Option<Response<Payload>> {
        if !target::is_plain(&request.head) || session::is_sent_by_own_page(request) {
            return None;
        }
        let caller = self.access.identify(request).ok()?;
        let cached = self.cached(request, &caller)?;
        let row = self.routes.row(cached.route);
        if row.is_page || link_scope::check(row, request).is_err() {
            return None;
        }
        self.metrics.count_cache_hit();
        let mut outcome = RequestOutcome {
            route: Some(cached.route),
            caller: Some(caller),
            in_flight: Some(self.metrics.begin()),
            ..RequestOutcome::default()
        };
        let done = guarded(|| {
            self.admit(row, &caller, request, &mut outcome)?;
            Ok(Done::data(cached, &request.head.headers))
        });
        Some(self.respond(request, outcome, done))
    }

    /// Takes the steps of a request, all of them where its answer is short. A panic on the way fails this request only.
    ///
    /// Where limits are counted over all replicas, the [`Charge`] has been `charged` already.
    pub(crate) fn begin(
        &self,
        request: &Request,
        target: Target<'_>,
        caller: Result<Caller, Refusal>,
        charged: Option<Charged>,
    ) -> Begun {
        let in_flight = Some(self.metrics.begin());
        let Target { language, is_page, .. } = target;
        let mut outcome =
            RequestOutcome { charged, language, is_page, in_flight, ..RequestOutcome::default() };
        let done = match guarded(|| self.steps(request, target, caller, &mut outcome)) {
            Ok(Progress::Done(done)) => Ok(done),
            Ok(Progress::Longer(on, route, input)) => {
                let input = input.into_owned();
                return Begun::Pending(Box::new(Pending { on, route, input, outcome }));
            }
            Err(refusal) => Err(refusal),
        };
        Begun::Answered(self.respond(request, outcome, done))
    }

    /// Answers a request that takes longer, on other threads; 503 where too many wait for those.
    pub(crate) fn complete(self: &Arc<App>, request: Request, pending: Pending) -> Answered {
        let Pending { on, route, input, outcome } = pending;
        let pool = match on {
            WorkerThreads::Computing => &self.pool,
            WorkerThreads::Waiting => &self.waiting,
            WorkerThreads::Uncounted => &self.uncounted,
        };
        let caller = outcome.caller.unwrap_or_else(|| self.access.by_address(&request));
        let (app, begun) = (self.clone(), Instant::now());
        Answered::Later(pool.run_or_refuse(self.share(&request, caller), move |turn| {
            if turn == Turn::Refused {
                return app.respond(&request, outcome, Err(Refusal::queue()));
            }
            // A request that has waited that long would not get its answer in time.
            let until = begun + longest(on, begun.elapsed());
            let make = || app.make(&request, caller, route, input);
            let done = guarded(|| deadline::within(until, make));
            app.respond(&request, outcome, done)
        }))
    }

    /// Takes the base path and a link token off a request, so that nothing else needs to know of the one and sees the other.
    pub(crate) fn strip(&self, request: &mut Request) {
        self.routes.base.strip(&mut request.head.uri);
        request.link = self.access.find_link(link_parameter::take(&mut request.head.uri));
    }

    pub(crate) fn charge(
        &self,
        request: &Request,
        target: &Target<'_>,
        caller: &Result<Caller, Refusal>,
    ) -> Charge {
        match caller {
            Ok(_) if request.is_refused_call() => Charge::Counted(self.access.by_address(request)),
            Ok(caller) => target.charge(&self.routes, *caller),
            Err(Refusal::InvalidKey | Refusal::InvalidLink) => {
                Charge::Counted(self.access.by_address(request))
            }
            Err(_) => Charge::Free(self.access.by_address(request)),
        }
    }

    /// The steps that every request goes through, in order; the first that fails answers.
    fn steps<'r>(
        &self,
        request: &Request,
        target: Target<'r>,
        caller: Result<Caller, Refusal>,
        outcome: &mut RequestOutcome,
    ) -> Result<Progress<'r>, Refusal> {
        // Even a request with bad grammar gets its caller's headers.
        outcome.caller = caller.as_ref().ok().copied();
        // A guess is charged to the address.
        if let Err(Refusal::InvalidKey | Refusal::InvalidLink) = &caller {
            let charged = self.count(&self.access.by_address(request), request, outcome);
            outcome.standing = Some(charged.unwrap_or_else(|standing| standing));
        }

        // So is the call of an agent that is refused: its key is good, and what it asks for is not.
        if caller.is_ok() && request.is_refused_call() {
            let address = self.access.by_address(request);
            outcome.caller = Some(address);
            let counted = self.count(&address, request, outcome);
            outcome.standing = Some(counted.unwrap_or_else(|standing| standing));
            counted.map_err(|standing| Refusal::too_many(&address, standing))?;
        }

        // Grammar, credential, and where the request leads: a bad key is refused even where there is nothing.
        let (destination, caller) = (target.destination?, caller?);
        let target = match destination {
            Destination::Route(target) => target,
            Destination::Options(allow, route) => {
                outcome.route = route;
                return done(Reply::options(&allow));
            }
            Destination::Moved(to) => return done(Reply::moved_to(to)),
            Destination::OtherMethods(allow) => return Err(Refusal::MethodNotAllowed(allow)),
            Destination::Nothing(path) => return Err(self.nothing_at(&path, request)),
        };
        outcome.route = Some(target.id);
        let route = self.routes.row(target.id);

        self.admit(route, &caller, request, outcome)?;

        link_scope::check(route, request)?;

        // Plan, for the endpoint and then for the format. A page that is drawn decides itself what it shows to which plan.
        if let Some(feature) = route.needs() {
            caller.plan.need(feature)?;
            target.format_feature.map_or(Ok(()), |feature| caller.plan.need(feature))?;
        }

        // Parameters.
        let input = target.input?;

        let known = match route.handler {
            Handler::Query(_) => self.look_up(request, caller, &input.media)?,
            // Before any queue, so that what others ask for does not hold it up.
            Handler::Direct(_) => {
                let key = self.uncounted_key(target.id, route, request);
                let kept = key.and_then(|key| self.uncounted_answers.get(&key));
                let at_once = kept.filter(|kept| kept.is_sent_at_once());
                at_once.map(|kept| Done::Reply(self.sent(&kept, request)))
            }
        };
        if let Some(done) = known {
            return Ok(Progress::Done(done));
        }
        if target.is_short {
            return self.make(request, caller, target.id, input).map(Progress::Done);
        }
        Ok(Progress::Longer(
            match route.cost {
                Cost::Disk => WorkerThreads::Waiting,
                Cost::Short | Cost::Rows(_) | Cost::History(_) | Cost::Long
                    if route.feature.is_none() =>
                {
                    WorkerThreads::Uncounted
                }
                Cost::Short | Cost::Rows(_) | Cost::History(_) | Cost::Long => {
                    WorkerThreads::Computing
                }
            },
            target.id,
            input,
        ))
    }

    /// The answer to a query that takes no query: one that is cached, or that the client has what it asks for.
    fn look_up(
        &self,
        request: &Request,
        caller: Caller,
        media: &Media,
    ) -> Result<Option<Done>, Refusal> {
        let headers = &request.head.headers;
        if let Some(cached) = self.cached(request, &caller) {
            self.metrics.count_cache_hit();
            return Ok(Some(Done::data(cached, headers)));
        }
        if !headers.contains_key(IF_NONE_MATCH) {
            return Ok(None);
        }
        let snapshot = self.snapshot(request, caller.plan)?;
        let tag = question(&snapshot, &request.head, media);
        Ok(Reply::confirmed(&tag, headers).map(Done::Reply))
    }

    /// The refusal of a request for what does not exist; a browser is shown a page.
    fn nothing_at(&self, path: &str, request: &Request) -> Refusal {
        let refusal = Refusal::NotFound(NotFound::Route { path: path.to_owned() });
        if !leads_to_page(&request.head) {
            return refusal;
        }
        page_handlers::not_found(request, self.routes.upgrade_contact, refusal, path)
    }

    /// Counts a request against the limit of its caller, where its row of the table has one.
    fn admit(
        &self,
        route: &Route,
        caller: &Caller,
        request: &Request,
        outcome: &mut RequestOutcome,
    ) -> Result<(), Refusal> {
        #[cfg(feature = "faults")]
        assert!(!request.head.headers.contains_key("x-force-panic"), "forced");
        if route.feature.is_none() {
            return Ok(());
        }
        let admitted = self.count(caller, request, outcome);
        outcome.standing = Some(admitted.unwrap_or_else(|standing| standing));
        outcome.counted =
            Some(if admitted.is_ok() { Outcome::Success } else { Outcome::RateLimited });
        admitted.map(drop).map_err(|standing| Refusal::too_many(caller, standing))
    }

    /// Counts a request against a limit, unless that limit is shared and has been charged.
    fn count(
        &self,
        caller: &Caller,
        request: &Request,
        outcome: &RequestOutcome,
    ) -> Result<Standing, Standing> {
        match outcome.charged {
            Some(Charged::Counted(counted)) => counted,
            // Limits are counted here. Or this was not foreseen, and then it must not cost nothing.
            None | Some(Charged::Free(_)) => self.access.admit(caller, request.now),
        }
    }

    /// The answer to this question, if it is cached.
    fn cached(&self, request: &Request, caller: &Caller) -> Option<Arc<CachedAnswer>> {
        let fingerprint = self.fingerprint(request, caller.plan)?;
        self.cache.get(&CacheKey::new(fingerprint, request))
    }

    /// An answer that is not cached.
    fn make(
        &self,
        request: &Request,
        caller: Caller,
        id: RouteId,
        Input { params, media }: Input<'_>,
    ) -> Result<Done, Refusal> {
        let (route, headers) = (self.routes.row(id), &request.head.headers);
        match &route.handler {
            Handler::Query(query) => {
                self.metrics.count_cache_miss();
                let snapshot = self.snapshot(request, caller.plan)?;
                let asked = (query.as_ref(), params, self.routes.base);
                let kept = data(&snapshot, (id, route), asked, &request.head, &media)?;
                let kept = Arc::new(kept);
                self.cache.keep(&CacheKey::new(snapshot.fingerprint(), request), &kept);
                Ok(Done::data(kept, headers))
            }
            Handler::Direct(direct) => {
                let key = self.uncounted_key(id, route, request);
                // Another request may have asked for it while this one waited.
                if let Some(kept) = key.as_ref().and_then(|key| self.uncounted_answers.get(key)) {
                    return Ok(Done::Reply(self.sent(&kept, request)));
                }
                let operator = self.routes.upgrade_contact;
                let is_marked = key.is_some() && operator.public_url().is_none();
                let origin =
                    if is_marked { Some(ORIGIN_MARK.to_owned()) } else { request.origin(operator) };
                let reply = direct(&self.context(route, request, caller, origin), params)?;
                let Some(key) = key else { return Ok(Done::Reply(reply.encode(headers))) };
                Ok(Done::Reply(match reply.into_kept() {
                    Ok(kept) => {
                        let kept = Arc::new(kept);
                        self.uncounted_answers.keep(key, kept.clone());
                        self.sent(&kept, request)
                    }
                    Err(reply) => reply.encode(headers),
                }))
            }
        }
    }

    /// The key of an answer that is kept for all who are not signed in.
    fn uncounted_key(&self, id: RouteId, route: &Route, request: &Request) -> Option<UncountedKey> {
        if !route.is_kept || !matches!(request.session, Session::None) {
            return None;
        }
        // A client that does not say what it calls the service gets links without that.
        request.origin(self.routes.upgrade_contact)?;
        let mut shown = if route.is_page {
            page_handlers::shown_to_all(request, &route.query_parameters())?
        } else {
            String::new()
        };
        // The status tells which workers are late.
        shown.extend(self.metrics.workers().late(Instant::now()));
        let fingerprint = self.fingerprint(request, Plan::Free)?;
        Some(UncountedKey { route: id, fingerprint, shown })
    }

    /// A kept answer, with the address by which the client calls the service.
    fn sent(&self, kept: &KeptReply, request: &Request) -> Reply {
        let origin = request.origin(self.routes.upgrade_contact).unwrap_or_default();
        kept.reply(&request.head.headers, &origin)
    }

    /// The fingerprint of the data for a plan today. A failure comes again where the question is answered.
    fn fingerprint(&self, request: &Request, plan: Plan) -> Option<u64> {
        let Now { instant, .. } = request.now;
        let recent = self.catalogue.recent_fingerprint(request.now.today(), plan, instant);
        recent.or_else(|| Some(self.snapshot(request, plan).ok()?.fingerprint()))
    }
}

/// How long an answer may take that has waited so long for a thread.
fn longest(on: WorkerThreads, waited: Duration) -> Duration {
    match on {
        // Others wait for the accounts, and this one would only wait as long as they.
        WorkerThreads::Waiting if waited > HELD_UP => LONGEST_HELD_UP,
        WorkerThreads::Waiting | WorkerThreads::Computing | WorkerThreads::Uncounted => LONGEST,
    }
}

fn done<'r>(reply: Reply) -> Result<Progress<'r>, Refusal> {
    Ok(Progress::Done(Done::Reply(reply)))
}

/// Runs a step; a panic in it becomes a refusal.
fn guarded<T>(step: impl FnOnce() -> Result<T, Refusal>) -> Result<T, Refusal> {
    catch(step).unwrap_or_else(|panic| Err(Refusal::Internal(panic)))
}

#[cfg(test)]
pub(crate) mod tests;
