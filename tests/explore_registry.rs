//! The pages of companies and filings: what each plan sees there, how it is counted, and what hostile visitors get.
use fincore::Plan;
use serde_json::Value;

use crate::harness::{Reply, Server, new_key, with};

/// Vale, which has a ticker, many filings and several categories.
const COMPANY: &str = "4170";

/// A server of its own, whose limits nobody else uses up, and a caller on each plan: name, plan and header lines.
fn callers() -> (Server, Vec<(&'static str, Plan, String)>) {
    let server = Server::start();
    let accounts = server.accounts();
    let mut callers = vec![("no key", Plan::Free, String::new())];
    for plan in Plan::ALL {
        callers.push((plan.name(), plan, with(&new_key(&accounts, plan))));
    }
    (server, callers)
}

/// What follows each `start`, up to the next quotation mark.
fn after<'t>(text: &'t str, start: &str) -> Vec<&'t str> {
    text.split(start).skip(1).map(|rest| rest.split('"').next().unwrap()).collect()
}

/// The text between two marks.
fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    let (_, rest) = text.split_once(start).unwrap_or_else(|| panic!("no {start} in {text}"));
    rest.split_once(end).unwrap().0
}

/// The ids in the rows of a page's table.
fn rows(page: &Reply, path: &str) -> Vec<String> {
    let text = page.text();
    let link = format!("<a href=\"{path}/");
    let tables = text.split("<tbody").skip(1).filter_map(|rest| rest.split_once("</tbody>"));
    let table = tables.map(|(table, _)| table).find(|table| table.contains(&link));
    let ids = after(table.unwrap_or_default(), &link);
    ids.iter().map(|id| id.split('?').next().unwrap().to_owned()).collect()
}

/// The ids of an answer of the API.
fn ids(json: &Value) -> Vec<String> {
    let data = json["data"].as_array().unwrap();
    data.iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
}

/// Lists: the page, the same question to the API, and the path of their rows.
const LISTS: [(&str, &str, &str); 6] = [
    ("/companies", "/api/v1/companies", "/companies"),
    (
        "/companies?q=banco&status=ativo",
        "/api/v1/companies/search?q=banco&status=ativo",
        "/companies",
    ),
    ("/companies?sector=bancos&page=2", "/api/v1/companies?sector=bancos&offset=20", "/companies"),
    ("/filings", "/api/v1/filings", "/filings"),
    (
        "/filings?company=VALE3&category=fato+relevante&from=2024-01-01&to=2024-12-31",
        "/api/v1/filings?company=VALE3&category=fato+relevante&from=2024-01-01&to=2024-12-31",
        "/filings",
    ),
    (
        "/filings?q=assembleia&order=relevance&page=3",
        "/api/v1/filings/search?q=assembleia&order=relevance&offset=40",
        "/filings",
    ),
];

#[test]
fn a_list_shows_what_the_api_answers_the_same_caller_or_three_rows() {
    let (server, callers) = callers();
    for (page, api, path) in LISTS {
        let first = api.split("&offset").next().unwrap();
        let whole = server.get(first).json();
        let preview: Vec<String> = ids(&whole).into_iter().take(3).collect();
        assert_eq!(preview.len(), 3, "{first}");
        for (name, _, headers) in &callers {
            let answer = server.keyless("GET", api, headers);
            let shown = server.keyless("GET", page, headers);
            assert_eq!(shown.status, 200, "{name} {page}");
            let text = shown.text();
            let is_included = answer.status == 200;
            assert_eq!(text.contains("class=\"upgrade\""), !is_included, "{name} {page}");
            let is_long = is_included && answer.json()["total"].as_u64() > Some(20);
            assert_eq!(text.contains("class=\"pager\""), is_long, "{name} {page}");
            if is_included {
                let json = answer.json();
                assert_eq!(rows(&shown, path), ids(&json), "{name} {page}");
                let total = json["total"].as_u64().unwrap();
                let heading = between(text, "id=\"results\">", "<").replace(',', "");
                assert!(heading.starts_with(&format!("{total} ")), "{name} {page}: {heading}");
            } else {
                assert_eq!(answer.status, 403, "{name} {api}");
                assert_eq!(rows(&shown, path), preview, "{name} {page}");
                assert_eq!(between(text, "id=\"results\">", "<"), "Preview", "{name} {page}");
                // No more of a row than its own page tells.
                let table = between(text, "<tbody", "</tbody>");
                for row in whole["data"].as_array().unwrap().iter().take(3) {
                    let told =
                        ["cnpj", "sector", "url", "description"].map(|field| row[field].as_str());
                    let told = told.into_iter().flatten().filter(|told| row["category"] != *told);
                    let tickers = row["tickers"].as_array().into_iter().flatten();
                    for told in told.chain(tickers.filter_map(Value::as_str)) {
                        assert!(told.is_empty() || !table.contains(told), "{name} {page}: {told}");
                    }
                }
                // Neither the values of filters nor suggestions.
                let form = between(text, "<form class=\"filters\"", "</form>");
                assert!(
                    !form.contains("ATIVO</option>") && !form.contains("data-suggest"),
                    "{form}"
                );
                assert!(!form.contains("Assembleia"), "{form}");
            }
            // The line that asks the API the same, in its own quotes.
            let line = between(text, "<code id=\"call\">", "</code>").replace("&amp;", "&");
            assert!(line.ends_with(&format!("'http://test{api}'")), "{page}: {line}");
        }
    }
}

#[test]
fn the_page_of_a_company_shows_as_much_as_the_plan_includes() {
    let (server, callers) = callers();
    let company = server.get(&format!("/api/v1/companies/{COMPANY}")).json();
    let newest = server.get(&format!("/api/v1/companies/{COMPANY}/filings?limit=10")).json();
    let facts = ["cnpj", "sector"].map(|name| company[name].as_str().unwrap().to_owned());
    for (name, plan, headers) in &callers {
        let page = server.keyless("GET", &format!("/companies/{COMPANY}"), headers);
        let text = page.text();
        assert_eq!(page.status, 200, "{name}");
        assert!(text.contains(company["name"].as_str().unwrap()), "{name}");
        let (knows_companies, knows_filings) = (*plan >= Plan::Bronze, *plan >= Plan::Gold);
        for fact in &facts {
            assert_eq!(text.contains(fact.as_str()), knows_companies, "{name}: {fact}");
        }
        assert_eq!(text.contains("VALE3"), knows_companies, "{name}");
        let shown = rows(&page, "/filings");
        let most = if knows_filings { 10 } else { 3 };
        assert_eq!(shown, ids(&newest)[..most], "{name}");
        assert_eq!(text.contains("class=\"upgrade\""), !knows_filings, "{name}");
        // Counts of filings are for those who may count them.
        assert_eq!(text.contains("class=\"categories\""), knows_filings, "{name}");
        assert_eq!(text.contains("class=\"timeline\""), knows_filings, "{name}");
    }
    let whole = server.get(&format!("/companies/{COMPANY}"));
    let link = format!("/filings?company={COMPANY}&amp;category=Fato+Relevante");
    let count = between(whole.text(), &format!("href=\"{link}\">"), "</li>");
    let total = server.get(&format!("/api/v1/filings?company={COMPANY}&category=Fato+Relevante"));
    assert!(count.contains(&format!(">{}<", total.json()["total"])), "{count}");
}

#[test]
fn the_page_of_a_filing_shows_as_much_as_the_plan_includes() {
    let (server, callers) = callers();
    let query = format!("/api/v1/filings?category=fato+relevante&company={COMPANY}&limit=1");
    let filing = server.get(&query).json()["data"][0].clone();
    let path = format!("/filings/{}", filing["id"].as_str().unwrap());
    let of = |name: &str| filing[name].as_str().unwrap().to_owned();
    let url = of("url").replace('&', "&amp;");
    for (name, plan, headers) in &callers {
        let page = server.keyless("GET", &path, headers);
        let (text, is_whole) = (page.text(), *plan >= Plan::Gold);
        assert_eq!(page.status, 200, "{name}");
        assert!(text.contains(&of("company_name")) && text.contains(&of("category")), "{name}");
        assert!(text.contains(&format!("<time datetime=\"{}\">", &of("date")[..10])), "{name}");
        let link = format!("href=\"{url}\" target=\"_blank\" rel=\"noopener\"");
        assert_eq!(text.contains(&link), is_whole, "{name}: {text}");
        assert_eq!(text.contains("cvm.gov.br"), is_whole, "{name}");
        assert_eq!(text.contains("class=\"upgrade\""), !is_whole, "{name}");
        assert_eq!(text.contains(&format!("href=\"/companies/{COMPANY}\"")), is_whole, "{name}");
    }
}

#[test]
fn every_page_is_counted_once_under_its_own_route() {
    let server = Server::start();
    let key = new_key(&server.accounts(), Plan::Gold);
    let headers = with(&key);
    let pages = [
        ("/companies?q=vale", "/companies"),
        ("/companies/suggest?q=val", "/companies/suggest"),
        ("/companies/4170?lang=pt", "/companies/{id}"),
        ("/companies/4170/statements?kind=cash-flow", "/companies/{id}/statements"),
        ("/companies/compare?ids=VALE3", "/companies/compare"),
        ("/companies/screen?page=1", "/companies/screen"),
        ("/filings?page=2", "/filings"),
        ("/filings/nothing", "/filings/{id}"),
    ];
    for (at, (page, _)) in pages.iter().enumerate() {
        let reply = server.keyless("GET", page, &headers);
        let left = (499 - at).to_string();
        assert_eq!(reply.header("x-ratelimit-remaining"), Some(left.as_str()), "{page}");
        let varies = reply.header("vary").unwrap();
        for name in ["X-API-Key", "Authorization", "Cookie"] {
            assert_eq!(varies.matches(name).count(), 1, "{page}: {varies}");
        }
    }
    let usage = server.keyless("GET", "/api/v1/plans/usage", &headers).json();
    assert_eq!(usage["total"]["errors"], 1, "the filing that does not exist: {usage}");
    for (page, route) in pages {
        assert_eq!(usage["data"][0]["endpoints"][route], 1, "{page}: {usage}");
    }
    // Without a key, the address pays.
    for (at, (page, _)) in pages.iter().enumerate() {
        let reply = server.keyless("GET", page, "");
        let left = (29 - at).to_string();
        assert_eq!(reply.header("x-ratelimit-remaining"), Some(left.as_str()), "{page}");
    }
    // Home is not counted.
    assert_eq!(server.keyless("GET", "/", "").header("x-ratelimit-remaining"), Some("22"));
}

#[test]
fn pages_and_the_api_share_one_limit() {
    let server = Server::start();
    for at in 0..30 {
        let path = if at % 2 == 0 { "/companies" } else { "/api/v1/market/overview" };
        assert_eq!(server.keyless("GET", path, "").status, 200, "{at}");
    }
    server.keyless("GET", "/filings", "").expect_error(429, "rate_limited");
    let page = server.keyless("GET", "/companies?lang=pt", "Accept: text/html\r\n");
    assert_eq!((page.status, page.header("content-type")), (429, Some("text/html; charset=utf-8")));
    assert!(page.text().contains("Requisições demais"), "{}", page.text());
}

#[test]
fn suggestions_are_those_of_the_api_and_need_its_plan() {
    let (server, callers) = callers();
    for (name, _, headers) in &callers {
        let api = server.keyless("GET", "/api/v1/search/suggest?q=petro", headers);
        let page = server.keyless("GET", "/companies/suggest?q=petro", headers);
        assert_eq!(page.status, api.status, "{name}");
        if api.status == 403 {
            page.expect_error(403, "plan_required");
            continue;
        }
        let texts = |json: &Value| {
            let data = json["data"].as_array().unwrap().clone();
            data.into_iter().map(|row| row["text"].clone()).collect::<Vec<_>>()
        };
        let portuguese = server.keyless("GET", "/companies/suggest?q=petro&lang=pt", headers);
        assert_eq!(texts(&portuguese.json()), texts(&api.json()), "{name}");
        assert_eq!(page.json()["data"][0]["href"], "/companies/9512");
        // Filings have their category in the language of the page, and need their plan.
        let facts = texts(&page.json()).contains(&"Petro · Material fact".into());
        assert_eq!(facts, texts(&api.json()).contains(&"Petro · Fato Relevante".into()), "{name}");
        assert_eq!(facts, !name.contains("Bronze"), "{name}");
        assert_eq!(page.header("cache-control"), Some("no-store"));
    }
    for wrong in ["", "?q=", "?q=%22%21"] {
        let reply = server.get(&format!("/companies/suggest{wrong}"));
        reply.expect_error(400, "bad_request");
    }
}

#[test]
fn another_id_of_a_company_leads_to_its_page() {
    let server = Server::shared();
    for id in ["VALE3", "vale3", "33592510000154", "33.592.510%2F0001-54", "004170"] {
        let reply = server.get(&format!("/companies/{id}?lang=pt"));
        assert_eq!(
            (reply.status, reply.header("location")),
            (302, Some("/companies/4170?lang=pt")),
            "{id}"
        );
    }
}

#[test]
fn a_company_that_only_files_has_a_page_too() {
    let (server, callers) = callers();
    // Foreign issuers file without being in the registry.
    assert_eq!(server.get("/api/v1/companies/80187").json()["status"], serde_json::Value::Null);
    let newest = ids(&server.get("/api/v1/companies/80187/filings?limit=10").json());
    for (name, plan, headers) in &callers {
        let page = server.keyless("GET", "/companies/80187", headers);
        assert_eq!(page.status, 200, "{name}");
        let most = if *plan >= Plan::Gold { 10 } else { 3 };
        assert_eq!(rows(&page, "/filings"), newest[..most.min(newest.len())], "{name}");
    }
}

#[test]
fn both_languages_keep_the_view() {
    let server = Server::shared();
    let view = "/filings?company=4170&category=Fato+Relevante&from=2024-01-01";
    let english = server.get(view);
    let switch = between(english.text(), "class=\"language\" href=\"", "\"").replace("&amp;", "&");
    assert_eq!(switch, format!("{view}&lang=pt"));
    let portuguese = server.get(&switch);
    assert!(portuguese.text().contains("<html lang=\"pt-BR\">"));
    assert!(portuguese.text().contains("Documentos") && !portuguese.text().contains("Search"));
    assert_eq!(rows(&portuguese, "/filings"), rows(&english, "/filings"));
    let back = between(portuguese.text(), "class=\"language\" href=\"", "\"");
    assert_eq!(back.replace("&amp;", "&"), format!("{view}&lang=en"));
    // What is sent, and what is led to, keeps the language that was chosen.
    assert!(portuguese.text().contains("<input type=\"hidden\" name=\"lang\" value=\"pt\">"));
    assert!(
        after(portuguese.text(), "<a href=\"/filings/")
            .iter()
            .all(|link| link.ends_with("?lang=pt"))
    );
}

#[test]
fn the_pages_of_a_list_lead_through_all_of_it() {
    let server = Server::shared();
    let total = server.get("/api/v1/companies?sector=bancos").json()["total"].as_u64().unwrap();
    let (mut path, mut seen) = ("/companies?sector=bancos".to_owned(), Vec::new());
    loop {
        let page = server.get(&path);
        seen.extend(rows(&page, "/companies"));
        let pager = between(page.text(), "class=\"pager\"", "</nav>").to_owned();
        let Some((before, _)) = pager.split_once("\" rel=\"next\"") else { break };
        path = before.rsplit_once("href=\"").unwrap().1.replace("&amp;", "&");
    }
    let count = seen.len() as u64;
    seen.sort();
    seen.dedup();
    assert_eq!((count, seen.len() as u64), (total, total));
    // Beyond the end there is a way back.
    let beyond = server.get("/companies?sector=bancos&page=99999");
    assert_eq!((beyond.status, rows(&beyond, "/companies").len()), (200, 0));
    assert!(beyond.text().contains("rel=\"prev\""));
}

#[test]
fn every_page_of_data_is_bound_to_our_own_files() {
    for path in ["/companies", "/companies/4170", "/filings", "/filings?q=vale"] {
        let page = Server::shared().get(path);
        let policy = page.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{path}");
        for wrong in
            ["<style", " style=", "onclick=", "<script>", "href=\"http://www", "src=\"http"]
        {
            assert!(!page.text().contains(wrong), "{path} holds {wrong}");
        }
    }
}

#[test]
fn home_shows_three_material_facts_with_their_age_to_everybody() {
    let (server, callers) = callers();
    let facts = server.get("/api/v1/filings?category=fato+relevante&limit=3").json();
    for (name, _, headers) in &callers {
        for (lang, words) in [("en", " days old"), ("pt", "há ")] {
            let home = server.keyless("GET", &format!("/?lang={lang}"), headers);
            let news = between(home.text(), "<ul class=\"news\">", "</ul>");
            let links: Vec<&str> = after(news, "<a href=\"/filings/");
            let links: Vec<String> =
                links.iter().map(|link| link.split('?').next().unwrap().to_owned()).collect();
            assert_eq!(links, ids(&facts), "{name}");
            assert_eq!(news.matches(words).count(), 3, "{name}: {news}");
        }
    }
}

#[test]
fn empty_lists_and_near_matches_say_why_in_both_languages() {
    let server = Server::shared();
    for (target, said) in [
        ("/filings?category=blah&lang=en", "No filing has the category “blah”."),
        ("/filings?category=blah&lang=pt", "Nenhum documento tem a categoria “blah”."),
        ("/filings?type=Edital+de+Convocacaa&lang=pt", "Nenhum documento tem o tipo “"),
        (
            "/companies?sector=eletrico&lang=pt",
            "Nenhuma companhia tem o setor “eletrico”. Mais próximos: ",
        ),
        ("/companies?status=blah&lang=en", "No company has the status “blah”."),
        ("/filings?company=4170&from=2030-01-01&lang=pt", "Há documentos de "),
        ("/companies?q=petobras&lang=en", "“petobras” was taken for “petrobras”."),
        ("/filings?q=petrobras+zzzz+fato&lang=pt", "Nem todos contêm: “zzzz”."),
    ] {
        let page = server.get(target);
        assert_eq!(page.status, 200, "{target}");
        assert!(page.text().contains(said), "{target} lacks {said}");
    }
}
