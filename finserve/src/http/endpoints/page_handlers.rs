//! The pages as rows of the routing table: from a request to a page.
use std::{io::Read, time::Instant};

use fincore::{
    Caller, Error, Feature, Invalid, Key, Limit, Offset, datasets,
    keys::Registration,
    links,
    webhooks::{self, DeliveriesQuery},
};
use flate2::bufread::GzDecoder;
use hyper::{
    Method,
    header::{ACCEPT_LANGUAGE, HeaderValue},
};
use serde::Deserialize;

use super::context::Context;
use crate::{
    errors::{BadRequest, NotFound, Problem},
    http::message::{
        accept, encoding,
        parameters::{self, Params},
        payload::Payload,
        refusal::Refusal,
        reply::{Body, Caching, OWN_FILES, Reply},
        request::Request,
        stream::{Producer, Stream},
    },
    pages::{
        self, Field, FieldFault, KeyForm, KnownKey, Language, Notice, Subscription, UsageForm,
        View,
        assets::{self, Packed},
    },
    site::upgrade_contact::{Address, UpgradeContact},
};

pub(crate) mod calculators;
pub(crate) mod companies_and_filings;
pub(crate) mod documentation;
mod form_fields;
pub(crate) mod market;
mod plan_preview;
pub(crate) mod statements;

/// The parameters of every page.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PageQuery {
    lang: Option<Language>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AssetQuery {
    name: String,
}

/// The longest path and query that signing in leads back to.
const MAX_HERE: usize = 1024;

/// How a page is shown: in the chosen language, or else in the one that the browser prefers.
pub(crate) fn view(context: &Context<'_>, chosen: Option<Language>) -> View {
    let here = here(context.request, Some(&context.parameters));
    let origin = context.origin.clone().unwrap_or_default();
    View { here, origin, ..bare_view(context.request, context.upgrade_contact, chosen) }
}

/// The view for an address without a page.
fn bare_view(request: &Request, upgrade_contact: UpgradeContact, chosen: Option<Language>) -> View {
    View {
        language: chosen.unwrap_or_else(|| preferred_language(request)),
        chosen: chosen.is_some(),
        origin: request.origin(upgrade_contact).unwrap_or_default(),
        is_local: request.calls_own_machine(),
        base: upgrade_contact.base(),
        upgrade_contact,
        visitor: request.session.holder().cloned(),
        here: here(request, None),
    }
}

/// The language that the browser prefers.
fn preferred_language(request: &Request) -> Language {
    let mut preferred = (Language::English, 0.0);
    for (tag, weight) in accept::offers(&request.head.headers, ACCEPT_LANGUAGE) {
        let primary = tag.split('-').next().unwrap_or_default().to_ascii_lowercase();
        if let (Ok(language), true) = (primary.parse(), weight > preferred.1) {
            preferred = (language, weight);
        }
    }
    preferred.0
}

/// The path and query of a page that can be returned to. A path with a key in it, sent by mistake, is not one.
///
/// Parameters that the page does not read are left out.
fn here(request: &Request, known: Option<&[&str]>) -> Option<String> {
    let asked = request.head.uri.path_and_query()?.as_str();
    if ![Method::GET, Method::HEAD].contains(&request.head.method) {
        return None;
    }
    let here = match (known, asked.split_once('?')) {
        (Some(known), Some((path, query))) => {
            format!("{path}{}", parameters::known_query(query, known))
        }
        _ => asked.to_owned(),
    };
    (here.len() <= MAX_HERE && !Key::may_be_in(&here)).then_some(here)
}

/// All that a page depends on besides the data, without a session: path and known parameters, the language that the browser
/// prefers, and whether the visitor is on the machine of the server. Nothing where the page is asked for in an unusual
/// spelling, which it repeats.
pub(crate) fn shown_to_all(request: &Request, known: &[&str]) -> Option<String> {
    let here = here(request, Some(known)).filter(|here| !here.contains(['%', '+']))?;
    let language = preferred_language(request).code();
    let who = if request.calls_own_machine() { "operator" } else { "visitor" };
    Some(format!("{here} {language} {who}"))
}

/// The language that was chosen, where nothing else can be.
pub(crate) fn chosen(params: Params<'_>) -> Result<Option<Language>, Refusal> {
    let PageQuery { lang } = params.read()?;
    Ok(lang)
}

fn chosen_view(context: &Context<'_>, params: Params<'_>) -> Result<View, Refusal> {
    Ok(view(context, chosen(params)?))
}

/// A page that browsers fetch anew each time.
pub(crate) fn shown(page: maud::Markup) -> Reply {
    let body = Body::page(page, OWN_FILES);
    Reply::ok(body, Caching::Refetched("Accept-Language, Accept-Encoding"))
}

/// `GET /`
pub(crate) fn home(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    let view = chosen_view(context, params)?;
    let snapshot = context.catalogue.snapshot(context.request.now.today())?;
    Ok(shown(pages::home(&snapshot, &view)?))
}

/// `GET /status`
pub(crate) fn status(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    let view = chosen_view(context, params)?;
    let snapshot = context.catalogue.snapshot(context.request.now.today())?;
    let late = context.workers.late(Instant::now());
    Ok(shown(pages::status(&view, &datasets::status(&snapshot)?, &late)))
}

/// `GET /pricing`
pub(crate) fn pricing(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    Ok(shown(pages::pricing(&chosen_view(context, params)?, &KeyForm::Empty)))
}

/// `GET /legal`: our own page, or the way to the operator's.
pub(crate) fn legal(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    let view = chosen_view(context, params)?;
    let elsewhere = context.upgrade_contact.legal().map(Address::url);
    match elsewhere.and_then(|address| HeaderValue::from_str(address).ok()) {
        Some(address) => Ok(Reply::found_at(address)),
        None => Ok(shown(pages::legal(&view))),
    }
}

/// `POST /pricing`: a free key from the form.
pub(crate) fn register(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Sent {
        name: String,
        email: String,
    }
    context.request.check_site()?;
    let view = chosen_view(context, params)?;
    let sent: Sent = context.request.form()?.read()?;
    let registered = || {
        let name = sent.name.parse().map_err(|err| (Field::Name, Refusal::from(err)))?;
        let email = sent.email.parse().map_err(|err| (Field::Email, Refusal::from(err)))?;
        let who = Registration { name, email };
        context.access.register(context.request, &who).map_err(|refusal| (Field::Whole, refusal))
    };
    match registered() {
        Ok(key) => {
            let page = pages::pricing(&view, &KeyForm::Issued(key));
            Ok(Reply::created(Body::page(page, OWN_FILES)))
        }
        Err((field, refusal @ (Refusal::BadRequest(_) | Refusal::RateLimited { .. }))) => {
            let (name, email) = (Key::redact(&sent.name), Key::redact(&sent.email));
            let fault = match &refusal {
                Refusal::BadRequest(BadRequest::Value(Problem::Library(Invalid::Secret(_)))) => {
                    FieldFault::LooksLikeKey
                }
                _ => FieldFault::Unusable,
            };
            let page = pages::pricing(&view, &KeyForm::Wrong { name, email, field, fault });
            Err(Refusal::Shown(Box::new(refusal), page))
        }
        Err((_, refusal)) => Err(refusal),
    }
}

/// `GET /usage`: at once for those who are signed in.
pub(crate) fn usage(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    let view = chosen_view(context, params)?;
    match context.request.session.holder() {
        Some(holder) => {
            let key = holder.caller.key.ok_or(Refusal::KeyRequired)?;
            let links = links::list(context.access.accounts(), key)?;
            let form = UsageForm::Own(Box::new(known(context, holder.caller)?), links);
            Ok(Reply::ok(Body::page(pages::usage(&view, &form), OWN_FILES), Caching::Never))
        }
        None => Ok(shown(pages::usage(&view, &UsageForm::Empty))),
    }
}

/// Details of the caller's key.
fn known(context: &Context<'_>, caller: Caller) -> Result<KnownKey, Refusal> {
    let (report, standing) = context.access.look_up(&caller, context.request.now)?;
    Ok(KnownKey { report, standing, subscriptions: subscriptions(context, caller)? })
}

/// `POST /usage`: the usage of the key in the form.
pub(crate) fn show_usage(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Sent {
        key: String,
    }
    context.request.check_site()?;
    let view = chosen_view(context, params)?;
    let sent: Sent = context.request.form()?.read()?;
    let (access, request) = (context.access, context.request);
    let key = sent.key.trim().parse().map_err(Refusal::from);
    match key.and_then(|key| access.holder_of(&key)) {
        Ok(caller) => {
            let known = known(context, caller)?;
            let page = pages::usage(&view, &UsageForm::Known(Box::new(known)));
            Ok(Reply::ok(Body::page(page, OWN_FILES), Caching::Never))
        }
        Err(refusal @ Refusal::InvalidKey) => {
            // Guessing here costs as much as guessing elsewhere.
            access.charge_guess(&access.by_address(request), request.now);
            let page = pages::usage(&view, &UsageForm::Wrong);
            Err(Refusal::Shown(Box::new(refusal), page))
        }
        Err(refusal) => Err(refusal),
    }
}

/// The webhooks of a key with their newest deliveries, if its plan includes webhooks.
fn subscriptions(
    context: &Context<'_>,
    caller: Caller,
) -> Result<Option<Vec<Subscription>>, Refusal> {
    const DELIVERIES: u32 = 5;
    let Some(key) = caller.key.filter(|_| caller.plan.includes(Feature::Webhooks)) else {
        return Ok(None);
    };
    let accounts = context.access.accounts();
    let mut all = Vec::new();
    for webhook in webhooks::list(accounts, key)? {
        let (id, limit) = (webhook.id.clone(), Limit::new(DELIVERIES)?);
        let query = DeliveriesQuery { id, limit, offset: Offset::default() };
        let deliveries = webhooks::list_deliveries(accounts, key, &query)?.data;
        all.push(Subscription { webhook, deliveries });
    }
    Ok(Some(all))
}

/// The error page for an address that does not exist.
pub(crate) fn not_found(
    request: &Request,
    upgrade_contact: UpgradeContact,
    refusal: Refusal,
    path: &str,
) -> Refusal {
    let page = pages::not_found(&bare_view(request, upgrade_contact, None), &Key::redact(path));
    Refusal::Shown(Box::new(refusal), page)
}

/// The error page for a refusal, if its visitor can do something about it.
pub(crate) fn refused(
    request: &Request,
    upgrade_contact: UpgradeContact,
    language: Option<Language>,
    refusal: Refusal,
) -> Refusal {
    if !accept::wants_page(&request.head.headers) {
        return refusal;
    }
    let notice = match &refusal {
        Refusal::PlanRequired(upgrade) => Notice::Upgrade(upgrade.required_plan),
        Refusal::RateLimited { retry_after, .. } => Notice::TooMany(*retry_after),
        Refusal::Crowded { .. } | Refusal::Busy(_) | Refusal::Unavailable(_) => Notice::Later,
        Refusal::BadRequest(wrong) => Notice::Wrong(wrong),
        Refusal::UriTooLong { most } => Notice::LongAddress { most: *most },
        Refusal::NotFound(missing) => Notice::Missing(missing),
        Refusal::MethodNotAllowed(_)
        | Refusal::InvalidKey
        | Refusal::InvalidLink
        | Refusal::LinkScope(_)
        | Refusal::TooManyLinks(_)
        | Refusal::KeyRequired
        | Refusal::TooLarge { .. }
        | Refusal::TooSlow
        | Refusal::TooManyHeaders { .. }
        | Refusal::OtherSite
        | Refusal::OtherOrigin
        | Refusal::WrongMedia(_)
        | Refusal::NotAcceptable(_)
        | Refusal::Internal(_)
        | Refusal::Shown(..) => return refusal,
    };
    let page = pages::refused(&bare_view(request, upgrade_contact, language), &notice);
    Refusal::Shown(Box::new(refusal), page)
}

/// `GET /assets/{name}`
pub(crate) fn asset(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    let AssetQuery { name } = params.read()?;
    let missing = || NotFound::Asset { name: name.clone() };
    let asset = assets::find(&name).ok_or_else(missing)?;
    let body = match &asset.content {
        assets::Content::Plain(bytes) => Body::new(asset.media, *bytes),
        assets::Content::Gzip(packed) if encoding::accepts_gzip(&context.request.head.headers) => {
            Body::packed(asset.media, packed.bytes)
        }
        assets::Content::Gzip(packed) => {
            let stream = Stream::of_length(
                packed.length,
                unpacked(*packed),
                name.clone(),
                context.streams.clone(),
            );
            Body::stream(asset.media, None, Payload::stream(stream))
        }
    };
    let tag = HeaderValue::try_from(format!("\"{name}\"")).map_err(|_| missing())?;
    Ok(Reply::ok(body, Caching::Forever(tag)))
}

/// A packed file, part by part: unpacked, it is megabytes, and few ask for it so.
fn unpacked(Packed { bytes, .. }: Packed) -> Producer {
    /// As much as is sent at a time.
    const PART: u64 = 64 * 1024;
    let mut decoder = None;
    Box::new(move |out| {
        let decoder = decoder.get_or_insert_with(|| GzDecoder::new(bytes));
        let read = decoder.take(PART).read_to_end(out);
        let read = read.map_err(|err| Error::operation(format!("cannot be unpacked: {err}")))?;
        Ok(read > 0)
    })
}

#[cfg(test)]
mod tests {
    use std::{net::Ipv4Addr, sync::Arc, time::Instant};

    use fincore::chrono::DateTime;

    use super::*;
    use crate::{
        coordination::clock::Now,
        http::message::{
            link_parameter::LinkCredential,
            request::{Session, Upload},
        },
    };

    #[test]
    fn follows_the_browser() {
        let cases = [
            ("", Language::English),
            ("pt-BR,pt;q=0.9,en-US;q=0.8,en;q=0.7", Language::Portuguese),
            ("en-US,en;q=0.9,pt;q=0.8", Language::English),
            ("de, pt;q=0.5, en;q=0.3", Language::Portuguese),
            ("fr", Language::English),
            ("PT", Language::Portuguese),
            ("pt;q=0", Language::English),
        ];
        for (accept, language) in cases {
            let head = hyper::Request::builder().header(ACCEPT_LANGUAGE, accept).body(()).unwrap();
            let request = Request {
                head: head.into_parts().0,
                upload: Upload::TooSlow,
                peer: Ipv4Addr::LOCALHOST.into(),
                is_encrypted: false,
                now: Now { instant: Instant::now(), utc: DateTime::UNIX_EPOCH },
                session: Session::None,
                link: LinkCredential::None,
                reaction: None,
                turn: Arc::default(),
            };
            assert_eq!(
                bare_view(&request, UpgradeContact::default(), None).language,
                language,
                "{accept}"
            );
        }
    }
}
