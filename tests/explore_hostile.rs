//! Visitors of the pages of data who mean harm.
use fincore::Plan;

use crate::harness::{Server, new_key};

#[test]
fn hostile_addresses_get_a_page_and_never_a_failure() {
    let server = Server::shared();
    let mark = "%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E";
    let long = "9".repeat(2000);
    let targets = [
        format!("/market/{mark}"),
        format!("/market/fx/{mark}"),
        "/market/fx/brl-usd".into(),
        "/market/999999999999".into(),
        "/market/fx".into(),
        format!("/market/ipca?from={mark}"),
        "/market/ipca?from=9999-12-31&to=0001-01-01".into(),
        "/market/ipca?from=0001-01-01&to=0001-01-02".into(),
        "/market/ipca?page=4294967295".into(),
        "/market/ipca?page=1000000&range=all".into(),
        "/market/ipca?page=-1".into(),
        "/market/ipca?range=7y".into(),
        format!("/market/ipca?frequency={mark}&units={mark}"),
        "/market/ipca?units=index&range=all".into(),
        "/market/selic?frequency=week&units=percent_year_ago&range=all".into(),
        format!("/market/compare?series={mark}&from={mark}&to={mark}&frequency={mark}&units={mark}&page={mark}"),
        format!("/market/compare?series=ipca,{long}"),
        "/market/compare?series=,".into(),
        "/market/compare?series=ipca,selic,cdi,usd-sell&units=index&from=0001-01-01&page=1000000".into(),
        "/market/compare?series=ipca,selic&from=9999-12-31&to=0001-01-01".into(),
        "/market/compare?series=ipca&to=0001-01-01&units=index".into(),
        format!("/companies/{mark}/statements"),
        format!("/companies/9512/statements?kind={mark}&period={mark}&scope={mark}&as_of={mark}&restated={mark}&page={mark}"),
        "/companies/9512/statements?page=1000000&as_of=0001-01-01&restated=true".into(),
        "/companies/9512/statements?kind=equity-changes&period=quarter".into(),
        format!("/companies/compare?ids={mark},{long}"),
        "/companies/compare?ids=,,".into(),
        "/companies/compare?ids=0,1,999999,PETR4".into(),
        format!("/companies/screen?order={mark}&period={mark}&year={mark}&sector={mark}&page={mark}"),
        "/companies/screen?period=ytd&year=9999".into(),
        format!("/companies/screen?sector={long}&page=1000000"),
        format!("/calc/correction?amount={mark}&index={mark}&from={mark}&to={mark}&percent={mark}&spread={mark}"),
        format!("/calc/correction?amount={long}&index=ipca&from=2020-01"),
        "/calc/correction?amount=-0&index=ipca&from=2020-01&spread=-99.99999999".into(),
        "/calc/correction?amount=999999999999999999&index=cdi&from=1994-07-04&percent=1000&spread=1000".into(),
        "/calc/correction?amount=%C3%A9.000&index=%C3%A9&from=%C3%A9%2F2020".into(),
        "/calc/accumulated?series=4391&from=0001-01&to=9999-12".into(),
        format!("/calc/convert?amount=1&from={mark}&to={mark}&side={mark}&date={mark}"),
        "/calc/convert?amount=0&from=BRL&to=BRL".into(),
        format!("/calc/real-rate?from={mark}&interest={mark}"),
        "/calc/real-rate?from=2999-01".into(),
        "/calc/real-rate?lang=fr&from=2020-01".into(),
        format!("/calc/rate?value={mark}&from={mark}&to={mark}"),
        format!("/calc/rate?value={long}&from=day&to=year365"),
        "/calc/rate?value=1000000&from=day&to=year365".into(),
        "/calc/rate?value=-99.9999999999999999&from=year365&to=day".into(),
    ];
    for target in targets {
        for language in ["en-US", "pt-BR"] {
            let headers = format!("Accept: text/html\r\nAccept-Language: {language}\r\n");
            let shown = server.request("GET", &target, &headers);
            assert!([200, 303, 400, 404].contains(&shown.status), "{target}: {}", shown.status);
            assert!(!shown.text().contains("<script>alert"), "{target}");
            assert_eq!(shown.header("content-type"), Some("text/html; charset=utf-8"), "{target}");
            assert!(shown.text().contains("<main"), "{target}");
        }
    }
    let key = new_key(&Server::start().accounts(), Plan::Free);
    let pasted = format!("/calc/correction?amount={}&index=ipca&from=2020-01", key.reveal());
    assert!(!server.get(&pasted).text().contains(key.reveal()), "a key is never repeated");
}

#[test]
fn hostile_visitors_get_a_page_and_nothing_of_theirs_runs() {
    let server = Server::start();
    let browser = "Accept: text/html\r\n";
    let long = format!("/filings?q={}", "a+".repeat(2000));
    let cases = [
        ("/companies?q=%22%3Cscript%3Ealert(1)%3C/script%3E", 200),
        ("/filings?q=%22%3Cscript%3E&category=%3Cb%3E&type=%27%22&company=VALE3", 200),
        ("/companies?status=%3Cimg+src=x+onerror=alert(1)%3E&sector=%00", 400),
        ("/companies?q=%21%21", 400),
        ("/companies?page=0", 400),
        ("/companies?page=-1", 400),
        ("/companies?page=1000001", 400),
        ("/companies?page=18446744073709551616", 400),
        ("/companies?page=1000000", 200),
        ("/filings?from=2024-13-01", 400),
        ("/filings?from=2024-12-31&to=2024-01-01", 400),
        ("/filings?company=%3Cscript%3E", 400),
        ("/filings?order=sideways", 400),
        ("/companies?nonsense=%3Cscript%3E", 200),
        ("/companies?q=a&q=b", 400),
        ("/companies/999999", 404),
        ("/companies/%3Cscript%3E", 404),
        ("/companies/..%2F..%2Fetc%2Fpasswd", 404),
        ("/companies/9512/nothing", 404),
        ("/filings/0", 404),
        ("/filings/%F0%9F%92%A9", 404),
        ("/filings/dfp-", 404),
        ("/filings/99999999999999999999999", 404),
        (long.as_str(), 400),
    ];
    for (target, status) in cases {
        for lang in ["en", "pt"] {
            let mark = if target.contains('?') { '&' } else { '?' };
            let page = server.request("GET", &format!("{target}{mark}lang={lang}"), browser);
            assert_eq!(page.status, status, "{target}: {}", page.text());
            assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"), "{target}");
            let text = page.text();
            for wrong in ["<script>", "<b>", "<img", "onerror=alert(1)>"] {
                assert!(!text.contains(wrong), "{target} holds {wrong}");
            }
            assert!(text.contains("class=\"brand\""), "{target} does not look like us");
        }
    }
    let too_long = format!("/filings?q={}", "a".repeat(8 * 1024));
    let page = server.request("GET", &too_long, browser);
    assert_eq!((page.status, page.header("content-type")), (414, Some("text/html; charset=utf-8")));
    // Neither does a page repeat a key that was sent to it.
    let key = new_key(&server.accounts(), Plan::Free);
    for target in ["/companies?q=", "/filings?company=", "/companies/", "/filings/"] {
        let page = server.request("GET", &format!("{target}{}", key.reveal()), browser);
        assert!(page.status < 500 && !page.text().contains(key.reveal()), "{target}");
    }
    for path in ["/companies", "/companies/4170", "/filings", "/companies/suggest?q=a"] {
        server
            .request("POST", path, "Content-Length: 0\r\n")
            .expect_error(405, "method_not_allowed");
        assert!(server.request("HEAD", path, "").body.is_empty());
    }
}
