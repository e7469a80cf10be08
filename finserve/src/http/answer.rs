//! The path of a request, from its first line to the response.
use std::{
    any::Any,
    collections::hash_map::RandomState,
    hash::BuildHasher,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::atomic::{AtomicU64, Ordering},
};

use fincore::{
    Caller, Catalogue, datasets::Watch, excerpt, export::Shelf, limits::Standing, usage::Outcome,
    webhooks::Targets,
};
use hyper::{
    Method, Response,
    header::{ACCEPT, HOST},
    http::request::Parts,
};

use super::{
    accept,
    access::Access,
    context::Context,
    data::data,
    export,
    formats::{self, Formats},
    front,
    params::{self, Params},
    refusal::Refusal,
    render::Media,
    reply::{Envelope, Payload, Reply},
    request::Request,
    routes::{Cost, Handler, Match, Route, Routes},
    slots::Slots,
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
    /// Request ids are this, which differs from start to start, and a count.
    start: u32,
    requests: AtomicU64,
}

/// What is known of a request once it has been answered: for counting, logging and measuring.
#[derive(Default)]
struct Trail<'t> {
    /// The row of the table that it matched.
    route: Option<&'t Route>,
    /// Who sent it.
    caller: Option<Caller>,
    /// The caller's standing after it, where it was counted.
    standing: Option<Standing>,
    /// What its usage is counted as, if it is.
    counted: Option<Outcome>,
}

impl App {
    pub(crate) fn new(catalogue: Catalogue, access: Access, targets: Targets) -> App {
        App::with_routes(catalogue, access, targets, Routes::new())
    }

    fn with_routes(catalogue: Catalogue, access: Access, targets: Targets, routes: Routes) -> App {
        let start = RandomState::new().hash_one("request id") >> 32;
        let start = u32::try_from(start).unwrap_or_default();
        let (watch, shelf, requests) = (Watch::default(), Shelf::default(), AtomicU64::new(0));
        let exports = export::slots();
        App { catalogue, access, watch, shelf, exports, targets, routes, start, requests }
    }

    /// The data that is served.
    pub(crate) fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    pub(crate) fn access(&self) -> &Access {
        &self.access
    }

    /// Answers a request. A panic on the way fails this request only.
    pub(crate) fn answer(&self, request: &Request) -> Response<Payload> {
        let id = format!("{:08x}-{:x}", self.start, self.requests.fetch_add(1, Ordering::Relaxed));
        let mut trail = Trail::default();
        let outcome = catch_unwind(AssertUnwindSafe(|| self.steps(request, &mut trail)))
            .unwrap_or_else(|panic| Err(Refusal::Internal(panic_message(panic.as_ref()))));
        let route = trail.route.map_or("no route", |route| route.path);
        let reply = outcome.unwrap_or_else(|refusal| refusal.reply(&id, route));

        // A request that failed before its caller was identified still gets that caller's headers.
        let known =
            || self.access.identify(request).unwrap_or_else(|_| self.access.by_address(request));
        let caller = trail.caller.unwrap_or_else(known);
        let standing = trail.standing.unwrap_or_else(|| self.access.peek(&caller, request.now));
        if let Some(outcome) = trail.counted {
            let outcome = match outcome {
                Outcome::Success if reply.is_error() => Outcome::Failure,
                outcome => outcome,
            };
            self.access.count(&caller, route, outcome, request.now);
        }
        let envelope = Envelope { id: &id, caller, standing, now: request.now };
        reply.respond(&envelope)
    }

    /// The steps that every request goes through, in order; the first that fails answers.
    fn steps<'t>(&'t self, request: &Request, trail: &mut Trail<'t>) -> Result<Reply, Refusal> {
        // Grammar, and what the request is about.
        let mut target = match self.target(request)? {
            Target::Matched(matched) => matched,
            Target::Options(allow) => return Ok(Reply::options(&allow)),
        };
        trail.route = Some(target.route);

        // Credential. An invalid key is charged to the address, so that guessing has a limit.
        let caller = match self.access.identify(request) {
            Ok(caller) => caller,
            Err(refusal) => {
                let anonymous = self.access.by_address(request);
                if matches!(refusal, Refusal::InvalidKey) {
                    let admitted = self.access.admit(&anonymous, request.now);
                    trail.standing = Some(admitted.unwrap_or_else(|standing| standing));
                }
                trail.caller = Some(anonymous);
                return Err(refusal);
            }
        };
        trail.caller = Some(caller);

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
        let params = target.captures.and(target.params)?;

        // Answer.
        let (catalogue, access) = (&self.catalogue, &self.access);
        let (watch, shelf, targets) = (&self.watch, &self.shelf, self.targets);
        let exports = &self.exports;
        let context =
            Context { catalogue, access, watch, shelf, exports, targets, request, caller };
        let answer = || {
            let reply = match &target.route.handler {
                Handler::Query(query) => {
                    data(&context, target.route, query.as_ref(), params, media)
                }
                Handler::Direct(direct) => direct(&context, params),
            }?;
            Ok(reply.encode(&request.head.headers))
        };
        match target.route.cost {
            Cost::Short => answer(),
            // The worker thread goes on with other requests meanwhile.
            Cost::Long | Cost::Disk => tokio::task::block_in_place(answer),
        }
    }

    /// What a request is about, if its grammar is right and there is such a thing.
    fn target<'t, 'r>(&'t self, request: &'r Request) -> Result<Target<'t, 'r>, Refusal> {
        let head = &request.head;
        check_grammar(head)?;
        let path = head.uri.path();
        let readable = params::decode(path)?;
        let params = Params::from_query(head.uri.query().unwrap_or(""))?;
        let options = head.method == Method::OPTIONS;
        match self.routes.find(&head.method, path)? {
            Match::Row(route, captures) => Ok(Target::Matched(Matched { route, captures, params })),
            Match::OtherMethods(allow) if options => Ok(Target::Options(allow)),
            Match::OtherMethods(allow) => Err(Refusal::MethodNotAllowed(allow)),
            Match::Nothing if options && path == "*" => Ok(Target::Options(self.routes.allow())),
            Match::Nothing => {
                let path = excerpt(&readable);
                let message = format!("there is nothing at {path:?}; see /docs for what there is");
                let refusal = Refusal::NotFound(message);
                Err(if wants_page(head) {
                    front::not_found(request, refusal, &path)
                } else {
                    refusal
                })
            }
        }
    }
}

/// What a request is about.
enum Target<'t, 'r> {
    Matched(Matched<'t, 'r>),
    /// It only asks which methods there are.
    Options(String),
}

/// A row of the table, and the parameters of the path and of the query string.
struct Matched<'t, 'r> {
    route: &'t Route,
    captures: Params<'r>,
    params: Params<'r>,
}

impl Matched<'_, '_> {
    /// In which media type a query is answered. Takes the parameters that choose it out of those of a list.
    fn media(&mut self, request: &Request) -> Result<Media, Refusal> {
        match self.route.formats {
            Formats::One | Formats::Dataset => Ok(Media::Json),
            Formats::List => {
                let [format, dialect] = formats::PARAMS.map(|name| self.params.take(name));
                formats::of_list(format.as_deref(), dialect.as_deref(), &request.head.headers)
            }
        }
    }
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

/// Whether a browser asks, for something that is not part of the API.
fn wants_page(head: &Parts) -> bool {
    let mut offers = accept::offers(&head.headers, ACCEPT);
    !head.uri.path().starts_with("/api/")
        && offers.any(|(media, weight)| media == "text/html" && weight > 0.0)
}

/// The methods that HTTP has, known here or not.
const METHODS: [&str; 10] =
    ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "QUERY"];

/// What hyper lets through and HTTP does not.
fn check_grammar(head: &Parts) -> Result<(), Refusal> {
    if head.headers.get_all(HOST).iter().count() != 1 {
        return Err(Refusal::BadRequest("the Host header must be given exactly once".into()));
    }
    if !METHODS.contains(&head.method.as_str()) {
        return Err(Refusal::BadRequest("the method is not one of HTTP's".into()));
    }
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// An app whose table has these rows, on an empty catalogue.
    pub(crate) fn app(dir: &tempfile::TempDir, rows: Vec<Route>) -> App {
        let catalogue = Catalogue::open(dir.path().join("catalogue.db")).unwrap();
        let accounts = fincore::Accounts::open(dir.path().join("accounts.db")).unwrap();
        let access = Access::new(accounts, 20, Vec::new(), std::time::Instant::now());
        App::with_routes(catalogue, access, Targets::Public, Routes::of(rows))
    }
}
