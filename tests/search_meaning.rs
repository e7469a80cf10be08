//! What searches mean: orders, phrases, names, near matches; the categories of filings, and suggestions.
use std::collections::{BTreeMap, BTreeSet, HashMap};

use fincore::Plan;
use serde_json::{Value, json};

use crate::{
    harness::{Server, new_key, with},
    search_filters::{
        Company, Row, companies, escaped, filings, folded, get, send, text, total, walk,
    },
};

#[test]
fn relevance_orders_the_same_matches() {
    let newest: HashMap<&str, usize> =
        filings().iter().enumerate().map(|(at, row)| (row.id.as_str(), at)).collect();
    for q in ["petrobras", "vale fato relevante", "\"fato relevante\" 2025", "itau ago", "petr4"] {
        let list = format!("filings/search?q={}", escaped(q));
        let by_day = walk(&list);
        let by_relevance = walk(&format!("{list}&order=relevance"));
        assert!(!by_day.is_empty(), "{q}");
        assert_eq!(by_day, walk(&format!("{list}&order=newest")), "{q}");
        let all = |rows: &[Value]| rows.iter().map(|row| text(&row["id"])).collect::<Vec<_>>();
        let (days, relevant) = (all(&by_day), all(&by_relevance));
        // Without a company and a class, what matches fully is in order, then what matches loosely.
        let breaks = days.windows(2).filter(|two| newest[&*two[0]] > newest[&*two[1]]).count();
        assert!(breaks <= 8, "{q}: {breaks}");
        let [one, other] = [&days, &relevant].map(|ids| ids.iter().collect::<BTreeSet<_>>());
        assert_eq!((one, days.len()), (other, relevant.len()), "{q}");
    }
    // Of all that have the word in a name, the company that is meant comes first.
    let first = |order: &str| {
        let list = get(&format!("filings/search?q=bradesco+fre&order={order}&limit=1"));
        text(&list["data"][0]["company_id"])
    };
    assert_eq!((&*first("relevance"), &*first("newest")), ("906", "906"));
}

#[test]
fn the_filings_that_people_mean_come_first() {
    let check = |q: &str, company: &str, words: &str| {
        let page = get(&format!("filings/search?q={}&limit=1", escaped(q)));
        let first = &page["data"][0];
        assert_eq!(first["company_id"], company, "{q}");
        let said = ["category", "type", "subject"].map(|field| folded(&text(&first[field])));
        assert!(said.concat().contains(words), "{q}: {said:?}");
    };
    // Minutes happen to have the words that connect others.
    check("release de resultados do 1T25 da tim", "24929", "press-release");
    check("fato relevante da magazine luiza", "22470", "fato relevante");
    // The rest of a search says which company of a family is meant.
    check("assembleia de debenturistas light", "8036", "agdeb");
    // A company that files about what another was named for.
    check("avon chapter 11", "24783", "desdobramentos");
    // A brand beside its company is what is asked.
    check("zamp starbucks", "24317", "starbucks");
    // A name that is typed wrongly is then read like the right one.
    check("suzanno fato relevante", "13986", "fato relevante");
    // A word that a few filings have with a typing error.
    check("politca de dividendos petrobras", "9512", "dividendos");
    for day in ["18/10/2024", "2024-10-18", "18 de outubro de 2024"] {
        let page = get(&format!(
            "filings/search?q={}&limit=1",
            escaped(&format!("vale fato relevante {day}"))
        ));
        assert_eq!(text(&page["data"][0]["date"])[..10], *"2024-10-18", "{day}");
    }
}

/// The filings that a search finds.
fn found(q: &str) -> Vec<String> {
    let rows = walk(&format!("filings/search?q={}", escaped(q)));
    rows.iter().map(|row| text(&row["id"])).collect()
}

#[test]
#[ignore = "long"]
fn phrases_stand_side_by_side() {
    // None of these is in the name of a company.
    for phrase in ["fato relevante", "conselho de administração", "aviso aos", "de ato ou fato"] {
        let has = |row: &&Row| {
            let texts = [&row.category, &row.kind, &row.species, &row.subject].map(|text| {
                let folded = folded(text);
                let words = folded.split(|c: char| !c.is_alphanumeric());
                format!(" {} ", words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" "))
            });
            texts.iter().any(|text| text.contains(&format!(" {} ", folded(phrase))))
        };
        let wanted: Vec<&str> = filings().iter().filter(has).map(|row| row.id.as_str()).collect();
        assert!(wanted.len() > 10, "{phrase}: {}", wanted.len());
        assert!(found(&format!("\"{phrase}\"")) == wanted, "{phrase}");
        assert!(found(&format!("“{}”", phrase.to_uppercase())) == wanted, "{phrase}");
    }
    // Words in another order are no such phrase: at most something near is shown.
    for turned in ["\"relevante fato\"", "\"administracao de conselho\""] {
        let near = get(&format!("filings/search?q={}", escaped(turned)));
        assert!(near["total"] == 0 || near["meta"]["fuzzy"] == true, "{turned}");
    }
    // One mark alone is no phrase.
    assert_eq!(found("\"petrobras 2025"), found("petrobras 2025"));
}

#[test]
fn the_same_is_found_by_every_name_for_it() {
    let same = [
        &["petr4", "PETR4.SA", "33.000.167/0001-01", "33000167000101", "9512", "cvm 9512"][..],
        &["petr4", "PETR4F", "petr4f.sa", "PETR 4", "PETR-4", "petr5", "09512", "cvm 009512"],
        &["csna3", "CSNA3F", "csna3.sa"],
        &["3T24", "9M24"],
        &["assembleia geral ordinária ata", "assembleias gerais ordinárias ata"],
        &["acionista aviso", "acionistas aviso", "aviso acionistas"],
    ];
    for texts in same {
        let totals: Vec<usize> =
            texts.iter().map(|q| total(&format!("filings/search?q={}", escaped(q)))).collect();
        assert!(
            totals[0] > 100 && totals.iter().all(|total| *total == totals[0]),
            "{texts:?}: {totals:?}"
        );
    }
    // Subjects have the words of these in other places, too.
    let abbreviated = [
        ("3T24", "terceiro trimestre de 2024"),
        ("3T24", "3º trimestre 2024"),
        ("ago ata", "assembleia geral ordinária ata"),
        ("agoe ata", "assembleia geral ordinária e extraordinária ata"),
        ("assembleia geral 2025", "assembleia 2025"),
    ];
    for (short, long) in abbreviated {
        let [short, words] = [short, long].map(|q| found(q).into_iter().collect::<BTreeSet<_>>());
        let both = short.intersection(&words).count();
        let is_most = both > 100 && both * 10 > short.len().max(words.len()) * 9;
        assert!(is_most, "{long}: {}, {}, {both} of both", short.len(), words.len());
    }
}

#[test]
fn what_is_only_near_is_marked() {
    for endpoint in ["companies/search", "filings/search"] {
        for (q, fuzzy) in [("petrobras", None), ("petrobas", Some(true)), ("xyzzyq", None)] {
            let found = get(&format!("{endpoint}?q={q}"));
            assert_eq!(
                found["meta"].get("fuzzy"),
                fuzzy.map(Value::Bool).as_ref(),
                "{endpoint} {q}"
            );
            assert_eq!(found["total"] == 0, q == "xyzzyq", "{endpoint} {q}");
        }
    }
    assert_eq!(get("companies/search?q=petrobas")["data"][0]["id"], "9512");
    // CSV has no place for it but a header.
    let header = |q: &str| {
        let reply = send(&format!("companies/search?q={q}&format=csv"));
        reply.header("x-fuzzy").map(str::to_owned)
    };
    assert_eq!((header("petrobas").as_deref(), header("petrobras")), (Some("true"), None));
}

#[test]
fn one_search_shows_what_is_near_only_if_nothing_matches() {
    for (q, companies, filings, fuzzy) in [
        ("petrobras", true, true, None),
        // No company has these words, but filings do.
        ("petrobras+fato+relevante", false, true, None),
        ("petrobas", true, true, Some(true)),
        ("xyzzyq", false, false, None),
    ] {
        let found = get(&format!("search?q={q}"));
        let has = |list: &str| !found[list].as_array().unwrap().is_empty();
        assert_eq!((has("companies"), has("filings")), (companies, filings), "{q}");
        assert_eq!(found["meta"].get("fuzzy"), fuzzy.map(Value::Bool).as_ref(), "{q}");
    }
}

#[test]
fn a_ticker_in_any_form_names_a_company_in_a_filter() {
    for (tickers, code) in
        [(&["PETR4", "petr4f", "PETR4.SA", "PETR11"][..], 9512), (&["CSNA3", "csna3f"], 4030)]
    {
        let all = total(&format!("filings?company={code}"));
        assert!(all > 100);
        for ticker in tickers {
            assert_eq!(total(&format!("filings?company={ticker}")), all, "{ticker}");
        }
    }
}

#[test]
fn categories_add_up_to_all_filings() {
    let mut counted: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for row in filings() {
        *counted.entry((&row.category, &row.kind)).or_default() += 1;
    }
    let listed = walk("filings/categories?");
    assert_eq!(listed.len(), counted.len());
    for row in &listed {
        let class = (row["category"].as_str().unwrap(), row["type"].as_str().unwrap());
        assert_eq!(row["filings"], counted[&class], "{class:?}");
    }
    let numbers: Vec<u64> = listed.iter().map(|row| row["filings"].as_u64().unwrap()).collect();
    assert!(numbers.is_sorted_by(|one, next| one >= next), "{numbers:?}");
    assert_eq!(numbers.iter().sum::<u64>(), filings().len() as u64);
    // Each can be given to the filters as it stands.
    for row in listed.iter().step_by(10) {
        let [category, kind] =
            ["category", "type"].map(|name| escaped(row[name].as_str().unwrap()));
        let list = format!("filings?category={category}&type={kind}");
        assert_eq!(total(&list) as u64, row["filings"].as_u64().unwrap(), "{list}");
    }
    let page = get("filings/categories?limit=7&offset=5");
    assert_eq!(page["data"].as_array().unwrap()[..], listed[5..12]);
    assert_eq!((&page["total"], &page["limit"]), (&json!(listed.len()), &json!(7)));
}

#[test]
fn categories_come_as_csv() {
    let rows = get("filings/categories?limit=3")["data"].as_array().unwrap().clone();
    let csv = send("filings/categories?limit=3&format=csv");
    let lines: Vec<&str> = csv.text().lines().collect();
    assert_eq!((lines.len(), lines[0]), (4, "category,type,filings"));
    for (line, row) in lines[1..].iter().zip(&rows) {
        assert!(line.ends_with(&format!(",{}", row["filings"])), "{line}");
    }
    assert_eq!(csv.header("x-total-count"), Some(&*get("filings/categories")["total"].to_string()));
    let name = csv.header("content-disposition");
    assert_eq!(name, Some("attachment; filename=\"filings-categories.csv\""));
    let brazilian = send("filings/categories?limit=1&format=csv&dialect=br");
    assert!(brazilian.text().starts_with("\u{feff}category;type;filings\r\n"));
}

#[test]
fn suggestions_are_companies_tickers_and_categories() {
    let all = |q: &str| get(&format!("search/suggest?q={q}"))["data"].as_array().unwrap().clone();
    let petrobras = json!({
        "type": "company",
        "text": "PETRÓLEO BRASILEIRO  S.A.  - PETROBRAS",
        "company_id": "9512",
        "tickers": ["PETR3", "PETR4"],
    });
    let ticker = json!({ "type": "ticker", "text": "PETR4", "company_id": "9512" });
    let facts = |name: &str, year: Option<u16>| {
        let found = all(&escaped(&format!(
            "{name} fato relevante {}",
            year.map_or(String::new(), |year| year.to_string())
        )));
        let row = found.iter().find(|row| row["type"] == "filings").expect("filings").clone();
        (text(&row["text"]), text(&row["company_id"]), row["filings"].as_u64())
    };
    let named = all("petr4");
    assert_eq!(named[..2], [ticker.clone(), petrobras.clone()]);
    assert_eq!((&named[2]["type"], named.len()), (&json!("filings"), 3));
    let of_2024 =
        total("filings?company=4170&category=fato+relevante&from=2024-01-01&to=2024-12-31");
    assert_eq!(
        facts("vale", Some(2024)),
        ("Vale · Fato Relevante · 2024".to_owned(), "4170".to_owned(), Some(of_2024 as u64))
    );
    assert_eq!(facts("petr4", None).0, "PETR4 · Fato Relevante");
    let why = |q: &str| all(q)[0]["matched"].clone();
    assert_eq!(why("viia3"), json!({ "by": "ticker", "text": "VIIA3" }));
    assert_eq!(why("via+varejo"), json!({ "by": "former_name", "text": "Via Varejo" }));
    assert_eq!(why("havaianas"), json!({ "by": "other_name", "text": "Havaianas" }));
    assert_eq!(why("petrobas"), json!({ "by": "spelling", "text": "petrobras" }));
    assert_eq!(why("33000167"), json!({ "by": "number", "text": "33000167" }));
    assert!(all("petr").contains(&ticker) && all("petr").contains(&petrobras));
    assert!(all("petrob").contains(&petrobras) && !all("petrob").contains(&ticker));
    assert!(all("fato").contains(&json!({ "type": "category", "text": "Fato Relevante" })));
    let assembly = json!({ "type": "category", "text": "Assembleia" });
    assert_eq!(get("search/suggest?q=ASSEMBL%C3%89IA&limit=1")["data"], json!([assembly]));
    let source = "CVM, cadastro e documentos de companhias abertas";
    assert_eq!(
        get("search/suggest?q=xyzzyq"),
        json!({ "data": [], "meta": { "source": source, "licence": "ODbL-1.0" } })
    );
}

#[test]
fn suggestions_keep_to_the_limit() {
    let categories: BTreeSet<&str> = filings().iter().map(|row| row.category.as_str()).collect();
    let known: BTreeMap<&str, &Company> =
        companies().iter().map(|company| (company.id.as_str(), company)).collect();
    for q in ["a", "b", "co", "pol", "banco", "vale", "petr", "bbas", "comunicado", "s.a."] {
        for limit in 1..=10 {
            let found = get(&format!("search/suggest?q={q}&limit={limit}"));
            let data = found["data"].as_array().unwrap();
            assert!(data.len() <= limit, "{q}: {}", data.len());
            for (at, row) in data.iter().enumerate() {
                assert!(!data[..at].contains(row), "{q}: {row} comes twice");
                let shown = row["text"].as_str().unwrap();
                // Companies outside the registry have no row there.
                let company = || known.get(row["company_id"].as_str().unwrap());
                let tickers = || company().map_or(&[][..], |company| &company.tickers[..]);
                match row["type"].as_str() {
                    Some("company") => assert_eq!(row["tickers"], json!(tickers()), "{q}"),
                    Some("ticker") => assert!(tickers().iter().any(|one| one == shown)),
                    Some("category") => assert!(categories.contains(shown), "{q}: {shown}"),
                    Some("filings") => assert!(row["filings"].as_u64() > Some(0), "{q}: {row}"),
                    _ => panic!("{q}: {row}"),
                }
            }
        }
        assert_eq!(
            get(&format!("search/suggest?q={q}")),
            get(&format!("search/suggest?q={q}&limit=10"))
        );
    }
    let refused = |target: &str| send(target).expect_error(400, "bad_request");
    assert_eq!(refused("search/suggest"), "parameter \"q\" is missing");
    for empty in ["", "%20", "%22%22", "."] {
        let message = refused(&format!("search/suggest?q={empty}"));
        assert!(message.ends_with("is not a text with at least one letter or digit"), "{message}");
    }
    for limit in ["0", "11", "x"] {
        let message = refused(&format!("search/suggest?q=petr&limit={limit}"));
        assert!(message.ends_with("is not a whole number from 1 to 10"), "{message}");
    }
    for unknown in ["offset=1", "format=csv"] {
        let message = refused(&format!("search/suggest?q=petr&{unknown}"));
        assert!(message.ends_with("is unknown; this endpoint takes q, limit"), "{message}");
    }
}

#[test]
fn smaller_plans_are_told_what_they_need() {
    let server = Server::start();
    let bronze = with(&new_key(&server.accounts(), Plan::Bronze));
    let free = with(&new_key(&server.accounts(), Plan::Free));
    let prompted = |target: &str, headers: &str, feature: &str, plan: &str| {
        let reply = server.keyless("GET", &format!("/api/v1/{target}"), headers);
        reply.expect_error(403, "plan_required");
        let prompt = reply.json();
        assert_eq!(prompt["feature"], feature, "{target}");
        assert_eq!(prompt["required_plan"], plan, "{target}");
        assert_eq!(prompt["upgrade_url"], "/pricing", "{target}");
    };
    for headers in ["", &*free] {
        prompted("search/suggest?q=petr", headers, "companies", "bronze");
        // The plan is looked at before the parameters.
        prompted("search/suggest?q=", headers, "companies", "bronze");
        prompted("filings/categories", headers, "filings", "gold");
    }
    prompted("filings/categories", &bronze, "filings", "gold");
    prompted("filings?company=PETR4", &bronze, "filings", "gold");
    let found = server.keyless("GET", "/api/v1/search/suggest?q=petr", &bronze);
    assert_eq!((found.status, found.header("x-plan")), (200, Some("bronze")));
}

#[test]
fn new_answers_have_tags_and_heads() {
    let targets = [
        "filings/categories",
        "filings/categories?limit=5",
        "filings/categories?format=csv",
        "search/suggest?q=petr",
        "search/suggest?q=petr&limit=3",
        "filings?company=PETR4&type=AGO",
        "filings?company=PETR4&category=assembleia",
        "filings/search?q=petrobras&order=relevance",
        "filings/search?q=petrobras&order=newest",
    ];
    let server = Server::shared();
    let mut tags = BTreeSet::new();
    for target in targets {
        let path = format!("/api/v1/{target}");
        let whole = server.get(&path);
        assert_eq!(whole.status, 200, "{target}: {}", whole.text());
        let head = server.request("HEAD", &path, "");
        assert_eq!((head.status, head.body.len()), (200, 0), "{target}");
        for name in ["etag", "content-type", "content-length", "link", "cache-control", "vary"] {
            assert_eq!(head.header(name), whole.header(name), "{target}: {name}");
        }
        assert_eq!(whole.header("link").is_some(), !target.contains("suggest"), "{target}");
        let tag = whole.header("etag").unwrap();
        for method in ["GET", "HEAD"] {
            let again = server.request(method, &path, &format!("If-None-Match: {tag}\r\n"));
            assert_eq!((again.status, again.body.len()), (304, 0), "{target}");
            assert_eq!(again.header("etag"), Some(tag), "{target}");
        }
        assert!(tags.insert(tag.to_owned()), "{target} has the tag of another answer");
    }
}

#[test]
fn a_near_search_says_which_words_it_dropped_and_corrected() {
    let of = |path: &str| {
        let meta = &get(path)["meta"];
        (meta["dropped"].clone(), meta["corrected"].clone())
    };
    let petrobras = json!([{ "from": "petobras", "to": "petrobras" }]);
    for (path, dropped, corrected) in [
        ("filings/search?q=petobras+fato+relevante", Value::Null, petrobras.clone()),
        ("filings/search?q=petrobras+zzzz+fato", json!(["zzzz"]), Value::Null),
        ("companies/search?q=petobras", Value::Null, petrobras.clone()),
        ("companies/search?q=vale+zzzzqq", json!(["zzzzqq"]), Value::Null),
        (
            "companies/search?q=magasine+luisa",
            Value::Null,
            json!([{ "from": "magasine luisa", "to": "MAGAZINE LUIZA SA" }]),
        ),
        ("search?q=petobras", Value::Null, petrobras),
        ("companies/search?q=petrobras", Value::Null, Value::Null),
    ] {
        assert_eq!(of(path), (dropped, corrected), "{path}");
    }
}
