//! Search as people and attackers use it, and lists while an import is written.
use std::{
    fmt::Write,
    fs,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use serde_json::{Value, json};

use crate::harness::{Server, import};

const ENDPOINTS: [&str; 3] = ["companies/search", "filings/search", "search"];

/// Ordinary and hostile texts, and whether they hold a word at all.
const QUERIES: [(&str, u16); 56] = [
    ("petrobras", 200),
    ("PETRÓLEO BRASILEIRO", 200),
    ("petro\u{301}leo", 200), // the accent apart from its letter
    ("PETR4", 200),
    ("33.000.167/0001-01", 200),
    ("9512", 200),
    ("banco do brasil s.a.", 200),
    ("S.A.", 200),
    ("S/A", 200),
    ("100%", 200),
    ("fato relevante 2024", 200),
    ("nº 358", 200),
    ("a", 200),
    ("a b c d e f g h i j k l m n o p", 200),
    ("são paulo  \t linhas", 200),
    ("x'; DROP TABLE company; --", 200),
    ("' OR 1=1", 200),
    ("' OR '1'='1' --", 200),
    ("\" OR \"\"=\"", 200),
    ("NEAR(", 200),
    ("NEAR(a b, 5)", 200),
    ("a AND", 200),
    ("AND OR NOT", 200),
    ("NOT petrobras", 200),
    ("name:petrobras", 200),
    ("{name trade_name}: vale", 200),
    ("^petrobras", 200),
    ("petro*", 200),
    ("*petro", 200),
    ("petro* OR vale*", 200),
    ("(petrobras", 200),
    ("petrobras)", 200),
    ("\"petrobras", 200),
    ("petro + bras", 200),
    ("rowid", 200),
    ("-1", 200),
    ("0", 200),
    ("99999999999999999999999999", 200),
    ("1e308", 200),
    ("../../etc/passwd", 200),
    ("<script>alert(1)</script>", 200),
    ("${jndi:ldap://x}", 200),
    ("{{7*7}}", 200),
    ("株式会社", 200),
    ("Петробрас", 200),
    ("ﬁnanças", 200),
    ("a\u{202e}b", 200),
    ("\u{7f}x\u{1}", 200),
    ("", 400),
    (" ", 400),
    ("\"", 400),
    ("*", 400),
    ("?!.,;:-()[]{}", 400),
    ("😀", 400),
    ("\u{200b}\u{200d}", 400),
    ("\u{301}", 400),
];

fn escaped(text: &str) -> String {
    text.bytes().fold(String::new(), |mut all, byte| {
        let _ = write!(all, "%{byte:02X}");
        all
    })
}

#[track_caller]
fn check(q: &str, status: u16) {
    for endpoint in ENDPOINTS {
        let reply = Server::shared().get(&format!("/api/v1/{endpoint}?q={q}&limit=3"));
        if status == 200 {
            assert_eq!(reply.status, 200, "{endpoint} {q}: {}", reply.text());
        } else {
            let message = reply.expect_error(400, "bad_request");
            assert!(message.contains("\"q\"") || message.contains("in the address"), "{message}");
        }
    }
}

#[test]
fn any_text_is_searched_for_or_refused_in_a_sentence() {
    for (q, status) in QUERIES {
        check(&escaped(q), status);
    }
}

#[test]
fn texts_that_are_too_long_or_no_text_are_refused() {
    check(&"x".repeat(5000), 400);
    check(&"x+".repeat(1000), 400);
    check(&escaped(&"é".repeat(501)), 400);
    check(&"x".repeat(500), 200);
    check("a%00b", 400);
    check("%ff%fe", 400);
    check("%c3", 400);
    check("100%", 400);
    for endpoint in ENDPOINTS {
        let missing = Server::shared().get(&format!("/api/v1/{endpoint}"));
        assert_eq!(missing.expect_error(400, "bad_request"), "parameter \"q\" is missing");
    }
}

#[test]
fn the_company_that_people_mean_comes_first() {
    let meant = [
        ("banco do brasil", "1023"),
        ("BANCO DO BRASIL S.A.", "1023"),
        ("banco bradesco sa", "906"),
        ("petróleo bras", "9512"),
        ("petrobras", "9512"),
        ("vale sa", "4170"),
    ];
    for (q, id) in meant {
        let found =
            Server::shared().get(&format!("/api/v1/companies/search?q={}", escaped(q))).json();
        assert_eq!(found["data"][0]["id"], id, "{q}: {}", found["data"][0]);
    }
}

#[test]
fn an_unknown_alphabet_matches_nothing_and_is_no_error() {
    let reply = Server::shared().get(&format!("/api/v1/filings/search?q=vale+{}", escaped("株")));
    let found = reply.json();
    assert_eq!((&found["data"], &found["total"]), (&json!([]), &json!(0)));
}

/// The official layout of a year: as many filings as wanted, all with the same subject.
fn table(year: u16, rows: u64, subject: &str) -> String {
    let mut text = String::from(
        "CNPJ_Companhia;Nome_Companhia;Codigo_CVM;Data_Referencia;Categoria;Tipo;Especie;Assunto;Data_Entrega;Tipo_Apresentacao;Protocolo_Entrega;Versao;Link_Download\r\n",
    );
    for row in 1..=rows {
        let id = u64::from(year) * 1_000_000 + row;
        let _ = write!(
            text,
            "00.000.000/0001-91;XYZWV S.A.;1000;{year}-01-02;Assembleia;AGE;Ata;{subject};{year}-01-02;AP;;1;https://cvm/?numProtocolo={id}\r\n"
        );
    }
    text
}

/// Readers see both years or none, and list, total and search agree at any moment.
#[test]
fn an_import_into_a_running_server_is_seen_at_once_or_not_at_all() {
    const ROWS: u64 = 3_000;
    let server = Server::start();
    let (first, second) = (server.data.path().join("a.csv"), server.data.path().join("b.csv"));
    fs::write(&first, table(2010, ROWS, "subject")).unwrap();
    fs::write(&second, table(2011, ROWS, "subject")).unwrap();
    let imported = AtomicBool::new(false);
    let total = |target: &str| {
        let reply = server.get(&format!("/api/v1/{target}&limit=1"));
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.json()["total"].as_u64().unwrap()
    };
    let read = || {
        let mut seen = Vec::new();
        while !imported.load(Ordering::Acquire) {
            seen.push(total("filings/search?q=xyzwv"));
            seen.push(total("filings?from=2010-01-01&to=2011-12-31"));
            // The limit of the plan is 2,000 a minute.
            thread::sleep(Duration::from_millis(5));
        }
        seen
    };
    thread::scope(|scope| {
        let readers = [(); 2].map(|()| scope.spawn(read));
        let output = import(server.data.path(), &[&first, &second]);
        imported.store(true, Ordering::Release);
        assert!(output.status.success(), "{output:?}");
        for seen in readers.map(|reader| reader.join().unwrap()) {
            assert!(
                seen.is_sorted() && seen.iter().all(|total| [0, 2 * ROWS].contains(total)),
                "{seen:?}"
            );
        }
    });
    assert_eq!(total("filings/search?q=xyzwv"), 2 * ROWS);
    assert_eq!(total("filings?from=2010-01-01&to=2011-12-31"), 2 * ROWS);
    let newest: Value = server.get("/api/v1/filings?to=2011-12-31&limit=1").json();
    assert_eq!(newest["data"][0]["id"], format!("2011{ROWS:0>6}"));
}
