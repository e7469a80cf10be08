//! `finserve import` with files as they are really published: new columns, bad rows, empty answers, junk.
use std::{
    fs,
    io::{Cursor, Write},
    path::PathBuf,
};

use serde_json::Value;

use crate::harness::{Server, fill, finserve, import};

const REGISTRY: &str = "CNPJ_CIA;DENOM_SOCIAL;DENOM_COMERC;DT_REG;DT_CONST;DT_CANCEL;MOTIVO_CANCEL;SIT;DT_INI_SIT;CD_CVM;SETOR_ATIV";
const IPE: &str = "CNPJ_Companhia;Nome_Companhia;Codigo_CVM;Data_Referencia;Categoria;Tipo;Especie;Assunto;Data_Entrega;Tipo_Apresentacao;Protocolo_Entrega;Versao;Link_Download";
const TICKERS: &str =
    "CNPJ_Companhia;ID_Documento;Codigo_Negociacao;Mercado;Data_Fim_Negociacao;Segmento";

/// A data directory and files beside it.
pub(crate) struct Place(pub(crate) tempfile::TempDir);

impl Place {
    pub(crate) fn new() -> Place {
        let place = tempfile::tempdir().unwrap();
        fill(&place.path().join("data"));
        Place(place)
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.0.path().join("data")
    }

    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, content).unwrap();
        path
    }

    /// Imports a file that is accepted, and gives the report.
    #[track_caller]
    pub(crate) fn accept(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let output = import(&self.data(), &[&self.file(name, content)]);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), &*errors), (Some(0), ""));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Imports a file that is refused, and gives the message.
    #[track_caller]
    pub(crate) fn refuse(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let output = import(&self.data(), &[&self.file(name, content)]);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), &*output.stdout), (Some(1), &b""[..]), "{errors}");
        assert!(errors.contains("nothing was imported"), "{errors}");
        assert_eq!(errors.lines().count(), 1, "{errors}");
        errors
    }

    /// What a server answers over this data.
    fn get(&self, path: &str) -> Value {
        let copy = tempfile::tempdir().unwrap();
        // An import that ended may have left a part of its work in the write-ahead log.
        for name in ["catalogue.db", "catalogue.db-wal"] {
            let file = self.data().join(name);
            if file.exists() {
                fs::copy(file, copy.path().join(name)).unwrap();
            }
        }
        let reply = Server::start_over(copy).get(path);
        serde_json::from_slice(&reply.body).unwrap()
    }
}

/// A registry with these companies: CVM code, CNPJ and date of registration.
fn registry(companies: &[(&str, &str, &str)]) -> String {
    let row = |(code, cnpj, day): &(&str, &str, &str)| {
        format!("{cnpj};COMPANHIA {code} S.A.;;{day};;;;ATIVO;{day};{code};Siderurgia\n")
    };
    format!("{REGISTRY}\n{}", companies.iter().map(row).collect::<String>())
}

const PETROBRAS: &str = "33.000.167/0001-01";
const BANCO: &str = "00.000.000/0001-91";
const TWO: [(&str, &str, &str); 2] =
    [("9512", PETROBRAS, "2026-10-01"), ("1023", BANCO, "2026-10-02")];

/// The row of a filing that was delivered on 10 November 2026.
fn filing(id: u32, subject: &str) -> String {
    format!(
        "{BANCO};BANCO S.A.;1023;2026-11-09;Fato Relevante;;;{subject};2026-11-10;AP;;1;https://www.rad.cvm.gov.br/ENET/frmDownloadDocumento.aspx?Tela=ext&descTipo=IPE&CodigoInstituicao=1&numProtocolo={id}&numSequencia=7&numVersao=1"
    )
}

fn filings(rows: &[String]) -> String {
    format!("{IPE}\r\n{}\r\n", rows.join("\r\n"))
}

/// The catalogue starts with the bundled registry: only a forced import makes it so small.
fn small_registry(place: &Place) {
    let file = place.file("cad_cia_aberta.csv", registry(&TWO));
    let output = finserve(&["import", "--force", "--data"]).arg(place.data()).arg(file).output();
    assert_eq!(output.unwrap().status.code(), Some(0));
}

#[test]
fn columns_are_found_by_name() {
    let place = Place::new();
    let moved = |text: &str| -> String {
        // The last column first, a new one in the middle, and one that nobody reads gone.
        let line = |line: &str| {
            let mut fields: Vec<&str> = line.split(';').collect();
            fields.rotate_right(1);
            let header = fields.contains(&"Protocolo_Entrega");
            fields.remove(11);
            fields.insert(5, if header { "Hora_Entrega" } else { "12:00" });
            fields.join(";") + "\r\n"
        };
        text.lines().map(line).collect()
    };
    let text = moved(&filings(&[filing(9_000_001, "um"), filing(9_000_002, "dois")]));
    assert!(
        text.starts_with("Link_Download;CNPJ_Companhia") && !text.contains("Protocolo_Entrega")
    );
    let report = place.accept("ipe_cia_aberta_2026.csv", text);
    assert!(report.contains("2 new"), "{report}");
    assert_eq!(report.matches("Hora_Entrega").count(), 1, "{report}");
    let answer = place.get("/api/v1/filings/9000002");
    assert_eq!(answer["description"], "dois", "{answer}");

    let without = filings(&[filing(9_000_003, "um")]).replace("Data_Entrega", "Entregue");
    let message = place.refuse("ipe_cia_aberta_2026.csv", without);
    assert!(message.contains("the column Data_Entrega is missing"), "{message}");
}

#[test]
fn a_bad_row_is_left_out_and_named() {
    let place = Place::new();
    small_registry(&place);
    let three = [TWO[0], TWO[1], ("77", "", "2026-10-03")];
    let report = place.accept("cad_cia_aberta.csv", registry(&three));
    assert!(
        report.contains("left out: 1 rows that cannot be read (line 4: \"\" is not a CNPJ"),
        "{report}"
    );

    let good: Vec<String> = (0..5).map(|row| filing(9_000_000 + row, "bom")).collect();
    let bad = [
        (filing(9_000_100, "x").replace("https", "").replace("numProtocolo", "x"), "address"),
        (format!("{};", filing(9_000_100, "x").rsplit_once(';').unwrap().0), "address of a filing"),
        (filing(9_000_101, "x").replace(";1023;", ";;"), "is not a CVM code"),
        (filing(9_000_102, "a;b"), "it has 14 fields, not 13"),
    ];
    for (row, reason) in bad {
        let mut rows = good.clone();
        rows.insert(2, row);
        let report = place.accept("ipe_cia_aberta_2026.csv", filings(&rows));
        assert!(report.contains("left out: 1 rows that cannot be read (line 4: "), "{report}");
        assert!(report.contains(reason), "{report} lacks {reason}");
    }
    let odd = filing(9_000_103, "x").replace("2026-11-09", "2026-02-31");
    let report = place.accept("ipe_cia_aberta_2026.csv", filings(&[good[0].clone(), odd]));
    assert!(report.contains("1 new") && report.contains("2026-02-31"), "{report}");
    let answer = place.get("/api/v1/filings/9000103");
    assert!(answer["reference_date"].is_null(), "{answer}");
}

#[test]
fn more_than_one_bad_row_in_a_hundred_refuses_the_file() {
    let place = Place::new();
    let rows = |all: u32, bad: u32| {
        let row = |row| {
            let text = filing(9_000_000 + row, "x");
            if row < bad { text.replace(";1023;", ";;") } else { text }
        };
        filings(&(0..all).map(row).collect::<Vec<_>>())
    };
    let report = place.accept("ipe_cia_aberta_2026.csv", rows(300, 3));
    assert!(report.contains("297 new") && report.contains("left out: 3 "), "{report}");
    let message = place.refuse("ipe_cia_aberta_2026.csv", rows(300, 4));
    assert!(message.contains("line 2: ") && message.contains("4 of 300 rows"), "{message}");
    let truncated = rows(300, 0);
    let message = place.refuse("ipe_cia_aberta_2026.csv", &truncated[..truncated.len() - 2]);
    assert!(message.contains("line 301: the line does not end"), "{message}");
}

#[test]
fn an_answer_without_rows_is_no_error() {
    let place = Place::new();
    let good = place.file("bcdata.sgs.433.json", r#"[{"data":"01/09/2026","valor":"0.48"}]"#);
    let empty = [
        ("bcdata.sgs.432.json", "[]".to_owned()),
        ("bcdata.sgs.432.csv", "\"data\";\"valor\"\r\n".to_owned()),
        (
            "bcdata.sgs.12.json",
            r#"{"erro":{"statusCode":404,"detail":"Value(s) not found"}}"#.to_owned(),
        ),
        ("bcdata.sgs.11.json", r#"{"error":"Value(s) not found"}"#.to_owned()),
        (
            "CotacaoMoedaPeriodo.EUR.json",
            r#"{"@odata.context":"x#_CotacaoMoedaPeriodo","value":[]}"#.to_owned(),
        ),
        ("ipe_cia_aberta_2027.csv", format!("{IPE}\r\n")),
    ];
    for (name, content) in &empty {
        let report = place.accept(name, content);
        assert!(report.contains("1 file(s) imported: 0 new, 0 changed, 0 unchanged"), "{report}");
    }
    let mut files: Vec<PathBuf> =
        empty.iter().map(|(name, content)| place.file(name, content)).collect();
    files.push(good);
    let files: Vec<_> = files.iter().map(PathBuf::as_path).collect();
    let output = import(&place.data(), &files);
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8(output.stdout).unwrap().contains("7 file(s) imported: 1 new"));
    let message = place.refuse("cad_cia_aberta.csv", format!("{REGISTRY}\n"));
    assert!(message.contains("it has no rows"), "{message}");
}

#[test]
fn the_central_bank_is_quoted_when_it_refuses() {
    let place = Place::new();
    let answer = "{\"erro\":{\"detail\":\"O sistema aceita uma janela\\u001b[2J de 10 anos\"}}";
    let message = place.refuse("bcdata.sgs.12.json", answer);
    assert!(
        message
            .contains("the central bank answered: \"O sistema aceita uma janela [2J de 10 anos\""),
        "{message}"
    );
    assert!(!message.contains('\u{1b}'));
}

#[test]
fn a_date_after_today_does_not_decide_which_registry_is_newer() {
    let place = Place::new();
    small_registry(&place);
    let typed = registry(&TWO).replacen("2026-10-02", "2062-10-02", 1);
    place.accept("cad_cia_aberta.csv", typed);
    let report = place.accept("cad_cia_aberta.csv", registry(&TWO));
    assert!(report.contains("1 changed"), "{report}");
    let older = registry(&[TWO[0], ("1023", BANCO, "2026-09-01")]);
    let message = place.refuse("cad_cia_aberta.csv", older);
    assert!(message.contains("ends on 2026-10-01, the known one on 2026-10-02"), "{message}");
}

#[test]
fn a_company_in_a_row_that_cannot_be_read_is_not_gone() {
    let place = Place::new();
    let codes: Vec<String> = (1..=40).map(|code| code.to_string()).collect();
    let mut companies: Vec<_> = codes.iter().map(|code| (&**code, BANCO, "2026-10-01")).collect();
    companies.push(("9512", PETROBRAS, "2026-10-01"));
    let file = place.file("cad_cia_aberta.csv", registry(&companies));
    let output = finserve(&["import", "--force", "--data"]).arg(place.data()).arg(file).output();
    assert_eq!(output.unwrap().status.code(), Some(0));

    let report = place.accept("cad_cia_aberta.csv", registry(&companies).replace(PETROBRAS, ""));
    assert!(report.contains("left out: 1 ") && !report.contains("removed"), "{report}");
    assert_eq!(place.get("/api/v1/companies/9512")["cnpj"], PETROBRAS);
}

#[test]
fn a_filing_that_is_delivered_after_tomorrow_is_left_out() {
    let place = Place::new();
    let typed = filing(9_000_001, "um").replace("2026-11-10", "2962-11-10");
    let rows = filings(&[typed, filing(9_000_002, "dois")]);
    let report = place.accept("ipe_cia_aberta_2026.csv", rows);
    assert!(report.contains("1 new"), "{report}");
    let left_out = "left out: 1 filings that are delivered after tomorrow (9000001 on 2962-11-10)";
    assert!(report.contains(left_out), "{report}");
}

#[test]
#[ignore = "long"]
fn junk_never_replaces_good_tickers() {
    let place = Place::new();
    small_registry(&place);
    let form = |document: u32, rows: &[(&str, &str)]| {
        let row = |(code, market): &(&str, &str)| {
            format!("{PETROBRAS};{document};{code};{market};;Nível 2\n")
        };
        let text = format!("{TICKERS}\n{}", rows.iter().map(row).collect::<String>());
        place.accept("fca_cia_aberta_valor_mobiliario_2026.csv", text);
        place.get("/api/v1/companies/9512")["tickers"].clone()
    };
    let none: [&str; 0] = [];
    assert_eq!(form(900_000, &[("", "Balcão Organizado")]), serde_json::json!(none));
    assert_eq!(
        form(900_001, &[("petr4 ", "Bolsa"), ("PETR3", "Bolsa")]),
        serde_json::json!(["PETR3", "PETR4"])
    );
    for junk in ["PETR 4", "000000", "N/A", "ADR", "4030", ""] {
        assert_eq!(
            form(900_002, &[(junk, "Bolsa")]),
            serde_json::json!(["PETR3", "PETR4"]),
            "{junk}"
        );
    }
    let more = form(900_003, &[("PETR 4", "Bolsa"), ("petr11", "Bolsa")]);
    assert_eq!(more, serde_json::json!(["PETR11", "PETR3", "PETR4"]));
    assert_eq!(form(900_004, &[("PETR4", "Bolsa")]), serde_json::json!(["PETR4"]));

    // What the operator sets counts, whatever comes later.
    let report = place.accept("tickers.csv", "company;tickers\n009512;petr3 PETR4\n1023;\n");
    assert!(report.contains("2 new"), "{report}");
    assert_eq!(form(900_005, &[("PETR7", "Bolsa")]), serde_json::json!(["PETR3", "PETR4"]));
    let log = place.accept("tickers.csv", "company,tickers\n33000167000101,\n");
    assert!(log.contains("1 changed") && log.contains("1 removed"), "{log}");
    assert_eq!(place.get("/api/v1/companies/9512")["tickers"], serde_json::json!(none));
    let message = place.refuse("tickers.csv", "company;tickers\n1023;\n999;PETR4\n");
    assert!(message.contains("line 3: there is no company \"999\""), "{message}");
    let message = place.refuse("tickers.csv", "company;tickers\n1023;PETR 4\n");
    assert!(message.contains("line 2: \"PETR\" is not a ticker"), "{message}");
    place.accept("tickers.csv", "company;tickers\n");
    assert_eq!(form(900_005, &[("PETR7", "Bolsa")]), serde_json::json!(["PETR7"]));
}

fn zipped(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in members {
        if name.ends_with('/') {
            archive.add_directory(*name, zip::write::SimpleFileOptions::default()).unwrap();
            continue;
        }
        archive.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(content).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

#[test]
fn other_encodings_archives_and_blank_lines_are_read() {
    let place = Place::new();
    let name = "ipe_cia_aberta_2026.csv";
    let text = |subject| filings(&[filing(9_000_001, subject)]);
    let description = || place.get("/api/v1/filings/9000001")["description"].clone();
    place.accept(name, text("eleição"));
    assert_eq!(description(), "eleição");
    place.accept(name, format!("\u{feff}{}", text("reunião")));
    assert_eq!(description(), "reunião");
    // As CVM publishes it.
    let latin: Vec<u8> =
        text("sessão").chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    place.accept(name, format!("{}\r\n \n", text("fim")));
    assert_eq!(description(), "fim");
    let members: [(&str, &[u8]); 3] =
        [("leiame.txt", b"x"), ("pasta/", b""), ("pasta/ipe_cia_aberta_2026.csv", &latin)];
    let report = place.accept("ipe_cia_aberta_2026.zip", zipped(&members));
    assert!(report.contains("1 changed"), "{report}");
    assert_eq!(description(), "sessão");
}

#[test]
fn the_same_quote_with_other_zeros_is_the_same() {
    let place = Place::new();
    let row = |buy: &str, sell: &str| format!("10/11/2026;978;B;EUR;{buy};{sell};1,1;1,1\r\n");
    let report = place.accept(
        "20261110.csv",
        row("5,0000", "5,1000") + &row("5,00000000", "5,10000000") + "\r\n",
    );
    assert!(report.contains("1 new, 0 changed, 1 unchanged"), "{report}");
    let bulletins = r#"{"value":[{"cotacaoCompra":5.1,"cotacaoVenda":5.2,"dataHoraCotacao":"2026-11-11 10:03:00.1","tipoBoletim":"Parcial"},
        {"cotacaoCompra":5.1,"cotacaoVenda":5.2,"dataHoraCotacao":"2026-11-11 13:03:00.1","tipoBoletim":"Fechamento"}]}"#;
    let report = place.accept("CotacaoMoedaPeriodo.EUR.json", bulletins);
    assert!(
        report.contains("1 new")
            && report.contains("left out: 1 bulletins of an unknown type (\"Parcial\")"),
        "{report}"
    );
}
