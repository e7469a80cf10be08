//! The events of small imports.
use rusqlite::Connection;

use super::*;
use crate::{
    import::{
        Import,
        sample_files::{FILINGS_HEADER, REGISTRY_HEADER, SECURITIES},
    },
    store::{
        Catalogue,
        catalogue::{noon, temporary},
    },
    values::Date,
};

/// A file to import: name and text.
pub(crate) type File = (String, String);

/// Observations of a series.
pub(crate) fn rates(series: u32, rows: &[(&str, &str)]) -> File {
    let rows = rows.iter().map(|(day, value)| format!(r#"{{"data":"{day}","valor":"{value}"}}"#));
    (format!("bcdata.sgs.{series}.json"), format!("[{}]", rows.collect::<Vec<_>>().join(",")))
}

/// Petrobras with its ticker, and Vale under this name.
pub(crate) fn companies(vale: &str) -> [File; 2] {
    let company = |cnpj, name, code| {
        let fields = [cnpj, name, "", "1977-07-20", "", "", "", "ATIVO", "1977-07-20", code, "X"];
        fields.join(";") + &";".repeat(47 - fields.len()) + "\n"
    };
    let registry = REGISTRY_HEADER.to_owned()
        + &company("33.000.167/0001-01", "PETROLEO BRASILEIRO SA", "9512")
        + &company("33.592.510/0001-54", vale, "4170");
    [
        ("cad_cia_aberta.csv".into(), registry),
        ("fca_cia_aberta_valor_mobiliario_2025.csv".into(), SECURITIES.into()),
    ]
}

/// Filings: id, CVM code, category and subject.
pub(crate) fn filings(rows: &[(u32, u32, &str, &str)]) -> File {
    let filing = |(id, code, category, subject): &(u32, u32, &str, &str)| {
        let link = format!(
            "https://www.rad.cvm.gov.br/ENET/frmDownloadDocumento.aspx?Tela=ext&descTipo=IPE\
             &CodigoInstituicao=1&numProtocolo={id}&numSequencia={id}&numVersao=1"
        );
        let day = "2026-02-01";
        format!("33.592.510/0001-54;N;{code};{day};{category};;;{subject};{day};AP;;1;{link}\n")
    };
    let text = FILINGS_HEADER.to_owned() + &rows.iter().map(filing).collect::<String>();
    ("ipe_cia_aberta_2026.csv".into(), text)
}

pub(crate) fn import(catalogue: &Catalogue, files: &[File]) {
    let mut import = Import::begin(catalogue, noon()).unwrap();
    for (name, text) in files {
        import.file(name, text.as_bytes()).unwrap();
    }
    import.commit().unwrap();
}

/// A snapshot on a day before everything: events do not care.
pub(crate) fn snapshot(catalogue: &Catalogue) -> Snapshot {
    catalogue.snapshot(Date::MIN).unwrap()
}

fn read(catalogue: &Catalogue, since: Option<Cursor>, limit: u32) -> Result<Events> {
    let query = EventsQuery { since, limit: Limit::new(limit).unwrap() };
    super::list(&snapshot(catalogue), EventWindow::ALL, query)
}

/// Type and data of each event.
fn types_and_data(events: &Events) -> Vec<(&'static str, String)> {
    events.data.iter().map(|event| (event.kind, event.data.get().to_owned())).collect()
}

fn first_files() -> Vec<File> {
    let [registry, tickers] = companies("VALE S.A.");
    vec![
        rates(432, &[("05/11/2026", "13.750")]),
        rates(77_777, &[("05/11/2026", "1.0")]),
        rates(1, &[("04/09/2026", "5.10")]),
        rates(10813, &[("04/09/2026", "5.090")]),
        registry,
        tickers,
        filings(&[(102, 4170, "Fato Relevante", "Venda")]),
    ]
}

#[test]
fn what_was_published_long_before_it_came_in_is_no_event() {
    let (_dir, catalogue) = temporary();
    let keys = |window| {
        let events = list(&snapshot(&catalogue), window, EventsQuery::default()).unwrap();
        assert!(!events.more);
        events.data.iter().map(|event| event.data.get().to_owned()).collect::<Vec<_>>()
    };
    // Noon is on 15 November. The IPCA of a month is there by the middle of the next, the IBC-Br a month later.
    import(&catalogue, &[rates(432, &[("15/10/2026", "15.00"), ("16/10/2026", "15.00")])]);
    import(
        &catalogue,
        &[rates(433, &[("01/08/2026", "0.1"), ("01/09/2026", "0.2"), ("01/10/2026", "0.3")])],
    );
    import(&catalogue, &[rates(24363, &[("01/07/2026", "151.1"), ("01/08/2026", "152.1")])]);
    let month = keys(EventWindow::default());
    let dates = ["2026-10-16", "2026-10-01", "2026-08-01"];
    assert_eq!(month.len(), dates.len(), "{month:?}");
    for (data, date) in month.iter().zip(dates) {
        assert!(data.contains(date), "{data}");
    }
    assert_eq!(keys(EventWindow::ALL).len(), 7);
    // A figure that changes is published when it comes in; a filing on the day that it was filed.
    import(&catalogue, &[rates(433, &[("01/08/2026", "0.4")])]);
    assert_eq!(keys(EventWindow::default()).len(), 4);
    import(&catalogue, &[filings(&[(102, 4170, "Fato Relevante", "Venda")])]);
    assert_eq!(keys(EventWindow::default()).len(), 4);
    assert_eq!(keys(EventWindow::days(300)).len(), 8 + 1);
}

#[test]
fn all_that_is_new_is_an_event() {
    let (_dir, catalogue) = temporary();
    import(&catalogue, &first_files());
    let events = read(&catalogue, None, 100).unwrap();
    let company = |id, name, cnpj, tickers| {
        format!(
            r#"{{"id":"{id}","name":"{name}","trade_name":null,"cnpj":"{cnpj}","status":"ATIVO","sector":"X","tickers":[{tickers}],"registered_on":"1977-07-20","cancelled_on":null}}"#
        )
    };
    let want = [
        (
            "rate.published",
            r#"{"series":"77777","number":77777,"date":"2026-11-05","value":1.0,"change":"added"}"#.to_owned(),
        ),
        ("company.created", company(4170, "VALE S.A.", "33.592.510/0001-54", "")),
        ("company.created", company(9512, "PETROLEO BRASILEIRO SA", "33.000.167/0001-01", r#""PETR4""#)),
        (
            "filing.published",
            r#"{"id":"102","company_id":"4170","company_name":"N","category":"Fato Relevante","type":"","species":"","description":"Venda","subject":"Venda","date":"2026-02-01T00:00:00-03:00","reference_date":"2026-02-01","version":1,"url":"https://www.rad.cvm.gov.br/ENET/frmDownloadDocumento.aspx?Tela=ext&descTipo=IPE&CodigoInstituicao=1&numProtocolo=102&numSequencia=102&numVersao=1"}"#.to_owned(),
        ),
        (
            "fx.published",
            r#"{"pair":"USD/BRL","date":"2026-09-04","buy":5.090,"sell":5.10,"change":"added"}"#.to_owned(),
        ),
        (
            "rate.published",
            r#"{"series":"selic","number":432,"date":"2026-11-05","value":13.750,"unit":"percent per year","change":"added"}"#.to_owned(),
        ),
    ];
    assert_eq!(types_and_data(&events), want);
    assert!(events.data.iter().all(|event| event.timestamp == noon()) && !events.more);
    let json = serde_json::to_string(&events.data[0]).unwrap();
    assert!(
        json.starts_with(r#"{"id":"evt_"#)
            && json.contains(
                r#","type":"rate.published","timestamp":"2026-11-15T15:00:00Z","data":{"#
            ),
        "{json}"
    );
}

#[test]
fn of_changes_only_rates_quotes_and_companies_are_events() {
    let (_dir, catalogue) = temporary();
    import(&catalogue, &first_files());
    let place = latest_cursor(&snapshot(&catalogue)).unwrap();
    assert_eq!(read(&catalogue, Some(place.clone()), 100).unwrap().next, place);
    let [registry, _] = companies("VALE ON S.A.");
    import(
        &catalogue,
        &[
            rates(432, &[("05/11/2026", "14.00")]),
            rates(1, &[("04/09/2026", "5.11")]),
            registry,
            filings(&[(102, 4170, "Fato Relevante", "Outro assunto")]),
        ],
    );
    let events = read(&catalogue, Some(place), 100).unwrap();
    let kinds: Vec<_> = events.data.iter().map(|event| event.kind).collect();
    assert_eq!(kinds, ["company.updated", "fx.published", "rate.published"]);
    for (kind, data) in &types_and_data(&events)[1..] {
        assert!(data.contains(r#""change":"changed","previous":"#), "{kind}: {data}");
    }
}

#[test]
fn what_is_gone_or_unreadable_by_now_is_no_event() {
    let (dir, catalogue) = temporary();
    import(&catalogue, &first_files());
    let file = Connection::open(dir.path().join("catalogue.db")).unwrap();
    file.execute_batch(
        "DELETE FROM rate WHERE series = 77777; UPDATE rate SET value = '?';
        DELETE FROM company WHERE id = 4170; DELETE FROM filing; UPDATE fx SET buy = NULL;
        INSERT INTO change VALUES (1, 'zzz', 'x', 0), (1, 'selic', 'x', 0), (1, 'companies', 'x', 1),
            (1, 'filings', 'x', 0), (1, 'fx', 'x', 0), (1, 'fx', 'XX/YY 2026-01-01', 9), (2, 'selic', 'no revision', 0);",
    )
    .unwrap();
    let events = read(&catalogue, None, 100).unwrap();
    assert_eq!(types_and_data(&events).len(), 1);
    assert!(types_and_data(&events)[0].1.contains("PETROLEO"));
}

#[test]
fn reads_the_same_in_steps_of_any_size() {
    let (_dir, catalogue) = temporary();
    import(&catalogue, &first_files());
    let days: Vec<String> = (1..=28).map(|day| format!("{day:02}/09/2026")).collect();
    let rows: Vec<(&str, &str)> = days.iter().map(|day| (day.as_str(), "0.1")).collect();
    import(&catalogue, &[rates(433, &[("01/08/2026", "0.2")]), rates(11, &rows)]);
    let whole = read(&catalogue, None, 1000).unwrap();
    assert_eq!(whole.data.len(), 6 + 1 + 28 * 2);
    for limit in [1, 2, 7, 60] {
        let (mut since, mut found) = (None, Vec::new());
        loop {
            let events = read(&catalogue, since, limit).unwrap();
            assert!(events.data.len() <= limit as usize);
            // The last event of an answer is a place to go on from, too.
            let last = events.data.last().map(|event| event.id.clone());
            found.extend(types_and_data(&events));
            if !events.more {
                assert_eq!(events.next, whole.next);
                break;
            }
            since = last.or(Some(events.next));
        }
        assert_eq!(found, types_and_data(&whole), "{limit}");
    }
}

#[test]
fn a_step_over_much_that_is_no_event_is_bounded_and_moves_on() {
    let (_dir, catalogue) = temporary();
    let days: Vec<String> = (1..=28).map(|day| format!("{day:02}/09/2026")).collect();
    let rows: Vec<(&str, &str)> = days.iter().map(|day| (day.as_str(), "5.1")).collect();
    import(&catalogue, &[rates(1, &rows)]);
    let first = read(&catalogue, None, 1).unwrap();
    assert!(first.data.is_empty() && first.more);
    let second = read(&catalogue, Some(first.next), 1).unwrap();
    assert!(second.data.is_empty() && !second.more);
    assert_eq!(second.next, latest_cursor(&snapshot(&catalogue)).unwrap());
}

#[test]
fn a_cursor_of_other_or_forgotten_data_is_refused() {
    let ((_dir, catalogue), (_other_dir, other)) = (temporary(), temporary());
    let import_at = |days, value| {
        let later = noon() + chrono::TimeDelta::days(days);
        let mut import = Import::begin(&catalogue, later).unwrap();
        let (name, text) = rates(432, &[("05/11/2026", value)]);
        import.file(&name, text.as_bytes()).unwrap();
        import.commit().unwrap();
    };
    import_at(0, "13.00");
    let old = read(&catalogue, None, 1).unwrap().data[0].id.clone();
    import_at(10, "14.00");
    let kept = latest_cursor(&snapshot(&catalogue)).unwrap();
    assert_eq!(read(&catalogue, Some(old.clone()), 10).unwrap().data.len(), 1);
    import_at(95, "15.00");
    let foreign = latest_cursor(&snapshot(&other)).unwrap();
    let future = Cursor::new(&snapshot(&catalogue).catalogue_id().unwrap(), LogPosition::after(9));
    for cursor in [old, foreign, future] {
        let message = read(&catalogue, Some(cursor), 10).unwrap_err().to_string();
        assert!(message.contains("no longer known; start again without since"), "{message}");
    }
    assert_eq!(read(&catalogue, Some(kept), 10).unwrap().data.len(), 1);
    assert_eq!(read(&catalogue, None, 10).unwrap().data.len(), 2);
}

/// The data of the events about decisions.
fn decided(catalogue: &Catalogue) -> Vec<String> {
    let events = types_and_data(&read(catalogue, None, 1000).unwrap());
    events.into_iter().filter(|(kind, _)| *kind == "selic.decided").map(|(_, data)| data).collect()
}

#[test]
fn a_decision_on_the_selic_is_an_event_once() {
    let (_dir, catalogue) = temporary();
    let meetings: File =
        ("copom.csv".into(), "first_day,second_day\n2026-11-03,2026-11-04\n".into());
    let until_the_meeting = rates(432, &[("03/11/2026", "13.75"), ("04/11/2026", "13.75")]);
    import(&catalogue, &[until_the_meeting.clone(), meetings.clone()]);
    assert_eq!(decided(&catalogue), [""; 0]);
    // The target of the next days, which were not known on the day of the meeting.
    let after = rates(432, &[("05/11/2026", "13.50"), ("06/11/2026", "13.50")]);
    import(&catalogue, std::slice::from_ref(&after));
    let wanted = r#"{"date":"2026-11-04","effective_from":"2026-11-05","before":13.75,"after":13.50,"change":-0.25}"#;
    assert_eq!(decided(&catalogue), [wanted]);
    // Whatever is imported again, and a revision, is no new decision; the event has the present figures.
    import(&catalogue, &[after, until_the_meeting, meetings]);
    assert_eq!(decided(&catalogue), [wanted]);
    import(&catalogue, &[rates(432, &[("05/11/2026", "13.25"), ("06/11/2026", "13.25")])]);
    assert_eq!(decided(&catalogue), [wanted.replace("13.50", "13.25").replace("0.25", "0.50")]);
    // A decision that was none is gone.
    import(&catalogue, &[rates(432, &[("07/11/2026", "12.00")])]);
    assert_eq!(decided(&catalogue).len(), 2);
    import(&catalogue, &[rates(432, &[("07/11/2026", "13.25")])]);
    assert_eq!(decided(&catalogue).len(), 1);
}

#[test]
fn a_meeting_without_a_change_is_an_event_where_the_calendar_has_it() {
    let (_dir, catalogue) = temporary();
    import(&catalogue, &[rates(432, &[("04/11/2026", "13.75"), ("05/11/2026", "13.75")])]);
    assert_eq!(decided(&catalogue), [""; 0]);
    let meetings: File =
        ("copom.csv".into(), "first_day,second_day\n2026-11-03,2026-11-04\n".into());
    import(&catalogue, std::slice::from_ref(&meetings));
    let wanted = r#"{"date":"2026-11-04","effective_from":"2026-11-05","before":13.75,"after":13.75,"change":0.00}"#;
    assert_eq!(decided(&catalogue), [wanted]);
    import(&catalogue, &[meetings, rates(432, &[("06/11/2026", "13.75")])]);
    assert_eq!(decided(&catalogue), [wanted]);
}

#[test]
fn a_decision_of_long_ago_is_no_event_and_a_change_without_a_meeting_is_one() {
    let (_dir, catalogue) = temporary();
    // Noon is on 15 November.
    let old = [("05/08/2026", "14.25"), ("06/08/2026", "14.00"), ("07/11/2026", "13.75")];
    import(&catalogue, &[rates(432, &old)]);
    assert_eq!(decided(&catalogue).len(), 2);
    let recent = list(&snapshot(&catalogue), EventWindow::default(), EventsQuery::default());
    let recent = types_and_data(&recent.unwrap());
    let wanted = r#"{"date":null,"effective_from":"2026-11-07","before":14.00,"after":13.75,"change":-0.25}"#;
    assert!(recent.contains(&("selic.decided", wanted.to_owned())), "{recent:?}");
    assert_eq!(recent.iter().filter(|(kind, _)| *kind == "selic.decided").count(), 1);
}
