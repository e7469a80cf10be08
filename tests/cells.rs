//! One value in a cell: `format=value` on every endpoint with one answer, its errors, and the address of the next page.
use std::collections::BTreeMap;

use fincore::Plan;
use serde_json::value::RawValue;

use crate::{
    answers::LISTS,
    harness::{Reply, Server, new_key, with},
};

/// Endpoints with one answer, the member that is its usual figure, and others, by their paths.
const ANSWERS: &[(&str, &str, &[&str])] = &[
    ("market/overview", "", &["selic.value", "fx.sell", "fx.pair", "meta.source"]),
    ("market/selic/current", "value", &["date", "meta.unit", "meta.source"]),
    ("market/cdi/current", "value", &["origin"]),
    ("market/ipca/current", "value", &["date"]),
    ("market/fx/current", "sell", &["buy", "pair", "date"]),
    ("market/fx/current?pair=EUR/BRL", "sell", &["buy"]),
    ("market/series/igp-m/current", "value", &["date"]),
    ("market/series/ipca/summary", "", &["mean", "count", "last.value", "min.date"]),
    (
        "calc/correction?index=ipca&amount=1000&from=2024-01-01&to=2024-12-01",
        "result",
        &["factor", "accumulated", "first.value", "rule_pt"],
    ),
    (
        "calc/accumulated?series=ipca&from=2024-01-01&to=2024-12-01&steps=true",
        "accumulated",
        &["factor", "periods"],
    ),
    ("calc/convert?amount=1.50&from=EUR&to=USD", "result", &["rate", "date"]),
    ("calc/real-rate?from=2024-01-01&to=2024-12-01", "real", &["per_year", "interest.factor"]),
    ("calc/rate?value=13.75&from=year252&to=month", "result", &["value", "exponent"]),
    ("calendar/2026-11-20", "business_day", &["next", "previous", "holiday.pt"]),
    ("calendar/2026-11-19", "business_day", &["holiday"]),
    ("companies/PETR4", "", &["name", "tickers", "cnpj", "cancelled_on"]),
    ("filings/dfp-155122", "", &["date", "version", "subject"]),
];

fn ask(target: &str, more: &str) -> Reply {
    let mark = if target.contains('?') { '&' } else { '?' };
    Server::shared().get(&format!("/api/v1/{target}{mark}format=value{more}"))
}

/// A member of an answer as it is written, and what a cell shows of it.
fn written(json: &str, path: &str) -> (String, String) {
    let members: BTreeMap<String, Box<RawValue>> = serde_json::from_str(json).unwrap();
    let (name, inside) =
        path.split_once('.').map_or((path, None), |(name, rest)| (name, Some(rest)));
    let value = members.get(name).unwrap_or_else(|| panic!("{path}: {json}")).get();
    if let Some(inside) = inside {
        return written(value, inside);
    }
    let shown = match value.as_bytes()[0] {
        b'n' => String::new(),
        b'"' => serde_json::from_str(value).unwrap(),
        b'[' => serde_json::from_str::<Vec<String>>(value).unwrap().join(" "),
        _ => value.to_owned(),
    };
    (value.to_owned(), shown)
}

#[test]
fn a_cell_shows_what_the_answer_says() {
    for (target, usual, others) in ANSWERS {
        let whole = Server::shared().get(&format!("/api/v1/{target}"));
        assert_eq!(whole.status, 200, "{target}: {}", whole.text());
        for field in others.iter().chain(Some(usual).filter(|usual| !usual.is_empty())) {
            let value = ask(target, &format!("&field={field}"));
            let (json, shown) = written(whole.text(), field);
            assert_eq!((value.status, value.text()), (200, &*shown), "{target} {field}");
            assert_eq!(value.header("content-type"), Some("text/plain; charset=utf-8"));
            let comma = ask(target, &format!("&field={field}&decimal=comma"));
            let is_number = json.parse::<f64>().is_ok();
            let wanted = if is_number { shown.replace('.', ",") } else { shown };
            assert_eq!(comma.text(), wanted, "{target} {field}");
        }
        let plain = ask(target, "");
        if usual.is_empty() {
            let message = plain.text();
            assert_eq!(plain.status, 400, "{target}");
            assert!(
                message.starts_with("parameter \"field\": this answer has several figures"),
                "{message}"
            );
            assert!(others.iter().all(|field| message.contains(field)), "{message}");
        } else {
            assert_eq!(plain.text(), written(whole.text(), usual).1, "{target}");
        }
    }
}

#[test]
fn one_row_of_a_list_is_a_value_and_a_list_is_none() {
    let server = Server::shared();
    for (target, wanted) in [
        ("market/selic?limit=1", "13.75"),
        ("market/ipca?from=2025-11-01&to=2025-11-30&limit=1", "0.18"),
        ("market/ipca?units=accumulated_12m&to=2025-12-31&limit=1", "4.2644"),
        ("market/fx?limit=1&side=buy", "5.1247"),
        ("market/fx?limit=1", "5.1253"),
        ("market/series?ids=ipca,igp-m&to=2025-12-31&limit=1&field=ipca", "0.33"),
        ("market/series?ids=selic&limit=1", "13.75"),
        ("market/selic/decisions?limit=1&to=2026-10-01&field=after", "13.75"),
        (
            "companies/search?q=petrobras&limit=1&field=name",
            "PETRÓLEO BRASILEIRO  S.A.  - PETROBRAS",
        ),
        ("companies/sectors?limit=1&field=total", "71"),
        ("filings?company=VALE3&limit=1&field=meta.licence", "ODbL-1.0"),
    ] {
        let value = ask(target, "");
        assert_eq!((value.status, value.text()), (200, wanted), "{target}");
    }
    for list in LISTS {
        let refused = server
            .get(&format!("{list}{}format=value", if list.contains('?') { '&' } else { '?' }));
        let message = refused.text();
        assert_eq!(refused.status, 400, "{list}: {message}");
        assert_eq!(refused.header("content-type"), Some("text/plain; charset=utf-8"), "{list}");
        assert!(
            message.contains("limit=1") || message.contains("json or csv"),
            "{list}: {message}"
        );
    }
    for (target, status, message) in [
        ("market/selic?limit=1&from=2999-01-01", 404, "no row matches"),
        ("market/selic?limit=2", 400, "limit=1 asks for one row"),
        ("market/selic?limit=1&dialect=br", 400, "only CSV has dialects"),
        (
            "market/selic?limit=1&field=sell",
            400,
            "\"sell\" is no field of this answer: date, value, total",
        ),
        ("market/selic?limit=1&decimal=dot", 400, "a decimal mark (point or comma)"),
        ("calendar/business-days?", 400, "a format of lists (json or csv)"),
        ("export/ipca?", 400, "a format of exports"),
        ("status?", 400, "parameter \"format\" is unknown"),
    ] {
        let refused = ask(target, "");
        assert_eq!(refused.status, status, "{target}");
        assert!(refused.text().contains(message), "{target}: {}", refused.text());
    }
    for (target, message) in [
        ("market/selic/current?field=date", "it goes with format=value"),
        ("market/selic?decimal=comma", "it goes with format=value"),
        ("market/selic/current?format=csv", "a format of single answers (json or value)"),
    ] {
        let said = server.get(&format!("/api/v1/{target}")).expect_error(400, "bad_request");
        assert!(said.contains(message), "{target}: {said}");
    }
    let json = server.get("/api/v1/market/selic/current?format=json");
    assert_eq!(json.json(), server.get("/api/v1/market/selic/current").json());
}

#[test]
fn what_is_inside_of_nothing_is_an_empty_cell() {
    for (day, holiday) in [("2026-11-20", "Dia da Consciência Negra"), ("2026-11-19", "")] {
        let cell = ask(&format!("calendar/{day}"), "&field=holiday.pt");
        assert_eq!((cell.status, cell.text()), (200, holiday), "{day}");
    }
    assert_eq!(ask("calendar/2026-11-19", "&field=next.pt").status, 400);
}

/// The newest row of a list, as it is written.
fn newest(target: &str) -> String {
    let list = Server::shared().get(&format!("/api/v1/{target}"));
    let members: BTreeMap<String, Box<RawValue>> = serde_json::from_str(list.text()).unwrap();
    let rows: Vec<Box<RawValue>> = serde_json::from_str(members["data"].get()).unwrap();
    rows.first().unwrap_or_else(|| panic!("{target}: {}", list.text())).get().to_owned()
}

#[test]
fn a_figure_of_a_company_and_an_account_of_a_statement_are_values() {
    let financials = "companies/PETR4/financials?limit=1";
    let row = newest(financials);
    for field in ["revenue", "net_income", "period_end", "scope"] {
        let value = ask(financials, &format!("&field={field}"));
        assert_eq!((value.status, value.text()), (200, &*written(&row, field).1), "{field}");
    }
    let balance = "companies/PETR4/statements/comprehensive-income?limit=1";
    let row: serde_json::Value = serde_json::from_str(&newest(balance)).unwrap();
    let accounts = row["accounts"].as_array().unwrap();
    assert!(!accounts.is_empty(), "{row}");
    for account in accounts.iter().take(3) {
        let code = account["code"].as_str().unwrap();
        let value = ask(balance, &format!("&field={code}"));
        assert_eq!((value.status, value.text()), (200, &*account["value"].to_string()), "{code}");
    }
    // A row of each account is a list again, and no limit makes it one row.
    for field in ["name", "2025-12-31"] {
        let wide = ask(balance, &format!("&layout=wide&field={field}"));
        assert_eq!(wide.status, 400, "{}", wide.text());
        assert!(wide.text().contains("choose an account by its code"), "{}", wide.text());
    }
}

#[test]
fn a_value_is_cached_confirmed_and_asked_about_like_any_answer() {
    let server = Server::shared();
    let targets =
        ["/api/v1/market/selic/current?format=value", "/api/v1/market/ipca?format=value&limit=1"];
    for target in targets {
        let tags: Vec<_> = ["", "&field=date", "&decimal=comma"]
            .map(|more| server.get(&format!("{target}{more}")).header("etag").unwrap().to_owned())
            .into();
        assert!(tags[0] != tags[1] && tags[1] != tags[2] && tags[0] != tags[2], "{tags:?}");
        let json = server.get(&target.replace("value", "json"));
        assert_ne!(json.header("etag"), Some(&*tags[0]));
        // Twice, so that the third answer comes from the cache.
        let answers = [0; 3].map(|_| server.get(target));
        for answer in &answers {
            assert_eq!((answer.status, answer.text()), (200, answers[0].text()));
            assert_eq!(answer.header("vary"), json.header("vary"));
            assert_eq!(answer.header("cache-control"), json.header("cache-control"));
            assert_eq!(answer.header("content-disposition"), None);
        }
        let unchanged = server.request("GET", target, &format!("If-None-Match: {}\r\n", tags[0]));
        assert_eq!((unchanged.status, unchanged.body.len()), (304, 0));
        let head = server.request("HEAD", target, "");
        let length = answers[0].body.len().to_string();
        assert_eq!((head.status, head.header("content-length")), (200, Some(&*length)));
    }
}

#[test]
fn an_error_is_text_where_a_value_was_asked_for_and_json_elsewhere() {
    let server = Server::start_with(&["--trusted-proxy", "127.0.0.0/8"]);
    let from = |address: &str| format!("X-Forwarded-For: {address}\r\n");
    let free = with(&new_key(&server.accounts(), Plan::Free));
    let gone = "GET /api/v1/market/series/999999/current";
    for (target, headers, status, message) in [
        (
            "/api/v1/market/selic/current",
            "X-API-Key: fin_x\r\n".to_owned(),
            401,
            "the API key is malformed",
        ),
        ("/api/v1/market/selic?from=1999-01-01&limit=1", from("192.0.2.1"), 403, "Gold"),
        ("/api/v1/companies/PETR4?field=name", from("192.0.2.1"), 403, "Bronze"),
        ("/api/v1/market/series/999999/current", from("192.0.2.1"), 404, "series"),
        ("/api/v1/nothing", from("192.0.2.1"), 404, "there is nothing at"),
        ("/api/v1/market/selic/current?field=%zz", from("192.0.2.1"), 400, "not followed by two"),
    ] {
        for (more, media) in
            [("format=value", "text/plain; charset=utf-8"), ("", "application/json")]
        {
            let mark = if target.contains('?') { '&' } else { '?' };
            let reply = server.keyless("GET", &format!("{target}{mark}{more}"), &headers);
            let told = reply.text();
            assert_eq!(reply.status, status, "{target}: {told}");
            assert_eq!(reply.header("content-type"), Some(media), "{target}: {told}");
            assert!(told.contains(message), "{gone}: {told}");
            assert_eq!(told.starts_with('{'), more.is_empty(), "{told}");
        }
    }
    let value = "/api/v1/market/selic/current?format=value";
    let plan =
        |reply: &Reply| (reply.status, reply.header("x-ratelimit-remaining").map(str::to_owned));
    let last = (0..31).map(|_| server.keyless("GET", value, &free)).last().unwrap();
    assert_eq!(plan(&last), (429, Some("0".to_owned())));
    assert!(
        last.text().starts_with("rate limit exceeded: the Free plan allows 30"),
        "{}",
        last.text()
    );
    assert!(last.header("retry-after").is_some());
}

#[test]
fn every_list_says_in_its_body_where_its_next_page_is() {
    let server = Server::start_with(&["--base-path", "/data"]);
    let key = with(&new_key(&server.accounts(), Plan::Platinum));
    for list in LISTS {
        let mark = if list.contains('?') { '&' } else { '?' };
        let (mut target, mut pages) = (format!("{list}{mark}limit=7"), 0);
        loop {
            let page = server.keyless("GET", &target, &key);
            let json = page.json();
            let link = page.header("link").unwrap_or_default();
            let of_header = link.split(", ").find(|link| link.ends_with("rel=\"next\""));
            let of_header = of_header.map(|link| &link[1..link.find('>').unwrap()]);
            assert_eq!(json["next"].as_str(), of_header, "{target}");
            assert!(json.as_object().unwrap().contains_key("next"), "{target}");
            pages += 1;
            match json["next"].as_str() {
                Some(next) if pages < 3 => {
                    assert!(next.starts_with("/data/"), "{next}");
                    target = next.to_owned();
                }
                _ => break,
            }
        }
    }
    let key_by_mistake = new_key(&server.accounts(), Plan::Gold);
    let asked = format!("/api/v1/companies?sector={}&limit=1", key_by_mistake.reveal());
    let answer = server.keyless("GET", &asked, &key);
    let next = answer.json()["next"].to_string();
    assert!(answer.status == 200 && !next.contains(key_by_mistake.reveal()), "{next}");
}

/// Steps of a calculation and the two lists of the global search are read page by page too.
#[test]
fn lists_inside_of_an_answer_say_where_they_go_on() {
    let server = Server::shared();
    let period = "from=2019-01-01&to=2024-12-01&steps=true&limit=50";
    for (target, lists) in [
        (format!("calc/correction?index=ipca&amount=1&{period}"), vec!["/steps"]),
        (format!("calc/accumulated?series=cdi&{period}&offset=1400"), vec!["/steps"]),
        (format!("calc/real-rate?{period}&offset=1400"), vec!["/interest/steps"]),
        ("search?q=petrobras&limit=50".into(), vec!["/companies", "/filings"]),
    ] {
        let (mut target, mut read) = (format!("/api/v1/{target}"), 0);
        for page in 0.. {
            let reply = server.get(&target);
            let json = reply.json();
            let longest = lists.iter().map(|list| json.pointer(list).unwrap());
            let longest = longest.map(|rows| rows.as_array().unwrap().len()).max().unwrap();
            let link = reply.header("link").unwrap();
            let of_header = link.split(", ").find(|link| link.ends_with("rel=\"next\""));
            let of_header = of_header.map(|link| &link[1..link.find('>').unwrap()]);
            assert_eq!(json["next"].as_str(), of_header, "{target}");
            assert!(json["next"].is_null() || longest == 50, "{target}: {longest}");
            assert!(longest > 0, "{target}: an empty page");
            read += longest;
            match json["next"].as_str() {
                Some(next) if page < 40 => target = next.to_owned(),
                _ => break,
            }
        }
        assert!(read > 50, "{target}");
    }
    let unlisted = server.get("/api/v1/calc/correction?index=ipca&amount=1&from=2024-01-01");
    assert!(unlisted.json().get("next").is_none() && unlisted.header("link").is_none());
    let key = with(&new_key(&server.accounts(), Plan::Free));
    for list in ["/api/v1/status", "/api/v1/links"] {
        let json = server.keyless("GET", list, &key).json();
        assert_eq!(json.get("next"), Some(&serde_json::Value::Null), "{list}");
    }
}

/// The dashboard for Grafana, whose queries are read here as its data source sends them.
#[test]
fn the_dashboard_of_market_rates_asks_for_what_there_is() {
    let text = include_str!("../deploy/grafana/market.json");
    let dashboard: serde_json::Value = serde_json::from_str(text).unwrap();
    let (free, mut asked) = (Server::start(), 0);
    for panel in dashboard["panels"].as_array().unwrap() {
        let target = &panel["targets"][0];
        let params = target["url_options"]["params"].as_array().unwrap().iter();
        let days = |value: &str| {
            value
                .replace("${__from:date:YYYY-MM-DD}", "2026-01-01")
                .replace("${__to:date:YYYY-MM-DD}", "2026-09-04")
        };
        let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        let params =
            params.map(|one| format!("{}={}", text(&one["key"]), days(&text(&one["value"]))));
        let query = params.collect::<Vec<_>>().join("&");
        let reply = free.keyless("GET", &format!("{}?{query}", text(&target["url"])), "");
        assert_eq!(reply.status, 200, "{}", reply.text());
        let json = reply.json();
        let row = if target["root_selector"] == "data" { &json["data"][1] } else { &json };
        for column in target["columns"].as_array().unwrap() {
            assert!(!row[text(&column["selector"])].is_null(), "{column}: {row}");
        }
        asked += 1;
    }
    assert_eq!(asked, 8);
}

/// The addresses that the formulas of a page ask for a value, without the place of the token.
fn values_of(page: &str) -> Vec<String> {
    let text = Server::shared().get(page).text().replace("&amp;", "&").replace("&quot;", "\"");
    let formulas = text.split("id=\"sheet-google").skip(1);
    let address = |formula: &str| {
        let address = formula.split("/api/").nth(1).unwrap().split('"').next().unwrap();
        address.replace("&token=YOUR_LINK_TOKEN", "")
    };
    let addresses = formulas.map(address).filter(|address| address.contains("format=value"));
    addresses.map(|address| format!("/api/{address}")).collect()
}

#[test]
fn a_formula_of_a_comparison_never_shows_nothing_where_there_is_a_figure() {
    let server = Server::shared();
    for (page, count) in [
        ("/market?lang=en", 4),
        ("/market/compare?series=ipca,selic", 2),
        ("/market/compare?series=selic,ipca,cdi&to=2025-12-31", 3),
        ("/market/compare?series=ipca,igp-m&units=accumulated_12m", 2),
        ("/companies/compare?ids=4170,9512", 2),
        ("/companies/compare?ids=ITUB4,VALE3,PETR4", 3),
        ("/companies/9512", 1),
        ("/companies/4170", 1),
    ] {
        let values = values_of(page);
        assert_eq!(values.len(), count, "{page}: {values:?}");
        for value in values {
            let answer = server.get(&value);
            assert_eq!(answer.status, 200, "{page} {value}: {}", answer.text());
            assert!(answer.text().parse::<f64>().is_ok(), "{page} {value}: {}", answer.text());
        }
    }
}

/// The addresses in the formulas of pages, with a link token that is still to be put in.
#[test]
fn the_formulas_of_pages_ask_for_what_their_pages_show() {
    let server = Server::shared();
    for (page, wanted) in [
        ("/market/selic", "13.75"),
        ("/market/ipca?units=accumulated_12m&to=2025-12-31", "4.2644"),
        ("/market/fx/usd-brl", "5.1253"),
        ("/market/compare?series=ipca,igp-m&to=2025-12-31", "0.33"),
        ("/market/selic/decisions?lang=pt", "13.75"),
        ("/calc/rate?value=13.75&from=year252&to=month", "1.07939111"),
        ("/companies?q=petrobras", "PETRÓLEO BRASILEIRO  S.A.  - PETROBRAS"),
        ("/filings?company=VALE3&category=fato+relevante&to=2024-12-03", "Vale informa"),
    ] {
        let shown = server.get(page);
        let text = shown.text().replace("&amp;", "&").replace("&quot;", "\"");
        let formulas: Vec<&str> = text.split("id=\"sheet-").skip(1).collect();
        let of_rows = if page.starts_with("/calc") { 0 } else { 2 };
        let cells = if page.starts_with("/market/compare") { 2 } else { 1 };
        assert_eq!(formulas.len(), 3 * cells + of_rows, "{page}: {}", shown.status);
        let mut answers = Vec::new();
        for formula in &formulas {
            let (_, address) =
                formula.split_once("\"/api/").or(formula.split_once("/api/")).unwrap();
            let address = format!("/api/{}", address.split('"').next().unwrap());
            let open = address
                .replace("&token=YOUR_LINK_TOKEN", "")
                .replace("&token=SEU_TOKEN_DE_LINK", "");
            let is_query = formula.starts_with("excel-rows");
            assert_eq!(open == address, is_query, "{formula}");
            let answer = server.get(&open);
            assert_eq!(answer.status, 200, "{page} {open}: {}", answer.text());
            if open.contains("format=value") {
                answers.push(answer.text().to_owned());
            }
        }
        assert_eq!(answers.len(), 3 * cells, "{page}");
        let of_first = answers.iter().step_by(cells);
        assert!(of_first.clone().all(|answer| answer.starts_with(wanted)), "{page}: {answers:?}");
    }
}
