//! The frame of every page.
use fincore::sessions::Holder;
use maud::{DOCTYPE, Markup, html};

use super::{assets, language::Language, view::View};

/// The description of pages that have none of their own.
fn description(view: &View) -> &'static str {
    view.language.pick(
        "Brazil’s Selic, CDI, IPCA, exchange rates, companies and filings as JSON.",
        "Selic, CDI, IPCA, câmbio, companhias e documentos do Brasil em JSON.",
    )
}

/// The head of the page at `path`, also for those who show links to it.
pub(crate) fn head(view: &View, path: &str, title: &str) -> Markup {
    described_head(view, path, title, description(view))
}

fn described_head(view: &View, path: &str, title: &str, about: &str) -> Markup {
    let (locale, other) = view.language.pick(("en_US", "pt_BR"), ("pt_BR", "en_US"));
    html! {
        meta charset="utf-8";
        meta name="viewport" content="width=device-width, initial-scale=1";
        title { (title) " · finserve" }
        meta name="description" content=(about);
        meta property="og:type" content="website";
        meta property="og:site_name" content="finserve";
        meta property="og:title" content=(title);
        meta property="og:description" content=(about);
        meta property="og:url" content=(view.shared(path));
        meta property="og:image" content=(view.url(assets::SHARE.path()));
        meta property="og:image:width" content="1200";
        meta property="og:image:height" content="630";
        meta property="og:image:alt" content="finserve";
        meta name="twitter:card" content="summary_large_image";
        @if !path.is_empty() {
            link rel="canonical" href=(format!("{}{}", view.origin, view.link(path)));
            link rel="alternate" hreflang="x-default" href=(view.url(path));
            @for language in [Language::English, Language::Portuguese] {
                link rel="alternate" hreflang=(language.tag()) href=(format!("{}?lang={}", view.url(path), language.code()));
            }
        }
        meta property="og:locale" content=(locale);
        meta property="og:locale:alternate" content=(other);
        link rel="icon" href=(view.path(assets::ICON.path())) type="image/svg+xml";
    }
}

/// A whole page at `path`.
pub(crate) fn page(view: &View, path: &str, title: &str, content: &Markup) -> Markup {
    described_page(view, path, (title, description(view)), content)
}

/// A whole page with a description of its own.
pub(crate) fn described_page(
    view: &View,
    path: &str,
    (title, about): (&str, &str),
    content: &Markup,
) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    html! {
        (DOCTYPE)
        html lang=(view.language.tag()) {
            head {
                (described_head(view, path, title, about))
                meta name="color-scheme" content="light dark";
                link rel="stylesheet" href=(view.path(assets::STYLE.path()));
                script src=(view.path(assets::SCRIPT.path())) defer {}
            }
            body {
                a.skip href="#content" { (say("Skip to the content", "Ir para o conteúdo")) }
                (header(view, path))
                main id="content" { (content) }
                footer {
                    p { (say(
                        "Data from Banco Central do Brasil and Comissão de Valores Mobiliários, licensed under ODbL.",
                        "Dados do Banco Central do Brasil e da Comissão de Valores Mobiliários, sob a licença ODbL.",
                    )) }
                    p { "finserve " (env!("CARGO_PKG_VERSION")) " · " a href=(view.path("/docs/openapi.yaml")) { "OpenAPI" } " · " a href=(view.link("/status")) { (say("Status of the data", "Situação dos dados")) } " · " a href=(view.legal()) { (say("Privacy and terms", "Privacidade e termos")) } }
                }
            }
        }
    }
}

/// The links to all pages, who is signed in, and the other language, on top of the page at `path`.
pub(crate) fn header(view: &View, path: &str) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let links = [
        ("/", say("Home", "Início")),
        ("/market", say("Market", "Mercado")),
        ("/companies", say("Companies", "Companhias")),
        ("/filings", say("Filings", "Documentos")),
        ("/calc", say("Calculators", "Calculadoras")),
        ("/pricing", say("Pricing", "Planos")),
        ("/docs/guide", say("Guide", "Guia")),
        ("/docs", "API"),
        ("/usage", say("Usage", "Uso")),
    ];
    // A page below another is in its part of the site.
    let is_below = |link: &str| {
        let is_part = !["/", "/docs"].contains(&link);
        is_part && path.strip_prefix(link).is_some_and(|rest| rest.starts_with('/'))
    };
    let current = |link: &str| match link == path {
        true => Some("page"),
        false => (is_below(link) || (link, path) == ("/docs", "/docs/try")).then_some("true"),
    };
    html! {
        header {
            a.brand href=(view.link("/")) { "finserve" }
            nav aria-label=(say("Main", "Principal")) {
                @for (link, name) in links {
                    a href=(view.link(link)) aria-current=[current(link)] { (name) }
                }
            }
            @match &view.visitor {
                Some(holder) => { (signed_in(view, holder)) }
                None => { a.sign-in href=(view.sign_in()) aria-current=[current("/sign-in")] { (say("Sign in", "Entrar")) } }
            }
            (switch(view, path))
        }
    }
}

/// Who is signed in, and how to end that.
fn signed_in(view: &View, holder: &Holder) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    html! {
        form.signed-in method="post" action=(view.link("/sign-out")) {
            span title=(format!("{}…", holder.key)) {
                span.unseen { (say("Signed in with ", "Conectado com ")) (holder.key) (say("…, plan ", "…, plano ")) }
                strong { (holder.caller.plan.name()) }
            }
            button { (say("Sign out", "Sair")) }
        }
    }
}

/// A command line in a box, with a button that copies it. `id` tells boxes of a page apart.
pub(crate) fn command(view: &View, id: &str, line: &str) -> Markup {
    html! {
        div.command {
            pre tabindex="0" { code id=(id) { (line) } }
            (copy_button(view, id))
        }
    }
}

/// A button that copies the text of the element `id`, and says so. The script shows it where it works.
pub(crate) fn copy_button(view: &View, id: &str) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    html! {
        button.copy type="button" hidden data-copy=(id) data-done=(say("Copied", "Copiado")) { (say("Copy", "Copiar")) }
        span.unseen role="status" {}
    }
}

/// The link to the same view in the other language, named in that language; none on the answer to a form, which cannot be
/// asked for again.
fn switch(view: &View, path: &str) -> Markup {
    if path.is_empty() && view.here.is_none() {
        return html! {};
    }
    let (other, name) =
        view.language.pick((Language::Portuguese, "Português"), (Language::English, "English"));
    let mark = if view.kept(path).is_empty() { "" } else { "&" };
    let address = format!("{}?{}{mark}lang={}", view.path(path), view.kept(path), other.code());
    html! {
        a.language href=(address) lang=(other.tag()) hreflang=(other.tag()) { (name) }
    }
}
