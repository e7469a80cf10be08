use fincore::{
    CalculationFault, Catalogue, Date, Error, Import, SeriesFault, Wanted,
    calc::{self, Accumulation},
    chrono::NaiveDate,
};

use super::*;
use crate::errors::Problem;

const LANGUAGES: [Language; 2] = [Language::English, Language::Portuguese];

fn day(text: &str) -> NaiveDate {
    text.parse::<Date>().unwrap().into()
}

fn check(message: impl Fn(Language) -> ErrorMessage, english: &str, portuguese: &str) {
    for (language, wanted) in LANGUAGES.into_iter().zip([english, portuguese]) {
        assert_eq!(message(language), ErrorMessage::plain(wanted));
    }
}

fn series(series: &str, fault: SeriesFault) -> Invalid {
    Invalid::Series { series: series.to_owned(), fault }
}

fn value(given: &str, wanted: Wanted) -> Invalid {
    Invalid::Value { given: given.to_owned(), wanted }
}

#[test]
fn days_and_words_are_in_the_language_of_the_page() {
    let (newest, to) = (day("2026-08-01"), day("2030-01-01"));
    let invalid = series("ipca", SeriesFault::EndsEarlier { newest, to });
    check(
        |language| ErrorMessage::invalid(&invalid, language),
        "Series ipca: its newest value is dated 1 Aug 2026, before 1 Jan 2030; leave the last day empty to calculate up to there.",
        "Série ipca: o valor mais recente é de 01/08/2026, antes de 01/01/2030; deixe a última data em branco para calcular até lá.",
    );
    let missing = NotFound::Path(Problem::Library(value("!!", Wanted::Currency)));
    check(
        |language| ErrorMessage::not_found(&missing, language),
        "There is nothing at this address: \"!!\" is not a currency (three letters, such as USD).",
        "Não há nada neste endereço: \"!!\" não é uma moeda (três letras, como USD).",
    );
    check(
        |language| ErrorMessage::long_address(8192, language),
        "The address is longer than 8192 bytes.",
        "O endereço tem mais de 8192 bytes.",
    );
}

#[test]
fn what_was_typed_is_repeated_as_it_is() {
    for typed in ["2026-01-01", "x is not a date", "a\" is not {} \\", "{…}", "é: série", ""] {
        let message = ErrorMessage::invalid(&value(typed, Wanted::Date), Language::Portuguese);
        let wanted = format!("{typed:?} não é uma data (AAAA-MM-DD, como 2025-12-31).");
        assert_eq!(message.text, wanted, "{typed}");
    }
}

#[test]
fn no_page_repeats_a_key() {
    let key = Key::generate().unwrap();
    for wanted in [Wanted::Date, Wanted::Plan] {
        let message = ErrorMessage::invalid(&value(key.reveal(), wanted), Language::English).text;
        assert!(message.starts_with(&format!("\"{}…\"", key.prefix())), "{message}");
    }
}

#[test]
fn what_pages_have_no_words_for_is_in_english_and_marked_as_such() {
    for invalid in [
        Invalid::ExpiredCursor,
        value("x", Wanted::Plan),
        Invalid::Operation("the moon is full".to_owned()),
    ] {
        let marked = ErrorMessage { text: invalid.to_string(), lang: Some("en") };
        assert_eq!(ErrorMessage::invalid(&invalid, Language::Portuguese), marked);
        let english = ErrorMessage { lang: None, ..marked };
        assert_eq!(ErrorMessage::invalid(&invalid, Language::English), english);
    }
    let unknown = BadRequest::Value(Problem::Library(Invalid::ExpiredCursor));
    let marked = ErrorMessage { text: unknown.to_string(), lang: Some("en") };
    assert_eq!(ErrorMessage::bad_request(&unknown, Language::Portuguese), marked);
}

/// The bundled figures have no holes.
#[test]
fn says_which_value_of_a_series_is_missing() {
    let dir = tempfile::tempdir().unwrap();
    let catalogue = Catalogue::open(dir.path().join("catalogue.db")).unwrap();
    let mut import = Import::begin(&catalogue, "2025-06-02T12:00:00Z".parse().unwrap()).unwrap();
    for (number, days) in
        [(433, ["01/01", "01/03"]), (195, ["02/01", "03/03"]), (1, ["02/01", "03/03"])]
    {
        let rows = days.map(|day| format!(r#"{{"data":"{day}/2025","valor":"0.5"}}"#));
        let file = format!("[{}]", rows.join(","));
        import.file(&format!("bcdata.sgs.{number}.json"), file.as_bytes()).unwrap();
    }
    import.commit().unwrap();
    let snapshot = catalogue.snapshot("2025-06-02".parse().unwrap()).unwrap();
    for (series, from, to, wanted) in [
        ("ipca", "2025-01-01", "2025-03-01", "Série ipca: não há valor para 01/02/2025."),
        ("savings", "2025-01-02", "2025-03-02", "Série savings: não há valor para 02/02/2025."),
        ("usd-sell", "2025-02-01", "2025-02-07", "Série usd-sell: não há valor "),
    ] {
        let from = from.parse().unwrap();
        let query = Accumulation {
            to: Some(to.parse().unwrap()),
            ..Accumulation::new(series.parse().unwrap(), from)
        };
        let refused = calc::accumulate(&snapshot, query).unwrap_err();
        let Error::Invalid(invalid) = refused else { panic!("{refused}") };
        let ErrorMessage { text, lang } = ErrorMessage::invalid(&invalid, Language::Portuguese);
        assert!(text.starts_with(wanted) && lang.is_none(), "{invalid}: {text}");
    }
}

#[test]
fn says_what_calculators_lack() {
    let (from, to) = (day("2026-01-01"), day("2026-02-01"));
    let (early, late) = (day("2026-09-05"), day("2026-09-06"));
    for (invalid, english, portuguese) in [
        (
            series(
                "cdi",
                SeriesFault::EndsBefore { newest: day("2026-08-31"), from: day("2099-01-01") },
            ),
            "series cdi: its newest value is dated 2026-08-31, before 2099-01-01",
            "Série cdi: o valor mais recente é de 31/08/2026, antes de 01/01/2099.",
        ),
        (
            series("cdi", SeriesFault::Gap { from: early, next: day("2026-09-14") }),
            "series cdi: there is no value from 2026-09-05 to the day before 2026-09-14",
            "Série cdi: não há valor de 05/09/2026 até a véspera de 14/09/2026.",
        ),
        (
            series("usd-sell", SeriesFault::Empty { from: early, to: late }),
            "series usd-sell: there is no value from 2026-09-05 to 2026-09-06",
            "Série usd-sell: não há valor de 05/09/2026 a 06/09/2026.",
        ),
        (
            series(
                "eur-sell",
                SeriesFault::LateStart { day: day("2014-01-02"), next: day("2015-01-02") },
            ),
            "series eur-sell: there is no value near 2014-01-02; the next is dated 2015-01-02",
            "Série eur-sell: não há valor perto de 02/01/2014; o seguinte é de 02/01/2015.",
        ),
        (
            series(
                "eur-sell",
                SeriesFault::EarlyEnd { day: day("2026-07-31"), before: day("2026-06-30") },
            ),
            "series eur-sell: there is no value near 2026-07-31; the one before is dated 2026-06-30",
            "Série eur-sell: não há valor perto de 31/07/2026; o anterior é de 30/06/2026.",
        ),
        (
            CalculationFault::NothingAfterInterest { from, to }.into(),
            "interest from 2026-01-01 to 2026-02-01 left nothing: there is no rate per year",
            "Os juros de 01/01/2026 a 01/02/2026 não deixaram nada: não há taxa ao ano.",
        ),
        (
            CalculationFault::NoCommonMonth {
                interest: "cdi-daily".to_owned(),
                inflation: "ipca".to_owned(),
                newest: day("2026-08-01"),
                from: day("2026-09-01"),
            }
            .into(),
            "the newest month that cdi-daily and ipca both have is 2026-08-01, before 2026-09-01",
            "O mês mais recente que cdi-daily e ipca têm é 01/08/2026, antes de 01/09/2026.",
        ),
        (
            series("cdi", SeriesFault::FactorTooLarge),
            "series cdi: the factor has more than 30 digits before the point; shorten the period, or lower the percentage or spread",
            "Série cdi: o fator tem mais de 30 dígitos antes da vírgula; encurte o período, ou reduza o percentual ou o spread.",
        ),
    ] {
        assert_eq!(invalid.to_string(), english);
        let message = ErrorMessage::invalid(&invalid, Language::Portuguese);
        assert_eq!(message, ErrorMessage::plain(portuguese));
    }
}
