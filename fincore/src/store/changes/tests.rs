use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::{
    import::Import,
    market,
    store::{
        Catalogue,
        catalogue::{noon, temporary},
    },
    values::{Date, Pair},
};

fn import(catalogue: &Catalogue, now: DateTime<Utc>, files: &[(&str, &str)]) {
    let mut import = Import::begin(catalogue, now).unwrap();
    for (name, text) in files {
        import.file(name, text.as_bytes()).unwrap();
    }
    import.commit().unwrap();
}

fn log(catalogue: &Catalogue, version: u64) -> Result<Vec<String>> {
    let snapshot = catalogue.snapshot(Date::MAX).unwrap();
    let line = |entry| {
        let ChangeEntry { version, dataset, key, change, .. } = entry;
        format!("{version} {dataset} {key} {change:?}")
    };
    since(&snapshot, version)?.map(|entry| entry.map(line)).collect()
}

fn rates(rows: &[(&str, &str)]) -> String {
    let rows = rows.iter().map(|(day, value)| format!(r#"{{"data":"{day}","valor":"{value}"}}"#));
    format!("[{}]", rows.collect::<Vec<_>>().join(","))
}

#[test]
fn has_what_was_added_and_changed_by_version() {
    let (_dir, catalogue) = temporary();
    let name = "bcdata.sgs.433.json";
    import(&catalogue, noon(), &[(name, &rates(&[("01/07/2026", "0.1"), ("01/08/2026", "0.2")]))]);
    import(&catalogue, noon(), &[(name, &rates(&[("01/08/2026", "0.3"), ("01/09/2026", "0.4")]))]);
    // Nothing new makes no version.
    import(&catalogue, noon(), &[(name, &rates(&[("01/08/2026", "0.30")]))]);
    let first = ["1 ipca 2026-07-01 Added", "1 ipca 2026-08-01 Added"];
    let second = ["2 ipca 2026-08-01 Changed", "2 ipca 2026-09-01 Added"];
    assert_eq!(log(&catalogue, 0).unwrap(), [first, second].concat());
    assert_eq!(log(&catalogue, 1).unwrap(), second);
    assert_eq!(log(&catalogue, 2).unwrap(), Vec::<String>::new());
    assert_eq!(log(&catalogue, u64::MAX).unwrap(), Vec::<String>::new());
}

#[test]
fn a_quote_is_added_once_it_has_both_sides_and_a_computed_rate_with_its_source() {
    let (_dir, catalogue) = temporary();
    let day = |value| rates(&[("04/09/2026", value)]);
    import(&catalogue, noon(), &[("bcdata.sgs.1.json", &day("5.10"))]);
    import(&catalogue, noon(), &[("bcdata.sgs.10813.json", &day("5.09"))]);
    import(&catalogue, noon(), &[("bcdata.sgs.12.json", &day("0.050788"))]);
    import(&catalogue, noon(), &[("bcdata.sgs.4389.json", &day("13.65"))]);
    let want = [
        "1 usd-sell 2026-09-04 Added",
        "2 fx USD/BRL 2026-09-04 Added",
        "2 usd-buy 2026-09-04 Added",
        "3 cdi 2026-09-04 Added",
        "3 cdi-daily 2026-09-04 Added",
        // Published, where it was computed before.
        "4 cdi 2026-09-04 Changed",
    ];
    assert_eq!(log(&catalogue, 0).unwrap(), want);
}

#[test]
fn one_import_tells_of_each_thing_once() {
    let (_dir, catalogue) = temporary();
    let (one, two) = (rates(&[("01/08/2026", "0.2")]), rates(&[("01/08/2026", "0.3")]));
    import(&catalogue, noon(), &[("bcdata.sgs.433.json", &one), ("bcdata.sgs.433.json", &two)]);
    assert_eq!(log(&catalogue, 0).unwrap(), ["1 ipca 2026-08-01 Added"]);
}

#[test]
fn forgets_what_is_too_old_and_says_so() {
    let (_dir, catalogue) = temporary();
    let month = |value| rates(&[("01/08/2026", value)]);
    let days = |days| noon() + chrono::TimeDelta::days(days);
    for (day, value) in [(0, "0.1"), (10, "0.2"), (91, "0.3")] {
        import(&catalogue, days(day), &[("bcdata.sgs.433.json", &month(value))]);
    }
    assert_eq!(log(&catalogue, 1).unwrap().len(), 2);
    let message = log(&catalogue, 0).unwrap_err().to_string();
    assert!(message.contains("starts after data version 1"), "{message}");
    assert_eq!(complete_after(&catalogue.snapshot(Date::MAX).unwrap()).unwrap(), 1);
}

/// The served values, by dataset and key.
fn served(catalogue: &Catalogue) -> BTreeMap<(String, String), String> {
    let snapshot = catalogue.snapshot(Date::MAX).unwrap();
    let mut served = BTreeMap::new();
    for rate in market::all(&snapshot, 433).unwrap() {
        served.insert(("ipca".into(), rate.date.to_string()), rate.value.to_string());
    }
    // No quote yet is fine.
    for quote in market::all_quotes(&snapshot, Pair::default()).unwrap_or_default() {
        let key = format!("{} {}", quote.pair, quote.date);
        served.insert(("fx".into(), key), format!("{} {}", quote.buy, quote.sell));
    }
    served
}

/// How one state became the other.
fn difference(
    before: &BTreeMap<(String, String), String>,
    after: &BTreeMap<(String, String), String>,
) -> Vec<(String, String, Change)> {
    let entry = |((dataset, key), value): (&(String, String), &String)| {
        let change = match before.get(&(dataset.clone(), key.clone())) {
            None => Change::Added,
            Some(old) if old != value => Change::Changed,
            Some(_) => return None,
        };
        Some((dataset.clone(), key.clone(), change))
    };
    after.iter().filter_map(entry).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The log tells exactly how what is served became what it is, from any version to any later one.
    #[test]
    fn tells_exactly_what_became_of_the_data(
        imports in proptest::collection::vec((0..3_usize, 1..6_u8, 0..5_u8), 1..12)
    ) {
        let (_dir, catalogue) = temporary();
        let mut states = vec![served(&catalogue)];
        for (file, day, digit) in imports {
            let (name, date, value) = match file {
                0 => ("bcdata.sgs.433.json", format!("01/0{day}/2026"), format!("0.4{digit}")),
                1 => ("bcdata.sgs.1.json", format!("0{day}/09/2026"), format!("5.15{digit}")),
                _ => ("bcdata.sgs.10813.json", format!("0{day}/09/2026"), format!("5.14{digit}")),
            };
            import(&catalogue, noon(), &[(name, &rates(&[(&date, &value)]))]);
            let version = catalogue.snapshot(Date::MAX).unwrap().version().unwrap();
            if version == states.len() as u64 {
                states.push(served(&catalogue));
            }
        }
        for (version, pair) in states.windows(2).enumerate() {
            let snapshot = catalogue.snapshot(Date::MAX).unwrap();
            let mut logged: Vec<_> =
                since(&snapshot, version as u64).unwrap().map(Result::unwrap).collect();
            logged.retain(|entry| {
                entry.version == version as u64 + 1 && !entry.dataset.starts_with("usd")
            });
            let logged = logged.into_iter().map(|entry| (entry.dataset, entry.key, entry.change));
            prop_assert_eq!(logged.collect::<Vec<_>>(), difference(&pair[0], &pair[1]));
        }
    }
}

#[test]
fn tells_of_companies_and_their_tickers() {
    let (_dir, catalogue) = temporary();
    let registry = |rows: &[(u32, &str)]| {
        let header =
            "CNPJ_CIA;DENOM_SOCIAL;DENOM_COMERC;DT_REG;DT_CANCEL;SIT;DT_INI_SIT;CD_CVM;SETOR_ATIV";
        let row = |(code, name): &(u32, &str)| {
            let cnpj = if *code == 9512 { "33.000.167/0001-01" } else { "00.000.000/0001-91" };
            format!("{cnpj};{name};;2026-01-02;;ATIVO;2026-01-02;{code};\n")
        };
        format!("{header}\n{}", rows.iter().map(row).collect::<String>())
    };
    let many: Vec<(u32, &str)> =
        (1..=40).map(|code| (code, "X")).chain([(9512, "PETROBRAS")]).collect();
    let (mut renamed, mut fewer) = (many.clone(), many.clone());
    renamed[40].1 = "PETROBRAS S.A.";
    fewer.remove(3);
    let tickers = |code: &str| {
        let header = "CNPJ_Companhia;ID_Documento;Codigo_Negociacao;Mercado;Data_Fim_Negociacao";
        format!("{header}\n33.000.167/0001-01;5;{code};Bolsa;\n")
    };
    let name = "cad_cia_aberta.csv";
    // Added with a ticker at once is added; then the same again, which is nothing.
    import(&catalogue, noon(), &[(name, &registry(&many[40..])), ("a.csv", &tickers("PETR4"))]);
    import(&catalogue, noon(), &[("a.csv", &tickers("petr4"))]);
    import(&catalogue, noon(), &[("a.csv", &tickers("PETR3"))]);
    import(&catalogue, noon(), &[("b.csv", "company;tickers\n9512;PETR4\n")]);
    // The operator's setting stays, whatever the forms say.
    import(
        &catalogue,
        noon(),
        &[("b.csv", "company;tickers\n9512;PETR4\n"), ("a.csv", &tickers("PETR5"))],
    );
    import(&catalogue, noon(), &[("b.csv", "company;tickers\n")]);
    let first = ["1 companies 9512 Added", "2 companies 9512 Changed", "3 companies 9512 Changed"];
    let after = log(&catalogue, 0).unwrap();
    assert_eq!(after[..3], first);
    assert_eq!(after[3..], ["5 companies 9512 Changed"]);

    import(&catalogue, noon(), &[(name, &registry(&many))]);
    assert_eq!(log(&catalogue, 5).unwrap().len(), 40);
    import(&catalogue, noon(), &[(name, &registry(&renamed))]);
    assert_eq!(log(&catalogue, 6).unwrap(), ["7 companies 9512 Changed"]);
    import(&catalogue, noon(), &[(name, &registry(&fewer))]);
    assert_eq!(log(&catalogue, 7).unwrap(), ["8 companies 4 Removed", "8 companies 9512 Changed"]);
}

#[test]
fn tells_of_filings() {
    let (_dir, catalogue) = temporary();
    let table = |rows: &[(u32, &str)]| {
        let header = "Nome_Companhia;Codigo_CVM;Data_Referencia;Categoria;Tipo;Especie;Assunto;Data_Entrega;Versao;Link_Download";
        let row = |(id, subject): &(u32, &str)| {
            format!("X;1;;Fato Relevante;;;{subject};2026-11-10;1;https://cvm/?numProtocolo={id}\n")
        };
        format!("{header}\n{}", rows.iter().map(row).collect::<String>())
    };
    let name = "ipe_cia_aberta_2026.csv";
    import(&catalogue, noon(), &[(name, &table(&[(1, "um"), (2, "dois")]))]);
    import(&catalogue, noon(), &[(name, &table(&[(1, "um"), (2, "zwei"), (3, "x")]))]);
    import(&catalogue, noon(), &[(name, &table(&[(1, "um"), (2, "zwei"), (3, "x")]))]);
    let want =
        ["1 filings 1 Added", "1 filings 2 Added", "2 filings 2 Changed", "2 filings 3 Added"];
    assert_eq!(log(&catalogue, 0).unwrap(), want);
}
