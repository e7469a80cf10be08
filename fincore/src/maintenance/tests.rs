//! Damage of every kind is found and repaired. The catalogue is a small one, without the bundled data.
use std::fs;

use rusqlite::{Connection, types::Value};

use crate::{
    import::{
        Import,
        sample_files::{FILINGS_HEADER, REGISTRY_HEADER, SECURITIES},
    },
    maintenance::{
        rebuild,
        tests::damage::{DAMAGE, From},
    },
    market,
    store::{
        Catalogue, Remedy,
        catalogue::{noon, temporary},
        changes,
    },
    values::Date,
};

pub(crate) mod damage;

fn registry() -> String {
    let company = |cnpj, name, trade, cancelled, status, code, sector| {
        let fields = [
            cnpj,
            name,
            trade,
            "1977-07-20",
            "",
            cancelled,
            "",
            status,
            "1977-07-20",
            code,
            sector,
        ];
        fields.join(";") + &";".repeat(47 - fields.len()) + "\n"
    };
    REGISTRY_HEADER.to_owned()
        + &company(
            "33.000.167/0001-01",
            "PETROLEO BRASILEIRO SA",
            "PETROBRAS",
            "",
            "ATIVO",
            "9512",
            "Petroleo",
        )
        + &company("33.592.510/0001-54", "VALE S.A.", "", "", "ATIVO", "4170", "Mineracao")
        + &company(
            "00.000.000/0001-91",
            "BANCO DO BRASIL S.A.",
            "",
            "1999-01-01",
            "CANCELADA",
            "1023",
            "Bancos",
        )
}

fn filings() -> String {
    let filing = |id: u32, day, (code, name), class, subject| {
        let link = format!(
            "https://www.rad.cvm.gov.br/ENET/frmDownloadDocumento.aspx?Tela=ext&descTipo=IPE\
             &CodigoInstituicao=1&numProtocolo={id}&numSequencia={id}&numVersao=1"
        );
        format!("00.000.000/0001-91;{name};{code};{day};{class};{subject};{day};AP;;1;{link}\n")
    };
    let (petrobras, vale) = ((9512, "PETROLEO BRASILEIRO"), (4170, "VALE S.A."));
    FILINGS_HEADER.to_owned()
        + &filing(101, "2024-02-01", petrobras, "Assembleia;AGO;Ata", "Eleicao da diretoria")
        + &filing(102, "2024-02-01", vale, "Fato Relevante;;", "Venda de ativos")
        + &filing(103, "2024-02-15", petrobras, "Fato Relevante;;", "")
        + &filing(104, "2024-03-01", vale, "Assembleia;AGE;Edital", "Reforma do estatuto")
}

/// Imports the same rows always.
fn import(catalogue: &Catalogue) {
    let sgs = |rows: &[(&str, &str)]| {
        let rows =
            rows.iter().map(|(day, value)| format!(r#"{{"data":"{day}","valor":"{value}"}}"#));
        format!("[{}]", rows.collect::<Vec<_>>().join(","))
    };
    let days = [("02/09/2026", "0.050788"), ("03/09/2026", "0.050788"), ("04/09/2026", "0.045513")];
    let mut import = Import::begin(catalogue, noon()).unwrap();
    for (name, text) in [
        ("bcdata.sgs.432.json", sgs(&[("02/09/2026", "13.75"), ("03/09/2026", "13.50")])),
        ("bcdata.sgs.12.json", sgs(&days)),
        ("bcdata.sgs.4389.json", sgs(&[("02/09/2026", "13.65")])),
        ("bcdata.sgs.433.json", sgs(&[("01/07/2026", "0.26"), ("01/08/2026", "0.33")])),
        ("bcdata.sgs.1.json", sgs(&[("02/09/2026", "5.0962"), ("03/09/2026", "5.1962")])),
        ("bcdata.sgs.10813.json", sgs(&[("02/09/2026", "5.0956"), ("03/09/2026", "5.1956")])),
        ("cad_cia_aberta.csv", registry()),
        ("fca_cia_aberta_valor_mobiliario_2025.csv", SECURITIES.to_owned()),
        ("ipe_cia_aberta_2024.csv", filings()),
    ] {
        import.file(name, text.as_bytes()).unwrap();
    }
    import.commit().unwrap();
}

/// All that is served and all that is derived, independent of row numbers.
fn contents(catalogue: &Catalogue) -> Vec<String> {
    let db = Connection::open(catalogue.path()).unwrap();
    let mut lines = Vec::new();
    for sql in [
        "SELECT series, date, value, computed FROM rate",
        "SELECT currency, date, buy, sell FROM fx",
        "SELECT id, cnpj, name, trade_name, status, status_since, status_folded, standing, sector,
                sector_folded, registered_on, cancelled_on, tickers FROM company",
        "SELECT cnpj, tickers FROM security",
        "SELECT key, filing.id, filing.company, filer.company, filer.name, category, type, species,
                version, reference_day, sequence, url, subject
            FROM filing JOIN filer ON filer.id = filer JOIN class ON class.id = class",
        "SELECT category, type, species, filings FROM class_total JOIN class ON class.id = class",
    ] {
        let mut statement = db.prepare(sql).unwrap();
        let columns = statement.column_count();
        let mut rows: Vec<String> = statement
            .query_map([], |row| {
                let values = (0..columns).map(|column| row.get::<_, Value>(column));
                Ok(format!("{:?}", values.collect::<rusqlite::Result<Vec<_>>>()?))
            })
            .unwrap()
            .map(Result::unwrap)
            .collect();
        rows.sort();
        lines.append(&mut rows);
    }
    lines
}

#[test]
fn classes_have_as_many_filings_as_the_table() {
    const ADDED: &str = "SELECT class, filings FROM class_total ORDER BY class";
    const COUNTED: &str = "SELECT class, COUNT(*) FROM filing GROUP BY class ORDER BY class";
    let totals = |catalogue: &Catalogue, sql| {
        let db = Connection::open(catalogue.path()).unwrap();
        let mut statement = db.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        rows.collect::<rusqlite::Result<Vec<(i64, i64)>>>().unwrap()
    };
    let (dir, (_other, imported)) = (tempfile::tempdir().unwrap(), temporary());
    let bundled = crate::import::bundle::filled_copy(dir.path()).unwrap();
    import(&imported);
    for (catalogue, classes) in [(bundled, 100), (imported, 1)] {
        assert_eq!(totals(&catalogue, ADDED), totals(&catalogue, COUNTED));
        assert!(totals(&catalogue, ADDED).len() >= classes);
    }
}

#[test]
fn damage_is_named_and_repaired() {
    is_named_and_repaired(DAMAGE.iter().step_by(6));
}

#[test]
#[ignore = "long"]
fn every_damage_is_named_and_repaired() {
    is_named_and_repaired(DAMAGE.iter());
}

fn is_named_and_repaired<'d>(damage: impl Iterator<Item = &'d (&'static str, &'static str, From)>) {
    let (dir, catalogue) = temporary();
    import(&catalogue);
    assert_eq!(catalogue.check().unwrap().problems, [""; 0]);
    let sound = contents(&catalogue);
    let original = dir.path().join("original.db");
    // A whole copy, without a log beside it.
    Connection::open(catalogue.path())
        .unwrap()
        .execute("VACUUM INTO ?1", [original.to_str()])
        .unwrap();
    for (number, (damage, sentence, from)) in damage.enumerate() {
        let path = dir.path().join(format!("{number}.db"));
        fs::copy(&original, &path).unwrap();
        let db = Connection::open(&path).unwrap();
        db.pragma_update(None, "foreign_keys", false).unwrap();
        db.execute_batch(damage).unwrap_or_else(|err| panic!("{damage}: {err}"));
        drop(db);
        let catalogue = Catalogue::open(&path).unwrap();
        repairs(&catalogue, damage, sentence);
        if *from == From::Rows {
            assert_eq!(contents(&catalogue), sound, "{damage}");
        }
        import(&catalogue);
        assert_eq!(contents(&catalogue), sound, "{damage}");
        assert_eq!(catalogue.check().unwrap().problems, [""; 0], "{damage}");
    }
}

#[track_caller]
fn repairs(catalogue: &Catalogue, damage: &str, sentence: &str) {
    let checkup = catalogue.check().unwrap_or_else(|err| panic!("{damage}: {err}"));
    assert!(checkup.problems.join("\n").contains(sentence), "{damage}: {:?}", checkup.problems);
    assert_eq!(checkup.remedy, Some(Remedy::Rebuild), "{damage}");
    let before = catalogue.snapshot(Date::MAX).unwrap();
    assert!(market::overview(&before).is_ok(), "{damage}");
    let rebuilt = catalogue.rebuild(noon()).unwrap_or_else(|err| panic!("{damage}: {err}"));
    assert_eq!(rebuilt.repaired, checkup.problems, "{damage}");
    let left = catalogue.check().unwrap();
    assert_eq!((left.problems, left.remedy), (vec![], None), "{damage}");
    let after = catalogue.snapshot(Date::MAX).unwrap();
    assert_eq!(after.version().unwrap(), before.version().unwrap() + 1, "{damage}");
    assert_ne!(after.tag(), before.tag(), "{damage}");
    // A sound catalogue is left alone.
    assert_eq!(catalogue.rebuild(noon()).unwrap(), rebuild::Rebuilt::default(), "{damage}");
    let again = catalogue.snapshot(Date::MAX).unwrap();
    assert_eq!((again.version().unwrap(), again.tag()), (after.version().unwrap(), after.tag()));
}

#[test]
fn a_table_that_nothing_can_make_anew_is_not_rebuilt() {
    let (_dir, catalogue) = temporary();
    import(&catalogue);
    let damage = "PRAGMA foreign_keys = OFF; DROP TABLE filer";
    Connection::open(catalogue.path()).unwrap().execute_batch(damage).unwrap();
    let checkup = catalogue.check().unwrap();
    assert_eq!(checkup.remedy, Some(Remedy::Restore));
    assert!(checkup.problems.contains(&"the table filer is missing".to_owned()), "{checkup:?}");
    let message = catalogue.rebuild(noon()).unwrap_err().to_string();
    assert!(message.contains("cannot be rebuilt"), "{message}");
}

#[test]
fn removed_rows_are_named_and_logged() {
    let (_dir, catalogue) = temporary();
    import(&catalogue);
    let damage = "UPDATE rate SET value = 'abc' WHERE series = 432 AND date = '2026-09-03';
        UPDATE fx SET buy = '9' WHERE date = '2026-09-03';
        UPDATE company SET cnpj = 'x' WHERE id = 4170;
        UPDATE filing SET version = -1 WHERE id = 103";
    Connection::open(catalogue.path()).unwrap().execute_batch(damage).unwrap();
    let rebuilt = catalogue.rebuild(noon()).unwrap();
    let removed = ["selic 2026-09-03", "fx USD/BRL 2026-09-03", "companies 4170", "filings 103"];
    assert_eq!((rebuilt.removed, rebuilt.restored), (removed.map(str::to_owned).to_vec(), 0));
    let snapshot = catalogue.snapshot(Date::MAX).unwrap();
    let logged = changes::since(&snapshot, 1).unwrap().map(|entry| {
        let entry = entry.unwrap();
        format!("{} {} {:?}", entry.dataset, entry.key, entry.change)
    });
    assert_eq!(
        logged.collect::<Vec<_>>(),
        [
            "companies 4170 Removed",
            "filings 103 Removed",
            "fx USD/BRL 2026-09-03 Removed",
            "selic 2026-09-03 Removed",
            "usd-buy 2026-09-03 Removed",
            "usd-sell 2026-09-03 Removed",
        ]
    );
}

#[test]
#[ignore = "long"]
fn the_bundled_data_is_sound_and_comes_back() {
    let dir = tempfile::tempdir().unwrap();
    let catalogue = crate::import::bundle::filled_copy(dir.path()).unwrap();
    assert_eq!(catalogue.check().unwrap().problems, [""; 0]);
    let sound = contents(&catalogue);
    let damage = "UPDATE rate SET value = 'abc' WHERE series IN (432, 12) AND date > '2026-08-01';
        UPDATE fx SET sell = '' WHERE date > '2026-08-01';
        UPDATE company SET cnpj = 'x' WHERE id % 100 = 12;
        UPDATE security SET tickers = '?' WHERE document % 10 = 3;
        DELETE FROM filing WHERE id % 100 = 3;
        UPDATE filing SET version = -1 WHERE id % 100 = 4";
    Connection::open(catalogue.path()).unwrap().execute_batch(damage).unwrap();
    let rebuilt = catalogue.rebuild(noon()).unwrap();
    assert!(rebuilt.restored > rebuilt.removed.len(), "{rebuilt:?}");
    assert_eq!(catalogue.check().unwrap().problems, [""; 0]);
    assert_eq!(contents(&catalogue), sound);
}
