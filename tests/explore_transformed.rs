//! Transformed histories on pages: of one series, of several beside each other, and on the home page.
use fincore::{Key, Plan};

use crate::harness::{Reply, Server, new_key, with};

fn page(target: &str) -> Reply {
    let reply = Server::shared().request("GET", target, "Accept: text/html\r\n");
    assert_eq!(reply.header("content-type"), Some("text/html; charset=utf-8"), "{target}");
    reply
}

fn shown(target: &str) -> String {
    let reply = page(target);
    assert_eq!(reply.status, 200, "{target}: {}", reply.text());
    reply.text().to_owned()
}

fn with_key(server: &Server, target: &str, key: &Key) -> Reply {
    server.keyless("GET", target, &format!("Accept: text/html\r\n{}", with(key)))
}

/// The days of the table of figures.
fn days(page: &str) -> Vec<&str> {
    let table = page.split("<tbody>").nth(1).unwrap_or_default().split("</tbody>").next().unwrap();
    table.split("datetime=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect()
}

/// The command that asks the API for what a page shows, as a path.
fn asked(page: &str) -> String {
    let line = page.split("<code id=\"curl\">").nth(1).unwrap().split("</code>").next().unwrap();
    let path = line.split("/api/v1/").nth(1).unwrap().trim_end_matches(['\'', '"']);
    format!("/api/v1/{}", path.replace("&amp;", "&"))
}

#[test]
fn several_series_have_one_chart_a_legend_and_a_table_that_the_api_answers_too() {
    let target = "/market/compare?series=ipca,igp-m&units=accumulated_12m&from=2015-01&lang=en";
    let page = shown(target);
    assert_eq!(page.matches("<figure class=\"chart").count(), 1);
    for (place, name) in [(0, "IPCA"), (1, "IGP-M")] {
        assert!(page.contains(&format!("class=\"line series-{place}\"")), "{name} has no line");
        assert!(page.split("class=\"legend\"").nth(1).unwrap().contains(name), "{name}");
    }
    assert!(page.contains("Dec 2024: ipca 4.8313; igp-m 6.5362"), "values by keyboard");
    assert!(page.contains("percent in 12 months"));
    let answer = Server::shared().get(&asked(&page)).json();
    let rows: Vec<&str> = answer["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["date"].as_str().unwrap())
        .collect();
    assert_eq!(days(&page), rows);
    for file in ["/market/download/compare?ids=ipca,igp-m", "format=csv"] {
        assert!(page.contains(file), "{file}");
    }
    let file = page.split("href=\"/market/download/compare").nth(2).unwrap();
    let file = file.split('"').next().unwrap().replace("&amp;", "&");
    let csv = Server::shared().get(&format!("/market/download/compare{file}"));
    assert!(csv.text().starts_with("date,ipca,igp-m\r\n"), "{}", csv.text());
    let portuguese = shown(&target.replace("lang=en", "lang=pt"));
    assert!(portuguese.contains("ipca 4,8313; igp-m 6,5362"));
    assert!(portuguese.contains("acumulado em 12 meses"));
}

#[test]
fn units_that_differ_have_axes_of_their_own_and_an_index_has_one() {
    let apart = shown("/market/compare?series=ipca,usd-sell&from=2024-01&lang=en");
    assert_eq!(apart.matches("<figure class=\"chart").count(), 2);
    assert!(apart.contains("units=index"), "the page suggests an index");
    let index = shown(
        "/market/compare?series=ipca,usd-sell&frequency=month&units=index&from=2024-01&lang=en",
    );
    assert_eq!(index.matches("<figure class=\"chart").count(), 1);
    // Both begin with 100 on the same day.
    assert!(index.contains("Jan 2024: ipca 100.0000; usd-sell 100.0000"));
    assert!(asked(&index).contains("base=2024-01-01"), "{}", asked(&index));
    assert_eq!(Server::shared().get(&asked(&index)).status, 200);
}

#[test]
fn a_comparison_that_cannot_be_made_is_told_in_the_language_of_the_page() {
    for (query, english, portuguese) in [
        ("series=ipca,433", "are the same series", "são a mesma série"),
        ("series=1,2,3,4,5,6,7,8,9,10,11", "at most 10 series", "no máximo 10 séries"),
        ("series=ipca,selic&units=accumulated_12m", "nothing accumulates", "nada se acumula"),
        ("series=ipca&frequency=day", "is not a frequency", "não é uma frequência"),
        ("series=ipca&from=soon", "is not a date", "não é uma data"),
    ] {
        for (language, said) in [("en", english), ("pt", portuguese)] {
            let reply = page(&format!("/market/compare?{query}&lang={language}"));
            assert_eq!(reply.status, 400, "{query}");
            assert!(reply.text().contains(said), "{query}: {}", reply.text());
            assert!(reply.text().contains("name=\"series\""), "the form stays");
        }
    }
    assert_eq!(page("/market/compare?series=ipca,nope").status, 404);
    assert!(shown("/market/compare").contains("name=\"series\""));
}

#[test]
fn a_small_plan_sees_a_year_and_where_to_get_more() {
    let server = Server::start();
    let key = new_key(&server.accounts(), Plan::Free);
    let reply = with_key(&server, "/market/compare?series=ipca,igp-m&from=2015-01&lang=en", &key);
    assert_eq!(reply.status, 200);
    assert!(reply.text().contains("/pricing"), "no prompt");
    let days = days(reply.text());
    assert!(days.iter().all(|day| *day >= "2025-05-01"), "{days:?}");
    assert!(days.len() > 12, "{days:?}");
}

#[test]
fn a_series_is_transformed_on_its_own_page_and_leads_to_others() {
    let page = shown("/market/ipca?units=accumulated_12m&from=2024-01&to=2024-12&lang=en");
    assert!(page.contains("4.8313") && page.contains("accumulated in 12 months"));
    let answer = Server::shared().get(&asked(&page)).json();
    assert_eq!(answer["meta"]["transformation"]["units"], "accumulated_12m");
    assert_eq!(days(&page).len(), answer["data"].as_array().unwrap().len());
    assert!(page.contains("/market/compare?series=ipca,igp-m&amp;units=accumulated_12m"));
    let years = shown("/market/fx/usd-brl?frequency=year&range=all&lang=pt");
    assert!(years.contains("<th class=\"count\" scope=\"col\">Valor</th>"));
    assert!(days(&years).contains(&"2024-01-01"));
    // The form offers only what has a meaning.
    let choices = |path: &str| shown(path).split("name=\"units\"").nth(1).unwrap().to_owned();
    assert!(choices("/market/ipca").split("</select>").next().unwrap().contains("accumulated_12m"));
    assert!(
        !choices("/market/selic").split("</select>").next().unwrap().contains("accumulated_12m")
    );
    let wrong = self::page("/market/selic?units=accumulated_12m&lang=pt");
    assert_eq!(wrong.status, 400);
    assert!(wrong.text().contains("nada se acumula em 12 meses"), "{}", wrong.text());
}

#[test]
fn home_has_the_inflation_of_twelve_months() {
    let page = shown("/?lang=en");
    let newest = Server::shared().get("/api/v1/market/ipca?units=accumulated_12m&limit=1").json();
    let value = newest["data"][0]["value"].as_f64().unwrap();
    assert!(page.contains(&format!(">{value:.2}</data>% in 12 months")), "{value}");
    assert!(page.contains("/market/ipca?units=accumulated_12m&amp;lang=en"));
}
