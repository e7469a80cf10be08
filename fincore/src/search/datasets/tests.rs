use super::*;
use crate::{
    import::Import,
    market::{self, FxCurrent, FxHistory, History, queries},
    store::{
        Catalogue,
        catalogue::{noon, temporary},
        downloads,
    },
};

fn day(text: &str) -> Date {
    text.parse().unwrap()
}

fn import(catalogue: &Catalogue, files: &[(&str, &str)]) {
    let mut import = Import::begin(catalogue, noon()).unwrap().force();
    for (name, text) in files {
        import.file(name, text.as_bytes()).unwrap();
    }
    import.commit().unwrap();
}

/// An SGS answer with these days, `DD/MM/YYYY`, all with the same value.
fn sgs(days: &[&str]) -> String {
    let rows = days.iter().map(|day| format!(r#"{{"data":"{day}","valor":"0.05"}}"#));
    format!("[{}]", rows.collect::<Vec<_>>().join(","))
}

fn found<'s>(status: &'s Status, name: &str) -> &'s Dataset {
    let dataset = status.data.iter().find(|dataset| dataset.dataset == name);
    dataset.unwrap_or_else(|| panic!("no {name} in {:?}", names(status)))
}

fn names(status: &Status) -> Vec<&str> {
    status.data.iter().map(|dataset| &*dataset.dataset).collect()
}

#[test]
fn an_empty_catalogue_is_stale() {
    let (_dir, catalogue) = temporary();
    let status = status(&catalogue.snapshot(day("2026-11-15")).unwrap()).unwrap();
    let filings = ["filings.ipe", "filings.dfp", "filings.itr", "filings.fre", "filings.fca"];
    assert_eq!(names(&status)[..5], ["selic", "cdi", "ipca", "fx", "companies"]);
    assert_eq!(names(&status)[5..], filings);
    assert!(status.data.iter().all(|dataset| dataset.stale && dataset.newest.is_none()));
    assert!(status.data.iter().all(|dataset| dataset.rows == 0 && dataset.updated_at.is_none()));
    assert_eq!((status.stale, status.total, status.today), (true, 10, day("2026-11-15")));
}

#[test]
fn is_stale_from_the_day_on_which_newer_data_must_be_there() {
    let (_dir, catalogue) = temporary();
    let months = sgs(&["01/08/2026", "01/09/2026"]);
    let friday = sgs(&["12/11/2026", "13/11/2026"]);
    let quote = r#"{"@odata.context":"x","value":[{"cotacaoCompra":5.1,"cotacaoVenda":5.2,"dataHoraCotacao":"2026-11-13 13:00:00.0"}]}"#;
    import(
        &catalogue,
        &[
            ("bcdata.sgs.432.json", &friday),
            ("bcdata.sgs.12.json", &friday),
            ("bcdata.sgs.433.json", &months),
            ("bcdata.sgs.189.json", &months),
            ("CotacaoDolarPeriodo.json", quote),
        ],
    );
    // The last day on which the newest observation is new enough.
    let cases = [
        ("selic", "2026-11-13"),
        ("cdi", "2026-11-17"),
        ("cdi-daily", "2026-11-17"),
        ("ipca", "2026-11-14"),
        ("igp-m", "2026-11-04"),
        ("fx", "2026-11-16"),
    ];
    for (name, last) in cases {
        let is_stale = |today: Date| {
            let snapshot = catalogue.snapshot(today).unwrap();
            found(&status(&snapshot).unwrap(), name).stale
        };
        let next = Date::from_day_number(day(last).day_number() + 1).unwrap();
        assert_eq!((is_stale(day(last)), is_stale(next)), (false, true), "{name}");
    }
    let snapshot = catalogue.snapshot(day("2026-11-16")).unwrap();
    let status = status(&snapshot).unwrap();
    let cdi = found(&status, "cdi");
    assert_eq!((cdi.rows, &*cdi.source, cdi.updated_at), (2, "BCB SGS 12", Some(noon())));
    assert_eq!(cdi.expected, Some(day("2026-11-12")));
}

#[test]
fn a_day_after_today_is_not_there_yet() {
    let (_dir, catalogue) = temporary();
    import(&catalogue, &[("bcdata.sgs.432.json", &sgs(&["14/11/2026", "09/12/2026"]))]);
    let snapshot = catalogue.snapshot(day("2026-11-15")).unwrap();
    let status = status(&snapshot).unwrap();
    let selic = found(&status, "selic");
    assert_eq!((selic.newest, selic.rows, selic.stale), (Some(day("2026-11-14")), 1, true));
}

#[test]
fn a_series_without_a_name_is_judged_by_its_own_rhythm() {
    let (_dir, catalogue) = temporary();
    let monthly = ["01/04/2026", "01/05/2026", "01/06/2026", "01/07/2026", "01/08/2026"];
    import(
        &catalogue,
        &[
            ("bcdata.sgs.24999.json", &sgs(&monthly)),
            ("bcdata.sgs.999.json", &sgs(&["01/04/2001", "01/05/2001"])),
        ],
    );
    let at = |today: &str, name: &str| {
        let snapshot = catalogue.snapshot(day(today)).unwrap();
        let status = status(&snapshot).unwrap();
        let dataset = found(&status, name);
        (dataset.expected, dataset.stale)
    };
    assert_eq!(at("2026-11-09", "24999"), (Some(day("2026-08-01")), false));
    assert_eq!(at("2026-11-10", "24999"), (Some(day("2026-08-02")), true));
    // Two observations are no rhythm.
    assert_eq!(at("2026-11-15", "999"), (None, false));
}

#[test]
fn tells_how_synchronising_went() {
    let (_dir, catalogue) = temporary();
    import(&catalogue, &[("bcdata.sgs.433.json", &sgs(&["01/10/2026"]))]);
    let later = noon() + chrono::TimeDelta::hours(1);
    downloads::record_sync(&catalogue, noon(), "ipca", Ok(())).unwrap();
    downloads::record_sync(&catalogue, later, "ipca", Err("the source answered 503")).unwrap();
    downloads::record_sync(&catalogue, later, "igp-m", Err("the source answered 500")).unwrap();
    let snapshot = catalogue.snapshot(day("2026-11-15")).unwrap();
    let status = status(&snapshot).unwrap();
    let ipca = found(&status, "ipca");
    assert_eq!((ipca.last_success, ipca.last_attempt), (Some(noon()), Some(later)));
    assert_eq!((ipca.error.as_deref(), ipca.stale), (Some("the source answered 503"), false));
    // A series that was asked for in vain is listed, too.
    let igp_m = found(&status, "igp-m");
    assert_eq!((igp_m.rows, igp_m.stale, igp_m.last_success), (0, true, None));
    assert_eq!(igp_m.error.as_deref(), Some("the source answered 500"));
}

#[test]
fn answers_say_what_the_status_says() {
    let (_dir, catalogue) = temporary();
    let quotes = r#"{"@odata.context":"x","value":[{"cotacaoCompra":5.1,"cotacaoVenda":5.2,"dataHoraCotacao":"2026-11-13 13:00:00.0"}]}"#;
    import(
        &catalogue,
        &[
            ("bcdata.sgs.432.json", &sgs(&["15/11/2026", "16/11/2026"])),
            ("bcdata.sgs.12.json", &sgs(&["03/09/2026"])),
            ("bcdata.sgs.433.json", &sgs(&["01/08/2026", "01/10/2026"])),
            ("CotacaoDolarPeriodo.json", quotes),
            ("20260731.csv", "31/07/2026;978;B;EUR;5,8473;5,8490;1,15;1,16\r\n"),
        ],
    );
    let snapshot = catalogue.snapshot(day("2026-11-16")).unwrap();
    let overview = market::overview(&snapshot).unwrap();
    let indicators = &overview.meta.indicators;
    let metas = [&indicators.selic, &indicators.cdi, &indicators.ipca, &indicators.fx];
    let stale = metas.map(|meta| meta.stale);
    assert_eq!(stale, [Some(false), Some(true), Some(false), Some(false)]);
    assert!(metas.iter().all(|meta| meta.updated_at == Some(noon())));
    assert_eq!((overview.meta.stale, overview.meta.updated_at), (Some(true), Some(noon())));
    // A part of the history is as fresh as the whole.
    let old = History { to: Some(day("2026-08-31")), ..History::default() };
    assert_eq!(market::ipca(&snapshot, old.clone()).unwrap().meta.stale, Some(false));
    assert_eq!(market::cdi(&snapshot, old).unwrap().meta.stale, Some(true));
    let euro: Pair = "EUR/BRL".parse().unwrap();
    let current = market::fx_current(&snapshot, FxCurrent { pair: euro }).unwrap();
    assert_eq!(current.meta.stale, Some(true));
    assert_eq!(market::fx(&snapshot, FxHistory::default()).unwrap().meta.stale, Some(false));
    assert_eq!(
        market::fx_pairs(&snapshot, queries::FxPairs::default()).unwrap().meta.stale,
        Some(false)
    );
}

#[test]
fn the_status_sees_every_change() {
    let (_dir, catalogue) = temporary();
    let agrees = |today: &str| {
        let snapshot = catalogue.snapshot(day(today)).unwrap();
        let seen = status(&snapshot).unwrap();
        let ipca = found(&seen, "ipca");
        (ipca.rows, ipca.last_success.is_some(), ipca.stale)
    };
    assert_eq!(agrees("2026-11-15"), (0, false, true));
    import(&catalogue, &[("bcdata.sgs.433.json", &sgs(&["01/10/2026", "01/11/2026"]))]);
    assert_eq!(agrees("2026-11-15"), (2, false, false));
    // A second call is answered from memory; then a note, which changes no data, and another day.
    assert_eq!(agrees("2026-11-15"), (2, false, false));
    downloads::record_sync(&catalogue, noon(), "ipca", Ok(())).unwrap();
    assert_eq!(agrees("2026-11-15"), (2, true, false));
    assert_eq!(agrees("2026-10-31"), (1, true, false));
    assert_eq!(agrees("2027-01-15"), (2, true, true));
}

#[test]
fn tells_what_was_left_out_until_the_file_is_imported_without_it() {
    let (_dir, catalogue) = temporary();
    let header = crate::import::sample_files::FILINGS_HEADER;
    let row = |id: u32, day: &str| {
        format!(
            "00.000.000/0001-91;BANCO S.A.;1023;;Fato Relevante;;;;{day};AP;;1;https://cvm/?numProtocolo={id}&numSequencia=7\n"
        )
    };
    let good = format!("{header}{}{}", row(1, "2026-11-10"), row(2, "2026-11-10"));
    let bad = good.replacen("2026-11-10", "yesterday", 1).replacen("Versao", "Versao;Nova", 1);
    let bad = bad.replacen("AP;;1", "AP;;1;x", 2);
    let told = |file: &str| {
        import(&catalogue, &[("data/ipe_cia_aberta_2026.csv", file)]);
        let status = status(&catalogue.snapshot(day("2026-11-15")).unwrap()).unwrap();
        assert!(found(&status, "companies").notes.is_empty());
        let Dataset { notes, left_out, .. } = found(&status, "filings.ipe").clone();
        (notes, left_out)
    };
    assert_eq!(told(&good), (vec![], 0));
    let (notes, left_out) = told(&bad);
    assert_eq!((notes.len(), left_out), (2, 1), "{notes:?}");
    assert!(notes[0].starts_with("ipe_cia_aberta_2026.csv: left out: 1 rows that cannot be read"));
    assert_eq!(notes[1], "ipe_cia_aberta_2026.csv: new columns that are not read: \"Nova\"");
    // Both imports brought nothing new, and what they say of the file counts all the same.
    assert_eq!(told(&good), (vec![], 0));
    // Rows that are always left out are not worth a note.
    let intraday = r#"{"value":[{"cotacaoCompra":5.1,"cotacaoVenda":5.2,"dataHoraCotacao":"2026-11-13 10:00:00.0","tipoBoletim":"Abertura"}]}"#;
    import(&catalogue, &[("CotacaoMoedaPeriodo.EUR.json", intraday)]);
    let status = status(&catalogue.snapshot(day("2026-11-15")).unwrap()).unwrap();
    assert!(found(&status, "fx").notes.is_empty());
}

#[test]
fn the_past_has_a_status_of_its_own() {
    let (_dir, catalogue) = temporary();
    for (time, day) in
        [("2026-11-10T12:00:00Z", "01/08/2026"), ("2026-11-15T12:00:00Z", "01/09/2026")]
    {
        let mut import = Import::begin(&catalogue, time.parse().unwrap()).unwrap();
        import.file("bcdata.sgs.433.json", sgs(&[day]).as_bytes()).unwrap();
        import.commit().unwrap();
    }
    let then = catalogue.snapshot(day("2026-11-12")).unwrap();
    let past = crate::market::past::as_of(&then, then.today()).unwrap();
    for (snapshot, rows) in [(&then, 2), (&past, 1), (&then, 2)] {
        assert_eq!(found(&status(snapshot).unwrap(), "ipca").rows, rows);
    }
}
