use crate::{
    import::Import,
    market::{
        self, History, Measure, SeriesHistory,
        queries::{SeriesCurrent, SeriesList},
        series_definitions::DEFINITIONS,
    },
    store::{
        Catalogue,
        catalogue::{noon, temporary},
    },
    values::{Limit, Offset},
};

fn import(catalogue: &Catalogue, files: &[(u32, &[(&str, &str)])]) {
    let mut import = Import::begin(catalogue, noon()).unwrap();
    for (number, rows) in files {
        let row = |(day, value): &(&str, &str)| format!(r#"{{"data":"{day}","valor":"{value}"}}"#);
        let text = rows.iter().map(row).collect::<Vec<_>>().join(",");
        import.file(&format!("bcdata.sgs.{number}.json"), format!("[{text}]").as_bytes()).unwrap();
    }
    import.commit().unwrap();
}

/// Everything that is listed on a day, as JSON.
fn listed(catalogue: &Catalogue, today: &str, query: SeriesList) -> Vec<String> {
    let snapshot = catalogue.snapshot(today.parse().unwrap()).unwrap();
    let page = market::series_list(&snapshot, query).unwrap();
    page.data.iter().map(|series| serde_json::to_string(series).unwrap()).collect()
}

/// The observations of a series, or the message that there are none.
fn observed(catalogue: &Catalogue, today: &str, id: &str) -> Result<Vec<String>, String> {
    let snapshot = catalogue.snapshot(today.parse().unwrap()).unwrap();
    let id = id.parse().map_err(|err: crate::values::error::Error| err.to_string())?;
    let page = market::series(&snapshot, SeriesHistory::new(id)).map_err(|err| err.to_string())?;
    Ok(page.data.iter().map(|row| format!("{} {}", row.date, row.value)).collect())
}

#[test]
fn lists_what_is_held_and_nothing_else() {
    let (_dir, catalogue) = temporary();
    assert_eq!(listed(&catalogue, "2026-11-15", SeriesList::default()), Vec::<String>::new());
    import(
        &catalogue,
        &[
            (189, &[("01/09/2026", "0.31"), ("01/10/2026", "-0.27")]),
            (987_654, &[("03/02/2020", "7")]),
            (21619, &[("12/11/2026", "6.1234")]),
            // Nothing of it until tomorrow.
            (432, &[("16/11/2026", "13.75")]),
        ],
    );
    let want = [
        r#"{"number":189,"name":"igp-m","title":"General market price index IGP-M","title_pt":"Índice geral de preços do mercado (IGP-M)","unit":"percent per month","unit_pt":"por cento ao mês","rhythm":"monthly","first":"2026-09-01","last":"2026-10-01","count":2,"source":"BCB SGS 189","sync":null}"#,
        r#"{"number":21619,"name":"eur-sell","title":"Euro, PTAX closing, sell","title_pt":"Euro, PTAX de fechamento, venda","unit":"BRL per unit","unit_pt":"reais por unidade","rhythm":"business days","first":"2026-11-12","last":"2026-11-12","count":1,"source":"BCB PTAX, closing bulletin (SGS 21619)","sync":null}"#,
        r#"{"number":987654,"name":"987654","title":null,"title_pt":null,"unit":null,"unit_pt":null,"rhythm":null,"first":"2020-02-03","last":"2020-02-03","count":1,"source":"BCB SGS 987654","sync":null}"#,
    ];
    assert_eq!(listed(&catalogue, "2026-11-15", SeriesList::default()), want);
    assert_eq!(listed(&catalogue, "2026-11-16", SeriesList::default()).len(), 4);
    assert_eq!(listed(&catalogue, "2026-09-30", SeriesList::default()).len(), 2);
    let (limit, offset) = (Limit::new(1).unwrap(), Offset::new(1).unwrap());
    let second = SeriesList { limit, offset, ..SeriesList::default() };
    assert_eq!(listed(&catalogue, "2026-11-15", second), want[1..2]);
}

#[test]
fn the_cdi_is_listed_with_its_computed_figures() {
    let (_dir, catalogue) = temporary();
    let source = |catalogue: &Catalogue| {
        let snapshot = catalogue.snapshot("2026-11-15".parse().unwrap()).unwrap();
        let all = market::series_list(&snapshot, SeriesList::default()).unwrap().data;
        let cdi = all.into_iter().find(|series| series.name == "cdi").unwrap();
        let ours = market::cdi(&snapshot, History::default()).unwrap().meta.source;
        assert_eq!(cdi.source, ours);
        (cdi.count, cdi.source)
    };
    import(&catalogue, &[(12, &[("03/09/2026", "0.050788"), ("04/09/2026", "0.050788")])]);
    assert_eq!(source(&catalogue), (2, "BCB SGS 12".to_owned()));
    import(&catalogue, &[(4389, &[("04/09/2026", "13.65")])]);
    assert_eq!(source(&catalogue), (2, "BCB SGS 4389 and 12".to_owned()));
    import(&catalogue, &[(4389, &[("03/09/2026", "13.65")])]);
    assert_eq!(source(&catalogue), (2, "BCB SGS 4389".to_owned()));
}

#[test]
fn one_side_of_a_quote_is_served_without_the_other() {
    let (_dir, catalogue) = temporary();
    let days = [("11/11/2026", "6.1000"), ("12/11/2026", "6.2000")];
    import(&catalogue, &[(21619, &days), (21620, &days[..1])]);
    let of = |id: &str| observed(&catalogue, "2026-11-15", id);
    assert_eq!(of("21619").unwrap(), ["2026-11-12 6.2000", "2026-11-11 6.1000"]);
    assert_eq!(of("EUR-sell"), of("21619"));
    assert_eq!(of("eur_buy").unwrap(), ["2026-11-11 6.1000"]);
    let snapshot = catalogue.snapshot("2026-11-15".parse().unwrap()).unwrap();
    let current =
        |series: u32| market::series_current(&snapshot, SeriesCurrent::new(series.into())).unwrap();
    assert_eq!(current(21620).date.to_string(), "2026-11-11");
    assert_eq!(current(21619).meta.unit, Some("BRL per unit"));
    assert_eq!(market::all(&snapshot, 21619).unwrap().len(), 2);
}

#[test]
fn a_series_without_observations_is_not_found() {
    let (_dir, catalogue) = temporary();
    import(&catalogue, &[(189, &[("01/10/2026", "-0.27")])]);
    let of = |today, id: &str| observed(&catalogue, today, id).unwrap_err();
    assert_eq!(of("2026-11-15", "tr"), "there are no observations of series 226 (tr) yet");
    assert_eq!(of("2026-11-15", "999"), "there are no observations of series 999 yet");
    assert_eq!(of("2026-11-15", "foo"), "there are no observations of a series \"foo\" yet");
    assert_eq!(of("2026-09-30", "189"), "there are no observations of series 189 (igp-m) yet");
    let wanted = "is not a series (its number in SGS, or a name such as igp-m)";
    assert_eq!(of("2026-11-15", "--"), format!("\"--\" {wanted}"));
    // A range without observations is an empty list.
    let query =
        SeriesHistory { to: Some("2020-01-01".parse().unwrap()), ..SeriesHistory::new(189.into()) };
    let snapshot = catalogue.snapshot("2026-11-15".parse().unwrap()).unwrap();
    assert!(market::series(&snapshot, query).unwrap().data.is_empty());
}

#[test]
fn each_known_series_has_a_number_and_a_name_of_its_own() {
    for (index, series) in DEFINITIONS.iter().enumerate() {
        let id = series.name.parse::<crate::values::ids::SeriesId>().unwrap();
        assert_eq!(id.number(), None, "{} is not a number", series.name);
        for other in &DEFINITIONS[index + 1..] {
            assert_ne!(series.number, other.number);
            assert!(!id.is_named(other.name), "{} and {}", series.name, other.name);
            let (one, two) = (series.unit, other.unit);
            assert_eq!(one.en == two.en, one.pt == two.pt, "{} and {}", series.name, other.name);
        }
        for text in [series.title, series.unit] {
            assert!(!text.en.is_empty() && !text.pt.is_empty(), "{}", series.number);
        }
        let unit = series.unit.en;
        let is_rate = unit.starts_with("percent per ") || unit.starts_with("percent in ");
        assert_eq!(series.measure() != Measure::Level, is_rate, "{unit}");
    }
}
