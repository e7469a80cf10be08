//! What searches for filings make of the words of investors, journalists and lawyers.
use serde_json::{Value, json};

use crate::search_filters::{escaped, folded, get, text, walk};

/// The first filing that a search finds, and what is said about all of them.
fn first_and_meta(q: &str) -> (Value, Value) {
    let found = get(&format!("filings/search?q={}&limit=1", escaped(q)));
    (found["data"][0].clone(), found["meta"].clone())
}

#[test]
fn the_company_that_is_named_is_never_lost() {
    for (q, company) in [
        ("moodys eleva rating petrobras", "9512"),
        ("bonds no exterior jbs", "20575"),
        ("recuperação judicial light", "19879"),
        ("política de dividendos petrobras", "9512"),
        ("aviso aos acionistas jcp bradesco", "906"),
        ("xyzzyq weg recuperação judicial", "5410"),
    ] {
        for order in ["newest", "relevance"] {
            let list = format!("filings/search?q={}&limit=5&order={order}", escaped(q));
            for row in get(&list)["data"].as_array().unwrap() {
                assert_eq!(row["company_id"], company, "{q}, {order}");
            }
        }
    }
    let (_, meta) = first_and_meta("weg recuperação judicial");
    assert_eq!(
        (&meta["fuzzy"], &meta["dropped"]),
        (&json!(true), &json!(["recuperacao judicial"]))
    );
}

#[test]
fn words_of_the_market_find_what_filings_call_otherwise() {
    for (typed, wanted) in [
        ("FR vale 2024", "vale fato relevante 2024"),
        ("material fact vale 2024", "vale fato relevante 2024"),
        ("minutes agm klabin", "ata ago klabin"),
        ("6 emissao equatorial goias", "sexta emissao equatorial goias"),
    ] {
        assert_eq!(first_and_meta(typed).0["id"], first_and_meta(wanted).0["id"], "{typed}");
    }
    let (first, meta) = first_and_meta("insiders weg");
    assert!(text(&first["category"]).starts_with("Valores Mobiliários negociados"), "{meta}");
}

#[test]
fn linked_words_match_after_equal_ones_and_one_way() {
    let linked = |q: &str| first_and_meta(q).1["linked"].clone();
    let to = |q: &str| linked(q)[0]["to"].as_array().unwrap().clone();
    assert!(to("dividendos weg").contains(&json!("jcp")));
    assert!(!to("jcp weg").contains(&json!("dividendo")));
    assert_eq!(linked("fato relevante weg"), Value::Null);
    // Those with the word itself stand first.
    let rows = walk("filings/search?q=dividendos+weg");
    let has = |row: &Value| folded(&text(&row["description"])).contains("dividendo");
    let own: Vec<bool> = rows.iter().filter(|row| row["company_id"] == "5410").map(has).collect();
    assert!(own[0] && own.is_sorted_by_key(|has| !has), "{own:?}");
}

#[test]
fn words_of_the_market_are_corrected() {
    let (first, meta) = first_and_meta("debentrues energisa");
    assert_eq!(first["company_id"], "15253");
    assert_eq!(meta["corrected"], json!([{ "from": "debentrues", "to": "debentures" }]));
    assert_eq!(meta["fuzzy"], true);
}

#[test]
fn the_company_that_is_named_has_filed_what_comes_first() {
    for (q, company, words, is_fuzzy) in [
        // A namesake that is gone never filed.
        ("marisa grupamento", "22055", "", true),
        // The company that had the name, before the one that took it over.
        ("enauta resultado 1t24", "22365", "1t24", false),
        // Of two companies, first what one filed about the other.
        ("totvs linx proposta", "19992", "linx", true),
        ("brf habilitacao china", "16292", "china", true),
        // What was sold is filed as a divestment.
        ("copel venda compagas", "14311", "desinvestimento", false),
    ] {
        let page = get(&format!("filings/search?q={}&limit=1", escaped(q)));
        let first = &page["data"][0];
        assert_eq!(first["company_id"], company, "{q}: {first}");
        let subject = folded(first["subject"].as_str().unwrap_or_default());
        assert!(subject.contains(words), "{q}: {first}");
        assert_eq!(page["meta"]["fuzzy"] == true, is_fuzzy, "{q}");
    }
}

#[test]
fn a_search_for_filings_names_the_ticker_or_the_company_that_is_not_there() {
    for (q, said) in [
        ("zzzz3 fato relevante", "ZZZZ3"),
        ("petr9 dividendos", "PETR3"),
        ("99.999.999/0001-99 fato relevante", "99999999000199"),
        ("tesla dividendos", "TSLA34"),
    ] {
        let page = get(&format!("filings/search?q={}&limit=1", escaped(q)));
        let hints = text(&page["meta"]["hints"][0]);
        assert!(hints.contains(said), "{q}: {hints}");
    }
    for q in ["petrobras fato relevante", "petrobras ifrs16", "weg xyzzyq"] {
        let page = get(&format!("filings/search?q={}&limit=1", escaped(q)));
        assert_eq!(page["meta"]["hints"], serde_json::Value::Null, "{q}");
    }
}
