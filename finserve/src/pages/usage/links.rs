//! The links of a key: what they are for, a form for another one, and a button that revokes each.
use fincore::{
    Key, LinkPath, LinkToken, Name,
    chrono::{DateTime, Utc},
    links::{Link, MAX_PER_KEY},
};
use maud::{Markup, html};

use crate::pages::{
    language::Language,
    layout,
    spreadsheet::{Shows, formulas_of_link},
    view::View,
};

#[derive(Default)]
pub(crate) struct LinkForm<'f> {
    pub(crate) name: &'f str,
    pub(crate) path: &'f str,
    pub(crate) fault: Option<LinkFault>,
}

/// Why a link was not made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkFault {
    Name,
    Path,
    TooMany,
}

impl LinkFault {
    fn reason(self, language: Language) -> String {
        match self {
            LinkFault::Name => language.pick(
                format!("Please enter a name of at most {} characters, without a key in it.", Name::MAX_CHARACTERS),
                format!("Informe um nome de até {} caracteres, sem uma chave nele.", Name::MAX_CHARACTERS),
            ),
            LinkFault::Path => language.pick(
                "Please enter the path of data in the API with its parameters, as in an address and without a token: /api/v1/market/selic?limit=10",
                "Informe o caminho de dados da API com seus parâmetros, como em um endereço e sem token: /api/v1/market/selic?limit=10",
            ).to_owned(),
            LinkFault::TooMany => too_many(language),
        }
    }
}

fn too_many(language: Language) -> String {
    language.pick(
        format!("A key has at most {MAX_PER_KEY} links. Revoke one to make another."),
        format!("Uma chave tem no máximo {MAX_PER_KEY} links. Revogue um para criar outro."),
    )
}

/// The part of the usage page for a key that is signed in.
pub(super) fn own_links(view: &View, links: &[Link]) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    html! {
        section id="links" {
            h3 { "Links" }
            p { (say(
                "For spreadsheets and other programs that cannot send a key: an address with a token. A link only reads data, with the plan and the limit of this key.",
                "Para planilhas e outros programas que não enviam uma chave: um endereço com um token. Um link só lê dados, com o plano e o limite desta chave.",
            )) }
            @if !links.is_empty() { (table(view, links)) }
            @if links.len() < MAX_PER_KEY { (form(view, &LinkForm::default())) } @else { p { (too_many(view.language)) } }
        }
    }
}

fn table(view: &View, links: &[Link]) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    html! {
        div.scroll tabindex="0" { table id="own-links" {
            thead { tr {
                th scope="col" { (say("Name", "Nome")) }
                th scope="col" { (say("Reads", "Lê")) }
                th scope="col" { (say("Made (UTC)", "Criado (UTC)")) }
                th scope="col" { (say("Last used (UTC)", "Último uso (UTC)")) }
                td {}
            } }
            tbody { @for link in links { tr {
                th scope="row" { (link.name.as_str()) }
                td { @match &link.path {
                    Some(path) => code { (path) },
                    None => (say("all data of the plan", "todos os dados do plano")),
                } }
                td { (time(view.language, link.created)) }
                td { @match link.last_used {
                    Some(used) => (time(view.language, used)),
                    None => (say("never", "nunca")),
                } }
                td {
                    form method="post" action=(view.link("/usage/links/revoke")) {
                        input type="hidden" name="id" value=(link.id);
                        button aria-label=(format!("{}: {}", say("Revoke", "Revogar"), link.name.as_str())) { (say("Revoke", "Revogar")) }
                    }
                }
            } } }
        } }
    }
}

/// The form for a new link.
fn form(view: &View, LinkForm { name, path, fault }: &LinkForm<'_>) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let is_wrong = |field| (*fault == Some(field)).then_some("true");
    html! {
        form method="post" action=(view.link("/usage/links")) {
            @if let Some(fault) = fault { p.wrong role="alert" id="wrong-link" { (fault.reason(view.language)) } }
            label {
                (say("Name of the link", "Nome do link"))
                input name="name" value=(Key::redact(name)) required maxlength=(Name::MAX_CHARACTERS) autocomplete="off"
                    placeholder=(say("Budget", "Orçamento")) aria-invalid=[is_wrong(LinkFault::Name)];
            }
            label {
                (say("Only this path (if you leave it empty: all data)", "Somente este caminho (vazio: todos os dados)"))
                input name="path" value=(Key::redact(path)) maxlength=(LinkPath::MAX_CHARACTERS) autocomplete="off" spellcheck="false"
                    placeholder="/api/v1/market/selic?limit=10" aria-invalid=[is_wrong(LinkFault::Path)];
            }
            button { (say("Make a link", "Criar um link")) }
        }
    }
}

/// The page after a link was made, which shows its token this once.
///
/// Of an address that was typed it is not known what a cell makes of it.
pub(crate) fn link_made(
    view: &View,
    link: &Link,
    token: &LinkToken,
    shows: Option<Shows>,
) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let title = say("Your new link", "Seu novo link");
    let path = link.path.as_ref().map_or("/api/v1/market/selic?limit=10", LinkPath::as_str);
    let mark = if path.contains('?') { '&' } else { '?' };
    let address = format!("{}{mark}token={}", view.url(path), token.reveal());
    let content = html! {
        h1 { (title) }
        section.get-key id="key" aria-label=(title) {
            p.key { code id="issued" tabindex="0" data-select { (token.reveal()) } (layout::copy_button(view, "issued")) }
            p { (say(
                "It is shown only once. Treat it like a key: what can read it can read your data and use up your limit. If it gets lost or known, revoke the link and make another.",
                "Ele é mostrado uma única vez. Trate-o como uma chave: quem o lê pode ler seus dados e gastar seu limite. Se ele se perder ou vazar, revogue o link e crie outro.",
            )) }
            p { @if link.path.is_some() {
                (say("The address that this link opens:", "O endereço que este link abre:"))
            } @else {
                (say("It opens every address of data, as the parameter token. For example:", "Ele abre todo endereço de dados, como o parâmetro token. Por exemplo:"))
            } }
            p.key { code id="address" tabindex="0" data-select { (address) } (layout::copy_button(view, "address")) }
            @if let Some(shows) = shows { (formulas_of_link(view, &address, shows)) }
            p.actions { a.button href=(back(view)) { (say("Back to your links", "Voltar aos seus links")) } }
        }
    };
    layout::page(view, "", title, &content)
}

/// The page where a link was not made, with the form once more.
pub(crate) fn link_not_made(view: &View, shown: &LinkForm<'_>) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let title = say("The link was not made", "O link não foi criado");
    let content = html! {
        h1 { (title) }
        (form(view, shown))
        p.actions { a.button href=(back(view)) { (say("Back to your links", "Voltar aos seus links")) } }
    };
    layout::page(view, "", title, &content)
}

fn back(view: &View) -> String {
    format!("{}#links", view.link("/usage"))
}

fn time(language: Language, time: DateTime<Utc>) -> String {
    language.pick(time.format("%-d %b %Y %H:%M"), time.format("%d/%m/%Y %H:%M")).to_string()
}
