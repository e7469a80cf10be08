//! "Use in a spreadsheet": the formulas that show a view in Google Sheets, Excel and LibreOffice, ready to copy.
use fincore::{Feature, LinkPath, Name};
use maud::{Markup, html};

use super::{language::Language, layout, page_url::Address, view::View};

/// The views that a spreadsheet can show, as addresses of the API without a format.
pub(crate) struct Sheet {
    /// Figures of it, one a cell.
    pub(crate) cells: Vec<Cell>,
    /// The list, if there is one, with the most rows of a page: an address with parameters.
    pub(crate) rows: Option<Address>,
}

/// One figure: an answer, or a list that is cut to one row.
pub(crate) struct Cell {
    /// Distinguishes it from the other figures of the view.
    pub(crate) name: String,
    pub(crate) value: Address,
    pub(crate) shows: Shows,
}

/// The kind of value for a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shows {
    Number,
    Text,
}

impl Shows {
    fn name(self) -> &'static str {
        match self {
            Shows::Number => "number",
            Shows::Text => "text",
        }
    }

    /// Reads the value of a form's field.
    pub(crate) fn named(name: &str) -> Option<Shows> {
        [Shows::Number, Shows::Text].into_iter().find(|shows| shows.name() == name)
    }
}

impl Sheet {
    /// The sheet of a view with one figure.
    pub(crate) fn of(value: Address, shows: Shows, rows: Option<Address>) -> Sheet {
        Sheet { cells: vec![Cell { name: String::new(), value, shows }], rows }
    }
}

/// How much of an address stands in one text: the longest that Excel takes in a formula has 255 characters.
const LONGEST_TEXT: usize = 250;

/// A program that shows formulas.
#[derive(Clone, Copy)]
enum Program {
    Google,
    Excel,
    LibreOffice,
}

impl Program {
    const ALL: [Program; 3] = [Program::Google, Program::Excel, Program::LibreOffice];

    fn name(self) -> &'static str {
        match self {
            Program::Google => "Google Sheets",
            Program::Excel => "Excel",
            Program::LibreOffice => "LibreOffice",
        }
    }

    /// The id of its formulas' elements.
    fn id(self) -> &'static str {
        match self {
            Program::Google => "sheet-google",
            Program::Excel => "sheet-excel",
            Program::LibreOffice => "sheet-libreoffice",
        }
    }
}

/// The panel, which is closed at first. The place of the token is marked: no token can be shown a second time. A visitor who is
/// signed in makes a link of each formula here.
pub(crate) fn panel(view: &View, sheet: &Sheet) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let token = say("YOUR_LINK_TOKEN", "SEU_TOKEN_DE_LINK");
    let format = |question: &Address, format| question.clone().with("format", Some(format));
    let with_token = |question: &Address| {
        text_of(
            &(view.origin.clone() + &question.clone().with("token", Some(token)).plain_link(view)),
        )
    };
    let cells: Vec<(&Cell, Address)> =
        sheet.cells.iter().map(|cell| (cell, format(&cell.value, "value"))).collect();
    let table = sheet.rows.as_ref().map(|rows| format(rows, "csv"));
    html! {
        details.spreadsheet {
            summary { (say("Use in a spreadsheet", "Usar em uma planilha")) }
            @if view.visitor.is_some() {
                (forms(view, &cells, table.as_ref()))
            } @else {
                p {
                    (say(
                        "A cell cannot send a key. Sign in and make a link here, or make one under ",
                        "Uma célula não envia chave. Entre e crie um link aqui, ou crie um em ",
                    ))
                    a href=(view.link("/usage")) { (say("Usage", "Uso")) }
                    (say(", and put its token in the place of ", " e ponha o token dele no lugar de ")) code { (token) } "."
                }
            }
            @for program in Program::ALL {
                h3 { (program.name()) }
                @for (at, (cell, value)) in cells.iter().enumerate() {
                    @if !cell.name.is_empty() { p { (cell.name) } }
                    @let formula = formula(view.language, program, &with_token(value), cell.shows);
                    (layout::command(view, &numbered(program.id(), at), &formula))
                }
                @if let (Some(rows), Some(table)) = (&sheet.rows, &table) {
                    @match program {
                        Program::Google => {
                            p { (say("The rows of one page of the API, on the Platinum plan:", "As linhas de uma página da API, no plano Platinum:")) }
                            (layout::command(view, "sheet-google-rows", &table_formula(view.language, &with_token(table))))
                        }
                        Program::Excel => {
                            p { (say(
                                "The whole table, page by page, with a link that is bound to no path: Data, Get Data, From Other Sources, Blank Query, Advanced Editor:",
                                "A tabela inteira, página por página, com um link que não se limita a um caminho: Dados, Obter Dados, De Outras Fontes, Consulta em Branco, Editor Avançado:",
                            )) }
                            (layout::command(view, "sheet-excel-rows", &power_query(view, rows, token)))
                        }
                        Program::LibreOffice => {}
                    }
                }
            }
            p.note {
                (say(
                    "The formulas are for programs in English. field chooses another value of the answer; for a text or a day leave out the function for numbers, which also makes 0 of an empty answer. ",
                    "As fórmulas são para programas em português. field escolhe outro valor da resposta; para um texto ou uma data, deixe de fora a função de número, que também faz 0 de uma resposta vazia. ",
                ))
                a href=(view.link("/docs/guide/spreadsheets-and-notebooks")) { (say("More in the guide", "Mais no guia")) }
            }
        }
    }
}

/// A button for each formula that makes a link of it, bound to its address: the next page shows the formula with the token.
fn forms(view: &View, cells: &[(&Cell, Address)], table: Option<&Address>) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let plan = view.visitor.as_ref().map(|holder| holder.caller.plan);
    let table = table.filter(|_| plan.is_some_and(|plan| plan.includes(Feature::Csv)));
    html! {
        p { (say(
            "A cell cannot send a key. Make a link that reads this and nothing else: the next page shows the formulas with its token, this once.",
            "Uma célula não envia chave. Crie um link que lê isto e nada mais: a página seguinte mostra as fórmulas com o token dele, uma única vez.",
        )) }
        @for (cell, value) in cells {
            @let label = say("Make a link for this", "Criar um link para isto");
            @let label = if cell.name.is_empty() { label.to_owned() } else { format!("{label}: {}", cell.name) };
            (form(view, value, cell.shows, &label))
        }
        @if let Some(table) = table {
            (form(view, table, Shows::Text, say("Make a link for the rows", "Criar um link para as linhas")))
        }
    }
}

fn form(view: &View, question: &Address, shows: Shows, label: &str) -> Markup {
    let path = question.text();
    // A link is called as what it reads.
    let name = path.trim_start_matches("/api/v1/").split('?').next().unwrap_or_default();
    let name: String = name.chars().take(Name::MAX_CHARACTERS).collect();
    html! {
        @if path.len() <= LinkPath::MAX_CHARACTERS {
            form.make-link method="post" action=(view.link("/usage/links")) {
                input type="hidden" name="name" value=(name);
                input type="hidden" name="path" value=(path);
                input type="hidden" name="shows" value=(shows.name());
                button { (label) }
            }
        }
    }
}

/// The formulas for the address of a new link, token included, where one of our pages asked for it; none for an address that
/// answers with neither a value nor a table.
pub(super) fn formulas_of_link(view: &View, address: &str, shows: Shows) -> Markup {
    let query = address.split_once('?').map_or("", |(_, query)| query);
    let answers = |format: &str| query.split('&').any(|piece| piece == format);
    let text = text_of(address);
    let formulas: Vec<_> = match (answers("format=value"), answers("format=csv")) {
        (true, _) => Program::ALL
            .map(|program| (program, formula(view.language, program, &text, shows)))
            .into(),
        (false, true) => vec![(Program::Google, table_formula(view.language, &text))],
        (false, false) => Vec::new(),
    };
    html! {
        @for (program, formula) in formulas {
            h2 { (program.name()) }
            (layout::command(view, program.id(), &formula))
        }
    }
}

/// The formula of a program for a value at an address, which is written as a text in it.
fn formula(language: Language, program: Program, address: &str, shows: Shows) -> String {
    // Where the comma is the decimal mark, the semicolon separates arguments; LibreOffice has it everywhere.
    let mark = language.pick(",", ";");
    let (number, fetch) =
        language.pick(("NUMBERVALUE", "WEBSERVICE"), ("VALORNUMÉRICO", "SERVIÇOWEB"));
    let (number, mark) = match program {
        Program::Google => return format!("=IMPORTDATA({address}{mark} \";\"{mark} \"en_US\")"),
        Program::LibreOffice => (language.pick(number, "VALORNUMERICO"), ";"),
        Program::Excel => (number, mark),
    };
    match shows {
        Shows::Number => format!("={number}({fetch}({address}){mark} \".\")"),
        Shows::Text => format!("={fetch}({address})"),
    }
}

/// The formula of Google Sheets for a table.
fn table_formula(language: Language, address: &str) -> String {
    let mark = language.pick(",", ";");
    format!("=IMPORTDATA({address}{mark} \",\"{mark} \"en_US\")")
}

/// The id of one of several elements; the first has the plain one.
fn numbered(id: &str, at: usize) -> String {
    if at == 0 { id.to_owned() } else { format!("{id}-{}", at + 1) }
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
fn power_query(view: &View, rows: &Address, token: &str) -> String {
    let origin = text_of(&view.origin);
    let first = text_of(&rows.plain_link(view));
    let token = text_of(&format!("&token={token}"));
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
            is_local: true,
            base: upgrade_contact.base(),
            upgrade_contact,
            visitor: None,
            here: None,
        }
    }

    fn shown(language: Language, origin: &str) -> String {
        let value = Address::at("/api/v1/market/fx/current").with("pair", Some("eur-brl"));
        let rows =
            Address::at("/api/v1/market/fx").with("pair", Some("eur-brl")).with("limit", Some(9));
        let sheet = Sheet::of(value, Shows::Number, Some(rows));
        plain(&panel(&view(language, origin), &sheet))
    }

    fn plain(page: &Markup) -> String {
        let page = page.clone().into_string();
        page.replace("&amp;", "&").replace("&quot;", "\"").replace("&gt;", ">").replace("&lt;", "<")
    }

    #[test]
    fn a_formula_is_ready_to_copy_in_the_language_of_the_program() {
        let english = shown(Language::English, "https://fin.example");
        for formula in [
            r#"=IMPORTDATA("https://fin.example/api/v1/market/fx/current?pair=eur-brl&format=value&token=YOUR_LINK_TOKEN", ";", "en_US")"#,
            r#"=IMPORTDATA("https://fin.example/api/v1/market/fx?pair=eur-brl&limit=9&format=csv&token=YOUR_LINK_TOKEN", ",", "en_US")"#,
            r#"=NUMBERVALUE(WEBSERVICE("https://fin.example/api/v1/market/fx/current?pair=eur-brl&format=value&token=YOUR_LINK_TOKEN"), ".")"#,
            r#"Page("/api/v1/market/fx?pair=eur-brl&limit=9")"#,
            r#"Web.Contents("https://fin.example" & path & "&token=YOUR_LINK_TOKEN")"#,
        ] {
            assert!(english.contains(formula), "{formula}: {english}");
        }
        assert!(!english.contains("<form"), "{english}");
        let portuguese = shown(Language::Portuguese, "https://fin.example");
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
    fn a_new_link_comes_with_the_formulas_of_its_address() {
        let formulas = |language, path: &str, shows| {
            let address = format!("https://fin.example{path}&token=finl_x");
            plain(&formulas_of_link(&view(language, "https://fin.example"), &address, shows))
        };
        let value = "/api/v1/market/cdi/current?format=value";
        let number = formulas(Language::English, value, Shows::Number);
        let address = format!("\"https://fin.example{value}&token=finl_x\"");
        for formula in [
            format!("=IMPORTDATA({address}, \";\", \"en_US\")"),
            format!("=NUMBERVALUE(WEBSERVICE({address}), \".\")"),
            format!("=NUMBERVALUE(WEBSERVICE({address}); \".\")"),
        ] {
            assert!(number.contains(&formula), "{formula}: {number}");
        }
        let text = formulas(Language::Portuguese, value, Shows::Text);
        assert!(text.contains(&format!("=SERVIÇOWEB({address})")), "{text}");
        let table = formulas(Language::English, "/api/v1/market/cdi?format=csv", Shows::Text);
        assert!(table.contains("\",\", \"en_US\")") && !table.contains("Excel"), "{table}");
        assert_eq!(formulas(Language::English, "/api/v1/market/cdi?limit=1", Shows::Number), "");
    }

    #[test]
    fn neither_a_long_address_nor_a_strange_host_breaks_the_text() {
        let long = format!("https://a/{}", "x".repeat(600));
        let pieces: Vec<_> = text_of(&long).split(" & ").map(str::to_owned).collect();
        assert_eq!(pieces.len(), 3);
        assert!(pieces.iter().all(|piece| piece.len() <= LONGEST_TEXT + 2));
        assert_eq!(pieces.concat().replace('"', ""), long);
        let strange = shown(Language::English, "http://a\"&CALL()");
        assert!(strange.contains(r#"("http://a%22&CALL()/api/"#), "{strange}");
    }
}
