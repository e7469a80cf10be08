//! Datasets, and which of them the operator selects.
use std::str::FromStr;

use fincore::{
    Form,
    market::{SeriesDefinition, known_series},
};

/// A part of the data that is synchronised on its own.
#[derive(Clone, Debug)]
pub(super) struct Dataset {
    pub(super) name: &'static str,
    pub(super) content: Content,
}

/// What a dataset consists of.
#[derive(Clone, Debug)]
pub(super) enum Content {
    /// These series of SGS.
    Series(Vec<&'static SeriesDefinition>),
    /// Exchange rates, from three publishers.
    Fx,
    /// The registry of companies, and their tickers.
    Companies,
    /// What companies filed in these forms.
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
    let rates = known_series().iter().filter(|known| !known.is_exchange_rate());
    let rates = rates.filter(|known| known.name != CDI_DAILY).map(series);
    let others = [
        ("fx", Content::Fx),
        ("companies", Content::Companies),
        ("filings", Content::Filings(Form::ALL.into())),
    ];
    rates.chain(others.map(|(name, content)| Dataset { name, content })).collect()
}

fn series(known: &'static SeriesDefinition) -> Dataset {
    let daily = known_series().iter().find(|daily| known.name == CDI && daily.name == CDI_DAILY);
    let series = std::iter::once(known).chain(daily).collect();
    Dataset { name: known.name, content: Content::Series(series) }
}

fn filings_of(form: Form) -> Dataset {
    Dataset { name: form.dataset(), content: Content::Filings(vec![form]) }
}

/// The selected datasets; all unless some are named.
#[derive(Clone, Debug)]
pub(crate) struct Selection(Vec<Dataset>);

impl Selection {
    /// Those of the selected datasets that `choose` accepts.
    pub(super) fn datasets(&self, choose: impl Fn(&Content) -> bool) -> Vec<Dataset> {
        self.0.iter().filter(|dataset| choose(&dataset.content)).cloned().collect()
    }
}

impl Default for Selection {
    fn default() -> Selection {
        Selection(all())
    }
}

impl FromStr for Selection {
    type Err = String;

    /// Names separated by commas. None at all, as environments often have it, means all.
    fn from_str(text: &str) -> Result<Selection, String> {
        let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
        let mut selected: Vec<Dataset> = Vec::new();
        for name in names {
            for dataset in find(&name.to_lowercase()).ok_or_else(|| unknown_dataset(name))? {
                if selected.iter().all(|known| known.name != dataset.name) {
                    selected.push(dataset);
                }
            }
        }
        Ok(if selected.is_empty() { Selection::default() } else { Selection(selected) })
    }
}

fn find(name: &str) -> Option<Vec<Dataset>> {
    if name == OTHER_SERIES {
        let others = all().into_iter().filter(|dataset| {
            matches!(dataset.content, Content::Series(_)) && !INDICATORS.contains(&dataset.name)
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
    let names: Vec<&str> = all().iter().map(|dataset| dataset.name).collect();
    format!("{name:?} is not a dataset; the datasets are {OTHER_SERIES}, {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Result<Vec<&'static str>, String> {
        let selection: Selection = text.parse()?;
        Ok(selection.datasets(|_| true).iter().map(|dataset| dataset.name).collect())
    }

    #[test]
    fn takes_the_names_of_datasets() {
        assert_eq!(names("selic,fx,filings").unwrap(), ["selic", "fx", "filings"]);
        assert_eq!(names(" Selic , selic,").unwrap(), ["selic"]);
        assert_eq!(names("igp-m,usd-sell").unwrap(), ["igp-m", "usd-sell"]);
        assert_eq!(names("filings.itr").unwrap(), ["filings.itr"]);
        assert_eq!(names("").unwrap().len(), all().len());
        let others = names("series").unwrap();
        assert!(others.contains(&"igp-m") && !others.contains(&"selic"), "{others:?}");
        assert!(!others.contains(&"usd-sell") && !others.contains(&"fx"), "{others:?}");
    }

    #[test]
    fn refuses_an_unknown_name_and_lists_the_known() {
        let refusal = names("selic,dollar").unwrap_err();
        assert!(
            refusal.starts_with("\"dollar\" is not a dataset; the datasets are series, selic, cdi")
        );
        assert!(refusal.ends_with("fx, companies, filings"), "{refusal}");
    }

    #[test]
    fn the_cdi_has_two_series() {
        let selection: Selection = "cdi".parse().unwrap();
        let datasets = selection.datasets(|_| true);
        let Content::Series(series) = &datasets[0].content else { panic!("{datasets:?}") };
        assert_eq!(series.iter().map(|known| known.number).collect::<Vec<_>>(), [4389, 12]);
    }
}
