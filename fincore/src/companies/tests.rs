use rusqlite::Connection;

use super::*;
use crate::{
    import::bundle,
    store::Catalogue,
    values::{Date, Limit, Offset},
};

/// Compares look-ups and lists with what is read from the file, and returns how many companies there are.
fn check(catalogue: &Catalogue) -> usize {
    let snapshot = catalogue.snapshot(Date::MAX).unwrap();
    let plain = snapshot.rows(&format!("{SELECT} ORDER BY id"), [], read).unwrap();
    for company in &plain {
        assert_eq!(find(&snapshot, company.id.into()).unwrap().answer, *company);
    }
    let of = |limit, offset| {
        let (limit, offset) = (Limit::new(limit).unwrap(), Offset::new(offset).unwrap());
        list(&snapshot, List { limit, offset, ..List::default() }).unwrap()
    };
    let total = plain.len();
    for (limit, offset) in
        [(1, 0), (20, 0), (1000, 7), (20, total - 3), (20, total), (9, 1_000_000_000)]
    {
        let page = of(limit, offset as u64);
        let wanted = plain.iter().skip(offset).take(limit as usize).cloned().collect::<Vec<_>>();
        assert_eq!((&page.data, page.total), (&wanted.clone().into(), total as u64));
        assert_eq!(
            serde_json::to_string(&page.data).unwrap(),
            serde_json::to_string(&wanted).unwrap()
        );
    }
    for text in ["banco", "petrobras", "energia eletrica", "s"] {
        let query = Search { limit: Limit::MAX, ..Search::new(text).unwrap() };
        let found = search(&snapshot, query).unwrap();
        let is_there = |company: &Company| company.status.is_none() || plain.contains(company);
        assert!(found.data.iter().all(is_there), "{text}");
        assert!(found.total >= found.data.len() as u64 && !found.data.is_empty());
    }
    total
}

#[test]
fn a_search_is_narrowed_like_a_list() {
    let dir = tempfile::tempdir().unwrap();
    let catalogue = bundle::filled_copy(dir.path()).unwrap();
    let snapshot = catalogue.snapshot(Date::MAX).unwrap();
    let found = |status: Option<&str>, sector: Option<&str>| {
        let (status, sector) = (status.map(str::to_owned), sector.map(str::to_owned));
        let query = Search { limit: Limit::MAX, status, sector, ..Search::new("banco").unwrap() };
        let page = search(&snapshot, query).unwrap();
        assert_eq!(page.total, page.data.len() as u64);
        page.data.into_vec()
    };
    let all = found(None, None);
    for (status, sector) in
        [(Some("ativo"), None), (None, Some("BANCOS")), (Some("Cancelada"), Some("bancos"))]
    {
        let is = |wanted: Option<&str>, value: &str| {
            wanted.is_none_or(|wanted| wanted.eq_ignore_ascii_case(value))
        };
        let wanted = all.iter().filter(|row| {
            is(status, row.status.as_deref().unwrap_or_default()) && is(sector, &row.sector)
        });
        let wanted: Vec<Company> = wanted.cloned().collect();
        assert!(!wanted.is_empty() && wanted.len() < all.len());
        assert_eq!(found(status, sector), wanted, "the order is that of the search");
    }
    assert_eq!(found(Some("nobody"), None), []);
}

#[test]
fn companies_from_memory_are_those_of_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("catalogue.db");
    let catalogue = bundle::filled_copy(dir.path()).unwrap();
    let sound = check(&catalogue);
    let file = Connection::open(&path).unwrap();
    assert_eq!(file.execute("UPDATE company SET cnpj = '1' WHERE id = 9512", []).unwrap(), 1);
    let catalogue = Catalogue::open(&path).unwrap();
    assert_eq!(check(&catalogue), sound - 1);
    let (snapshot, met) =
        (catalogue.snapshot(Date::MAX).unwrap(), catalogue.skipped_corrupt_values());
    assert!(find(&snapshot, CvmCode::new(9512).unwrap().into()).is_err());
    assert!(catalogue.skipped_corrupt_values() > met);
}

#[test]
fn resolves_codes_numbers_and_tickers() {
    let dir = tempfile::tempdir().unwrap();
    let catalogue = bundle::filled_copy(dir.path()).unwrap();
    let snapshot = catalogue.snapshot(Date::MAX).unwrap();
    // 33.592.510/0002-35 is a branch.
    for text in [
        "4170",
        "004170",
        "00417-0",
        "código CVM nº 417-0",
        "33.592.510/0001-54",
        "33.592.510/0002-35",
        "CNPJ/MF nº 33592510/0001-54",
        "33.592.510",
        "vale3",
        "VALE3.SA",
        "BVMF:VALE3",
        "$VALE3",
        "VALE3 BZ Equity",
        "BRVALEACNOR0",
    ] {
        let code = resolve(&snapshot, &text.parse().unwrap()).unwrap();
        assert_eq!(code.get(), 4170, "{text}");
    }
    for text in ["999999", "ZZZZ9", "VALE99"] {
        let missing = resolve(&snapshot, &text.parse().unwrap()).unwrap_err();
        assert!(missing.to_string().contains(text), "{missing}");
    }
}

#[test]
fn tickers_that_forms_lack_are_those_of_the_reviewed_table() {
    let dir = tempfile::tempdir().unwrap();
    let catalogue = bundle::filled_copy(dir.path()).unwrap();
    let snapshot = catalogue.snapshot(Date::MAX).unwrap();
    for (code, tickers) in [
        ("22616", &["BPAC11", "BPAC3"][..]),
        ("4030", &["CSNA3"]),
        ("24848", &["CEAB3"]),
        ("25917", &["RAIZ4"]),
        ("26034", &["MLAS3"]),
        ("27693", &["BRST3"]),
        ("20788", &["MBRF3"]),
        // Beside what the form lists.
        ("12653", &["KLBN11", "KLBN3", "KLBN4"]),
        ("9512", &["PETR3", "PETR4"]),
    ] {
        assert_eq!(find(&snapshot, code.parse().unwrap()).unwrap().tickers, tickers, "{code}");
    }
}

#[test]
fn what_is_not_there_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let catalogue = bundle::filled_copy(dir.path()).unwrap();
    let snapshot = catalogue.snapshot(Date::MAX).unwrap();
    let check = |text: &str, codes: &[u32], hint: &str| {
        let found = search(&snapshot, Search::new(text).unwrap()).unwrap();
        let found_codes: Vec<u32> = found.data.iter().map(|company| company.id.get()).collect();
        assert_eq!(found_codes, codes, "{text}");
        assert_eq!(found.meta.fuzzy, !codes.is_empty(), "{text}");
        let hints: Vec<String> = found.meta.hints.iter().map(ToString::to_string).collect();
        assert!(hints.len() == 1 && hints[0].contains(hint), "{text}: {hints:?}");
    };
    check("MELI34", &[], "no company has the ticker \"MELI34\"");
    check("PETR99", &[9512], "no company has the ticker \"PETR99\"; nearest: PETR3; PETR4");
    check("PERT4", &[9512], "nearest: PETR4");
    check("BRXPTOACNOR6", &[], "no company has the ISIN \"BRXPTOACNOR6\"");
    check("CNPJ 12.345.678/0001-95", &[], "no company has the CNPJ \"12345678000195\"");
    check(
        "mercado livre",
        &[],
        "Mercado Livre does not file with CVM as a company; its receipts trade as MELI34",
    );
}
