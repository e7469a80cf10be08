//! The choices in the forms: series and currencies that have figures.
use std::collections::HashSet;

use fincore::{
    Result, Snapshot,
    market::{self, FxPairs, ListedSeries, Rhythm, SeriesList},
};

use crate::pages::language::Language;

/// The series that a field takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    /// All that can be compounded.
    Any,
    /// Rates of a day or a month.
    Interest,
    /// Monthly price indexes.
    Inflation,
}

/// Whether the figures of a series can be compounded under its own name.
pub(super) fn is_compounded(series: &ListedSeries) -> bool {
    stands_for_days(series)
        || series.unit.is_some_and(|unit| {
            !unit.en.starts_with("percent per year") && unit.en != "percent in 12 months"
        })
}

/// The name that stands for all returns of savings deposits: the day of the deposit says which.
const SAVINGS: &str = "savings";

/// Whether a series is one of those.
fn is_savings(series: &ListedSeries) -> bool {
    series.name.starts_with(SAVINGS)
}

/// The choices for the months of an index that count.
pub(super) fn months(language: Language) -> Vec<(String, String)> {
    [
        ("inclusive", language.pick("Those of both dates", "Os das duas datas")),
        (
            "contract",
            language
                .pick("Contract: without that of the last date", "Contrato: sem o da data final"),
        ),
    ]
    .map(|(value, label)| (value.to_owned(), label.to_owned()))
    .into()
}

/// Whether a series stands for its daily rates: the two that everybody means by their names.
fn stands_for_days(series: &ListedSeries) -> bool {
    ["selic", "cdi"].contains(&series.name.as_ref())
}

impl Takes {
    fn fits(self, series: &ListedSeries) -> bool {
        let unit = series.unit.map_or("", |unit| unit.en);
        let is_price = ["ipca", "igp", "inpc", "ipc-", "incc"]
            .iter()
            .any(|start| series.name.starts_with(start));
        let is_monthly = unit == "percent per month" && series.rhythm == Some(Rhythm::Monthly);
        match self {
            Takes::Any => is_compounded(series),
            Takes::Interest => {
                stands_for_days(series)
                    || is_savings(series)
                    || unit == "percent per day"
                    || is_monthly && !is_price
            }
            Takes::Inflation => is_monthly && is_price,
        }
    }
}

/// The names of series with what people call them.
pub(super) fn series(
    snapshot: &Snapshot,
    language: Language,
    takes: Takes,
) -> Result<Vec<(String, String)>> {
    let all = market::series_list(snapshot, SeriesList::default())?.data.into_vec();
    let mut fit: Vec<&ListedSeries> = all.iter().filter(|series| takes.fits(series)).collect();
    // The most wanted series come first.
    const FIRST: [&str; 5] = ["ipca", "igp-m", "inpc", "selic", "cdi"];
    let rank = |name: &str| FIRST.iter().position(|first| *first == name).unwrap_or(FIRST.len());
    fit.sort_by_key(|series| rank(&series.name));
    let choice = |series: &ListedSeries| match is_savings(series) {
        true => (SAVINGS.to_owned(), language.pick("Savings deposits", "Poupança").to_owned()),
        false => (series.name.to_string(), label(series, language)),
    };
    let mut choices: Vec<(String, String)> = fit
        .into_iter()
        // The IGP-M is computed from these months wherever they are held.
        .filter(|series| series.name != "igp-m-unrounded")
        .map(choice)
        .collect();
    let mut known = HashSet::new();
    choices.retain(|(name, _)| known.insert(name.clone()));
    Ok(choices)
}

fn label(series: &ListedSeries, language: Language) -> String {
    match (series.name.as_ref(), series.title) {
        ("selic", _) => language.pick("Selic", "Selic").to_owned(),
        ("cdi", _) => "CDI".to_owned(),
        ("ipca", _) => {
            language.pick("IPCA (consumer prices)", "IPCA (preços ao consumidor)").to_owned()
        }
        (_, Some(title)) => language.pick(title.en, title.pt).to_owned(),
        (name, None) => name.to_owned(),
    }
}

/// The currencies that can be converted, the real first.
pub(super) fn currencies(snapshot: &Snapshot) -> Result<Vec<(String, String)>> {
    let pairs = market::fx_pairs(snapshot, FxPairs::default())?.data;
    let codes = pairs.into_iter().map(|covered| covered.pair.base.to_string());
    let mut codes: Vec<String> = std::iter::once("BRL".to_owned()).chain(codes).collect();
    const FIRST: [&str; 4] = ["BRL", "USD", "EUR", "GBP"];
    codes.sort_by_key(|code| FIRST.iter().position(|first| first == code).unwrap_or(FIRST.len()));
    Ok(codes.into_iter().map(|code| (code.clone(), code)).collect())
}

#[cfg(test)]
mod tests {
    use fincore::{
        SeriesId,
        calc::{self, Accumulation, RealRate},
    };

    use super::*;

    #[test]
    fn whatever_can_be_chosen_can_be_calculated_with() {
        let dir = tempfile::tempdir().unwrap();
        let catalogue = fincore::bundle::filled_copy(dir.path()).unwrap();
        let snapshot = catalogue.snapshot("2026-11-16".parse().unwrap()).unwrap();
        let from = "2024-01-01".parse().unwrap();
        // Some series have gaps, which is another matter than what they are.
        let fits = |name: &str, outcome: Result<()>| {
            let why = outcome.err().map(|err| err.to_string()).unwrap_or_default();
            assert!(
                !why.contains("calculators take") && !why.contains(" is not a"),
                "{name}: {why}"
            );
        };
        let names = |takes| {
            let choices = series(&snapshot, Language::English, takes).unwrap();
            choices.into_iter().map(|(name, _)| name).collect::<Vec<_>>()
        };
        let id = |name: &str| name.parse::<SeriesId>().unwrap();
        let any = names(Takes::Any);
        assert_eq!(any[..5], ["ipca", "igp-m", "inpc", "selic", "cdi"]);
        for name in &any {
            fits(name, calc::accumulate(&snapshot, Accumulation::new(id(name), from)).map(drop));
        }
        let (interest, inflation) = (names(Takes::Interest), names(Takes::Inflation));
        assert!(interest.len() >= 4 && inflation.len() >= 4, "{interest:?} {inflation:?}");
        for name in &interest {
            let query = RealRate { interest: id(name), ..RealRate::new(from) };
            fits(name, calc::real_rate(&snapshot, query).map(drop));
        }
        for name in &inflation {
            let query = RealRate { inflation: id(name), ..RealRate::new(from) };
            fits(name, calc::real_rate(&snapshot, query).map(drop));
        }
        assert_eq!(
            currencies(&snapshot).unwrap()[..2].iter().map(|(code, _)| &**code).collect::<Vec<_>>(),
            ["BRL", "USD"]
        );
    }
}
