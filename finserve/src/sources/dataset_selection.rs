//! Datasets, and which of them the operator selects.
use std::{borrow::Cow, str::FromStr};

use fincore::{
    Date, Form,
    market::{SGS_BEGINS, SeriesDefinition, known_series},
};

/// A part of the data that is synchronised on its own.
#[derive(Clone, Debug)]
pub(super) struct Dataset {
    pub(super) name: Cow<'static, str>,
    pub(super) content: Content,
}

/// A series of SGS that is synchronised.
#[derive(Clone, Debug)]
pub(super) struct SyncedSeries {
    pub(super) number: u32,
    /// Its short name, or its number.
    pub(super) name: Cow<'static, str>,
    /// There is no value before this day.
    pub(super) since: Date,
    /// It was selected by its number, which may be wrong.
    pub(super) on_demand: bool,
}

impl From<&'static SeriesDefinition> for SyncedSeries {
    fn from(known: &'static SeriesDefinition) -> SyncedSeries {
        let SeriesDefinition { number, name, since, on_demand, .. } = *known;
        SyncedSeries { number, name: name.into(), since, on_demand }
    }
}

#[derive(Clone, Debug)]
pub(super) enum Content {
    /// These series of SGS.
    Series(Vec<SyncedSeries>),
    /// Exchange rates, from three publishers.
    Fx,
    /// The calendar of the monetary policy committee.
    Meetings,
    /// The registry of companies, and their tickers.
    Companies,
    /// Filings of companies in these forms.
    Filings(Vec<Form>),
}

/// The CDI is published per year and per day; one series completes the other.
const CDI: &str = "cdi";
const CDI_DAILY: &str = "cdi-daily";
/// The series that are named one by one; all others together are called [`OTHER_SERIES`].
const INDICATORS: [&str; 3] = ["selic", CDI, "ipca"];
const OTHER_SERIES: &str = "series";

/// Every dataset, the most asked for first.
pub(super) fn all() -> Vec<Dataset> {
    let rates = known_series().iter().filter(|known| !known.is_exchange_rate() && !known.on_demand);
    let rates = rates.filter(|known| known.name != CDI_DAILY).map(series);
    let others = [
        ("fx", Content::Fx),
        ("copom", Content::Meetings),
        ("companies", Content::Companies),
        ("filings", Content::Filings(Form::ALL.into())),
    ];
    rates.chain(others.map(|(name, content)| Dataset { name: name.into(), content })).collect()
}

fn series(known: &'static SeriesDefinition) -> Dataset {
    let daily = known_series().iter().find(|daily| known.name == CDI && daily.name == CDI_DAILY);
    let series = std::iter::once(known).chain(daily).map(SyncedSeries::from).collect();
    Dataset { name: known.name.into(), content: Content::Series(series) }
}

/// The dataset of a series by its number, known or not.
fn series_by_number(number: u32) -> Dataset {
    let known = known_series().iter().find(|known| known.number == number).map(series);
    known.unwrap_or_else(|| {
        let name: Cow<'static, str> = number.to_string().into();
        let (since, on_demand) = (SGS_BEGINS, true);
        let series = SyncedSeries { number, name: name.clone(), since, on_demand };
        Dataset { name, content: Content::Series(vec![series]) }
    })
}

fn filings_of(form: Form) -> Dataset {
    Dataset { name: form.dataset().into(), content: Content::Filings(vec![form]) }
}

/// The selected datasets; all unless some are named.
#[derive(Clone, Debug)]
pub(crate) struct Selection {
    named: Vec<Dataset>,
    /// Whether series that were brought on demand are selected, too.
    with_others: bool,
    /// Whether everything is selected that is due, because nothing was named.
    is_default: bool,
}

/// The stored data, as far as it decides which requests are made.
#[derive(Clone, Debug, Default)]
pub(super) struct HeldData {
    /// The numbers of series that were brought on demand.
    pub(super) on_demand: Vec<u32>,
    /// How many meetings of the monetary policy committee are still to come.
    pub(super) meetings_to_come: usize,
}

/// The calendar is asked for again when so few meetings are left: half a year. The next year is published by then.
const FEW_MEETINGS: usize = 4;

impl Selection {
    /// Those of the selected datasets that `choose` accepts, and of what is held already those that are due.
    pub(super) fn datasets(
        &self,
        held: impl FnOnce() -> HeldData,
        choose: impl Fn(&Content) -> bool,
    ) -> Vec<Dataset> {
        let mut datasets = self.named.clone();
        if self.with_others {
            let is_named =
                |other: &Dataset| self.named.iter().any(|named| named.name == other.name);
            let HeldData { on_demand, meetings_to_come } = held();
            datasets
                .extend(on_demand.into_iter().map(series_by_number).filter(|one| !is_named(one)));
            let is_calendar_due = !self.is_default || meetings_to_come < FEW_MEETINGS;
            datasets.retain(|one| is_calendar_due || !matches!(one.content, Content::Meetings));
        }
        datasets.retain(|dataset| choose(&dataset.content));
        datasets
    }

    /// These series, besides the named datasets, if there are any.
    pub(crate) fn and_series(named: Option<Selection>, series: SeriesNumbers) -> Selection {
        let mut selection =
            named.unwrap_or(Selection { named: Vec::new(), with_others: false, is_default: false });
        for dataset in series.0.into_iter().map(series_by_number) {
            selection.add(dataset);
        }
        selection
    }

    fn add(&mut self, dataset: Dataset) {
        if self.named.iter().all(|known| known.name != dataset.name) {
            self.named.push(dataset);
        }
    }
}

impl Default for Selection {
    fn default() -> Selection {
        Selection { named: all(), with_others: true, is_default: true }
    }
}

/// Series of SGS by their numbers, or by the names of those that are known.
#[derive(Clone, Debug)]
pub(crate) struct SeriesNumbers(Vec<u32>);

impl FromStr for SeriesNumbers {
    type Err = String;

    fn from_str(text: &str) -> Result<SeriesNumbers, String> {
        let number = |text: &str| {
            let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            let number = text.parse().ok().filter(|number| is_number && *number > 0);
            let name = text.to_lowercase();
            let known = || known_series().iter().find(|known| known.name == name);
            number.or_else(|| known().map(|known| known.number)).ok_or_else(|| {
                format!("{text:?} is not a series of SGS (its number, such as 13522, or a name such as igp-m)")
            })
        };
        let texts = text.split(',').map(str::trim).filter(|text| !text.is_empty());
        let numbers = texts.map(number).collect::<Result<Vec<u32>, String>>()?;
        match numbers.is_empty() {
            true => {
                Err("no series is named; numbers are separated by commas, such as 13522,28655"
                    .into())
            }
            false => Ok(SeriesNumbers(numbers)),
        }
    }
}

impl FromStr for Selection {
    type Err = String;

    /// Names separated by commas. None at all, as environments often have it, means all.
    fn from_str(text: &str) -> Result<Selection, String> {
        let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
        let mut selected = Selection { named: Vec::new(), with_others: false, is_default: false };
        for name in names {
            selected.with_others |= name.eq_ignore_ascii_case(OTHER_SERIES);
            for dataset in find(&name.to_lowercase()).ok_or_else(|| unknown_dataset(name))? {
                selected.add(dataset);
            }
        }
        Ok(if selected.named.is_empty() { Selection::default() } else { selected })
    }
}

fn find(name: &str) -> Option<Vec<Dataset>> {
    if name == OTHER_SERIES {
        let others = all().into_iter().filter(|dataset| {
            matches!(dataset.content, Content::Series(_)) && !INDICATORS.contains(&&*dataset.name)
        });
        return Some(others.collect());
    }
    // One side of an exchange rate is a series too, though part of fx.
    let known = || known_series().iter().find(|known| known.name == name).map(series);
    let form = || Form::ALL.into_iter().find(|form| form.dataset() == name).map(filings_of);
    let all = all().into_iter().find(|dataset| dataset.name == name);
    all.or_else(known).or_else(form).map(|one| vec![one])
}

fn unknown_dataset(name: &str) -> String {
    let names: Vec<Cow<'static, str>> = all().into_iter().map(|dataset| dataset.name).collect();
    format!("{name:?} is not a dataset; the datasets are {OTHER_SERIES}, {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Result<Vec<String>, String> {
        Ok(names_of(&text.parse()?))
    }

    fn names_of(selection: &Selection) -> Vec<String> {
        let datasets = selection.datasets(HeldData::default, |_| true);
        datasets.iter().map(|dataset| dataset.name.to_string()).collect()
    }

    #[test]
    fn takes_the_names_of_datasets() {
        assert_eq!(names("selic,fx,filings").unwrap(), ["selic", "fx", "filings"]);
        assert_eq!(names(" Selic , selic,").unwrap(), ["selic"]);
        assert_eq!(names("igp-m,usd-sell").unwrap(), ["igp-m", "usd-sell"]);
        assert_eq!(names("filings.itr").unwrap(), ["filings.itr"]);
        assert_eq!(names("").unwrap().len(), all().len());
        let others = names("series").unwrap();
        let has = |name: &str| others.iter().any(|other| other == name);
        assert!(has("igp-m") && !has("selic"), "{others:?}");
        assert!(!has("usd-sell") && !has("fx") && !has("unemployment"), "{others:?}");
        assert_eq!(names("unemployment").unwrap(), ["unemployment"]);
    }

    #[test]
    fn refuses_an_unknown_name_and_lists_the_known() {
        let refusal = names("selic,dollar").unwrap_err();
        assert!(
            refusal.starts_with("\"dollar\" is not a dataset; the datasets are series, selic, cdi")
        );
        assert!(refusal.ends_with("fx, copom, companies, filings"), "{refusal}");
    }

    #[test]
    fn the_cdi_has_two_series() {
        let selection: Selection = "cdi".parse().unwrap();
        let datasets = selection.datasets(HeldData::default, |_| true);
        let Content::Series(series) = &datasets[0].content else { panic!("{datasets:?}") };
        assert_eq!(series.iter().map(|known| known.number).collect::<Vec<_>>(), [4389, 12]);
    }

    #[test]
    fn series_are_named_by_number_besides_datasets_or_alone() {
        let series = |text: &str| text.parse::<SeriesNumbers>();
        let alone = Selection::and_series(None, series("13522, 999999,igp-m,999999").unwrap());
        assert_eq!(names_of(&alone), ["ipca-12-months", "999999", "igp-m"]);
        let both = Selection::and_series("selic".parse().ok(), series("24369").unwrap());
        assert_eq!(names_of(&both), ["selic", "unemployment"]);
        for wrong in ["x", "-1", "+1", "0", "1.5", "99999999999", "13522,y"] {
            let refusal = series(wrong).unwrap_err();
            assert!(refusal.contains("is not a series of SGS"), "{wrong}: {refusal}");
        }
        assert!(series(" , ").unwrap_err().starts_with("no series is named"));
    }

    #[test]
    fn what_was_brought_on_demand_belongs_to_all_and_to_the_other_series() {
        let with_held = |text: &str| {
            let selection: Selection = text.parse().unwrap();
            let on_demand = vec![24369, 987_654, 189];
            let held = || HeldData { on_demand, meetings_to_come: 0 };
            let datasets = selection.datasets(held, |_| true);
            datasets.into_iter().map(|dataset| dataset.name.into_owned()).collect::<Vec<_>>()
        };
        for text in ["", "series"] {
            let names = with_held(text);
            assert!(names.ends_with(&["unemployment".into(), "987654".into()]), "{names:?}");
            assert_eq!(names.iter().filter(|name| *name == "igp-m").count(), 1, "{names:?}");
        }
        assert_eq!(with_held("ipca"), ["ipca"]);
    }

    #[test]
    fn a_calendar_with_enough_meetings_is_asked_for_by_name_only() {
        let is_asked = |selection: &Selection, meetings_to_come| {
            let held = || HeldData { meetings_to_come, ..HeldData::default() };
            let datasets = selection.datasets(held, |_| true);
            datasets.iter().any(|dataset| dataset.name == "copom")
        };
        let (all, named) = (Selection::default(), "copom,series".parse().unwrap());
        assert!(is_asked(&all, 3) && !is_asked(&all, 4));
        assert!(is_asked(&named, 9));
    }
}
