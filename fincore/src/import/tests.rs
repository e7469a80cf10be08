//! Imports of whole files.
use proptest::prelude::*;

use super::*;
use crate::{
    filings::NewFiling,
    import::{
        ImportError,
        file_reader::parse_text as parse,
        row_store::{BatchPosition, ParsedRow},
        sample_files,
    },
    market::{self, FxCurrent, FxHistory, Rate, queries, store},
    store::{Tally, catalogue::temporary as catalogue},
    values::{Date, Decimal, Limit, Pair},
};

pub(crate) mod bounds;
mod malformed_cvm_files;
pub(crate) mod withdrawn;

fn import(catalogue: &Catalogue, files: &[(&str, &str)]) -> Result<Vec<Imported>> {
    let mut import = Import::begin(catalogue, crate::store::catalogue::noon())?;
    let imported = files
        .iter()
        .map(|(name, text)| import.file(name, text.as_bytes()))
        .collect::<Result<Vec<_>>>()?;
    import.commit()?;
    Ok(imported)
}

fn tally(new: usize, changed: usize, unchanged: usize) -> Tally {
    Tally { new, changed, unchanged, removed: 0 }
}

/// All market data, as text.
fn dump(catalogue: &Catalogue) -> String {
    let snapshot = catalogue.snapshot(Date::MAX).unwrap();
    let mut series = Vec::new();
    for number in [432, 433, 12, 4389] {
        let rows = market::all(&snapshot, number).unwrap();
        series.extend(rows.into_iter().map(|row| (number, row)));
    }
    let pairs = market::fx_pairs(&snapshot, queries::FxPairs::default()).unwrap().data;
    let quotes: Vec<_> = pairs
        .iter()
        .map(|known| {
            let query = FxHistory { pair: known.pair, limit: Limit::MAX, ..FxHistory::default() };
            market::fx(&snapshot, query).unwrap()
        })
        .collect();
    format!("{} {series:?} {quotes:?}", snapshot.version().unwrap())
}

const SELIC: (&str, &str) = (
    "bcdata.sgs.432.json",
    r#"[{"data":"04/11/2026","valor":"13.75"},{"data":"05/11/2026","valor":"13.75"}]"#,
);

#[test]
fn importing_twice_changes_nothing() {
    let (_dir, catalogue) = catalogue();
    assert_eq!(import(&catalogue, &[SELIC]).unwrap()[0].tally, tally(2, 0, 0));
    let before = dump(&catalogue);
    assert_eq!(import(&catalogue, &[SELIC]).unwrap()[0].tally, tally(0, 0, 2));
    assert_eq!(dump(&catalogue), before);
}

#[test]
fn a_revised_figure_takes_the_place_of_the_old_one() {
    let (_dir, catalogue) = catalogue();
    import(&catalogue, &[SELIC]).unwrap();
    let revised = (
        "bcdata.sgs.432.csv",
        "\"data\";\"valor\"\n\"05/11/2026\";\"14,00\"\n\"06/11/2026\";\"14,00\"\n",
    );
    assert_eq!(import(&catalogue, &[revised]).unwrap()[0].tally, tally(1, 1, 0));
    let snapshot = catalogue.snapshot(Date::MAX).unwrap();
    assert_eq!(market::selic_current(&snapshot).unwrap().value.to_string(), "14.00");
}

#[test]
fn a_refused_file_takes_all_others_with_it() {
    let (_dir, catalogue) = catalogue();
    import(&catalogue, &[SELIC]).unwrap();
    let before = dump(&catalogue);
    let good = ("bcdata.sgs.433.json", r#"[{"data":"01/08/2026","valor":"-0.32"}]"#);
    let bad = ("bcdata.sgs.12.json", r#"[{"data":"31/02/2026","valor":"0.05"}]"#);
    let message = import(&catalogue, &[good, bad]).unwrap_err().to_string();
    assert_eq!(message, "bcdata.sgs.12.json, line 1: \"31/02/2026\" is not a date (DD/MM/YYYY)");
    assert_eq!(dump(&catalogue), before);
}

#[test]
fn an_import_with_a_refused_file_cannot_be_committed() {
    let (_dir, catalogue) = catalogue();
    let mut import = Import::begin(&catalogue, crate::store::catalogue::noon()).unwrap();
    import.file(SELIC.0, SELIC.1.as_bytes()).unwrap();
    assert!(import.file("a.csv", b"").is_err());
    import.file(SELIC.0, SELIC.1.as_bytes()).unwrap();
    assert!(import.commit().is_err());
    assert_eq!(catalogue.snapshot(Date::MAX).unwrap().version().unwrap(), 0);
}

#[test]
fn a_day_is_served_once_buy_and_sell_are_there() {
    let sell = (
        "bcdata.sgs.1.json",
        r#"[{"data":"03/09/2026","valor":"5.0962"},{"data":"05/10/2026","valor":"4.9859"}]"#,
    );
    let buy = ("bcdata.sgs.10813.json", r#"[{"data":"03/09/2026","valor":"5.0956"}]"#);
    for (first, second) in [(sell, buy), (buy, sell)] {
        let (_dir, catalogue) = catalogue();
        let served = || market::fx(&catalogue.snapshot(Date::MAX).unwrap(), FxHistory::default());
        import(&catalogue, &[first]).unwrap();
        assert!(matches!(served(), Err(Error::NotFound { .. })));
        assert_eq!(import(&catalogue, &[second]).unwrap()[0].tally.changed, 0);
        assert_eq!(
            format!("{:?}", served().unwrap().data),
            "[FxRate { date: 2026-09-03, pair: USD/BRL, buy: 5.0956, sell: 5.0962 }]"
        );
    }
}

#[test]
fn a_revised_side_leaves_the_digits_of_the_other() {
    let (_dir, catalogue) = catalogue();
    let day = |buy, sell| format!("04012021;220;A;USD;{buy};{sell};1,0000;1,0000\n");
    import(&catalogue, &[("a.csv", &day("5,1620", "5,1626"))]).unwrap();
    let revised = import(&catalogue, &[("a.csv", &day("5,16200000", "5,1627"))]).unwrap();
    assert_eq!(revised[0].tally, tally(0, 1, 0));
    let quote = market::fx_current(&catalogue.snapshot(Date::MAX).unwrap(), FxCurrent::default());
    let quote = quote.unwrap();
    assert_eq!((quote.buy.to_string(), quote.sell.to_string()), ("5.1620".into(), "5.1627".into()));
}

#[test]
fn only_the_last_part_of_a_path_tells_the_series() {
    let content =
        parse("/sgs.1/bcdata.sgs.433.json", br#"[{"data":"01/08/2026","valor":"-0.32"}]"#);
    assert_eq!(content.unwrap().what, "SGS 433");
}

#[test]
fn dollars_before_the_real_are_left_out() {
    let (_dir, catalogue) = catalogue();
    let buy = (
        "bcdata.sgs.10813.json",
        r#"[{"data":"30/06/1994","valor":"2748.0000"},{"data":"01/07/1994","valor":"0.9980"}]"#,
    );
    let imported = import(&catalogue, &[buy]).unwrap().remove(0);
    assert_eq!((imported.tally, imported.left_out[0].0), (tally(1, 0, 0), 1));
}

#[test]
fn the_same_figure_with_other_trailing_zeros_is_unchanged() {
    let (_dir, catalogue) = catalogue();
    let four = ("CotacoesMoedasPeriodo.csv", "31072026;220;A;USD;5,0767;5,0773;1,0000;1,0000\n");
    let eight =
        ("20260731.csv", "31/07/2026;220;A;USD;5,07670000;5,07730000;1,00000000;1,00000000\r\n");
    import(&catalogue, &[four]).unwrap();
    assert_eq!(import(&catalogue, &[eight]).unwrap()[0].tally, tally(0, 0, 1));
    let snapshot = catalogue.snapshot(Date::MAX).unwrap();
    let quote = market::fx_current(&snapshot, FxCurrent { pair: Pair::default() }).unwrap();
    assert_eq!(quote.sell.to_string(), "5.0773");
}

#[test]
fn a_published_annual_cdi_beats_a_computed_one_in_any_order() {
    let daily = ("bcdata.sgs.12.json", r#"[{"data":"03/09/2026","valor":"0.051660"}]"#);
    let annual = ("bcdata.sgs.4389.json", r#"[{"data":"03/09/2026","valor":"13.91"}]"#);
    for files in [[daily, annual], [annual, daily]] {
        let (_dir, catalogue) = catalogue();
        import(&catalogue, &files[..1]).unwrap();
        import(&catalogue, &files[1..]).unwrap();
        let snapshot = catalogue.snapshot(Date::MAX).unwrap();
        assert_eq!(market::cdi_current(&snapshot).unwrap().value.to_string(), "13.91");
    }
    let (_dir, catalogue) = catalogue();
    import(&catalogue, &[daily]).unwrap();
    let snapshot = catalogue.snapshot(Date::MAX).unwrap();
    assert_eq!(market::cdi_current(&snapshot).unwrap().value.to_string(), "13.90");
}

#[test]
fn current_is_the_newest_day_that_is_not_in_the_future() {
    let (_dir, catalogue) = catalogue();
    import(&catalogue, &[SELIC]).unwrap();
    let on = |today: &str| {
        let snapshot = catalogue.snapshot(today.parse().unwrap()).unwrap();
        market::selic_current(&snapshot).map(|rate| rate.date.to_string())
    };
    assert_eq!(on("2026-11-04").unwrap(), "2026-11-04");
    assert_eq!(on("2027-01-01").unwrap(), "2026-11-05");
    assert!(matches!(on("2026-11-03"), Err(Error::NotFound { .. })));
}

#[test]
fn refuses_what_it_does_not_know() {
    let (_dir, catalogue) = catalogue();
    let wrong = [
        ("a.json", "", "the file is empty"),
        ("a.json", " \n ", "the file is empty"),
        ("bcdata.sgs.432.json", "<!DOCTYPE html><html>Requisição inválida!</html>", "HTML"),
        ("a.json", r#"[{"data":"04/11/2026","valor":"13.75"}]"#, "the series number is missing"),
        (
            "bcdata.sgs.x.csv",
            "\"data\";\"valor\"\n\"04/11/2026\";\"13,75\"\n",
            "the series number is missing",
        ),
        (
            "a.json",
            r#"{"value":[{"cotacaoCompra":1.0,"cotacaoVenda":1.0,"dataHoraCotacao":"2026-01-02 13:00"}]}"#,
            "the currency is missing",
        ),
        (
            "bcdata.sgs.432.json",
            r#"{"erro":{"detail":"Sistema indisponível"}}"#,
            "the central bank answered: \"Sistema indisponível\"",
        ),
        ("a.csv", "a,b,c\n1,2,3\n", "unknown kind of file"),
        ("M20170512.csv", "\"Codigo\";\"Nome\"\n005;AFEGANE\n", "unknown kind of file"),
    ];
    for (name, text, reason) in wrong {
        let message = import(&catalogue, &[(name, text)]).unwrap_err().to_string();
        assert!(message.starts_with(name) && message.contains(reason), "{message}");
    }
    let mut import = Import::begin(&catalogue, crate::store::catalogue::noon()).unwrap();
    let utf16: Vec<u8> = "\u{feff}data".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let message = import.file("a.csv", &utf16).unwrap_err().to_string();
    assert!(message.contains("not UTF-8"), "{message}");
}

#[test]
fn every_cut_of_a_file_is_refused_or_whole_lines() {
    let files = [
        (
            "bcdata.sgs.432.json",
            r#"[{"data":"04/11/2026","valor":"13.75"},{"data":"05/11/2026","valor":"13.75"}]"#,
        ),
        (
            "bcdata.sgs.432.csv",
            "\"data\";\"valor\"\r\n\"04/11/2026\";\"13,75\"\r\n\"05/11/2026\";\"13,75\"\r\n",
        ),
        (
            "20260731.csv",
            "31/07/2026;005;A;AFN;0,07721000;0,07746000;65,55000000;65,75000000\r\n31/07/2026;220;A;USD;5,07670000;5,07730000;1,00000000;1,00000000\r\n",
        ),
        (
            "CotacaoDolarPeriodo.json",
            r#"{"value":[{"cotacaoCompra":5.07670,"cotacaoVenda":5.07730,"dataHoraCotacao":"2026-07-31 13:00:00.1"}]}"#,
        ),
    ];
    for (name, text) in files {
        assert!(parse(name, text.as_bytes()).is_ok());
        for end in 0..text.len() {
            let cut = &text[..end];
            let whole_lines = cut.ends_with('\n');
            assert_eq!(parse(name, cut.as_bytes()).is_ok(), whole_lines, "{name}: {cut}");
        }
    }
}

/// Reads the official files, if they are at hand: every figure comes out as it went in.
#[test]
fn official_files_are_read_whole() {
    let Some(upstream) = sample_files::upstream("bcb") else { return };
    let read = |name: &str| std::fs::read(upstream.join(name)).unwrap();
    let rows = |name: &str| match parse(name, &read(name)).unwrap().rows {
        ParsedRows::Rates(_, rows) => {
            rows.into_iter().map(|row| (row.date, row.value)).collect::<Vec<_>>()
        }
        ParsedRows::Quotes(rows) => {
            rows.into_iter().map(|row| (row.date, row.sell.or(row.buy).unwrap())).collect()
        }
        other => panic!("{name}: {other:?}"),
    };
    let lengths = [
        ("bcdata.sgs.432.json", 10_107),
        ("bcdata.sgs.12.json", 8_077),
        ("bcdata.sgs.433.json", 560),
        ("bcdata.sgs.1.json", 6_721),
        ("bcdata.sgs.11.csv", 249),
        ("bcdata.sgs.20539.csv", 180),
        ("bcdata.sgs.21621.json", 504),
        ("CotacoesMoedasPeriodo.csv", 123),
        ("CotacoesMoedasPeriodo.USD.csv", 6_701),
        ("CotacaoDolarPeriodo.USD.2020-2026.json", 1_615),
        ("CotacaoMoedaPeriodo.EUR.2026-05-25_2026-06-01.json", 5),
        ("20260731.csv", 156),
        ("20130815.csv", 157),
        ("20130131.csv", 15),
    ];
    for (name, rows_in_file) in lengths {
        assert_eq!(rows(name).len(), rows_in_file, "{name}");
    }

    // Annualising the daily rate gives the published annual one, on all days that have both.
    let annual: std::collections::HashMap<Date, Decimal> =
        rows("bcdata.sgs.1178.csv").into_iter().collect();
    let mut compared = 0;
    for (date, daily) in rows("bcdata.sgs.11.json") {
        if let Some(published) = annual.get(&date) {
            assert_eq!(store::annualise(daily), Some(*published), "{date}");
            compared += 1;
        }
    }
    assert_eq!(compared, 6_969);
}

proptest! {
    #[test]
    fn no_bytes_panic(name in "[a-zA-Z.0-9]{0,30}", bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = Import::verify(&name, Cursor::new(&bytes));
    }

    #[test]
    fn no_damage_to_a_real_file_panics(
        file in 0usize..4, at in 0usize..200, byte in any::<u8>(), cut in 0usize..200,
    ) {
        let files = [
            ("bcdata.sgs.432.json", r#"[{"data":"04/11/2026","valor":"13.75"}]"#),
            ("bcdata.sgs.1.csv", "\"data\";\"valor\"\n\"04/11/2026\";\"13,75\"\n"),
            ("20260731.csv", "31/07/2026;005;A;AFN;0,07721000;0,07746000;65,55000000;65,75000000\r\n"),
            ("CotacaoDolarPeriodo.json", r#"{"value":[{"cotacaoCompra":5.1,"cotacaoVenda":5.2,"dataHoraCotacao":"2026-07-31 13:00:00.1"}]}"#),
        ];
        let (name, text) = files[file];
        let mut bytes = text.as_bytes().to_vec();
        let at = at % bytes.len();
        bytes[at] = byte;
        let _ = parse(name, &bytes);
        bytes.truncate(cut % bytes.len());
        let _ = parse(name, &bytes);
    }

    #[test]
    fn what_is_printed_is_read_again(
        days in proptest::collection::btree_map(0u32..20_000, (-99_999i64..9_999_999, 0u8..6), 1..40)
    ) {
        let newest = Date::new(2050, 1, 1).unwrap();
        let rows: Vec<Rate> = days.iter().rev().map(|(back, (digits, decimals))| {
            Rate::published(newest.days_before(*back), Decimal::from_parts(*digits, *decimals))
        }).collect();
        let brazilian = |date: Date| {
            let text = date.to_string();
            format!("{}/{}/{}", &text[8..], &text[5..7], &text[..4])
        };
        let json: Vec<String> = rows.iter()
            .map(|row| format!("{{\"data\":\"{}\",\"valor\":\"{}\"}}", brazilian(row.date), row.value))
            .collect();
        let parsed = |text: String| match parse("bcdata.sgs.11", text.as_bytes()).unwrap().rows {
            ParsedRows::Rates(11, rows) => rows,
            other => panic!("{other:?}"),
        };
        prop_assert_eq!(&parsed(format!("[{}]", json.join(","))), &rows);
        let csv: String = rows.iter()
            .map(|row| format!("\"{}\";\"{}\"\r\n", brazilian(row.date), row.value.to_string().replace('.', ",")))
            .collect();
        prop_assert_eq!(&parsed(format!("\"data\";\"valor\"\r\n{csv}")), &rows);
    }
}
