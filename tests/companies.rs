//! Companies and filings over HTTP: fields, filters, pages, and what is not there.
use serde_json::{Value, json};

use crate::harness::Server;

#[track_caller]
fn get(target: &str) -> Value {
    let reply = Server::shared().get(&format!("/api/v1/{target}"));
    assert_eq!(reply.status, 200, "{target}: {}", reply.text());
    reply.json()
}

#[track_caller]
fn error(target: &str, status: u16, code: &str) -> String {
    Server::shared().get(&format!("/api/v1/{target}")).expect_error(status, code)
}

#[test]
fn a_company_has_its_fields_under_every_number() {
    let petrobras = json!({
        "id": "9512",
        "name": "PETRÓLEO BRASILEIRO  S.A.  - PETROBRAS",
        "trade_name": "PETROBRAS",
        "cnpj": "33.000.167/0001-01",
        "status": "ATIVO",
        "sector": "Petróleo e Gás",
        "tickers": ["PETR3", "PETR4"],
        "registered_on": "1977-07-20",
        "cancelled_on": null,
        "meta": {
            "source": "CVM, cadastro de companhias abertas",
            "licence": "ODbL-1.0",
            "updated_at": "2026-10-05T00:00:00Z",
            "stale": true,
        },
    });
    for id in ["9512", "009512", "33000167000101", "33.000.167%2F0001-01"] {
        assert_eq!(get(&format!("companies/{id}")), petrobras, "{id}");
    }
    // Registered anew: the CNPJ leads to the active company, the code to the cancelled one.
    assert_eq!(get("companies/61186680000174")["id"], "24600");
    assert_eq!(get("companies/1716")["status"], "CANCELADA");
}

#[test]
fn filters_ignore_case_and_accents() {
    let total = |query: &str| get(&format!("companies?{query}"))["total"].clone();
    assert_eq!(total(""), 2562);
    assert_eq!(total("status=ativo"), 663);
    assert_eq!(total("status=CANCELADA"), 1891);
    assert_eq!(total("status=suspenso(a)+-+decisao+adm"), 8);
    assert_eq!(total("sector=PETROLEO+E+GAS"), total("sector=petr%C3%B3leo+e+g%C3%A1s"));
    assert_eq!(total("status=extinta"), 0);
    assert_eq!(total("status=ativo&sector=nothing"), 0);
    let of = |category: &str| get(&format!("filings?category={category}&limit=1"))["total"].clone();
    assert_eq!(of("fato+relevante"), of("FATO%20RELEVANTE"));
    assert_eq!(of("reuniao+da+administracao"), of("Reuni%C3%A3o+da+Administra%C3%A7%C3%A3o"));
    assert_eq!(of("nothing"), 0);
}

#[test]
fn pages_follow_one_another() {
    let ids = |target: &str| -> Vec<String> {
        let page = get(target);
        let id = |row: &Value| row["id"].as_str().unwrap().to_owned();
        page["data"].as_array().unwrap().iter().map(id).collect()
    };
    let lists = [
        "companies?",
        "companies?status=ativo&",
        "companies/search?q=banco&",
        "companies/9512/filings?",
        "filings?",
        "filings?category=assembleia&from=2024-04-30&to=2024-04-30&",
        "filings/search?q=vale&",
    ];
    for list in lists {
        let whole = ids(&format!("{list}limit=60"));
        let pieces = (0..3).flat_map(|n| ids(&format!("{list}limit=20&offset={}", n * 20)));
        assert_eq!(pieces.collect::<Vec<_>>(), whole, "{list}");
        let beyond = get(&format!("{list}offset=1000000000"));
        assert_eq!(beyond["data"], json!([]), "{list}");
        assert_eq!(beyond["total"], get(&format!("{list}limit=1"))["total"], "{list}");
    }
    assert_eq!(ids("filings/recent?limit=5"), ids("filings?limit=5"));
    let recent = get("filings/recent?limit=7");
    assert_eq!(
        (&recent["total"], &recent["limit"], &recent["offset"]),
        (&json!(7), &json!(7), &json!(0))
    );
}

#[test]
fn a_day_is_counted_to_the_last_filing() {
    let total = |from: &str, to: &str| {
        get(&format!("filings?from={from}&to={to}&limit=1"))["total"].as_u64().unwrap()
    };
    let (april, may) = (total("2024-04-01", "2024-04-30"), total("2024-05-01", "2024-05-31"));
    assert_eq!(total("2024-04-01", "2024-05-31"), april + may);
    assert_eq!(total("1900-01-01", "1999-12-31"), 0);
    assert_eq!(
        get("filings?limit=1")["total"].as_u64().unwrap(),
        total("0001-01-01", "9999-12-31")
    );
}

#[test]
fn a_ticker_names_a_company_everywhere() {
    for path in ["companies/PETR4", "companies/petr3.sa"] {
        assert_eq!(get(path)["id"], "9512");
    }
    let filings =
        |company: &str| get(&format!("companies/{company}/filings?limit=1"))["data"].take();
    assert_eq!(filings("VALE3"), filings("4170"));
    assert_eq!(error("companies/XXXX9", 404, "not_found"), "there is no company \"XXXX9\"");
}

#[test]
fn an_empty_list_says_which_value_nothing_has() {
    let hints = |path: &str| {
        let answer = get(path);
        assert_eq!(answer["total"], 0, "{path}");
        let hints = answer["meta"]["hints"].as_array().unwrap().iter();
        hints.map(|hint| hint.as_str().unwrap().to_owned()).collect::<Vec<_>>().join(" | ")
    };
    for (path, said) in [
        (
            "filings?category=blah",
            "no filing has the category \"blah\"; see /api/v1/filings/categories",
        ),
        (
            "filings?company=9512&category=fatos+relevantes",
            "no filing has the category \"fatos relevantes\"; nearest: Fato Relevante",
        ),
        (
            "companies/9512/filings?type=zzz",
            "no filing has the type \"zzz\"; see /api/v1/filings/categories",
        ),
        ("filings?company=XXXX9", "there is no company \"XXXX9\"; see /api/v1/companies/search"),
        ("filings?to=1999-12-31", "filings are held from 2021-"),
        ("filings/search?q=vale&category=blah", "no filing has the category \"blah\"; "),
        ("companies?sector=eletrico", "no company has the sector \"eletrico\"; nearest: "),
        (
            "companies/search?q=vale&status=blah",
            "no company has the status \"blah\"; the statuses are ATIVO, ",
        ),
        ("market/ipca?to=1970-01-01", "ipca is held from 1980-01-01 to 2026-"),
        (
            "market/fx?pair=EUR/BRL&from=2015-01-01&to=2024-12-31",
            " | the series eur-sell has 416 of these days: GET /api/v1/market/series/eur-sell",
        ),
    ] {
        let told = hints(path);
        assert!(told.contains(said), "{path}: {told}");
    }
    assert_eq!(get("filings?limit=1")["meta"].get("hints"), None);
}

#[test]
fn what_is_not_there_is_404_and_what_is_wrong_400() {
    for path in ["companies/999999", "companies/999999/filings"] {
        assert_eq!(error(path, 404, "not_found"), "there is no company \"999999\"");
    }
    for (id, shown) in
        [("0", "0"), ("nope", "nope"), ("33000167000102", "33000167000102"), ("%20", " ")]
    {
        for path in [format!("companies/{id}"), format!("companies/{id}/filings")] {
            let message = error(&path, 404, "not_found");
            assert!(
                message.contains(&format!(
                    "{shown:?} is not a company (a CVM code, a CNPJ or a ticker"
                )),
                "{message}"
            );
        }
    }
    for id in ["1", "dfp-1"] {
        let message = error(&format!("filings/{id}"), 404, "not_found");
        assert_eq!(message, format!("there is no filing {id:?}"));
    }
    for id in ["nope", "-1", "99999999999999999999"] {
        let message = error(&format!("filings/{id}"), 404, "not_found");
        assert!(message.contains(&format!("{id:?} is not the id of a filing")), "{message}");
    }
    let wrong = [
        ("companies?limit=0", "\"limit\""),
        ("companies?limit=1001", "\"limit\": \"1001\" is not a whole number from 1 to 1000"),
        ("companies?offset=-1", "\"offset\": \"-1\" is not a whole number from 0 to 1000000000"),
        (
            "companies?name=vale",
            "\"name\" is unknown; this endpoint takes status, sector, listed, limit, offset",
        ),
        ("filings?from=2024-13-01", "\"from\""),
        ("filings?from=2024-02-01&to=2024-01-01", "\"from\""),
        ("filings/recent?offset=1", "\"offset\" is unknown"),
        ("filings/1?limit=1", "\"limit\" is unknown"),
        ("companies/9512?id=9512", "\"id\" is unknown; this endpoint takes format, field, decimal"),
    ];
    for (target, part) in wrong {
        let message = error(target, 400, "bad_request");
        assert!(message.contains(part), "{message} lacks {part}");
    }
}

/// Companies that the registry lacks file too.
#[test]
fn filings_of_companies_outside_the_registry_are_served() {
    let bank = get("companies/3");
    assert_eq!(bank["name"], "BANCO ABN AMRO REAL S.A.");
    assert!(bank["cnpj"].is_null() && bank["status"].is_null(), "{bank}");
    // A foreign issuer is found by its name, code and ticker; lists and totals are those of the registry.
    for (path, name) in [
        ("companies/80209", "NU HOLDINGS LTD."),
        ("companies/ROXO34", "NU HOLDINGS LTD."),
        ("companies/AURA33", "AURA MINERALS INC"),
        ("companies/80233", "JBS N.V."),
    ] {
        assert_eq!(get(path)["name"], name, "{path}");
    }
    assert_eq!(get("companies/80209")["tickers"], serde_json::json!(["ROXO34"]));
    for (words, code) in [("nu holdings", "80209"), ("inbr32", "80217"), ("80217", "80217")] {
        let found = get(&format!("companies/search?q={}", words.replace(' ', "+")));
        assert_eq!(found["data"][0]["id"], code, "{words}");
    }
    let active = get("companies/search?q=nu+holdings&status=ATIVO");
    assert!(active["data"].as_array().unwrap().iter().all(|row| row["status"] == "ATIVO"));
    let filings = get("companies/3/filings");
    assert_eq!(filings["data"][0]["company_name"], "BANCO ABN AMRO REAL S.A.");
}

#[test]
fn sectors_add_up_to_all_companies_and_are_what_the_filters_find() {
    let server = Server::shared();
    let total = |query: &str| {
        let answer = server.get(&format!("/api/v1/companies?limit=1{query}")).json();
        answer["total"].as_u64().unwrap()
    };
    let sectors = server.get("/api/v1/companies/sectors?limit=1000").json();
    let sectors = sectors["data"].as_array().unwrap();
    let sum =
        |column: &str| sectors.iter().map(|sector| sector[column].as_u64().unwrap()).sum::<u64>();
    assert_eq!(sum("companies"), total(""));
    assert_eq!(sum("active"), total("&status=ativo"));
    assert_eq!(sum("listed"), total("&listed=true"));
    assert_eq!(total("&listed=true") + total("&listed=false"), total(""));
    for sector in sectors.iter().take(3) {
        let name = sector["sector"].as_str().unwrap().replace(' ', "+");
        let of = |filter: &str| total(&format!("&sector={name}{filter}"));
        let found = [of(""), of("&status=ativo"), of("&listed=true")];
        let named =
            ["companies", "active", "listed"].map(|column| sector[column].as_u64().unwrap());
        assert_eq!(found, named, "{name}");
    }
    let found = server.get("/api/v1/companies/search?q=banco&listed=true&limit=1000").json();
    let tickers = |company: &serde_json::Value| company["tickers"].as_array().unwrap().len();
    assert!(found["data"].as_array().unwrap().iter().all(|company| tickers(company) > 0));
    let refused = server.get("/api/v1/companies?listed=yes").expect_error(400, "bad_request");
    assert_eq!(refused, "parameter \"listed\": \"yes\" is not true or false");
}
