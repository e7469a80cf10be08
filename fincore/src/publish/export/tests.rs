use chrono::{DateTime, Utc};

use super::*;
use crate::{
    answers::table::Dialect,
    import::Import,
    store::{
        Catalogue,
        catalogue::{noon, temporary},
    },
    values::error::ErrorKind,
};

mod dataset_sizes;
mod deltas;
pub(crate) mod exact;

fn day(text: &str) -> Date {
    text.parse().unwrap()
}

/// Imports files, without checks of plausibility.
fn import(catalogue: &Catalogue, now: DateTime<Utc>, files: &[(&str, String)]) {
    let mut import = Import::begin(catalogue, now).unwrap().force();
    for (name, text) in files {
        import.file(name, text.as_bytes()).unwrap();
    }
    import.commit().unwrap();
}

/// A file of a series, given as `(day, value)`.
fn sgs(rows: &[(Date, String)]) -> String {
    let row = |(day, value): &(Date, String)| {
        let day = format!("{:02}/{:02}/{:04}", day.day(), day.month(), day.year());
        format!(r#"{{"data":"{day}","valor":"{value}"}}"#)
    };
    format!("[{}]", rows.iter().map(row).collect::<Vec<_>>().join(","))
}

/// A registry with these codes and names.
fn registry(rows: &[(u32, String)]) -> String {
    let header =
        "CNPJ_CIA;DENOM_SOCIAL;DENOM_COMERC;DT_REG;DT_CANCEL;SIT;DT_INI_SIT;CD_CVM;SETOR_ATIV";
    let row = |(code, name): &(u32, String)| {
        format!("00.000.000/0001-91;{name};;2026-01-02;;ATIVO;2026-01-02;{code};\n")
    };
    format!("{header}\n{}", rows.iter().map(row).collect::<String>())
}

/// A year of filings, given as `(id, subject, day)`.
fn ipe(rows: &[(u32, String, Date)]) -> String {
    let header = "Nome_Companhia;Codigo_CVM;Data_Referencia;Categoria;Tipo;Especie;Assunto;Data_Entrega;Versao;Link_Download";
    let row = |(id, subject, day): &(u32, String, Date)| {
        format!("X;1;;Fato Relevante;;;{subject};{day};1;https://cvm/?numProtocolo={id}\n")
    };
    format!("{header}\n{}", rows.iter().map(row).collect::<String>())
}

/// All that an export writes, and the number of steps.
fn export_all(snapshot: Snapshot, query: Query) -> Result<(Vec<u8>, usize)> {
    let mut export = Export::begin(snapshot, query)?;
    let (mut out, mut steps) = (Vec::new(), 1);
    while export.write(&mut out)? {
        steps += 1;
    }
    assert_eq!(export.rows_written(), export.total());
    let length = out.len();
    assert!(!export.write(&mut out)?, "there is nothing after the end");
    assert_eq!(out.len(), length);
    Ok((out, steps))
}

fn lines(snapshot: Snapshot, query: Query) -> Result<Vec<String>> {
    let text = String::from_utf8(export_all(snapshot, query)?.0).unwrap();
    Ok(text.lines().map(str::to_owned).collect())
}

#[test]
fn datasets_have_one_name_in_many_spellings() {
    let cases = [
        ("fx", Dataset::Fx, "fx"),
        ("Companies", Dataset::Companies, "companies"),
        ("filings", Dataset::Filings, "filings"),
        ("series", Dataset::Series, "series"),
        ("IGPM", Dataset::One(189), "igp-m"),
        ("igp-m", Dataset::One(189), "igp-m"),
        ("189", Dataset::One(189), "igp-m"),
        ("usd-sell", Dataset::One(1), "usd-sell"),
        ("999999", Dataset::One(999_999), "999999"),
    ];
    for (text, dataset, name) in cases {
        assert_eq!(text.parse::<Dataset>().unwrap(), dataset);
        assert_eq!(dataset.to_string(), name);
    }
    for text in ["", "nope", "-", "4294967296"] {
        let err = text.parse::<Dataset>().unwrap_err();
        assert!(matches!(err.kind(), ErrorKind::NotFound(Resource::Dataset, _)), "{err}");
    }
}

#[test]
fn says_what_is_wrong_before_anything_is_written() {
    let (_dir, catalogue) = temporary();
    import(&catalogue, noon(), &[("bcdata.sgs.433.json", sgs(&[(day("2026-08-01"), "1".into())]))]);
    let refused = |query: Query| {
        let snapshot = catalogue.snapshot(day("2026-11-15")).unwrap();
        Export::begin(snapshot, query).map(|_| ()).unwrap_err().to_string()
    };
    let all = |dataset| Query::new(dataset, Format::Ndjson);
    let ipca = all(Dataset::One(433));
    let from = Some(day("2026-01-01"));
    let cases = [
        (all(Dataset::One(189)), "there is no dataset \"igp-m\""),
        (Query { from, ..all(Dataset::Companies) }, "companies are not dated"),
        (Query { from, to: Some(day("2025-01-01")), ..ipca }, "\"from\" (2026-01-01) is after"),
        (Query { from, since: Some(0), ..ipca }, "from and to cannot be combined with it"),
        (Query { since: Some(7), ..ipca }, "there is no data version 7 yet: the newest one is 1"),
    ];
    for (query, message) in cases {
        let said = refused(query);
        assert!(said.contains(message), "{said}");
    }
    // A range without rows is empty.
    let empty = Query { to: from, ..ipca };
    assert_eq!(lines(catalogue.snapshot(Date::MAX).unwrap(), empty).unwrap(), [""; 0]);
}

#[test]
fn an_export_that_lacks_a_row_fails_at_its_end_and_counts_it_the_next_time() {
    let (_dir, catalogue) = temporary();
    let months: Vec<_> = (1..=9).map(|m| (Date::new(2026, m, 1).unwrap(), "0.5".into())).collect();
    import(&catalogue, noon(), &[("bcdata.sgs.433.json", sgs(&months))]);
    let writer = catalogue.write(noon()).unwrap();
    const SQL: &str = "UPDATE rate SET value = 'x' WHERE date = '2026-03-01'";
    writer.connection().execute(SQL, []).unwrap();
    writer.commit().unwrap();
    for since in [None, Some(0)] {
        let catalogue = Catalogue::open(catalogue.path()).unwrap();
        let query = Query { since, ..Query::new(Dataset::One(433), Format::Ndjson) };
        let snapshot = || catalogue.snapshot(Date::MAX).unwrap();
        let mut export = Export::begin(snapshot(), query).unwrap();
        let err = export.write(&mut Vec::new()).unwrap_err();
        assert!(matches!(err.kind(), ErrorKind::Storage), "{err}");
        assert!(err.to_string().contains("8 of 9 rows can be read"), "{err}");
        assert_eq!(lines(snapshot(), query).unwrap().len(), 8);
    }
}

#[test]
fn an_export_sees_no_import_that_commits_meanwhile() {
    let (_dir, catalogue) = temporary();
    let days = |value: &str| -> Vec<_> {
        let first = day("2020-01-01").day_number();
        (first..first + 1500)
            .map(|number| (Date::from_day_number(number).unwrap(), value.to_owned()))
            .collect()
    };
    import(&catalogue, noon(), &[("bcdata.sgs.432.json", sgs(&days("1.00")))]);
    let query = Query::new(Dataset::One(432), Format::Ndjson);
    let mut export = Export::begin(catalogue.snapshot(Date::MAX).unwrap(), query).unwrap();
    let mut out = Vec::new();
    assert!(export.write(&mut out).unwrap());
    assert_eq!((export.rows_written(), export.total(), export.version()), (500, 1500, 1));
    import(&catalogue, noon(), &[("bcdata.sgs.432.json", sgs(&days("2.00")))]);
    while export.write(&mut out).unwrap() {}
    let text = String::from_utf8(out).unwrap();
    assert_eq!(text.lines().filter(|line| line.contains(":1.00,")).count(), 1500);
}
