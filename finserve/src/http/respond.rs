//! From what became of a request to its response, and what is counted of it.
use std::{
    net::{IpAddr, Ipv4Addr},
    sync::Arc,
    time::Duration,
};

use fincore::{Caller, CallerId, limits::Standing, usage::Outcome};
use hyper::{Response, header::HeaderMap};

use super::{
    access::Paid,
    app::App,
    cache::{Kept, Sent},
    envelope::{Envelope, RequestId, Sharing},
    front,
    payload::Payload,
    refusal::Refusal,
    reply::Reply,
    request::Request,
    routes::RouteId,
    target::leads_to_page,
    visit::Visit,
    visitor,
};
use crate::{metrics::Reason, now::Now};

/// After how many seconds somebody should come again who met too much of that.
const UNREAD_RETRY: u64 = 5;

/// What is known of a request once it has been answered: for counting, logging and measuring.
#[derive(Default)]
pub(super) struct Trail {
    /// The row of the table that it matched.
    pub(super) route: Option<RouteId>,
    /// Who sent it.
    pub(super) caller: Option<Caller>,
    /// The caller's standing after it, where it was counted.
    pub(super) standing: Option<Standing>,
    /// What its usage is counted as, if it is.
    pub(super) counted: Option<Outcome>,
    /// What was found out about the caller's limit before, where that is counted over all replicas.
    pub(super) paid: Option<Paid>,
}

/// What a request is answered with.
pub(super) enum Done {
    Reply(Reply),
    /// What the data say.
    Data(Sent),
}

impl Done {
    /// An answer from the data, compressed or left out as the request allows.
    pub(super) fn data(kept: Arc<Kept>, headers: &HeaderMap) -> Done {
        match Reply::unchanged(&kept.tag, headers) {
            Some(unchanged) => Done::Reply(unchanged),
            None => Done::Data(Sent::new(kept, headers)),
        }
    }
}

impl App {
    /// The response to a request that was begun, and whose own was lost to a bug.
    pub(crate) fn broken(&self, why: String) -> Response<Payload> {
        self.metrics.end(None, 500, 0, Duration::ZERO);
        let (headers, now) = (HeaderMap::new(), Now::read());
        let id = RequestId::of(&headers, &self.start);
        let caller = Caller::at(Ipv4Addr::UNSPECIFIED.into());
        let standing = self.access.peek(&caller, now);
        let reply = Refusal::Internal(why).reply(id, "no route", self.routes.offer);
        reply.respond(&Envelope { id, caller, standing, now, sharing: Sharing::Any })
    }

    /// Counts a request that has been answered, and makes the response.
    pub(super) fn respond(
        &self,
        request: &Request,
        trail: &Trail,
        done: Result<Done, Refusal>,
    ) -> Response<Payload> {
        let id = RequestId::of(&request.head.headers, &self.start);
        let row = trail.route.map(|route| self.routes.row(route));
        let (route, offer) = (row.map_or("no route", |row| row.path), self.routes.offer);
        let is_page = row.is_some_and(|row| row.is_page);
        // Whoever asks for a page gets one, even where the request cannot be read.
        let is_shown = is_page || row.is_none() && leads_to_page(&request.head);
        let done = done.unwrap_or_else(|refusal| {
            self.metrics.refused(refusal.reason());
            let refusal = if is_shown { front::refused(request, offer, refusal) } else { refusal };
            Done::Reply(refusal.reply(id, route, offer))
        });

        // A request that failed before its caller was identified still gets the headers of its address.
        let address = self.access.address(request);
        let caller = trail.caller.unwrap_or_else(|| Caller::at(address));
        let standing = trail.standing.unwrap_or_else(|| match trail.paid {
            Some(Paid::Free(standing) | Paid::Counted(Ok(standing) | Err(standing))) => standing,
            None => self.access.peek(&caller, request.now),
        });
        let sharing = row.map_or(Sharing::Any, |row| row.sharing);
        let envelope = Envelope { id, caller, standing, now: request.now, sharing };
        let response = match done {
            Done::Reply(reply) => reply.respond(&envelope),
            Done::Data(sent) => sent.respond(&envelope),
        };
        let mut response = self.hold(response, address).unwrap_or_else(|refusal| {
            self.metrics.refused(refusal.reason());
            refusal.reply(id, route, offer).respond(&envelope)
        });
        if let Some(row) = row.filter(|row| row.is_page) {
            visitor::mark(response.headers_mut(), request, row, offer.base());
        }
        let status = response.status();
        if let Some(outcome) = trail.counted {
            let failed = status.is_client_error() || status.is_server_error();
            let outcome = match outcome {
                Outcome::Success if failed => Outcome::Failure,
                outcome => outcome,
            };
            self.access.count(&caller, route, outcome, request.now);
        }
        let row = (trail.route.map(RouteId::place), route);
        let visit = Visit::new(
            (&request.head, request.now.instant),
            row,
            (&caller, request.visitor.holder()),
            address,
            (status.as_u16(), response.headers()),
        );
        response.body_mut().note(visit, &self.metrics);
        response
    }

    /// The response, counted among what this address has not read yet. Fails if that is too much.
    pub(super) fn hold(
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
