//! A transformation in words, as answers tell it.
use super::{
    nature::{Nature, Quantity},
    parameters::{Aggregate, Frequency, Only, Partial, Transformation, Units},
};
use crate::{answers::AppliedTransformation, error::Result};

impl Transformation {
    /// What it does to a series, as answers tell it. Fails where it has no meaning for that.
    pub(in crate::market) fn applied_to(&self, nature: &Nature) -> Result<AppliedTransformation> {
        let period = self.period(nature)?;
        let told = AppliedTransformation::new(self.units.as_str(), rule(self, nature, period));
        Ok(AppliedTransformation {
            frequency: period.map(|(frequency, _)| frequency.as_str()),
            aggregate: period.map(|(_, aggregate)| aggregate.as_str()),
            base: self.base,
            only: self.only.map(Only::as_str),
            ..told
        })
    }

    /// The unit of the figures of a series that has this one.
    pub(in crate::market) fn unit(
        &self,
        nature: &Nature,
        own: Option<&'static str>,
    ) -> Result<Option<&'static str>> {
        let compounds = matches!(self.period(nature)?, Some((_, Aggregate::Compound)));
        Ok(match self.units {
            Units::PercentChange | Units::PercentYearAgo => Some("percent"),
            Units::Accumulated12Months => Some("percent in 12 months"),
            Units::Index => Some("index"),
            Units::Value | Units::Change | Units::YearAgo if compounds => Some("percent"),
            Units::Value | Units::Change | Units::YearAgo => own,
        })
    }
}

/// The rule in a sentence.
fn rule(
    transformation: &Transformation,
    nature: &Nature,
    period: Option<(Frequency, Aggregate)>,
) -> String {
    let Transformation { units, base, only, partial, .. } = *transformation;
    let values = match period {
        // The rule of the units says it all.
        _ if units == Units::Accumulated12Months => String::new(),
        None => "observations as published".to_owned(),
        Some((frequency, aggregate)) => {
            let frequency = frequency.as_str();
            let what = match aggregate {
                Aggregate::Mean => "mean of the observations",
                Aggregate::First => "first observation",
                Aggregate::Last => "last observation",
                Aggregate::Min => "smallest observation",
                Aggregate::Max => "largest observation",
                Aggregate::Sum => "sum of the observations",
                Aggregate::Compound => "(product of 1 + rate/100, less 1) × 100",
            };
            let unfinished = match partial {
                Partial::Hidden => "only periods that have ended",
                Partial::Shown => "the unfinished one is marked partial",
            };
            format!("{what} of each {frequency}, dated on its first day; {unfinished}")
        }
    };
    let row = period.map_or("row", |(frequency, _)| frequency.as_str());
    let told = match units {
        Units::Value => String::new(),
        Units::Change => format!("; difference to the {row} before"),
        Units::PercentChange => format!("; (value / value of the {row} before − 1) × 100"),
        Units::YearAgo => format!("; difference to the {}", year_earlier(period)),
        Units::PercentYearAgo => {
            format!("; (value / value of the {} − 1) × 100", year_earlier(period))
        }
        Units::Accumulated12Months => {
            "(product of 1 + rate/100 over the twelve months that end with this one, less 1) × 100"
                .to_owned()
        }
        Units::Index => {
            let base = base.map_or_else(|| "the first row".to_owned(), |day| day.to_string());
            let of = match nature.quantity {
                Quantity::RateOfPeriod => "what the rates accumulate",
                Quantity::RateOfDay | Quantity::Level => "value",
            };
            format!("; {of} in percent of {base}")
        }
    };
    let only = match only {
        None => "",
        Some(Only::Changes) => "; only rows whose value differs from the one before",
    };
    let rounding = match (units, period) {
        (Units::Value | Units::Change | Units::YearAgo, Some((_, Aggregate::Mean))) => {
            "; rounded half up to the decimals of the series and two more"
        }
        (Units::Value | Units::Change | Units::YearAgo, Some((_, Aggregate::Compound)))
        | (
            Units::PercentChange
            | Units::PercentYearAgo
            | Units::Accumulated12Months
            | Units::Index,
            _,
        ) => "; rounded half up to 4 decimals",
        (Units::Value | Units::Change | Units::YearAgo, _) => "",
    };
    [values.as_str(), &told, only, rounding].concat()
}

/// What a row is compared with.
fn year_earlier(period: Option<(Frequency, Aggregate)>) -> &'static str {
    match period.map(|(frequency, _)| frequency) {
        None => "same day a year earlier",
        Some(Frequency::Week) => "week 52 weeks earlier",
        Some(Frequency::Month) => "same month a year earlier",
        Some(Frequency::Quarter) => "same quarter a year earlier",
        Some(Frequency::Year) => "year before",
    }
}
