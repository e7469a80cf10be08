//! The Rust client: the past, and errors, which are of the same kinds from a server and from the library.
use chrono::{TimeDelta, Utc};
use fincore::{
    Date, Plan, Search, companies, filings,
    market::{self, History, SeriesHistory},
};
use finserve_client::{Client, Error, Settings, Source};

use crate::rust_client::{Both, of, served, since_2020};

#[test]
fn the_past_is_the_same_from_both() {
    let both = Both::start();
    let ask = |source: &Source| {
        let query = SeriesHistory { to: Some(of("2026-08-01")), ..SeriesHistory::new(of("ipca")) };
        let answer = both.runtime.block_on(finserve_client::market::series(source, query));
        answer.map(|page| (page.data[0].value.to_string(), page.meta))
    };
    let day = Date::in_brasilia(Utc::now() - TimeDelta::days(6));
    for (past, value) in [
        ((|source, _| source) as fn(Source, Date) -> Source, "0.12"),
        (Source::as_of, "0.12"),
        (|source, day| source.as_of(day.days_before(1)), "0.11"),
        (|source, day| source.as_of(day.days_before(1)).as_of(day), "0.11"),
        (|source, _| source.first_releases(), "-0.32"),
    ] {
        let [ours, theirs] =
            [&both.embedded, &both.served].map(|source| ask(&past(source.clone(), day)).unwrap());
        assert_eq!(ours, theirs);
        assert_eq!(ours.0, value);
    }
    for source in [&both.embedded, &both.served] {
        let wrong = ask(&source.clone().as_of(day).first_releases());
        assert!(matches!(wrong, Err(Error::Invalid { .. })));
        let past = source.clone().as_of(day);
        let companies = finserve_client::companies::list(&past, companies::List::default());
        let wrong = both.runtime.block_on(companies);
        assert!(
            matches!(wrong, Err(Error::Invalid { parameter: Some(name), .. }) if name == "as_of")
        );
    }
}

#[test]
fn errors_have_the_same_kind_and_message_from_both() {
    let both = Both::start();
    for source in [&both.embedded, &both.served] {
        let ask = |query| both.runtime.block_on(finserve_client::market::selic(source, query));
        let backwards = History { to: Some(of("2019-01-01")), ..since_2020() };
        match ask(backwards).unwrap_err() {
            Error::Invalid { parameter: None, message } => {
                let ours = market::selic(
                    &both.snapshot,
                    History { to: Some(of("2019-01-01")), ..since_2020() },
                );
                assert_eq!(message, ours.unwrap_err().to_string());
            }
            other => panic!("{other:?}"),
        }
        let find = |id: &str| {
            both.runtime.block_on(finserve_client::companies::find(source, of(id))).unwrap_err()
        };
        match find("999999") {
            Error::NotFound { message } => assert_eq!(message, "there is no company \"999999\""),
            other => panic!("{other:?}"),
        }
        let series = finserve_client::market::series(source, SeriesHistory::new(of("nada")));
        assert!(matches!(both.runtime.block_on(series), Err(Error::NotFound { .. })));
    }
}

#[test]
fn what_a_plan_lacks_and_which_plan_has_it_are_values() {
    let both = Both::start();
    let asked = |source: &Source| {
        both.runtime.block_on(finserve_client::filings::recent(source, filings::Recent::default()))
    };
    match asked(&served(&both.server, Some(Plan::Free))).unwrap_err() {
        Error::PlanRequired { upgrade, plans_url } => {
            assert_eq!(upgrade.feature, fincore::Feature::Filings);
            assert_eq!((upgrade.current_plan, upgrade.required_plan), (Plan::Free, Plan::Gold));
            assert_eq!(plans_url, Some(format!("http://{}/pricing", both.server.address)));
        }
        other => panic!("{other:?}"),
    }
    // A search tells it beside what the plan has.
    let bronze = served(&both.server, Some(Plan::Bronze));
    let found = finserve_client::search::global(&bronze, Search::new("vale").unwrap());
    let upgrade = both.runtime.block_on(found).unwrap().upgrade.unwrap();
    assert_eq!((upgrade.current_plan, upgrade.required_plan), (Plan::Bronze, Plan::Gold));
    let unknown = Settings { key: fincore::Key::generate().ok(), ..Settings::default() };
    let unknown = Client::new(&format!("http://{}", both.server.address), unknown).unwrap();
    assert!(matches!(asked(&unknown.into()), Err(Error::InvalidKey { .. })));
    // The thirty requests of a minute are used up.
    let free = served(&both.server, Some(Plan::Free));
    let ask = || both.runtime.block_on(finserve_client::market::selic_current(&free));
    let refused = (0..31).find_map(|_| ask().err());
    match refused {
        Some(Error::RateLimited { retry_after, message }) => {
            assert!((1..=60).contains(&retry_after.as_secs()), "{message}");
        }
        other => panic!("{other:?}"),
    }
}
