//! "Use in a spreadsheet": the formulas that show a view in Google Sheets, Excel and LibreOffice, ready to copy.
use maud::{Markup, html};

use super::{layout, page_url::Address, view::View};

/// What of a view a spreadsheet can show, as addresses of the API without a format.
pub(crate) struct Sheet {
    /// One figure of it: an answer, or a list that is cut to one row.
    pub(crate) value: Address,
    pub(crate) shows: Shows,
    /// The list, if there is one, with the most rows of a page: an address with parameters.
    pub(crate) rows: Option<Address>,
}

/// What a value is for a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shows {
    Number,
    Text,
}

/// How much of an address stands in one text: the longest that Excel takes in a formula has 255 characters.
const LONGEST_TEXT: usize = 250;

/// The panel, which is closed at first. `token` is that of a link of the visitor's; without one, its place is marked.
pub(crate) fn panel(view: &View, sheet: &Sheet, token: Option<&str>) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let token = token.unwrap_or(say("YOUR_LINK_TOKEN", "SEU_TOKEN_DE_LINK"));
    let value = sheet.value.clone().with("format", Some("value"));
    let value = text_of(&address(view, &value, Some(token)));
    let table = sheet.rows.clone().map(|rows| rows.with("format", Some("csv")));
    let table = table.map(|rows| text_of(&address(view, &rows, Some(token))));
    // Where the comma is the decimal mark, the semicolon separates arguments.
    let mark = say(",", ";");
    let (number, fetch) =
        view.language.pick(("NUMBERVALUE", "WEBSERVICE"), ("VALORNUMÉRICO", "SERVIÇOWEB"));
    let cell = |number: &str, mark: &str| match sheet.shows {
        Shows::Number => format!("={number}({fetch}({value}){mark} \".\")"),
        Shows::Text => format!("={fetch}({value})"),
    };
    html! {
        details.spreadsheet {
            summary { (say("Use in a spreadsheet", "Usar em uma planilha")) }
            p {
                (say(
                    "A cell cannot send a key. Make a link under ",
                    "Uma célula não envia chave. Crie um link em ",
                ))
                a href=(view.link("/usage")) { (say("Usage", "Uso")) }
                (say(", and put its token in the place of ", " e ponha o token dele no lugar de ")) code { (token) } "."
            }
            h3 { "Google Sheets" }
            (layout::command(view, "sheet-google", &format!("=IMPORTDATA({value}{mark} \";\"{mark} \"en_US\")")))
            @if let Some(table) = &table {
                p { (say("The whole table, on the Platinum plan:", "A tabela inteira, no plano Platinum:")) }
                (layout::command(view, "sheet-google-rows", &format!("=IMPORTDATA({table}{mark} \",\"{mark} \"en_US\")")))
            }
            h3 { "Excel" }
            (layout::command(view, "sheet-excel", &cell(number, mark)))
            @if let Some(rows) = &sheet.rows {
                p { (say(
                    "The whole table, page by page: Data, Get Data, From Other Sources, Blank Query, Advanced Editor:",
                    "A tabela inteira, página por página: Dados, Obter Dados, De Outras Fontes, Consulta em Branco, Editor Avançado:",
                )) }
                (layout::command(view, "sheet-excel-rows", &power_query(view, rows, Some(token))))
            }
            h3 { "LibreOffice" }
            (layout::command(view, "sheet-libreoffice", &cell(say(number, "VALORNUMERICO"), ";")))
            p.note {
                (say(
                    "The formulas are for programs in English. field chooses another value of the answer; for a text or a day leave out the function for numbers. ",
                    "As fórmulas são para programas em português. field escolhe outro valor da resposta; para um texto ou uma data, deixe de fora a função de número. ",
                ))
                a href=(view.link("/docs/guide/spreadsheets-and-notebooks")) { (say("More in the guide", "Mais no guia")) }
            }
        }
    }
}

/// The whole address of a question, with the token of a link: the addresses of all cells are made here.
fn address(view: &View, question: &Address, token: Option<&str>) -> String {
    view.origin.clone() + &question.clone().with("token", token).plain_link(view)
}

/// An address as a text in a formula, in pieces where it is long. The client chooses the name of the host, which must not end
/// the quotes.
fn text_of(address: &str) -> String {
    let characters: Vec<char> = address.replace('"', "%22").chars().collect();
    let pieces = characters.chunks(LONGEST_TEXT).map(|piece| piece.iter().collect::<String>());
    pieces.map(|piece| format!("\"{piece}\"")).collect::<Vec<_>>().join(" & ")
}

/// A query of Power Query for the rows of a list: those of its first page, and of the pages that `next` leads to. The address of
/// a next page has no token.
fn power_query(view: &View, rows: &Address, token: Option<&str>) -> String {
    let origin = text_of(&view.origin);
    let first = text_of(&rows.plain_link(view));
    let token = text_of(&token.map(|token| format!("&token={token}")).unwrap_or_default());
    format!(
        "let\n  \
         Page = (path) => Json.Document(Web.Contents({origin} & path & {token})),\n  \
         Pages = List.Generate(() => Page({first}), each _ <> null, each if [next] = null then null else Page([next])),\n  \
         Rows = List.Combine(List.Transform(Pages, each [data]))\n\
         in\n  \
         Table.FromRecords(Rows, null, MissingField.UseNull)"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{pages::language::Language, site::upgrade_contact::UpgradeContact};

    fn view(language: Language, origin: &str) -> View {
        let upgrade_contact = UpgradeContact::default();
        View {
            language,
            chosen: false,
            origin: origin.into(),
            base: upgrade_contact.base(),
            upgrade_contact,
            visitor: None,
            here: None,
        }
    }

    fn shown(language: Language, origin: &str, token: Option<&str>) -> String {
        let value = Address::at("/api/v1/market/fx/current").with("pair", Some("eur-brl"));
        let rows = Some(
            Address::at("/api/v1/market/fx").with("pair", Some("eur-brl")).with("limit", Some(9)),
        );
        let page =
            panel(&view(language, origin), &Sheet { value, shows: Shows::Number, rows }, token)
                .into_string();
        page.replace("&amp;", "&").replace("&quot;", "\"").replace("&gt;", ">").replace("&lt;", "<")
    }

    #[test]
    fn a_formula_is_ready_to_copy_in_the_language_of_the_program() {
        let english = shown(Language::English, "https://fin.example", Some("finl_x"));
        for formula in [
            r#"=IMPORTDATA("https://fin.example/api/v1/market/fx/current?pair=eur-brl&format=value&token=finl_x", ";", "en_US")"#,
            r#"=IMPORTDATA("https://fin.example/api/v1/market/fx?pair=eur-brl&limit=9&format=csv&token=finl_x", ",", "en_US")"#,
            r#"=NUMBERVALUE(WEBSERVICE("https://fin.example/api/v1/market/fx/current?pair=eur-brl&format=value&token=finl_x"), ".")"#,
            r#"Page("/api/v1/market/fx?pair=eur-brl&limit=9")"#,
            r#"Web.Contents("https://fin.example" & path & "&token=finl_x")"#,
        ] {
            assert!(english.contains(formula), "{formula}: {english}");
        }
        let portuguese = shown(Language::Portuguese, "https://fin.example", None);
        let address = "https://fin.example/api/v1/market/fx/current?pair=eur-brl&format=value&token=SEU_TOKEN_DE_LINK";
        for formula in [
            format!(r#"=IMPORTDATA("{address}"; ";"; "en_US")"#),
            format!(r#"=VALORNUMÉRICO(SERVIÇOWEB("{address}"); ".")"#),
            format!(r#"=VALORNUMERICO(SERVIÇOWEB("{address}"); ".")"#),
        ] {
            assert!(portuguese.contains(&formula), "{formula}: {portuguese}");
        }
    }

    #[test]
    fn neither_a_long_address_nor_a_strange_host_breaks_the_text() {
        let long = format!("https://a/{}", "x".repeat(600));
        let pieces: Vec<_> = text_of(&long).split(" & ").map(str::to_owned).collect();
        assert_eq!(pieces.len(), 3);
        assert!(pieces.iter().all(|piece| piece.len() <= LONGEST_TEXT + 2));
        assert_eq!(pieces.concat().replace('"', ""), long);
        let strange = shown(Language::English, "http://a\"&CALL()", None);
        assert!(strange.contains(r#"("http://a%22&CALL()/api/"#), "{strange}");
    }
}
