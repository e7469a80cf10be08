//! From what became of a request to its response, and what is counted of it.
use std::{
    net::{IpAddr, Ipv4Addr},
    sync::Arc,
    time::Duration,
};

use fincore::{Caller, CallerId, limits::Standing, usage::Outcome};
use hyper::{
    Response,
    header::{HeaderMap, HeaderValue, STRICT_TRANSPORT_SECURITY},
};

use super::{
    answer_cache::{CachedAnswer, EncodedAnswer},
    app::App,
    link_scope,
    route_table::RouteId,
    session,
};
use crate::{
    http::{
        access::{Charged, credentials},
        endpoints::page_handlers,
        message::{
            formats,
            header_names::X_REQUEST_ID,
            payload::Payload,
            refusal::{ErrorFormat, Refusal},
            reply::Reply,
            request::Request,
            response_headers::{Envelope, RequestId, Sharing},
        },
    },
    observe::{
        access_record::{AccessRecord, Network},
        metrics::{InFlight, Reason},
    },
    pages::Language,
};

/// Makes browsers use TLS only, for a year from each answer.
const ONLY_TLS: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// After how many seconds a client should retry that has left too much unread.
const UNREAD_RETRY: u64 = 5;

/// The facts of an answered request: for counting, logging and measuring.
#[derive(Default)]
pub(crate) struct RequestOutcome {
    /// The row of the table that it matched.
    pub(crate) route: Option<RouteId>,
    /// The language that its query string chooses for a page.
    pub(crate) language: Option<Language>,
    /// Whether a page answers it, also where it is refused.
    pub(crate) is_page: bool,
    /// Who sent it.
    pub(crate) caller: Option<Caller>,
    /// The caller's standing after it, where it was counted.
    pub(crate) standing: Option<Standing>,
    /// The endpoint and the outcome that its usage is counted as, if it is.
    pub(crate) counted: Option<Outcome>,
    /// The verdict of the limit of all replicas, where limits are shared.
    pub(crate) charged: Option<Charged>,
    /// Counts it among the requests in flight until it has been answered, or given up.
    pub(crate) in_flight: Option<InFlight>,
}

pub(crate) enum Done {
    Reply(Reply),
    /// An answer from the data.
    Data(EncodedAnswer),
}

impl Done {
    /// An answer from the data, compressed or left out as the request allows.
    pub(crate) fn data(kept: Arc<CachedAnswer>, headers: &HeaderMap) -> Done {
        match Reply::unchanged(&kept.tag, headers) {
            Some(unchanged) => Done::Reply(unchanged),
            None => Done::Data(EncodedAnswer::new(kept, headers)),
        }
    }
}

impl App {
    /// The response to a request whose own was lost to a bug.
    pub(crate) fn broken(&self, why: String) -> Response<Payload> {
        self.metrics.end(None, 500, 0, Duration::ZERO);
        let (headers, now) = (HeaderMap::new(), self.clock().now());
        let id = RequestId::of(&headers, &self.start);
        let caller = Caller::at(Ipv4Addr::UNSPECIFIED.into());
        let standing = self.access.peek(&caller, now);
        let reply = Refusal::Internal(why).reply(
            id,
            "no route",
            self.routes.upgrade_contact,
            ErrorFormat::Json,
        );
        reply.respond(&Envelope { id, caller, standing, now, sharing: Sharing::Any })
    }

    /// Counts a request that has been answered, and makes the response.
    pub(crate) fn respond(
        &self,
        request: &Request,
        outcome: RequestOutcome,
        done: Result<Done, Refusal>,
    ) -> Response<Payload> {
        let id = RequestId::of(&request.head.headers, &self.start);
        let row = outcome.route.map(|route| self.routes.row(route));
        let (route, upgrade_contact) =
            (row.map_or("no route", |row| row.path), self.routes.upgrade_contact);
        let done = done.unwrap_or_else(|refusal| {
            self.metrics.count_refusal(refusal.reason());
            let refusal = if outcome.is_page {
                page_handlers::refused(request, upgrade_contact, outcome.language, refusal)
            } else {
                refusal
            };
            Done::Reply(refusal.reply(
                id,
                route,
                upgrade_contact,
                formats::of_errors(&request.head.uri),
            ))
        });

        // A request that failed before its caller was identified still gets the headers of its address.
        let address = self.access.address(request);
        let caller = outcome.caller.unwrap_or_else(|| Caller::at(address));
        request.turn.belongs_to(caller, CallerId::address(address));
        let standing = outcome.standing.unwrap_or_else(|| match outcome.charged {
            Some(Charged::Free(standing) | Charged::Counted(Ok(standing) | Err(standing))) => {
                standing
            }
            None => self.access.peek(&caller, request.now),
        });
        let sharing = row.map_or(Sharing::Any, |row| row.sharing);
        let envelope = Envelope { id, caller, standing, now: request.now, sharing };
        let response = match done {
            Done::Reply(reply) => reply.respond(&envelope),
            Done::Data(sent) => sent.respond(&envelope),
        };
        let mut response = self.hold(response, address).unwrap_or_else(|refusal| {
            self.metrics.count_refusal(refusal.reason());
            let format = formats::of_errors(&request.head.uri);
            refusal.reply(id, route, upgrade_contact, format).respond(&envelope)
        });
        if let Some(row) = row.filter(|row| row.is_page) {
            session::mark(response.headers_mut(), request, row, upgrade_contact.base());
        }
        link_scope::mark(response.headers_mut(), request);
        if request.is_https_elsewhere() {
            response.headers_mut().insert(STRICT_TRANSPORT_SECURITY, ONLY_TLS);
        }
        let status = response.status();
        if let Some(counted) = outcome.counted {
            let failed = status.is_client_error() || status.is_server_error();
            let counted = match counted {
                Outcome::Success if failed => Outcome::Failure,
                counted => counted,
            };
            self.access.count(&caller, &request.link, (route, counted), request.now);
        }
        let by_link = request.link.holder().map(|holder| &holder.key);
        let key = match by_link.or(request.session.holder().map(|holder| &holder.key)) {
            Some(key) => Some(key.as_str().into()),
            None => caller.key.and_then(|_| credentials::key_prefix(&request.head.headers)),
        };
        let record = AccessRecord {
            route: (outcome.route.map(RouteId::place), route),
            method: request.head.method.clone(),
            status: status.as_u16(),
            plan: caller.plan.id(),
            key,
            network: Network(address),
            id: response.headers().get(X_REQUEST_ID).cloned(),
            started: request.now.instant,
            _in_flight: outcome.in_flight,
        };
        response.body_mut().write_record(record, &self.metrics);
        response
    }

    /// The response, counted among what this address has not read yet. Fails if that is too much.
    pub(crate) fn hold(
        &self,
        response: Response<Payload>,
        address: IpAddr,
    ) -> Result<Response<Payload>, Refusal> {
        let Some(weight) = response.body().weight() else { return Ok(response) };
        let held = self.unread.take_many(CallerId::address(address), weight);
        let (what, reason) = ("unread answers", Reason::Unread);
        let crowded = |_| Refusal::Crowded { what, reason, retry_after: UNREAD_RETRY };
        let held = held.map_err(crowded)?;
        Ok(response.map(|body| body.holding(held)))
    }
}
