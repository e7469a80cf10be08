//! Lists as CSV: the same rows as in JSON, in both dialects, with headers that say what they are.
use std::io::Read;

use fincore::Plan;
use serde_json::{Value, json};

use crate::{
    answers::LISTS,
    harness::{Reply, Server, import, new_key, with},
};

/// The lines of a table, by RFC 4180: cells in quotes may hold anything.
pub(crate) fn table(text: &str, delimiter: char) -> Vec<Vec<String>> {
    let (mut lines, mut line, mut cell) = (Vec::new(), Vec::new(), String::new());
    let (mut quoted, mut rest) = (false, text.chars().peekable());
    while let Some(c) = rest.next() {
        match c {
            '"' if quoted && rest.peek() == Some(&'"') => cell.push(rest.next().unwrap()),
            '"' => quoted = !quoted,
            c if c == delimiter && !quoted => line.push(std::mem::take(&mut cell)),
            '\r' if !quoted => {
                assert_eq!(rest.next(), Some('\n'), "lines end with CRLF");
                line.push(std::mem::take(&mut cell));
                lines.push(std::mem::take(&mut line));
            }
            c => cell.push(c),
        }
    }
    assert!(cell.is_empty() && line.is_empty(), "the last line ends, too");
    lines
}

/// The dialects: their parameter, and what separates cells.
const DIALECTS: [(&str, char); 2] = [("standard", ','), ("br", ';')];

/// How a value of JSON is written in a cell.
fn cell(value: &Value, dialect: &str) -> String {
    let brazilian = dialect == "br";
    match value {
        Value::Null => String::new(),
        Value::Number(number) if brazilian => number.to_string().replace('.', ","),
        Value::Number(number) => number.to_string(),
        Value::String(text) if brazilian && is_day(text) => {
            format!("{}/{}/{}", &text[8..10], &text[5..7], &text[..4])
        }
        Value::String(text) => text.clone(),
        Value::Array(texts) => {
            texts.iter().map(|text| text.as_str().unwrap()).collect::<Vec<_>>().join(" ")
        }
        other => panic!("{other} in a row"),
    }
}

fn is_day(text: &str) -> bool {
    let pattern = |(at, byte): (usize, u8)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    let day = text.strip_suffix("T00:00:00-03:00").unwrap_or(text);
    day.len() == 10 && day.bytes().enumerate().all(pattern)
}

/// The same figure, with or without the zeros that the source published.
fn same(given: &str, wanted: &str, value: &Value) -> bool {
    let number = |text: &str| text.replace(',', ".").parse::<f64>().ok();
    given == wanted || (value.is_number() && number(given) == number(wanted))
}

fn and(target: &str, parameters: &str) -> String {
    format!("{target}{}{parameters}", if target.contains('?') { '&' } else { '?' })
}

#[track_caller]
fn ok(target: &str) -> Reply {
    let reply = Server::shared().get(target);
    assert_eq!(reply.status, 200, "{target}: {}", reply.text());
    reply
}

#[test]
fn every_list_has_the_same_rows_as_csv() {
    let days = "/api/v1/calendar/business-days?from=2026-01-01&to=2026-03-31";
    for list in LISTS.iter().chain([&days]) {
        let json = ok(list).json();
        let rows: Vec<Value> = match json["data"].as_array().unwrap() {
            days if days[0].is_string() => days.iter().map(|day| json!({ "date": day })).collect(),
            rows => rows.clone(),
        };
        // JSON leaves out the origin of a published figure.
        let is_history = rows[0]["date"].is_string() && rows[0]["id"].is_null() && list != &days;
        let rows: Vec<Value> = rows
            .into_iter()
            .map(|mut row| match is_history && row["origin"].is_null() {
                true => {
                    row["origin"] = json!("published");
                    row
                }
                false => row,
            })
            .collect();
        assert!(!rows.is_empty(), "{list}");
        for (dialect, delimiter) in DIALECTS {
            let csv = ok(&and(list, &format!("format=csv&dialect={dialect}")));
            let text = csv.text();
            assert_eq!(text.starts_with('\u{feff}'), dialect == "br");
            let lines = table(text.trim_start_matches('\u{feff}'), delimiter);
            assert_eq!(lines.len(), rows.len() + 1, "{list}");
            assert_eq!(csv.header("x-total-count"), Some(&*json["total"].to_string()));
            for (line, row) in lines[1..].iter().zip(&rows) {
                assert_eq!(line.len(), row.as_object().unwrap().len(), "{list}");
                for (name, given) in lines[0].iter().zip(line) {
                    let wanted = cell(&row[name], dialect);
                    assert!(same(given, &wanted, &row[name]), "{list} {name}: {given} {wanted}");
                }
            }
        }
    }
}

#[test]
fn a_table_says_what_it_is() {
    let target = "/api/v1/market/selic?limit=10&offset=20&from=2020-01-01";
    let (json, csv) = (ok(target), ok(&and(target, "format=csv")));
    let header = |name: &str| csv.header(name).unwrap_or_else(|| panic!("no {name}"));
    assert_eq!(header("content-type"), "text/csv; charset=utf-8; header=present");
    assert_eq!(header("content-disposition"), "attachment; filename=\"market-selic.csv\"");
    assert_eq!(
        header("vary"),
        "X-API-Key, Authorization, Cookie, Sec-Fetch-Site, Accept, Accept-Encoding"
    );
    assert_eq!(json.header("vary"), csv.header("vary"), "caches must tell them apart");
    assert_eq!(header("cache-control"), "private, max-age=60");
    assert!(header("link").contains("format=csv&limit=10&offset=30>; rel=\"next\""));
    assert_eq!(json.header("content-disposition"), None);
    for name in ["X-Total-Count", "X-Data-Version", "Content-Disposition"] {
        assert!(header("access-control-expose-headers").contains(name), "{name}");
    }

    // Whatever is written differently has a tag of its own, however it was asked for.
    let by_header = Server::shared().request("GET", target, "Accept: text/csv\r\n");
    assert_eq!(by_header.body, csv.body);
    let brazilian = ok(&and(target, "format=csv&dialect=br"));
    let tags = [&json, &csv, &by_header, &brazilian].map(|reply| reply.header("etag").unwrap());
    assert!(tags.iter().enumerate().all(|(at, tag)| !tags[..at].contains(tag)), "{tags:?}");
    let head = Server::shared().request("HEAD", &and(target, "format=csv"), "");
    assert!(head.body.is_empty());
    for name in ["content-type", "content-disposition", "x-total-count", "etag", "link", "vary"] {
        assert_eq!(head.header(name), csv.header(name), "{name}");
    }
    let again = format!("If-None-Match: {}\r\n", tags[2]);
    let unchanged =
        Server::shared().request("GET", target, &format!("{again}Accept: text/csv\r\n"));
    assert_eq!((unchanged.status, unchanged.body.len()), (304, 0));
    assert_eq!(Server::shared().request("GET", target, &again).status, 200);
}

#[test]
fn tables_are_compressed_like_anything_else() {
    let target = "/api/v1/filings?limit=100&format=csv&dialect=br";
    let plain = ok(target).body;
    let zstd = Server::shared().request("GET", target, "Accept-Encoding: zstd\r\n");
    assert_eq!(zstd.header("content-encoding"), Some("zstd"));
    assert_eq!(zstd::stream::decode_all(&zstd.body[..]).unwrap(), plain);
    let gzip = Server::shared().request("GET", target, "Accept-Encoding: gzip\r\n");
    let mut unpacked = Vec::new();
    flate2::read::GzDecoder::new(&gzip.body[..]).read_to_end(&mut unpacked).unwrap();
    assert_eq!(unpacked, plain);
}

#[test]
fn a_page_beyond_the_end_is_a_header_line() {
    let beyond = "/api/v1/market/ipca?offset=100000&format=csv";
    assert_eq!(ok(beyond).text(), "date,value,origin\r\n");
    assert_eq!(ok(&and(beyond, "dialect=br")).text(), "\u{feff}date;value;origin\r\n");
}

#[test]
fn csv_is_for_platinum_and_that_is_said_first() {
    let server = Server::start();
    let gold = with(&new_key(&server.accounts(), Plan::Gold));
    let prompted = |target: &str, headers: &str, feature: &str| {
        let reply = server.keyless("GET", target, headers);
        let message = reply.expect_error(403, "plan_required");
        assert_eq!(reply.json()["feature"], feature, "{target}: {message}");
        message
    };
    let filings = "/api/v1/filings?format=csv";
    let message = prompted(filings, &gold, "csv");
    assert_eq!(message, "CSV and Parquet need the Platinum plan; this request is on Gold.");
    for wrong in ["&limit=0", "&nonsense=1", "&dialect=de"] {
        prompted(&format!("{filings}{wrong}"), &gold, "csv");
    }
    prompted("/api/v1/market/selic", "Accept: text/csv\r\n", "csv");
    prompted("/api/v1/calendar/business-days?format=csv", "", "csv");
    // What is asked for comes before how it is written.
    prompted(filings, "", "filings");
    // Whoever asks for JSON needs no more than before.
    let json = format!("{gold}Accept: text/csv\r\n");
    assert_eq!(server.keyless("GET", "/api/v1/filings?format=json", &json).status, 200);
}

#[test]
fn wrong_choices_are_named() {
    let refused = |target: &str| Server::shared().get(target).expect_error(400, "bad_request");
    let list = "/api/v1/companies";
    assert!(
        refused(&and(list, "format=xml"))
            .contains("\"xml\" is not a format of lists (json or csv; with limit=1 also value)")
    );
    assert!(refused(&and(list, "format=csv&dialect=de")).contains("(standard or br)"));
    for parameters in ["dialect=br", "format=json&dialect=br"] {
        assert!(refused(&and(list, parameters)).contains("only CSV has dialects"));
    }
    assert!(refused(&and(list, "format=csv&limit=0")).contains("\"limit\""));
    assert!(
        refused(&and(list, "nonsense=1"))
            .contains("takes status, sector, listed, limit, offset, format, dialect")
    );
    // What is no list is no table.
    let one = "/api/v1/market/selic/current";
    assert!(refused(&and(one, "format=csv")).contains("a format of single answers"));
    let json = Server::shared().request("GET", one, "Accept: text/csv\r\n");
    assert_eq!(json.header("content-type"), Some("application/json"));
}

/// CVM's table of filings with these subjects, of Petrobras on this day.
pub(crate) fn filings(day: &str, subjects: &[(u64, &str)]) -> Vec<u8> {
    let mut text = "CNPJ_Companhia;Nome_Companhia;Codigo_CVM;Data_Referencia;Categoria;Tipo;Especie;Assunto;Data_Entrega;Tipo_Apresentacao;Protocolo_Entrega;Versao;Link_Download\n".to_owned();
    for (id, subject) in subjects {
        let link = format!(
            "https://www.rad.cvm.gov.br/ENET/frmDownloadDocumento.aspx?Tela=ext&descTipo=IPE&CodigoInstituicao=1&numProtocolo={id}&numSequencia={id}&numVersao=1"
        );
        text += &format!(
            "33.000.167/0001-01;PETROBRAS;9512;{day};Fato Relevante;;;{subject};{day};AP;{id};1;{link}\n"
        );
    }
    text.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'-')).collect()
}

#[test]
fn no_cell_is_a_formula_and_every_text_arrives() {
    let subjects = ["=1+1", "+55 11 4002-8922", "@ata", "-1", "a,b \"c\"", "ção"];
    let server = Server::start();
    let file = server.data.path().join("ipe_cia_aberta_2026.csv");
    let rows: Vec<_> = (9_900_001..).zip(subjects).collect();
    std::fs::write(&file, filings("2026-10-30", &rows)).unwrap();
    assert!(import(server.data.path(), &[&file]).status.success());
    for (dialect, delimiter) in DIALECTS {
        let target = format!("/api/v1/filings?limit=6&format=csv&dialect={dialect}");
        let reply = server.get(&target);
        let lines = table(reply.text().trim_start_matches('\u{feff}'), delimiter);
        let column = lines[0].iter().position(|name| name == "description").unwrap();
        let mut given: Vec<&str> = lines[1..].iter().map(|line| &*line[column]).collect();
        given.reverse();
        let wanted = ["'=1+1", "'+55 11 4002-8922", "'@ata", "-1", "a,b \"c\"", "ção"];
        assert_eq!(given, wanted, "{dialect}");
    }
}
