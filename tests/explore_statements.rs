//! The pages of financial statements: what they show of made-up forms, to whom, and what they say of mistakes.
use std::{fmt::Write, fs, path::PathBuf};

use fincore::Plan;

use crate::harness::{Server, SharedServer, filled_without_statements, import, new_key, with};

/// Companies that no official file has: the third is a bank, and the fourth has no statements.
const COMPANIES: [(&str, &str, &str); 4] = [
    ("990001", "99.000.001/0001-01", "COMPANHIA UM S.A."),
    ("990002", "99.000.002/0001-48", "COMPANHIA DOIS S.A."),
    ("990003", "99.000.003/0001-92", "BANCO TRÊS S.A."),
    ("990004", "99.000.004/0001-37", "COMPANHIA QUATRO S.A."),
];

const INDEX: &str =
    "CNPJ_CIA;DT_REFER;VERSAO;DENOM_CIA;CD_CVM;CATEG_DOC;ID_DOC;DT_RECEB;LINK_DOC\r\n";
const INCOME: &str = "CNPJ_CIA;DT_REFER;VERSAO;DENOM_CIA;CD_CVM;GRUPO_DFP;MOEDA;ESCALA_MOEDA;ORDEM_EXERC;DT_INI_EXERC;DT_FIM_EXERC;CD_CONTA;DS_CONTA;VL_CONTA;ST_CONTA_FIXA\r\n";

/// The accounts of a year in thousands: of a general company, or of a bank.
fn accounts(company: usize, year: u32) -> Vec<(&'static str, &'static str, u32, &'static str)> {
    let base = (year - 2000) * 1_000_000;
    if company == 2 {
        return vec![
            ("3.01", "Receitas da Intermediação Financeira", base, "S"),
            ("3.05", "Resultado antes dos Tributos sobre o Lucro", base / 5, "S"),
            ("3.11", "Lucro ou Prejuízo Líquido Consolidado do Período", base / 10, "S"),
        ];
    }
    let base = base + u32::try_from(company).unwrap() * 1000;
    vec![
        ("3.01", "Receita de Venda de Bens e/ou Serviços", base + 345, "S"),
        ("3.01.01", "Receita <própria> da companhia", base, "N"),
        ("3.05", "Resultado Antes do Resultado Financeiro e dos Tributos", base / 4, "S"),
        ("3.06", "Resultado Financeiro", 0, "S"),
        ("3.11", "Lucro/Prejuízo Consolidado do Período", base / 8, "S"),
    ]
}

/// A server whose companies have the income statements of six years.
fn server() -> &'static Server {
    static SHARED: SharedServer = SharedServer::new();
    SHARED.get_or_start(start)
}

fn start() -> Server {
    let data = filled_without_statements();
    let folder = tempfile::tempdir().unwrap();
    let mut files: Vec<PathBuf> = Vec::new();
    let mut save = |name: String, text: &str| {
        let path = folder.path().join(name);
        // CVM writes ISO 8859-1, where each of these letters is its own code point.
        let bytes: Vec<u8> = text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
        fs::write(&path, bytes).unwrap();
        files.push(path);
    };
    for year in 2019..=2024_u32 {
        let (mut index, mut income) = (INDEX.to_owned(), INCOME.to_owned());
        for (at, (code, cnpj, name)) in COMPANIES.iter().enumerate() {
            let id = 9_000_000 + year * 10 + u32::try_from(at).unwrap();
            let received = year + 1;
            write!(index, "{cnpj};{year}-12-31;1;{name};{code};DFP;{id};{received}-03-01;http://www.rad.cvm.gov.br/ENETCONSULTA/frmGerenciaPaginaFRE.aspx?NumeroSequencialDocumento={id}&CodigoTipoInstituicao=1\r\n").unwrap();
            // The second company stops filing statements a year before the others.
            if at == 3 || (at == 1 && year == 2024) {
                continue;
            }
            for (account, title, value, fixed) in accounts(at, year) {
                write!(income, "{cnpj};{year}-12-31;1;{name};{code};DF Consolidado - Demonstração do Resultado;REAL;MIL;ÚLTIMO;{year}-01-01;{year}-12-31;{account};{title};{value}.0000000000;{fixed}\r\n").unwrap();
            }
        }
        save(format!("dfp_cia_aberta_{year}.csv"), &index);
        save(format!("dfp_cia_aberta_DRE_con_{year}.csv"), &income);
    }
    let paths: Vec<_> = files.iter().map(PathBuf::as_path).collect();
    let imported = import(data.path(), &paths);
    assert!(imported.status.success(), "{imported:?}");
    Server::start_over(data)
}

#[test]
fn bundled_statements_are_shown_and_what_is_missing_is_said() {
    let server = Server::shared();
    let company = server.get("/companies/PETR4?lang=en");
    let company = server.get(company.header("location").unwrap());
    let section = between(company.text(), "<section class=\"years\"", "</section>");
    assert!(section.contains("<h2 id=\"years\">Net income</h2>"), "{section}");
    assert!(section.contains("value=\"37009000000\""), "{section}");
    assert!(section.contains("Some of these statements are not held here"), "{section}");
    assert!(section.contains("finserve sync"), "{section}");
    // Without a choice, a statement that there is.
    let statement = server.get("/companies/9512/statements?lang=en");
    assert!(statement.text().contains("<h1 class=\"name\">Comprehensive income: "));
    assert!(statement.text().contains("value=\"37009000000\""));
    let income = server.get("/companies/9512/statements?kind=income&lang=pt");
    assert!(income.text().contains("Há: Resultado abrangente. "), "{}", income.text());
    let screen = server.get("/companies/screen?year=2024&lang=pt");
    assert!(screen.text().contains("Algumas dessas demonstrações não estão aqui"));
}

/// The text between two marks.
fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    let (_, rest) = text.split_once(start).unwrap_or_else(|| panic!("no {start} in {text}"));
    rest.split_once(end).unwrap().0
}

#[test]
fn pages_show_statements_to_those_whose_plan_includes_them() {
    let server = server();
    let accounts = server.accounts();
    for plan in Plan::ALL {
        let headers = with(&new_key(&accounts, plan));
        let is_whole = plan >= Plan::Gold;
        for (page, figure) in [
            ("/companies/990001", "24000345000"),
            ("/companies/990001/statements", "24000345000"),
            ("/companies/compare?ids=990001,990002", "24000345000"),
            ("/companies/screen?year=2024&order=-revenue", "24000345000"),
        ] {
            let reply = server.keyless("GET", page, &headers);
            assert_eq!(reply.status, 200, "{page}");
            let text = reply.text();
            assert_eq!(text.contains(figure), is_whole, "{page} on {}", plan.name());
            assert_eq!(text.contains("class=\"upgrade\""), !is_whole, "{page} on {}", plan.name());
        }
    }
}

#[test]
fn a_company_begins_with_five_years_and_leaves_out_what_its_plan_of_accounts_lacks() {
    let server = server();
    let page = server.get("/companies/990001?lang=en");
    let text = page.text();
    let section = between(text, "<section class=\"years\"", "</section>");
    assert!(section.contains("Revenue, EBIT and net income"), "{section}");
    let head = between(section, "<thead>", "</thead>");
    let years: Vec<&str> = head.split("<time datetime=\"").skip(1).map(|end| &end[..10]).collect();
    let wanted = ["2024-12-31", "2023-12-31", "2022-12-31", "2021-12-31", "2020-12-31"];
    assert_eq!(years, wanted);
    let exact = "<data value=\"24000345000\" title=\"R$ 24,000,345,000\">24.00\u{a0}bn</data>";
    assert!(section.contains(exact), "{section}");
    assert!(section.contains("<figure"), "a chart");
    assert!(section.contains("href=\"/companies/990001/statements?lang=en\""), "{section}");
    let portuguese = server.get("/companies/990001?lang=pt");
    assert!(portuguese.text().contains("Receita líquida, EBIT e lucro líquido"));
    assert!(portuguese.text().contains("title=\"R$ 24.000.345.000\">24,00\u{a0}bi<"));
    // A bank has no EBIT.
    let bank = server.get("/companies/990003?lang=en");
    let section = between(bank.text(), "<section class=\"years\"", "</section>");
    assert!(section.contains("Revenue and net income"), "{section}");
    assert!(section.contains("plan of accounts of banks"), "{section}");
    let without = server.get("/companies/990004");
    assert_eq!(without.status, 200);
    assert!(!without.text().contains("id=\"years\""));
}

#[test]
fn a_statement_has_a_row_for_each_account_and_a_column_for_each_period() {
    let server = server();
    let page = server.get("/companies/990001/statements?lang=en");
    let table = between(page.text(), "<table>", "</table>");
    assert_eq!(table.matches("<th class=\"count\" scope=\"col\">").count(), 5);
    assert_eq!(table.matches("<th class=\"depth-").count(), 5);
    let link = "<a href=\"/filings/dfp-9020240?lang=en\">DFP v1</a>, filed";
    assert!(table.contains(link), "{table}");
    assert!(table.contains("received 1 Mar 2025"), "{table}");
    // As filed, but in HTML; the company's own account is marked.
    let own = between(table, "Receita &lt;própria&gt; da companhia", "</th>");
    assert!(own.contains("class=\"own\""), "{own}");
    assert!(table.contains("<data value=\"24000345000\">24,000,345</data>"), "{table}");
    assert!(page.text().contains("In thousands of reais"));
    assert!(page.text().contains("/api/v1/companies/990001/statements/income?layout=wide"));
    let older = server.get("/companies/990001/statements?page=2");
    assert!(older.text().contains("datetime=\"2019-12-31\""));
    assert!(!older.text().contains("datetime=\"2020-12-31\""));
    // By its ticker, too.
    let moved = server.get("/companies/PETR4/statements?lang=pt");
    assert_eq!(moved.header("location"), Some("/companies/9512/statements?lang=pt"));
}

#[test]
fn what_is_missing_says_why() {
    let server = server();
    for (page, words) in [
        ("990001/statements?kind=cash-flow&lang=en", "There are: Income statement."),
        ("990001/statements?period=quarter&lang=en", "quarterly forms (ITR)"),
        ("990001/statements?page=9&lang=en", "There are no periods on this page."),
        ("990001/statements?scope=individual&lang=pt", "Tente outra abrangência"),
        ("990004/statements?lang=en", "finserve sync"),
        ("990004/statements?lang=pt", "Nenhuma demonstração desta companhia foi importada"),
        ("compare?ids=990004&lang=en", "No statements have been imported of:"),
        ("screen?year=1999&lang=pt", "Nenhuma companhia tem esses números"),
    ] {
        let reply = server.get(&format!("/companies/{page}"));
        assert_eq!(reply.status, 200, "{page}");
        assert!(reply.text().contains(words), "{page}: no {words:?} in {}", reply.text());
    }
    let empty = Server::shared().get("/companies/screen?sector=nothing&lang=en");
    assert!(empty.text().contains("No company has such figures"));
}

#[test]
fn a_mistake_is_shown_beside_the_form() {
    let server = server();
    for (page, words) in [
        ("990001/statements?kind=profit", "profit"),
        ("990001/statements?kind=equity-changes&period=ttm", "ttm"),
        ("990001/statements?as_of=2999-01-01", "2999"),
        ("990001/statements?page=0", "0"),
        ("compare?ids=1,2,3,4,5,6", "1,2,3,4,5,6"),
        ("compare?ids=%3Cscript%3E", "&lt;script&gt;"),
        ("screen?order=size", "size"),
        ("screen?year=24", "24"),
        ("screen?page=x", "x"),
    ] {
        for lang in ["en", "pt"] {
            let reply = server.get(&format!("/companies/{page}&lang={lang}"));
            assert_eq!(reply.status, 400, "{page}");
            let alert = between(reply.text(), "role=\"alert\"", "</p>");
            assert!(alert.contains(words), "{page}: {alert}");
            assert!(reply.text().contains("<form"), "{page}");
            assert!(!reply.text().contains("<script>"), "{page}");
        }
    }
    assert_eq!(server.get("/companies/compare?ids=ZZZZ9").status, 404);
    assert_eq!(server.get("/companies/999999/statements").status, 404);
}

#[test]
fn companies_stand_side_by_side_in_their_newest_years() {
    let server = server();
    let page = server.get("/companies/compare?ids=990001,+990002,990001,990003&lang=pt");
    let table = between(page.text(), "<table>", "</table>");
    let head = between(table, "<thead>", "</thead>");
    let links: Vec<&str> = head
        .split("href=\"/companies/")
        .skip(1)
        .map(|rest| rest.split('?').next().unwrap())
        .collect();
    assert_eq!(
        links,
        ["990001", "990002", "990003"],
        "each once, in the order in which they are named"
    );
    assert_eq!(head.matches("2024-12-31").count(), 2);
    assert_eq!(head.matches("2023-12-31").count(), 1);
    let revenue = between(table, "Receita líquida", "</tr>");
    for value in ["24000345000", "23001345000", "24000000000"] {
        assert!(revenue.contains(&format!("value=\"{value}\"")), "{revenue}");
    }
    let ebit = between(table, ">EBIT</th>", "</tr>");
    assert_eq!(ebit.matches("<data").count(), 2, "a bank has none: {ebit}");
}

#[test]
fn all_companies_stand_in_the_order_of_a_figure() {
    let server = server();
    let rows = |query: &str| -> Vec<String> {
        let page = server.get(&format!("/companies/screen{query}"));
        let (_, table) = page.text().split_once("<tbody>").unwrap();
        let ids = table.split("href=\"/companies/").skip(1);
        ids.map(|rest| rest.split(['"', '?']).next().unwrap().to_owned()).take(3).collect()
    };
    assert_eq!(rows("?year=2023&order=-revenue"), ["990002", "990001", "990003"]);
    assert_eq!(rows("?year=2023&order=revenue"), ["990003", "990001", "990002"]);
    assert_eq!(rows("?year=2024&order=-revenue")[..2], ["990001", "990003"]);
}
