//! The path of a request, from its first line to the response.
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use fincore::{Caller, deadline, limits::Standing, usage::Outcome};
use hyper::{Response, header::IF_NONE_MATCH};
use tokio::sync::oneshot;

use super::{
    access::{Paid, Toll},
    app::App,
    cache::{Kept, Question},
    cost::Cost,
    data::{data, question},
    payload::Payload,
    refusal::Refusal,
    render::Media,
    reply::Reply,
    request::Request,
    respond::{Done, Trail},
    routes::{Handler, Route},
    target::{self, Matched, Target, target},
};
use crate::{log::catch, now::Now};

/// How a request is answered.
pub(crate) enum Answered {
    /// At once.
    Now(Response<Payload>),
    /// After work that would hold up other requests here. It comes to nothing where a bug or the end of the server is in
    /// the way.
    Later(oneshot::Receiver<Response<Payload>>),
}

/// How long an answer may take to be made, its time in the queue included. The longest search takes a fraction of a second.
const LONGEST: Duration = Duration::from_secs(10);

/// After so long in the queue, a request that waits for the disk is held up by others, and has this long in all.
const HELD_UP: Duration = Duration::from_millis(100);
const LONGEST_HELD_UP: Duration = Duration::from_secs(2);

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
    Done(Done),
    /// The rest takes longer.
    Longer(Threads),
}

impl App {
    /// Answers a request of the caller that its key or address stands for. A panic on the way fails this request only.
    ///
    /// Where limits are counted over all replicas, the [`Toll`] is paid already.
    pub(crate) fn answer(
        self: &Arc<App>,
        request: Request,
        caller: Result<Caller, Refusal>,
        paid: Option<Paid>,
    ) -> Answered {
        self.metrics.begin();
        let mut trail = Trail { paid, ..Trail::default() };
        let step = guarded(|| self.steps(&request, caller, &mut trail));
        let done = match step {
            Ok(Step::Done(done)) => Ok(done),
            Ok(Step::Longer(on)) => {
                let pool = match on {
                    Threads::Pool => &self.pool,
                    Threads::Waiting => &self.waiting,
                };
                if let Some(place) = pool.place() {
                    let (app, begun) = (self.clone(), Instant::now());
                    return Answered::Later(pool.run(move || {
                        drop(place);
                        let rest = || app.rest(&request, &trail);
                        // Whoever has waited that long does not get its answer in time.
                        let until = begun + longest(on, begun.elapsed());
                        let done = guarded(|| deadline::within(until, rest));
                        app.respond(&request, &trail, done)
                    }));
                }
                Err(Refusal::queue())
            }
            Err(refusal) => Err(refusal),
        };
        Answered::Now(self.respond(&request, &trail, done))
    }

    /// Takes the base path off a request, so that nothing else needs to know it.
    pub(crate) fn strip(&self, request: &mut Request) {
        self.routes.base.strip(&mut request.head.uri);
    }

    /// What a request costs its caller, as the steps decide it.
    pub(crate) fn toll(&self, request: &Request, caller: &Result<Caller, Refusal>) -> Toll {
        let caller = match caller {
            Ok(caller) => *caller,
            Err(Refusal::InvalidKey) => return Toll::Counted(self.access.by_address(request)),
            Err(_) => return Toll::Free(self.access.by_address(request)),
        };
        match target(&self.routes, request) {
            Ok(Target::Matched(target)) if target.route.feature.is_some() => Toll::Counted(caller),
            Ok(_) | Err(_) => Toll::Free(caller),
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
        if let Err(Refusal::InvalidKey) = &caller {
            let charged = self.pay(&self.access.by_address(request), request, trail);
            trail.standing = Some(charged.unwrap_or_else(|standing| standing));
        }

        // Whoever asks on the same plan in the same words gets the same answer: all but the limit has been checked.
        if let Some(caller) = &trail.caller.filter(|_| target::is_plain(&request.head))
            && let Some(kept) = self.known(request, caller)
        {
            trail.route = Some(kept.route);
            self.metrics.hit();
            self.admit(self.routes.row(kept.route), caller, request, trail)?;
            return Ok(Step::Done(Done::data(kept, &request.head.headers)));
        }

        // Grammar, credential, and what the request is about: a bad key is refused even where there is nothing.
        let (target, caller) = (target(&self.routes, request)?, caller?);
        let mut target = match target {
            Target::Matched(matched) => matched,
            Target::Nowhere(refusal) => return Err(refusal),
            Target::Options(allow, route) => {
                trail.route = route;
                return done(Reply::options(&allow));
            }
        };
        trail.route = Some(target.id);

        self.admit(target.route, &caller, request, trail)?;

        // Plan, for the endpoint and then for the format. A page that is drawn decides itself what it shows to whom.
        if let Some(feature) = target.route.needs() {
            caller.plan.need(feature)?;
            let format = target.route.formats.feature(&target.params, &request.head.headers);
            format.map_or(Ok(()), |feature| caller.plan.need(feature))?;
        }

        // Parameters.
        if target.route.is_page {
            target.params.drop_trackers();
        }
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
        #[cfg(feature = "faults")]
        assert!(!request.head.headers.contains_key("x-force-panic"), "forced");
        if route.feature.is_none() {
            return Ok(());
        }
        let admitted = self.pay(caller, request, trail);
        trail.standing = Some(admitted.unwrap_or_else(|standing| standing));
        trail.counted =
            Some(if admitted.is_ok() { Outcome::Success } else { Outcome::RateLimited });
        admitted.map(drop).map_err(|standing| Refusal::too_many(caller, standing))
    }

    /// Counts a request against a limit, unless that is done.
    fn pay(&self, caller: &Caller, request: &Request, trail: &Trail) -> Result<Standing, Standing> {
        match trail.paid {
            Some(Paid::Counted(counted)) => counted,
            // Limits are counted here. Or this was not foreseen, and then it must not cost nothing.
            None | Some(Paid::Free(_)) => self.access.admit(caller, request.now),
        }
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
        self.cache.get(&Question::of(fingerprint, request))
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
                self.metrics.missed();
                let snapshot = self.snapshot(request, caller.plan)?;
                let (route, head) = ((target.id, target.route), &request.head);
                let question = (query.as_ref(), params, self.routes.base);
                let kept = Arc::new(data(&snapshot, route, question, head, media)?);
                self.cache.keep(&Question::of(snapshot.fingerprint(), request), &kept);
                Ok(Done::data(kept, headers))
            }
            Handler::Direct(direct) => {
                let reply = direct(&self.context(request, caller), params)?;
                Ok(Done::Reply(reply.encode(headers)))
            }
        }
    }
}

/// How long an answer may take that has waited so long for a thread.
fn longest(on: Threads, waited: Duration) -> Duration {
    match on {
        // Others wait for the accounts, and this one would only wait as long as they.
        Threads::Waiting if waited > HELD_UP => LONGEST_HELD_UP,
        Threads::Waiting | Threads::Pool => LONGEST,
    }
}

fn done(reply: Reply) -> Result<Step, Refusal> {
    Ok(Step::Done(Done::Reply(reply)))
}

/// Runs a step; a panic in it becomes a refusal.
fn guarded<T>(step: impl FnOnce() -> Result<T, Refusal>) -> Result<T, Refusal> {
    catch(step).unwrap_or_else(|panic| Err(Refusal::Internal(panic)))
}

#[cfg(test)]
pub(crate) mod tests;
