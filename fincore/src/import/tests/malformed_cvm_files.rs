//! Malformed CVM files are refused and change nothing.
use std::io::{Cursor, Write};

use rusqlite::{Connection, types::Value};
use zip::{ZipWriter, write::SimpleFileOptions};

use super::*;
use crate::{companies, import::sample_files::REGISTRY_HEADER, store::downloads};

const PERIODIC: &str =
    "CNPJ_CIA;DT_REFER;VERSAO;DENOM_CIA;CD_CVM;CATEG_DOC;ID_DOC;DT_RECEB;LINK_DOC";
const TICKERS: &str = "CNPJ_Companhia;Data_Referencia;Versao;ID_Documento;Nome_Empresarial;Valor_Mobiliario;Sigla_Classe_Acao_Preferencial;Classe_Acao_Preferencial;Codigo_Negociacao;Composicao_BDR_Unit;Mercado;Sigla_Entidade_Administradora;Entidade_Administradora;Data_Inicio_Negociacao;Data_Fim_Negociacao;Segmento;Data_Inicio_Listagem;Data_Fim_Listagem";
const IPE: &str = "CNPJ_Companhia;Nome_Companhia;Codigo_CVM;Data_Referencia;Categoria;Tipo;Especie;Assunto;Data_Entrega;Tipo_Apresentacao;Protocolo_Entrega;Versao;Link_Download";

/// A registry of companies 1 to `companies`, the newest registered on `day`.
pub(crate) fn registry(companies: u32, day: &str) -> String {
    let row = |code| {
        let rest = ";".repeat(36);
        format!(
            "33.000.167/0001-01;COMPANHIA {code} DE AÇO S.A.;;{day};;;;ATIVO;{day};{code};Siderurgia{rest}\n"
        )
    };
    REGISTRY_HEADER.to_owned() + &(1..=companies).map(row).collect::<String>()
}

pub(crate) fn ipe(subject: &str) -> String {
    format!("{IPE}\r\n{}\r\n", ipe_row(subject, 1_195_062))
}

fn ipe_row(subject: &str, id: u64) -> String {
    format!(
        "00.000.000/0001-91;BANCO DO BRASIL S.A.;1023;2024-02-02;Reunião da Administração;AGE;Ata;{subject};2024-02-15;AP;;1;https://cvm/?numProtocolo={id}&numSequencia=7"
    )
}

fn periodic() -> String {
    format!(
        "{PERIODIC}\n00.000.000/0001-91;2024-12-31;1;BCO;001023;DFP;144874;2025-02-19;http://cvm/\n"
    )
}

fn securities() -> String {
    format!("{TICKERS}\n33.000.167/0001-01;2025-01-01;1;5;X;Ações;;;PETR4;;Bolsa;B3;B3;;;;;\n")
}

pub(crate) fn bytes(text: &str) -> Vec<u8> {
    encoding_rs::WINDOWS_1252.encode(text).0.into_owned()
}

fn zip_of(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in members {
        archive.start_file(*name, SimpleFileOptions::default()).unwrap();
        archive.write_all(content).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// Sets the encryption flag in the local header and in the directory.
fn encrypt(mut archive: Vec<u8>) -> Vec<u8> {
    let directory = archive.windows(4).position(|four| four == b"PK\x01\x02").unwrap();
    archive[6] |= 1;
    archive[directory + 8] |= 1;
    archive
}

/// Corrupts a byte of the compressed content.
fn damage(mut archive: Vec<u8>) -> Vec<u8> {
    archive[80] ^= 0xff;
    archive
}

/// Everything in the catalogue, row by row.
pub(crate) fn dump(catalogue: &Catalogue) -> Vec<u8> {
    let connection = Connection::open(catalogue.path()).unwrap();
    let names = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name";
    let mut names = connection.prepare(names).unwrap();
    let names = names.query_map([], |row| row.get::<_, String>(0)).unwrap();
    let mut all = Vec::new();
    for name in names.map(Result::unwrap).filter(|name| !name.ends_with("_search")) {
        let mut rows = connection.prepare(&format!("SELECT * FROM {name}")).unwrap();
        let columns = rows.column_count();
        let mut rows = rows.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let values = (0..columns).map(|column| row.get::<_, Value>(column).unwrap());
            writeln!(all, "{name} {:?}", values.collect::<Vec<_>>()).unwrap();
        }
    }
    all
}

/// File name, content, and a part of the expected message.
type Case = (&'static str, Vec<u8>, &'static str);

fn registries() -> Vec<Case> {
    let good = registry(100, "2026-01-02");
    let edit = |from: &str, to: &str| bytes(&good.replacen(from, to, 1));
    let two = |from: &str, to: &str| bytes(&good.replacen(from, to, 2));
    let all = |from: &str, to: &str| bytes(&good.replace(from, to));
    let utf16 = good.encode_utf16().flat_map(u16::to_le_bytes);
    let name = "cad_cia_aberta.csv";
    let same_numbers = (2..=20).fold(good.clone(), |text, code| {
        text.replacen(&format!(";{code};Siderurgia"), ";1;Siderurgia", 1)
    });
    vec![
        (name, vec![], "empty"),
        (name, b"  \r\n".to_vec(), "empty"),
        (name, bytes(&good)[..REGISTRY_HEADER.len()].to_vec(), "no row"),
        (name, bytes(&good.replace(";SETOR_ATIV", "")), "it has 47 fields, not 46 (100 of 100"),
        (name, edit("CNPJ_CIA;", "CPF_CIA;"), "the column CNPJ_CIA is missing"),
        (name, edit("DENOM_COMERC;", "SIT;"), "the column SIT appears twice"),
        (name, edit("TP_MERC;", "SIT;"), "the column SIT appears twice"),
        (name, all(";ATIVO;", ";"), "line 2: it has 46 fields, not 47 (100 of 100 rows are bad"),
        (name, two(";ATIVO;", ";ATIVO;;"), "line 2: it has 48 fields, not 47 (2 of 100 rows"),
        (name, bytes(&good.replace(';', ",")), "not separated by semicolons"),
        (name, bytes(&good.replace(';', "\t")), "not separated by semicolons"),
        (name, [0xff, 0xfe].into_iter().chain(utf16).collect(), "not UTF-8"),
        (name, edit("DE AÇO", "DE\0AÇO"), "line 2: it has a NUL"),
        (name, bytes(&good)[..bytes(&good).len() - 9].to_vec(), "truncated"),
        (name, b"<html><body>503 Service Unavailable</body></html>".to_vec(), "HTML"),
        (name, b"<html>manuten\xe7\xe3o</html>".to_vec(), "HTML"),
        (name, bytes(&registry(50, "2026-01-02")), "50 of 100 known companies are missing"),
        (name, bytes(&registry(94, "2026-01-02")), "6 of 100 known companies are missing"),
        (
            name,
            bytes(&registry(100, "2025-12-31")),
            "ends on 2025-12-31, the known one on 2026-01-02",
        ),
        (name, two("/0001-01", "/0001-02"), "line 2: \"33.000.167/0001-02\" is not a CNPJ"),
        (name, two("33.000.167/0001-01", ""), "line 2: \"\" is not a CNPJ"),
        (name, all(";Siderurgia", "x;Siderurgia"), "line 2: \"1x\" is not a CVM code"),
        (name, all("2026-01-02", "2026-02-30"), "line 2: \"2026-02-30\" is not a date"),
        (name, two("COMPANHIA", "\t;"), "line 2: it has 48 fields"),
        (name, two("ATIVO", ""), "line 2: \"\" is not a status"),
        (name, bytes(&same_numbers), "line 3: the same number appears twice"),
        (name, edit("\n33.", "\n\n \n33."), "line 2: the line is blank (2 of 102 rows"),
    ]
}

fn tables() -> Vec<Case> {
    let (good, name) = (ipe("assunto"), "ipe_cia_aberta_2024.csv");
    let edit = |from: &str, to: &str| bytes(&good.replacen(from, to, 1));
    let periodic_edit = |from: &str, to: &str| bytes(&periodic().replacen(from, to, 1));
    vec![
        (name, edit(";Categoria", ""), "the column Categoria is missing"),
        (name, edit("assunto", "um; dois"), "line 2: it has 14 fields, not 13"),
        (name, bytes(&good.replace(';', "|")), "not separated by semicolons"),
        (name, edit("numProtocolo=1195062", "x=1"), "is not the address of a filing"),
        (name, edit("2024-02-15", ""), "line 2: \"\" is not a date"),
        (name, edit("2024-02-15", "15/02/2024"), "line 2: \"15/02/2024\" is not a date"),
        (name, edit(";1;https", ";v1;https"), "\"v1\" is not the version"),
        (name, edit("Reunião da Administração", ""), "is not the category"),
        (name, bytes(&good)[..bytes(&good).len() - 2].to_vec(), "truncated"),
        (name, edit("assunto", "assun\0to"), "NUL"),
        ("dfp_cia_aberta_2024.csv", periodic_edit(";DFP;", ";DVA;"), "\"DVA\" is not a form"),
        ("dfp_cia_aberta_2024.csv", periodic_edit("144874", ""), "is not the number of a document"),
        ("dfp_cia_aberta_2024.csv", periodic_edit("2025-02-19", ""), "\"\" is not a date"),
        (
            "fca_cia_aberta_valor_mobiliario_2025.csv",
            bytes(&securities().replace("/0001-01", "/0001-11")),
            "is not a CNPJ",
        ),
        (
            "dfp_cia_aberta_composicao_capital_2024.csv",
            b"CNPJ_CIA;DT_REFER;VERSAO;DENOM_CIA\n".to_vec(),
            "of an unknown kind",
        ),
    ]
}

fn archives() -> Vec<Case> {
    let (zip, member) = ("ipe_cia_aberta_2024.zip", "ipe_cia_aberta_2024.csv");
    let table = bytes(&ipe(&"assunto ".repeat(100)));
    let good = zip_of(&[(member, &table)]);
    let bomb = vec![b'x'; 64 << 20];
    vec![
        (zip, good[..good.len() / 2].to_vec(), "damaged"),
        (zip, good[..4].to_vec(), "damaged"),
        (zip, damage(good.clone()), "damaged"),
        (zip, encrypt(good.clone()), "encrypted"),
        (zip, zip_of(&[(member, &bomb)]), "unpacks to over"),
        (zip, zip_of(&[(member, &table), ("ipe_cia_aberta_2025.csv", &table)]), "two tables"),
        (zip, zip_of(&[("leia.txt", b"x")]), "none of the known tables"),
        (zip, zip_of(&[]), "none of the known tables"),
        (zip, zip_of(&[("../../ipe_cia_aberta_2024.csv", &table)]), "none of the known tables"),
        (zip, zip_of(&[(member, b"<html></html>")]), "HTML"),
        (zip, zip_of(&[(member, b"")]), "empty"),
        (zip, zip_of(&[(member, &good)]), "not UTF-8"),
    ]
}

#[test]
fn more_than_40_malformed_files_are_refused_and_change_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let catalogue = Catalogue::open(dir.path().join("catalogue.db")).unwrap();
    let mut import = Import::begin(&catalogue, crate::store::catalogue::noon()).unwrap();
    let known = [registry(100, "2026-01-02"), ipe("velho"), periodic(), securities()];
    for text in &known {
        import.file("known.csv", &bytes(text)).unwrap();
    }
    import.commit().unwrap();
    let before = dump(&catalogue);

    let cases: Vec<Case> = [registries(), tables(), archives()].concat();
    assert!(cases.len() >= 40);
    for (name, content, reason) in cases {
        let mut import = Import::begin(&catalogue, crate::store::catalogue::noon()).unwrap();
        // The good file before the bad one is rolled back with it.
        import.file("ipe_cia_aberta_2024.csv", &bytes(&ipe("novo"))).unwrap();
        let message = import.file(name, &content).unwrap_err().to_string();
        drop(import);
        assert!(message.starts_with(name) && message.contains(reason), "{message} lacks {reason}");
        assert_eq!(message.lines().count(), 1, "{message}");
        assert!(dump(&catalogue) == before, "{name}: {message}");
    }
}

#[test]
fn an_archive_may_have_tables_without_rows_and_tables_nobody_reads() {
    let dir = tempfile::tempdir().unwrap();
    let catalogue = Catalogue::open(dir.path().join("catalogue.db")).unwrap();
    let index = bytes(&periodic().replace(";DFP;", ";FCA;"));
    let archive = zip_of(&[
        ("fca_cia_aberta_2025.csv", &index),
        ("fca_cia_aberta_dri_2025.csv", b"people's data, never unpacked"),
        ("fca_cia_aberta_valor_mobiliario_2025.csv", format!("{TICKERS}\r\n").as_bytes()),
    ]);
    let mut import = Import::begin(&catalogue, crate::store::catalogue::noon()).unwrap();
    let imported = import.file("fca_cia_aberta_2025.zip", &archive).unwrap();
    assert_eq!(imported.what, "periodic filings and tickers");
    assert_eq!(imported.tally, Tally::NEW);
    import.commit().unwrap();
}

#[test]
fn a_newer_registry_renames_and_an_older_one_has_to_be_forced() {
    let dir = tempfile::tempdir().unwrap();
    let catalogue = Catalogue::open(dir.path().join("catalogue.db")).unwrap();
    let import = |text: &str, force: fn(Import) -> Import| {
        let mut import = force(Import::begin(&catalogue, crate::store::catalogue::noon())?);
        let tally = import.file("cad_cia_aberta.csv", &bytes(text))?.tally;
        import.commit()?;
        Ok::<_, Error>(tally)
    };
    let name = || {
        let snapshot = catalogue.snapshot(Date::MAX).unwrap();
        companies::find(&snapshot, "7".parse().unwrap()).unwrap().answer.name
    };
    let tally = |new, changed, unchanged, removed| Tally { new, changed, unchanged, removed };
    let old = registry(100, "2025-06-07");
    let renamed = old
        .replace("COMPANHIA 7 DE AÇO", "NOVA SIDERÚRGICA")
        .replace("2025-06-07;9;", "2026-05-19;9;");
    assert_eq!(import(&old, |import| import).unwrap(), tally(100, 0, 0, 0));
    let mut import_tickers = Import::begin(&catalogue, crate::store::catalogue::noon()).unwrap();
    import_tickers.file("fca_cia_aberta_valor_mobiliario_2025.csv", &bytes(&securities())).unwrap();
    import_tickers.commit().unwrap();

    assert_eq!(import(&renamed, |import| import).unwrap(), tally(0, 2, 98, 0));
    assert_eq!(name(), "NOVA SIDERÚRGICA S.A.");
    assert!(import(&old, |import| import).is_err());
    assert_eq!(name(), "NOVA SIDERÚRGICA S.A.");
    assert_eq!(import(&old, Import::force).unwrap(), tally(0, 2, 98, 0));
    assert_eq!(name(), "COMPANHIA 7 DE AÇO S.A.");
    assert_eq!(import(&registry(50, "2025-06-07"), Import::force).unwrap(), tally(0, 0, 50, 50));

    // All fifty share a CNPJ; the newest company gets its ticker, and is found by it.
    let snapshot = catalogue.snapshot(Date::MAX).unwrap();
    let find = |id: &str| companies::find(&snapshot, id.parse().unwrap()).unwrap();
    assert_eq!(find("33000167000101").id.to_string(), "50");
    assert_eq!(
        (find("50").answer.tickers, find("49").answer.tickers),
        (vec!["PETR4".to_owned()], vec![])
    );
}

#[test]
fn a_registry_in_which_many_companies_are_suddenly_cancelled_has_to_be_forced() {
    let dir = tempfile::tempdir().unwrap();
    let catalogue = Catalogue::open(dir.path().join("catalogue.db")).unwrap();
    let day = |days: u8| format!("2026-01-{:02}", 2 + days);
    let cancelled = |days: u8, companies: usize| {
        bytes(&registry(100, &day(days)).replacen(";ATIVO;", ";CANCELADA;", companies))
    };
    let import = |days: u8, companies: usize, force: fn(Import) -> Import| {
        let now = crate::store::catalogue::noon() + TimeDelta::days(days.into());
        let mut import = force(Import::begin(&catalogue, now)?);
        import.file("cad_cia_aberta.csv", &cancelled(days, companies))?;
        Ok::<_, Error>(())
    };
    let mut first = Import::begin(&catalogue, crate::store::catalogue::noon()).unwrap();
    first.file("cad_cia_aberta.csv", &cancelled(0, 0)).unwrap();
    first.commit().unwrap();

    // Five in a hundred for each day that the registry is newer, for one day at least and four at most.
    for (days, most) in [(0, 5), (1, 5), (3, 15), (25, 20)] {
        import(days, most, |import| import).unwrap();
    }
    let message = import(1, 6, |import| import).unwrap_err().to_string();
    let said = "6 of 100 active companies are no longer active after a day; over 5 % a day";
    assert!(message.contains(said), "{message}");
    assert!(message.contains("only a forced import accepts it"), "{message}");
    assert!(import(3, 16, |import| import).is_err());
    assert!(import(25, 21, |import| import).is_err());
    assert!(import(0, 100, |import| import).is_err());
    import(0, 100, Import::force).unwrap();
    // Weeks may pass without an event: after a sync, the time since then counts.
    let now = crate::store::catalogue::noon() + TimeDelta::days(24);
    downloads::record_sync(&catalogue, now, "companies", Ok(())).unwrap();
    assert!(import(25, 6, |import| import).is_err());
    import(25, 5, |import| import).unwrap();
}

#[test]
fn what_is_stored_of_a_missing_column_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let catalogue = Catalogue::open(dir.path().join("catalogue.db")).unwrap();
    let import = |text: &str| {
        let mut import = Import::begin(&catalogue, crate::store::catalogue::noon()).unwrap();
        let imported = import.file("table.csv", &bytes(text)).unwrap();
        import.commit().unwrap();
        imported
    };
    let without = |text: &str, left_out: usize| -> String {
        let line = |line: &str| {
            let fields = line.trim_end().split(';').enumerate();
            let fields = fields.filter(|(column, _)| *column != left_out);
            fields.map(|(_, field)| field).collect::<Vec<_>>().join(";") + "\n"
        };
        text.lines().map(line).collect()
    };
    let tables = [(registry(100, "2026-01-02"), 10), (ipe("assunto"), 7), (periodic(), 1)];
    for (table, _) in &tables {
        import(table);
    }
    let before = dump(&catalogue);
    for (table, column) in &tables {
        let imported = import(&without(table, *column));
        assert_eq!((imported.tally.new, imported.tally.changed), (0, 0));
        assert!(imported.notes[0].starts_with("missing columns"), "{imported:?}");
    }
    let but_notes = |dump: Vec<u8>| {
        let lines = dump.split(|byte| *byte == b'\n').map(<[u8]>::to_vec);
        lines.filter(|line| !line.starts_with(b"import_note ")).collect::<Vec<_>>()
    };
    assert!(but_notes(dump(&catalogue)) == but_notes(before), "nothing was changed");
    // A new filing gets the name under which its company is known.
    let new = ipe("assunto").replace("1195062", "7");
    assert_eq!(import(&without(&new, 1)).tally, Tally::NEW);
    let snapshot = catalogue.snapshot(Date::MAX).unwrap();
    let filing = crate::filings::find(&snapshot, "7".parse().unwrap()).unwrap().answer;
    assert_eq!(filing.company_name, "BCO");
}
