//! `/legal`: what is stored about visitors, and on what terms the service is given, unless the operator has a page of their
//! own.
use maud::{Markup, html};

use super::{layout, view::View};

/// The page with privacy and terms.
pub(crate) fn legal(view: &View) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let title = say("Privacy and terms", "Privacidade e termos");
    let content = html! {
        h1 { (title) }
        p.lead { (say(
            "What this software stores about you, and on what terms it serves data. The operator of this server is responsible for both.",
            "O que este programa guarda sobre você e em que condições ele serve os dados. O responsável por ambos é o operador deste servidor.",
        )) }
        (privacy(view))
        (terms(view))
        (who_to_ask(view))
    };
    let about = say(
        "What finserve stores about its visitors: name and e-mail address of a key, usage counts, a session cookie, log lines. And the terms of use.",
        "O que o finserve guarda sobre seus visitantes: nome e e-mail de uma chave, contagens de uso, um cookie de sessão, linhas de log. E os termos de uso.",
    );
    layout::described_page(view, "/legal", (title, about), &content)
}

fn privacy(view: &View) -> Markup {
    let rows = [
        (
            ("If you register a key", "Se você registra uma chave"),
            (
                "Your name and e-mail address, the plan, the time, a SHA-256 hash of the key and its first 12 characters. The key itself is shown once and not stored. A revoked key stays on record; a free key that is never used is removed, after 90 days unless the operator has set another time.",
                "Seu nome e e-mail, o plano, a hora, um hash SHA-256 da chave e seus 12 primeiros caracteres. A chave em si é mostrada uma vez e não é guardada. Uma chave revogada continua no registro; uma chave grátis nunca usada é removida, após 90 dias se o operador não definiu outro prazo.",
            ),
        ),
        (
            ("If you use a key", "Se você usa uma chave"),
            (
                "How many requests it made on each day to each endpoint, how many failed and how many were over the limit; after 400 days only by month. Not what was asked for.",
                "Quantas requisições ela fez em cada dia a cada endpoint, quantas falharam e quantas passaram do limite; após 400 dias, só por mês. Não o que foi perguntado.",
            ),
        ),
        (
            ("If you sign in", "Se você entra com uma chave"),
            (
                "One cookie with a random session, which no script can read; the server keeps its hash for 30 days, or until you sign out. There is no other cookie.",
                "Um cookie com uma sessão aleatória, que nenhum script pode ler; o servidor guarda o hash dela por 30 dias, ou até você sair. Não há outro cookie.",
            ),
        ),
        (
            ("If you create a webhook", "Se você cria um webhook"),
            (
                "Its address, its secret, what it subscribes to, and what became of its calls in the last 30 days.",
                "O endereço, o segredo, o que ele assina e o resultado das chamadas dos últimos 30 dias.",
            ),
        ),
        (
            ("If you make a link", "Se você cria um link"),
            (
                "Its name, the path that it is bound to, the time, a hash of its token and the minute of its last use. A few revoked links stay on record.",
                "O nome, o caminho a que ele está preso, a hora, um hash do token e o minuto do último uso. Alguns links revogados continuam no registro.",
            ),
        ),
        (
            ("With every request", "A cada requisição"),
            (
                "A line of the log, unless the operator turned that off: time, endpoint, status, plan, first characters of the key, and the network of your address (/24 or /48), not the whole address. To count limits, whole addresses are in memory for at most an hour.",
                "Uma linha de log, a menos que o operador a tenha desligado: hora, endpoint, status, plano, primeiros caracteres da chave e a rede do seu endereço (/24 ou /48), não o endereço inteiro. Para contar limites, endereços inteiros ficam na memória por no máximo uma hora.",
            ),
        ),
        (
            ("What is not done", "O que não é feito"),
            (
                "Pages load nothing from other servers, and have no analytics and no advertising. The software sends no e-mail, and passes nothing on.",
                "As páginas não carregam nada de outros servidores e não têm estatísticas de visita nem publicidade. O programa não envia e-mails e não repassa nada.",
            ),
        ),
    ];
    section(view, "privacy", ("Privacy", "Privacidade"), &rows)
}

fn terms(view: &View) -> Markup {
    let rows = [
        (
            ("The data", "Os dados"),
            (
                "Published by Banco Central do Brasil and Comissão de Valores Mobiliários, under the Open Database License (ODbL): if you pass it on, name the source and keep the licence.",
                "Publicados pelo Banco Central do Brasil e pela Comissão de Valores Mobiliários, sob a Open Database License (ODbL): se você os repassar, cite a fonte e mantenha a licença.",
            ),
        ),
        (
            ("No warranty", "Sem garantia"),
            (
                "Figures are served as published, or computed by the stated rule, as they are and without any warranty. They may be late or revised. Nothing here is investment advice.",
                "Os números são servidos como publicados, ou calculados pela regra indicada, no estado em que se encontram e sem garantia. Podem atrasar ou ser revistos. Nada aqui é recomendação de investimento.",
            ),
        ),
        (
            ("Limits", "Limites"),
            (
                "A plan includes what the page of plans says, up to its requests per minute. The operator can move a key to another plan or revoke it.",
                "Cada plano inclui o que diz a página de planos, até o seu número de requisições por minuto. O operador pode mudar uma chave de plano ou revogá-la.",
            ),
        ),
        (
            ("Your key", "Sua chave"),
            (
                "Who has it can use it: keep it secret. You can exchange or revoke it yourself on the usage page.",
                "Quem a tem pode usá-la: mantenha-a em segredo. Você mesmo pode trocá-la ou revogá-la na página de uso.",
            ),
        ),
    ];
    section(view, "terms", ("Terms", "Termos"), &rows)
}

/// A word or a sentence in both languages.
type Text = (&'static str, &'static str);

fn section(view: &View, id: &str, title: Text, rows: &[(Text, Text)]) -> Markup {
    let say = |(english, portuguese): Text| view.language.pick(english, portuguese);
    html! {
        section aria-labelledby=(id) {
            h2 id=(id) { (say(title)) }
            @for (what, text) in rows { h3 { (say(*what)) } p.rule { (say(*text)) } }
        }
    }
}

fn who_to_ask(view: &View) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    html! {
        section aria-labelledby="questions" {
            h2 id="questions" { (say("Questions, and what is stored about you", "Dúvidas e o que está guardado sobre você")) }
            p {
                @match view.upgrade_contact.contact() {
                    Some(contact) => {
                        (say(
                            "To ask, or to have your name and e-mail address corrected or deleted: ",
                            "Para perguntar, ou para corrigir ou apagar seu nome e e-mail: ",
                        ))
                        a href=(contact.url()) { (contact.shown()) } "."
                    }
                    None => { (say(
                        "To ask, or to have your name and e-mail address corrected or deleted, turn to the operator of this server.",
                        "Para perguntar, ou para corrigir ou apagar seu nome e e-mail, fale com o operador deste servidor.",
                    )) }
                }
            }
            @if view.is_local {
                p.note id="operator" {
                    (say("For the operator, on this machine only: ", "Para o operador, só nesta máquina: "))
                    code { "--legal-url https://example.com/legal" }
                    (say(" puts a page of your own in the place of this one.", " põe uma página sua no lugar desta."))
                }
            }
        }
    }
}
