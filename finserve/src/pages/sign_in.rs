//! `/sign-in`: a session for a key.
use maud::{Markup, html};

use super::{layout, view::View};

pub(crate) struct SignInForm<'f> {
    /// Where to go on afterwards.
    pub(crate) next: Option<&'f str>,
    /// Whether what was sent is not a key.
    pub(crate) is_wrong: bool,
}

/// The page to sign in.
pub(crate) fn sign_in(view: &View, form: &SignInForm<'_>) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let wrong = form.is_wrong.then(|| {
        say(
            "We don't recognise this key. Check that you copied all of it.",
            "Não reconhecemos esta chave. Confira se você copiou a chave inteira.",
        )
    });
    let content = html! {
        h1 { (say("Sign in", "Entrar")) }
        p.lead { (say(
            "When you sign in with your key, the pages show everything in its plan, and their requests count against its limit. You stay signed in on this browser for 30 days; the browser keeps a session, never the key.",
            "Com sua chave, as páginas mostram tudo o que o plano inclui, e as requisições contam para o limite dela. Este navegador fica conectado por 30 dias; ele guarda uma sessão, nunca a chave.",
        )) }
        @if let Some(holder) = &view.visitor {
            p id="signed-in" {
                (say("You are signed in with the key ", "Você entrou com a chave ")) code { (holder.key) "…" }
                (say(", on the plan ", ", no plano ")) (holder.caller.plan.name()) "."
            }
        }
        form id="sign-in" method="post" action=(view.link("/sign-in")) {
            @if let Some(next) = form.next { input type="hidden" name="next" value=(next); }
            label {
                (say("API key", "Chave da API"))
                input name="key" type="password" required autofocus autocomplete="off" spellcheck="false"
                    aria-invalid=[wrong.map(|_| "true")] aria-describedby="wrong-key";
                span.wrong id="wrong-key" role=[wrong.map(|_| "alert")] { @if let Some(reason) = wrong { (reason) } }
            }
            button.primary { (say("Sign in", "Entrar")) }
        }
        p.note {
            (say("No key yet? ", "Ainda não tem uma chave? "))
            a href=(format!("{}#key", view.link("/pricing"))) { (say("Get a free one", "Obtenha uma grátis")) } "."
        }
    };
    let about = say(
        "Sign in to finserve with an API key, to see on the pages all that its plan includes.",
        "Entre no finserve com uma chave da API para ver nas páginas tudo o que o plano inclui.",
    );
    layout::described_page(view, "/sign-in", (say("Sign in", "Entrar"), about), &content)
}
