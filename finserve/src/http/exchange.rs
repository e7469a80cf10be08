//! From a request to its response: all that has to be waited for on the way.
use std::{sync::Arc, time::Duration};

use fincore::{Caller, limits::Limiter};
use hyper::{Method, Response};
use tokio::time::timeout;

use super::{
    access::{Access, Paid, Signal, Toll},
    answer::Answered,
    app::App,
    payload::Payload,
    refusal::Refusal,
    request::{Request, Visitor},
};
use crate::{cluster::limits::Lane, log::catch};

/// How long a request with an unknown key waits for the keys to be refreshed.
const REFRESH_TIMEOUT: Duration = Duration::from_secs(2);

/// Answers a request: here, or where it holds up no other. A bug fails this request only.
pub(crate) async fn answer(
    app: &Arc<App>,
    lane: Option<&Lane>,
    mut request: Request,
) -> Response<Payload> {
    app.strip(&mut request);
    let relay = match catch(|| app.relay(&request)) {
        Ok(Some(relay)) => relay,
        Ok(None) => return answer_one(app, lane, request).await,
        Err(panic) => return broken(app, panic),
    };
    // A call of a tool is a request of its endpoint.
    let (relay, request) = relay;
    let response = answer_one(app, lane, request).await;
    match catch(|| app.relayed(relay, response)) {
        Ok(Answered::Now(response)) => response,
        Ok(Answered::Later(answer)) => match answer.await {
            Ok(response) => response,
            Err(_) => broken(app, "the outcome of a call was lost".into()),
        },
        Err(panic) => broken(app, panic),
    }
}

/// The response to a request that has not been begun, and whose own was lost to a bug.
fn broken(app: &App, why: String) -> Response<Payload> {
    app.metrics().begin();
    app.broken(why)
}

async fn answer_one(
    app: &Arc<App>,
    lane: Option<&Lane>,
    mut request: Request,
) -> Response<Payload> {
    let (caller, paid) = match prepare(app, lane, &mut request).await {
        Ok(prepared) => prepared,
        Err(panic) => return broken(app, panic),
    };
    match catch(|| app.answer(request, caller, paid)) {
        Ok(Answered::Now(response)) => response,
        Ok(Answered::Later(answer)) => match answer.await {
            Ok(response) => response,
            Err(_) => app.broken("the answer was lost".into()),
        },
        Err(panic) => app.broken(panic),
    }
}

/// What has to be waited for: who sent a request, and whether that is within the limit of all replicas, if there are
/// others.
async fn prepare(
    app: &App,
    lane: Option<&Lane>,
    request: &mut Request,
) -> Result<(Result<Caller, Refusal>, Option<Paid>), String> {
    recognise(app, request).await?;
    let request = &*request;
    let caller = identify(app.access(), request).await?;
    let Some(lane) = lane else { return Ok((caller, None)) };
    let paid = match catch(|| app.toll(request, &caller))? {
        Toll::Counted(by) => Paid::Counted(lane.admit(&by, request.now.instant).await),
        Toll::Free(by) => Paid::Free(lane.peek(&by, request.now.instant).await),
    };
    Ok((caller, Some(paid)))
}

/// Finds out who is signed in, where that counts. A session that began on another server a moment ago counts.
async fn recognise(app: &App, request: &mut Request) -> Result<(), String> {
    let Some(token) = catch(|| app.session(request))? else { return Ok(()) };
    let access = app.access();
    if access.is_unknown(&token) {
        refresh_while(access, || access.is_unknown(&token)).await;
    }
    request.visitor = match access.holder(&token, request.now) {
        Some(holder) => Visitor::SignedIn(holder),
        None if access.is_behind() => Visitor::Nobody,
        None => Visitor::Gone,
    };
    Ok(())
}

/// Who sent a request. A key that another program issued a moment ago counts.
async fn identify(access: &Access, request: &Request) -> Result<Result<Caller, Refusal>, String> {
    let caller = catch(|| access.identify(request))?;
    let is_form = request.head.method == Method::POST;
    if caller.is_ok() && !is_form {
        return Ok(caller);
    }
    if catch(|| access.has_unknown_key(request))? {
        refresh_while(access, || access.has_unknown_key(request)).await;
    }
    // Even where nothing had to be waited for: the keys may have been refreshed between the two looks.
    catch(|| access.identify(request))
}

/// Waits until the keys and sessions have been refreshed after this call, so that one that another program made a moment
/// ago is known. A refresh that completes first may have begun before the call; the second has not.
async fn refresh_while(access: &Access, is_unknown: impl Fn() -> bool) {
    let mut refreshes = access.refresh_signal().subscribe();
    for _ in 0..2 {
        access.refresh_signal().signal(Signal::Refresh);
        let refreshed = timeout(REFRESH_TIMEOUT, refreshes.changed()).await;
        if !matches!(refreshed, Ok(Ok(()))) || !is_unknown() {
            return;
        }
    }
}
