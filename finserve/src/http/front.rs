//! The pages as rows of the routing table: from a request to a page.
use fincore::{Catalogue, Error, Key, Result, keys::Registration};
use serde::Deserialize;

use super::{Field, KeyForm, Language, UsageForm, Visit, assets};
use crate::{
    access::{Access, Call},
    params::Params,
    reply::{Body, Caching, OWN_FILES, Outcome},
};

/// The reference draws itself with styles of its own making; apart from that it is bound like our pages.
const REFERENCE_FILES: &str = "default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self'; \
    img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; form-action 'none'; \
    base-uri 'none'; frame-ancestors 'none'";

const DESCRIPTION: &[u8] = include_bytes!("../../../openapi.yaml");

/// A request for a page.
pub(crate) struct Guest<'r> {
    pub(crate) catalogue: &'r Catalogue,
    pub(crate) access: &'r Access,
    pub(crate) call: Call<'r>,
    pub(crate) visit: Visit,
}

/// What can be chosen on every page.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PageQuery {
    pub(crate) lang: Option<Language>,
}

/// Which file is wanted.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AssetQuery {
    pub(crate) name: String,
}

/// `GET /`
pub(crate) fn home(guest: &Guest<'_>) -> Result<Outcome> {
    let snapshot = guest.catalogue.snapshot(guest.call.now.today())?;
    Ok(found(Body::page(super::home(&snapshot, &guest.visit)?, OWN_FILES)))
}

/// `GET /pricing`
pub(crate) fn pricing(guest: &Guest<'_>) -> Result<Outcome> {
    Ok(found(Body::page(super::pricing(&guest.visit, &KeyForm::Empty), OWN_FILES)))
}

/// `POST /pricing`: a free key for who filled in the form.
pub(crate) fn register(guest: &Guest<'_>) -> Result<Outcome> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Sent {
        name: String,
        email: String,
    }
    let sent: Sent = match form(&guest.call) {
        Ok(sent) => sent,
        Err(outcome) => return Ok(outcome),
    };
    let page = |form: &KeyForm| Body::page(super::pricing(&guest.visit, form), OWN_FILES);
    let who = || {
        let name = sent.name.parse().map_err(|err| (Field::Name, err))?;
        let email = sent.email.parse().map_err(|err| (Field::Email, err))?;
        guest
            .access
            .register(&guest.call, &Registration { name, email })
            .map_err(|err| (Field::Whole, err))
    };
    match who() {
        Ok(key) => Ok(Outcome::Created(page(&KeyForm::Issued(key.reveal().to_owned())))),
        Err((field, err @ (Error::Invalid(_) | Error::RateLimited { .. }))) => {
            let reason = reason(&guest.visit, field);
            let (name, email) = (Key::redact(&sent.name), Key::redact(&sent.email));
            let form = KeyForm::Wrong { name, email, field, reason };
            Ok(Outcome::Shown(err, Box::new(page(&form))))
        }
        Err((_, err)) => Err(err),
    }
}

/// What is wrong with a field, in the visitor's language.
fn reason(visit: &Visit, field: Field) -> String {
    let (english, portuguese) = match field {
        Field::Name => (
            "Please enter a name of at most 100 characters, without line breaks.",
            "Informe um nome de até 100 caracteres, sem quebras de linha.",
        ),
        Field::Email => (
            "Please enter one e-mail address, like ana@example.com.",
            "Informe um endereço de e-mail, como ana@example.com.",
        ),
        Field::Whole => (
            "Too many keys were registered from your address this hour. Please try again later.",
            "Muitas chaves foram registradas do seu endereço nesta hora. Tente de novo mais tarde.",
        ),
    };
    visit.language.pick(english, portuguese).to_owned()
}

/// `GET /usage`
pub(crate) fn usage(guest: &Guest<'_>) -> Result<Outcome> {
    Ok(found(Body::page(super::usage(&guest.visit, &UsageForm::Empty), OWN_FILES)))
}

/// `POST /usage`: what the key in the form has asked for.
pub(crate) fn show_usage(guest: &Guest<'_>) -> Result<Outcome> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Sent {
        key: String,
    }
    let sent: Sent = match form(&guest.call) {
        Ok(sent) => sent,
        Err(outcome) => return Ok(outcome),
    };
    let page = |form: &UsageForm| Body::page(super::usage(&guest.visit, form), OWN_FILES);
    let key = sent.key.trim().parse();
    match key.and_then(|key| guest.access.look_up(&key, guest.call.now)) {
        Ok((report, standing)) => {
            Ok(Outcome::Found(page(&UsageForm::Known(Box::new(report), standing)), Caching::Never))
        }
        Err(err @ (Error::InvalidKey | Error::Invalid(_))) => {
            // Guessing here costs as much as guessing elsewhere.
            let _ = guest.access.admit(&guest.call.client, guest.call.now);
            let reason = guest
                .visit
                .language
                .pick("This is not a key of this service.", "Esta não é uma chave deste serviço.");
            Ok(Outcome::Shown(err, Box::new(page(&UsageForm::Wrong(reason.to_owned())))))
        }
        Err(err) => Err(err),
    }
}

/// The fields of a form, as browsers send them.
fn form<Q: serde::de::DeserializeOwned>(call: &Call<'_>) -> Result<Q, Outcome> {
    let body = call.body("application/x-www-form-urlencoded")?;
    let text = str::from_utf8(body).map_err(|_| Error::Invalid("the form is not UTF-8".into()))?;
    Ok(Params::from_query(text)?.read()?)
}

/// `GET /docs`
pub(crate) fn docs(guest: &Guest<'_>) -> Result<Outcome> {
    Ok(found(Body::page(super::docs(&guest.visit), REFERENCE_FILES)))
}

/// `GET /docs/openapi.yaml`
pub(crate) fn description(_: &Guest<'_>) -> Result<Outcome> {
    Ok(found(Body::file("application/yaml", DESCRIPTION)))
}

/// What a browser is shown at an address that is none.
pub(crate) fn not_found(visit: &Visit, path: &str) -> Outcome {
    let page = Body::page(super::not_found(visit, &Key::redact(path)), OWN_FILES);
    Outcome::Shown(Error::NotFound(path.to_owned()), Box::new(page))
}

/// `GET /assets/{name}`
pub(crate) fn asset(name: &str) -> Result<Outcome> {
    let asset =
        assets::find(name).ok_or_else(|| Error::NotFound(format!("there is no asset {name:?}")))?;
    let body = match asset.content {
        assets::Content::Plain(bytes) => Body::file(asset.media, bytes),
        assets::Content::Gzip(bytes) => Body::packed_file(asset.media, bytes),
    };
    Ok(Outcome::Found(body, Caching::Forever(format!("\"{name}\""))))
}

fn found(body: Body) -> Outcome {
    Outcome::Found(body, Caching::Asking)
}
