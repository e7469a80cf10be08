//! From a request to its response: all that has to be waited for on the way.
use std::{
    future::poll_fn,
    pin::pin,
    sync::Arc,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use fincore::{Caller, limits::Limiter};
use hyper::{Method, Response};
use tokio::time::{sleep, timeout};

use super::{
    answer::{Answered, Begun},
    app::App,
    session,
    target::Target,
};
use crate::{
    cluster::limits::Batcher,
    http::{
        access::{Access, Charge, Charged, Lookup},
        message::{
            link_parameter::LinkCredential,
            payload::Payload,
            refusal::Refusal,
            request::{Request, Session},
        },
    },
    mcp::Reaction,
    observe::log::catch,
};

/// How long a request with an unknown key waits for the keys to be refreshed.
const REFRESH_TIMEOUT: Duration = Duration::from_secs(2);

/// Messages up to this length are parsed at once, which takes microseconds. Agents send a few hundred bytes.
const SHORT_MESSAGE: usize = 4 * 1024;

/// Takes the base path off a request, and answers it if its answer is kept: most are, and waiting for what needs no waiting
/// would take a tenth of their time. All others are for [`answer`].
pub(crate) fn answer_at_once(
    app: &App,
    batcher: Option<&Batcher>,
    request: &mut Request,
) -> Option<Response<Payload>> {
    let answered = catch(|| {
        app.strip(request);
        // Limits that replicas share have to be waited for.
        if batcher.is_none() { app.answer_from_cache(request) } else { None }
    });
    answered.unwrap_or_else(|panic| Some(app.broken(panic)))
}

/// Answers a request that [`answer_at_once`] has left: here, or where it holds up no other. A bug fails this request only.
pub(crate) async fn answer(
    app: &Arc<App>,
    batcher: Option<&Batcher>,
    request: Request,
) -> Response<Payload> {
    let mut answered = pin!(answer_below_base(app, batcher, request));
    // The steps are guarded one by one; this guards what lies between them.
    let poll = |context: &mut Context<'_>| {
        let polled = catch(|| answered.as_mut().poll(context));
        polled.unwrap_or_else(|panic| Poll::Ready(app.broken(panic)))
    };
    poll_fn(poll).await
}

async fn answer_below_base(
    app: &Arc<App>,
    batcher: Option<&Batcher>,
    mut request: Request,
) -> Response<Payload> {
    let target = match catch(|| Target::parse(&app.routes, &request.head)) {
        Ok(target) => target,
        Err(panic) => return app.broken(panic),
    };
    match react(app, &request, &target).await {
        // A call of a tool is a request of its endpoint.
        Ok(Some(Reaction::Call(call))) => {
            let (relay, inner) = match catch(|| app.relay(&request, call)).flatten() {
                Ok(relayed) => relayed,
                Err(panic) => return app.broken(panic),
            };
            let kept =
                if batcher.is_none() { catch(|| app.answer_from_cache(&inner)) } else { Ok(None) };
            let response = match kept {
                Ok(Some(response)) => response,
                Ok(None) => Box::pin(answer_below_base(app, batcher, inner)).await,
                Err(panic) => app.broken(panic),
            };
            let answered = catch(|| app.relayed(relay, response));
            return finish(answered, |why| app.broken(why)).await;
        }
        Ok(reaction) => request.reaction = reaction,
        Err(panic) => return app.broken(panic),
    }
    match recognise(app, &request, &target).await {
        Ok(session) => request.session = session,
        Err(panic) => return app.broken(panic),
    }
    match resolve_link(app, &request, &target).await {
        Ok(link) => request.link = link,
        Err(panic) => return app.broken(panic),
    }
    let (caller, charged) = match identify_and_charge(app, batcher, &request, &target).await {
        Ok(prepared) => prepared,
        Err(panic) => return app.broken(panic),
    };
    match catch(|| app.begin(&request, target, caller, charged)) {
        Ok(Begun::Answered(response)) => response,
        Ok(Begun::Pending(pending)) => {
            let answered = catch(|| app.complete(request, *pending));
            finish(answered, |why| app.broken(why)).await
        }
        Err(panic) => app.broken(panic),
    }
}

/// The reaction to the message of an agent, if the request carries one. A long one is parsed in the turn of its
/// address; nothing where too many wait for that.
async fn react(
    app: &App,
    request: &Request,
    target: &Target<'_>,
) -> Result<Option<Reaction>, String> {
    let Some(message) = catch(|| app.message(request, target))? else { return Ok(None) };
    if message.length() <= SHORT_MESSAGE {
        return catch(|| message.react()).map(Some);
    }
    let share = app.share(request, app.access().by_address(request));
    Ok(app.uncounted.run(share, move || message.react()).await.ok())
}

/// The response once it has been made, or 500 if the handler panicked.
async fn finish(
    answered: Result<Answered, String>,
    broken: impl FnOnce(String) -> Response<Payload>,
) -> Response<Payload> {
    match answered {
        Ok(Answered::Now(response)) => response,
        Ok(Answered::Later(answer)) => match answer.await {
            Ok(response) => response,
            Err(_) => broken("the answer was lost".into()),
        },
        Err(panic) => broken(panic),
    }
}

/// Who sent a request, and whether that is within the limit of all replicas, if there are others.
async fn identify_and_charge(
    app: &App,
    batcher: Option<&Batcher>,
    request: &Request,
    target: &Target<'_>,
) -> Result<(Result<Caller, Refusal>, Option<Charged>), String> {
    let caller = identify(app.access(), request).await?;
    let Some(batcher) = batcher else { return Ok((caller, None)) };
    let charged = match catch(|| app.charge(request, target, &caller))? {
        Charge::Counted(by) => Charged::Counted(batcher.admit(&by, request.now.instant).await),
        Charge::Free(by) => Charged::Free(batcher.peek(&by, request.now.instant).await),
    };
    Ok((caller, Some(charged)))
}

/// The session of a request, where one counts. One that began on another server a moment ago counts.
async fn recognise(app: &App, request: &Request, target: &Target<'_>) -> Result<Session, String> {
    let Some(token) = catch(|| session::token(request, target, &app.routes))? else {
        return Ok(Session::None);
    };
    let access = app.access();
    if access.is_unknown(&token) {
        refresh_while(access, || access.is_unknown(&token)).await?;
    }
    Ok(match access.holder(&token, request.now) {
        Some(holder) => Session::SignedIn(holder),
        None if access.is_behind() => Session::None,
        None => Session::Expired,
    })
}

/// The link that a request carries. One that another program made a moment ago counts; and where links are taken, so does a
/// text that is none.
async fn resolve_link(
    app: &App,
    request: &Request,
    target: &Target<'_>,
) -> Result<LinkCredential, String> {
    let access = app.access();
    Ok(match &request.link {
        LinkCredential::Unknown(hash) => {
            let find = || access.find_link(LinkCredential::Unknown(*hash));
            if catch(|| access.looks_links_up(request))? {
                refresh_while(access, || find().holder().is_none()).await?;
            }
            catch(find)?
        }
        LinkCredential::Unmarked if target.takes_links(&app.routes) => LinkCredential::Malformed,
        LinkCredential::Unmarked | LinkCredential::None => LinkCredential::None,
        LinkCredential::Malformed => LinkCredential::Malformed,
        LinkCredential::Repeated => LinkCredential::Repeated,
        LinkCredential::Valid(holder) => LinkCredential::Valid(holder.clone()),
    })
}

/// Who sent a request. A key that another program issued a moment ago counts.
async fn identify(access: &Access, request: &Request) -> Result<Result<Caller, Refusal>, String> {
    let caller = catch(|| access.identify(request))?;
    let is_form = request.head.method == Method::POST;
    if caller.is_ok() && !is_form {
        return Ok(caller);
    }
    if catch(|| access.has_unknown_key(request))? {
        refresh_while(access, || access.has_unknown_key(request)).await?;
    }
    // Even where nothing had to be waited for: the keys may have been refreshed between the two looks.
    catch(|| access.identify(request))
}

/// Refreshes the keys and sessions, so that one that another program made a moment ago is known: a refresh that begins after
/// this call is waited for, together with all who wait for it. If they are in a file, one of those does it.
async fn refresh_while(access: &Access, is_unknown: impl Fn() -> bool) -> Result<(), String> {
    let (before, mut done) = (access.refresh().begun(), access.refresh().subscribe());
    loop {
        match catch(|| access.look_up_at_once(before, Instant::now()))? {
            Lookup::Done => return Ok(()),
            Lookup::In(left) => sleep(left).await,
            Lookup::Elsewhere => break,
        }
    }
    access.refresh().signal.wake();
    // If that takes too long, the request is answered by what is known.
    let _ = timeout(REFRESH_TIMEOUT, done.wait_for(|done| *done > before || !is_unknown())).await;
    Ok(())
}
