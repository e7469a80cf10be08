//! The pages of the market and the calculators: what they show to whom, and that they say what the API says.
use chrono::NaiveDate;
use fincore::{Key, Plan};
use serde_json::Value;

use crate::harness::{Reply, Server, new_key, with};

/// The text after each `start` and before the next `end`.
fn all<'t>(text: &'t str, start: &str, end: &str) -> Vec<&'t str> {
    text.split(start).skip(1).map(|rest| rest.split(end).next().unwrap()).collect()
}

fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    let found = all(text, start, end);
    found.first().copied().unwrap_or_else(|| panic!("no {start} in {text}"))
}

fn page(server: &Server, target: &str, key: &Key) -> Reply {
    server.keyless("GET", target, &format!("Accept: text/html\r\n{}", with(key)))
}

/// A form, sent as browsers do.
fn post(server: &Server, target: &str, form: &str) -> Reply {
    let request = format!(
        "POST {target} HTTP/1.1\r\nHost: test\r\nConnection: close\r\nContent-Length: {}\r\n\
         Content-Type: application/x-www-form-urlencoded\r\n\r\n{form}",
        form.len()
    );
    server.send(request.as_bytes())
}

/// The days of the table and of the chart's points, as in the API.
fn days(page: &str) -> Vec<String> {
    let table = page.split("<table class=\"history\">").nth(1).unwrap_or_default();
    let rows = all(table.split("</table>").next().unwrap(), "<time datetime=\"", "\"");
    let points = all(page, "role=\"img\" aria-label=\"", ": ");
    let points = points.into_iter().map(|label| {
        let day = NaiveDate::parse_from_str(label, "%d %b %Y");
        day.or_else(|_| NaiveDate::parse_from_str(&format!("1 {label}"), "%d %b %Y")).unwrap()
    });
    rows.into_iter().map(ToOwned::to_owned).chain(points.map(|day| day.to_string())).collect()
}

#[test]
#[ignore = "long"]
fn no_page_shows_a_day_that_the_api_refuses_the_same_caller() {
    let server = Server::start();
    for plan in Plan::ALL {
        let key = new_key(&server.accounts(), plan);
        for (path, endpoint) in [
            ("/market/ipca", "/api/v1/market/series/ipca?"),
            ("/market/432", "/api/v1/market/series/selic?"),
            ("/market/fx/usd-brl", "/api/v1/market/fx?pair=USD-BRL&"),
        ] {
            let api =
                |query: &str| server.keyless("GET", &format!("{endpoint}{query}"), &with(&key));
            let whole = api("limit=10000").json();
            let (total, first) = (whole["total"].as_u64().unwrap(), &whole["data"]);
            let skipped = format!("limit=1&offset={}", total - 1);
            let oldest = api(&skipped).json()["data"][0]["date"].as_str().unwrap().to_owned();
            let newest = first[0]["date"].as_str().unwrap();
            for query in [
                "",
                "?range=all",
                "?range=5y",
                "?from=1999-04-01",
                "?from=1999-04-01&to=2001-01-01",
                "?range=all&page=2",
            ] {
                // Limits are of a minute; a new key has one of its own.
                let key = new_key(&server.accounts(), plan);
                let shown = page(&server, &format!("{path}{query}"), &key);
                assert_eq!(
                    (shown.status, shown.header("x-plan")),
                    (200, Some(plan.id())),
                    "{path}{query}"
                );
                let days = days(shown.text());
                for day in &days {
                    assert!(
                        (&*oldest..=newest).contains(&day.as_str()),
                        "{plan}: {path}{query} shows {day}"
                    );
                }
                let asked = format!("{}&limit=1", query.trim_start_matches('?'));
                let is_cut = plan < Plan::Gold && !query.is_empty();
                assert_eq!(
                    shown.text().contains("class=\"upgrade\""),
                    is_cut,
                    "{plan}: {path}{query}"
                );
                if query.contains("from") {
                    let status = if plan < Plan::Gold { 403 } else { 200 };
                    assert_eq!(api(&asked).status, status, "{plan}: {asked}");
                }
                // What cannot be reached at all is not shown; the rest is.
                let is_beyond = query.contains("to=") && plan < Plan::Gold;
                let is_empty = is_beyond || query.contains("page=2") && total <= 100;
                let has_rows = shown.text().contains("<table class=\"history\">");
                assert_eq!(has_rows, !is_empty, "{plan}: {path}{query}");
            }
        }
    }
}

#[test]
fn a_visitor_who_is_signed_in_sees_what_the_plan_reaches() {
    let server = Server::start();
    for (plan, reaches) in [(Plan::Bronze, false), (Plan::Gold, true)] {
        let key = new_key(&server.accounts(), plan);
        let signed = post(&server, "/sign-in", &format!("key={}", key.reveal()));
        let cookie = signed.header("set-cookie").unwrap().split(';').next().unwrap();
        let shown =
            server.keyless("GET", "/market/selic?range=all", &format!("Cookie: {cookie}\r\n"));
        assert_eq!(shown.header("x-plan"), Some(plan.id()));
        assert_eq!(shown.header("cache-control"), Some("private, no-cache"));
        let left = (plan.limit() - 1).to_string();
        assert_eq!(shown.header("x-ratelimit-remaining"), Some(&*left), "counted for the key");
        let oldest = days(shown.text()).into_iter().min().unwrap();
        assert_eq!(oldest.as_str() < "2000-01-01", reaches, "{plan}: {oldest}");
        assert_eq!(shown.text().contains("class=\"upgrade\""), !reaches, "{plan}");
        let line = between(shown.text(), "<code id=\"curl\">", "</code>");
        assert!(line.contains("-H &quot;X-API-Key: $FINSERVE_KEY&quot;"), "{line}");
    }
}

#[test]
fn downloads_of_a_visitor_are_what_the_api_answers_the_key() {
    let server = Server::start();
    for plan in Plan::ALL {
        let key = new_key(&server.accounts(), plan);
        let signed = post(&server, "/sign-in", &format!("key={}", key.reveal()));
        let cookie = signed.header("set-cookie").unwrap().split(';').next().unwrap();
        let visitor = format!("Cookie: {cookie}\r\nAccept: text/html, */*;q=0.8\r\n");
        for (download, api) in [
            ("/market/download/ipca?limit=10000", "/api/v1/market/series/ipca?limit=10000"),
            (
                "/market/download/selic?from=2020-01-01&to=2020-02-29",
                "/api/v1/market/series/selic?from=2020-01-01&to=2020-02-29",
            ),
            ("/market/download/fx/usd-brl?limit=3", "/api/v1/market/fx?pair=usd-brl&limit=3"),
        ] {
            for format in ["", "&format=csv"] {
                let (download, api) = (format!("{download}{format}"), format!("{api}{format}"));
                let file = server.keyless("GET", &download, &visitor);
                let answer = server.keyless("GET", &api, &with(&key));
                assert_eq!(file.status, answer.status, "{plan} {download}");
                assert_eq!(file.header("x-plan"), Some(plan.id()), "{download}");
                let left =
                    |reply: &Reply| reply.header("x-ratelimit-remaining").unwrap().parse::<u32>();
                assert_eq!(left(&file).unwrap(), left(&answer).unwrap() + 1, "{plan} {download}");
                if file.status == 200 {
                    // Each leads to its own next page.
                    let own = |reply: &Reply| {
                        let text = reply.text();
                        text.split(",\"next\":").next().unwrap().to_owned()
                    };
                    assert_eq!(own(&file), own(&answer), "{plan} {download}");
                    assert_eq!(file.header("cache-control"), Some("private, no-cache"));
                } else {
                    assert_eq!(file.header("content-type"), Some("text/html; charset=utf-8"));
                }
            }
        }
        let shown = server.keyless("GET", "/market/selic?range=12m", &visitor);
        let csv = all(shown.text(), "<a class=\"button\" href=\"", "\"")[1].replace("&amp;", "&");
        let file = server.keyless("GET", &csv, &visitor);
        let name = file.header("content-disposition").map(|value| value.contains("selic.csv"));
        let wanted = (plan == Plan::Platinum).then_some(true);
        assert_eq!((file.status == 200, name), (wanted.is_some(), wanted), "{plan} {csv}");
    }
}

#[test]
fn the_command_line_and_the_downloads_are_of_exactly_this_view() {
    let server = Server::shared();
    for target in [
        "/market/ipca",
        "/market/ipca?range=all&page=3",
        "/market/fx/usd-brl?from=2020-01-01&to=2020-02-29",
        "/market/selic?range=5y&page=2",
    ] {
        let shown = server.get(target);
        let line = between(shown.text(), "<code id=\"curl\">", "</code>").replace("&amp;", "&");
        let asked = line.strip_prefix("curl 'http://test").unwrap().strip_suffix('\'').unwrap();
        let rows = server.get(asked).json()["data"].as_array().unwrap().clone();
        let wanted: Vec<&str> = rows.iter().map(|row| row["date"].as_str().unwrap()).collect();
        let table = between(shown.text(), "<table class=\"history\">", "</table>");
        assert_eq!(all(table, "<time datetime=\"", "\""), wanted, "{target}");
        for link in all(shown.text(), "<a class=\"button\" href=\"", "\"") {
            assert_eq!(server.get(&link.replace("&amp;", "&")).status, 200, "{link}");
        }
    }
}

#[test]
fn the_market_shows_every_series_with_its_newest_figure() {
    let server = Server::shared();
    for (language, ours) in [
        ("en", "Consumer price index IPCA"),
        ("pt", "Índice nacional de preços ao consumidor amplo (IPCA)"),
    ] {
        let shown = server.get(&format!("/market?lang={language}"));
        assert!(shown.text().contains(ours), "{language}");
        let series = server.get("/api/v1/market/series").json();
        let series = series["data"].as_array().unwrap();
        assert!(series.len() > 20);
        for listed in series {
            let name = listed["name"].as_str().unwrap();
            let heading = format!("<th scope=\"row\"><a href=\"/market/{name}?lang={language}\"");
            let row = between(shown.text(), &heading, "</tr>");
            let current = server.get(&format!("/api/v1/market/series/{name}/current")).json();
            assert!(row.contains(&format!("<time datetime={}>", current["date"])), "{name}: {row}");
            let value: f64 = between(row, "<data value=\"", "\"").parse().unwrap();
            assert_eq!(Some(value), current["value"].as_f64(), "{name}");
            let stale = current["meta"]["stale"] == true;
            assert_eq!(row.contains("class=\"age\""), stale, "{name}");
        }
        assert!(shown.text().matches("class=\"spark\"").count() > 20);
        assert!(shown.text().contains(&format!("href=\"/market/fx/usd-brl?lang={language}\"")));
    }
}

#[test]
fn charts_show_no_day_that_is_not_held() {
    let server = Server::shared();
    let page = |target: &str| server.get(target).text().to_owned();
    // Twenty-five days: two of 2013, some of February and March 2026, one of July.
    let yen = page("/market/fx/jpy-brl?range=all&lang=en");
    let chart = between(&yen, "<figure", "</figure>");
    assert_eq!(chart.matches("<polyline").count(), 1, "{chart}");
    assert_eq!(chart.matches("class=\"lone\"").count(), 3, "{chart}");
    assert!(yen.contains("25 days held, in 2013 and 2026."));
    assert!(yen.contains("The line is broken where more than five business days"));
    // Three days make a table, and no chart.
    let peso = page("/market/fx/clp-brl?range=all&lang=pt");
    assert!(!peso.contains("<figure"), "{peso}");
    assert!(peso.contains("3 dias disponíveis, em 2013 e 2026."));
    assert!(peso.contains("<table class=\"history\">"));
    // The Selic holds until it is changed: its line is level or upright.
    let selic = page("/market/selic?range=12m&lang=en");
    let line = between(&selic, "<polyline class=\"line\" points=\"", "\"");
    let places: Vec<(&str, &str)> =
        line.split(' ').map(|place| place.split_once(',').unwrap()).collect();
    assert!(places.len() > 5, "{line}");
    assert!(places.windows(2).all(|pair| pair[0].0 == pair[1].0 || pair[0].1 == pair[1].1));
    // Hyperinflation has a chart of its own, and every point drawn tells its value.
    let ipca = page("/market/ipca?range=all&lang=en");
    assert_eq!(ipca.matches("<figure").count(), 2);
    assert!(ipca.contains("IPCA, Jul 1994 to Aug 2026</figcaption>"));
    assert!(ipca.contains("IPCA, Jan 1980 to Jun 1994</figcaption>"));
    assert_eq!(ipca.matches("<g class=\"point\"").count(), 560);
}

#[test]
fn a_currency_is_shown_by_its_newest_day_with_both_sides_wherever_it_is() {
    let server = Server::shared();
    let newer = "Newer, sell side only: <a href=\"/market/usd-sell?lang=en\">4.9859</a>";
    for target in ["/", "/market", "/market/fx/usd-brl", "/calc/convert?amount=1&from=USD&to=BRL"] {
        let mark = if target.contains('?') { '&' } else { '?' };
        let page = server.get(&format!("{target}{mark}lang=en"));
        assert!(page.text().contains("5.1253"), "{target}");
        assert!(page.text().contains(newer), "{target}");
        assert!(page.text().contains("<time datetime=\"2026-10-05\">5 Oct 2026"), "{target}");
    }
    let dated = server.get("/calc/convert?amount=1&from=USD&to=BRL&date=2026-02-10&lang=en");
    assert!(!dated.text().contains("sell side only"), "a day was named");
}

#[test]
fn the_newest_figure_says_what_changed_and_when_the_next_one_is_due() {
    let server = Server::shared();
    let heading = |target: &str| {
        let page = server.get(target);
        between(page.text(), "<h1>", "<nav class=\"ranges\"").to_owned()
    };
    let ipca = heading("/market/ipca?lang=en");
    for said in [
        "−0.39 percentage points since Jul 2026",
        "4.22% in 12 months, compounded from the published months Sep 2025 to Aug 2026.",
        "The figure of Sep 2026 was due by 15 Oct 2026; our copy does not have it.",
    ] {
        assert!(ipca.contains(said), "no {said}: {ipca}");
    }
    let selic = heading("/market/selic?lang=pt");
    assert!(selic.contains("−0,25 p.p. desde 16/09/2026"), "{selic}");
    let dollar = heading("/market/fx/usd-brl?lang=en");
    assert!(dollar.contains("sell: +0.0291 (+0.57%) since 3 Sep 2026"), "{dollar}");
    let cdi = heading("/market/cdi?lang=en");
    assert!(cdi.contains(" · computed · "), "{cdi}");
    let gold = heading("/market/fx/xau-brl?lang=en");
    assert!(gold.contains("BRL per gram"), "{gold}");
    // Carried days are marked one by one.
    let carried = server.get("/market/selic?from=2026-08-26&to=2026-09-02&lang=en");
    let table = between(carried.text(), "<table class=\"history\">", "</table>");
    assert_eq!(table.matches("carried from the day before").count(), 4, "{table}");
    assert_eq!(table.matches(">published<").count(), 4, "{table}");
}

#[test]
fn a_page_is_counted_once_and_under_its_own_route() {
    let server = Server::start();
    let key = new_key(&server.accounts(), Plan::Free);
    let pages = [
        ("/market", "/market"),
        ("/market/ipca?range=all", "/market/{series}"),
        ("/market/fx/usd-brl", "/market/fx/{pair}"),
        ("/calc/correction?amount=1&index=ipca&from=2020-01", "/calc/correction"),
        ("/calc/accumulated?series=cdi&from=2024-01-01", "/calc/accumulated"),
        ("/calc/convert?amount=1&from=USD&to=BRL", "/calc/convert"),
        ("/calc/real-rate?from=2025-01", "/calc/real-rate"),
        ("/calc/rate?value=1&from=month&to=year252", "/calc/rate"),
    ];
    for (nth, (target, _)) in pages.iter().enumerate() {
        let left = (29 - nth).to_string();
        let shown = page(&server, target, &key);
        assert_eq!(
            (shown.status, shown.header("x-ratelimit-remaining")),
            (200, Some(&*left)),
            "{target}"
        );
        let varies = shown.header("vary").unwrap();
        assert!(varies.contains("X-API-Key") && varies.contains("Cookie"), "{varies}");
    }
    assert_eq!(page(&server, "/calc", &key).header("x-ratelimit-remaining"), Some("22"));
    let usage = post(&server, "/usage", &format!("key={}", key.reveal()));
    for (_, route) in pages {
        let row = format!("<code>{route}</code></th><td class=\"count\">1</td>");
        assert!(usage.text().contains(&row), "{route}");
    }
    // Used up, the pages say so in their own look.
    for _ in 0..22 {
        page(&server, "/market/ipca", &key);
    }
    let refused = page(&server, "/market/ipca", &key);
    assert_eq!(
        (refused.status, refused.header("content-type")),
        (429, Some("text/html; charset=utf-8"))
    );
}

#[test]
fn calculators_give_the_results_of_the_api() {
    let server = Server::shared();
    let number = |value: &Value| value.as_f64().unwrap();
    let cases = [
        ("correction?amount=1000&index=ipca&from=2020-01-01", "1.434,75</data>", "/result"),
        (
            "correction?amount=1000.50&index=cdi&from=2024-01-02&percent=110&spread=1.5",
            "R$ ",
            "/result",
        ),
        (
            "correction?amount=118706.46&index=selic&from=2016-09-30&to=2022-12-02",
            "181.400,64</data>",
            "/result",
        ),
        (
            "correction?amount=1000000&index=ipca&from=1990-01-01&to=2026-08-01",
            "NCz$",
            "/reais/result",
        ),
        ("accumulated?series=ipca&from=2025-01-01&to=2025-12-31", "12 (meses)", "/accumulated"),
        ("accumulated?series=12&from=2000-01-01", "Mais passos em JSON", "/accumulated"),
        ("convert?amount=100&from=EUR&to=USD", "Boletim de", "/result"),
        (
            "convert?amount=1&from=USD&to=BRL&date=2026-02-01&side=buy",
            "01/02/2026 não tem boletim; vale o anterior, de 30/01/2026",
            "/result",
        ),
        ("real-rate?from=2025-01-01&interest=cdi&inflation=igp-m&percent=90", "ao ano", "/real"),
        ("rate?value=13.75&from=year252&to=day", "0,05113723</data>", "/result"),
        ("rate?value=-1.5&from=month&to=year365", "ao ano, base 365 dias", "/result"),
    ];
    for (query, said, of) in cases {
        let answer = server.get(&format!("/api/v1/calc/{query}")).json();
        let english = server.get(&format!("/calc/{query}&lang=en"));
        let portuguese = server.get(&format!("/calc/{query}&lang=pt"));
        for shown in [&english, &portuguese] {
            assert_eq!(shown.status, 200, "{query}");
            let result = between(shown.text(), "<section class=\"result\"", "</section>");
            let value: f64 = between(result, "<data value=\"", "\"").parse().unwrap();
            assert_eq!(value, number(answer.pointer(of).unwrap()), "{query}");
            assert!(result.matches("<tr>").count() <= 2 * 401, "{query}");
            let line = between(shown.text(), "<code id=\"curl\">", "</code>").replace("&amp;", "&");
            let asked = line.strip_prefix("curl 'http://test").unwrap().strip_suffix('\'').unwrap();
            assert_eq!(server.get(asked).json(), answer, "{asked}");
        }
        assert!(portuguese.text().contains(said), "{query}: no {said}");
        let rule = between(english.text(), "<p class=\"rule\">", "</p>");
        assert!(rule.len() > 30, "{rule}");
        // The address of the result leads to it.
        let address =
            between(portuguese.text(), "id=\"address\" href=\"", "\"").replace("&amp;", "&");
        assert_eq!(server.get(&address).text(), portuguese.text(), "{address}");
    }
}

#[test]
fn fields_are_read_as_people_write_them_and_errors_stand_beside_them() {
    let server = Server::shared();
    let result = |target: &str| {
        let shown = server.get(target);
        assert_eq!(shown.status, 200, "{target}");
        between(between(shown.text(), "<p class=\"figure\">", "</p>"), "value=\"", "\"").to_owned()
    };
    for target in [
        "/calc/correction?amount=1.000,00&index=ipca&from=01%2F2020&lang=pt",
        "/calc/correction?amount=R%24+1.000,00&index=IPCA&from=01%2F01%2F2020&to=&percent=&spread=&lang=pt",
        "/calc/correction?amount=1,000.00&index=433&from=2020-01&lang=en",
    ] {
        assert_eq!(result(target), "1434.75", "{target}");
    }
    // What another language would read differently gets an address that none does.
    for amount in ["1.000", "R$1.000", "R$%201.000", "R$%C2%A01.000", "1%20.000"] {
        let typed = format!("/calc/correction?amount={amount}&index=ipca&from=2020-01&lang=pt");
        let moved = server.get(&typed);
        assert_eq!(moved.status, 303, "{typed}");
        let address = moved.header("location").unwrap();
        assert_eq!(address, "/calc/correction?amount=1000&index=ipca&from=2020-01-01&lang=pt");
        assert_eq!(result(address), "1434.75");
    }

    for (query, field, kept) in [
        ("correction?amount=abc&index=ipca&from=2020-01", "amount", "value=\"abc\""),
        ("correction?index=ipca&from=2020-01", "amount", "value=\"2020-01-01\""),
        ("correction?amount=1&index=ipca&from=soon", "from", "value=\"soon\""),
        ("correction?amount=1&index=nope&from=2020-01", "index", "value=\"nope\" selected"),
        ("correction?amount=1&index=usd-sell&from=2020-01&percent=110", "percent", "value=\"110\""),
        ("convert?amount=1&from=USD&to=BRL&date=2999-01-01", "date", "value=\"2999-01-01\""),
        ("convert?amount=1&from=US&to=BRL", "from", "value=\"US\""),
        ("real-rate?from=2025-01&inflation=selic", "inflation", "value=\"selic\" selected"),
        ("rate?value=-100&from=month&to=day", "value", "value=\"-100\""),
        ("rate?value=1&from=week&to=day", "from", "value=\"week\" selected"),
    ] {
        for language in ["en", "pt"] {
            let shown = server.get(&format!("/calc/{query}&lang={language}"));
            assert_eq!(shown.status, 400, "{query}");
            let wrong = format!("id=\"wrong-{field}\"");
            assert!(shown.text().contains(&wrong), "{query}: {}", shown.text());
            assert!(
                shown.text().contains(&format!("wrong-{field}\" aria-invalid=\"true\"")),
                "{query}"
            );
            assert!(shown.text().contains(kept), "{query}: no {kept}");
            assert!(!shown.text().contains("class=\"result\""), "{query}");
        }
    }
}
