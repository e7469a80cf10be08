//! How the values of a period are made: of which columns of which forms.
use super::content::ColumnOrder;
use crate::types::Date;

/// The months of a quarter in days, with room for short and long ones.
pub(super) const QUARTER: std::ops::RangeInclusive<i32> = 80..=100;
/// Those of a year.
pub(super) const YEAR: std::ops::RangeInclusive<i32> = 355..=380;

/// A column of a form: the place of its form, its first and its last day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FormColumn {
    pub(super) form: usize,
    pub(super) order: ColumnOrder,
    pub(super) start: Option<Date>,
    pub(super) end: Date,
}

/// How the values of a period are made.
#[derive(Clone, Debug)]
pub(super) enum Recipe {
    Filed(FormColumn),
    /// The first without the second.
    Difference(FormColumn, FormColumn),
    /// Four quarters, the newest first.
    Sum(Vec<Recipe>),
}

/// What a column does to a computed period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    Plus,
    Minus,
}

/// A period that a company has figures of.
#[derive(Clone, Debug)]
pub(super) struct PeriodRecipe(pub(super) Recipe);

impl PeriodRecipe {
    pub(super) fn end(&self) -> Date {
        self.0.end()
    }
}

impl Recipe {
    pub(super) fn end(&self) -> Date {
        match self {
            Recipe::Filed(column) | Recipe::Difference(column, _) => column.end,
            Recipe::Sum(quarters) => quarters.first().map_or(Date::MAX, Recipe::end),
        }
    }

    /// Every column that it is made of.
    pub(super) fn columns(&self) -> Vec<&FormColumn> {
        match self {
            Recipe::Filed(column) => vec![column],
            Recipe::Difference(whole, before) => vec![whole, before],
            Recipe::Sum(quarters) => quarters.iter().flat_map(Recipe::columns).collect(),
        }
    }

    /// The columns that are added and subtracted, without those that cancel each other out.
    pub(super) fn signed_columns(&self) -> Vec<(Sign, FormColumn)> {
        let quarters = match self {
            Recipe::Sum(quarters) => &quarters[..],
            Recipe::Filed(_) | Recipe::Difference(..) => std::slice::from_ref(self),
        };
        let mut signed: Vec<(Sign, FormColumn)> = Vec::new();
        for quarter in quarters {
            for (column, sign) in quarter.columns().into_iter().zip([Sign::Plus, Sign::Minus]) {
                let cancels = |known: &(Sign, FormColumn)| known.0 != sign && known.1 == *column;
                match signed.iter().position(cancels) {
                    Some(place) => drop(signed.remove(place)),
                    None => signed.push((sign, *column)),
                }
            }
        }
        signed
    }
}

impl FormColumn {
    /// Whether its length is one of these, in days.
    pub(super) fn has_days(&self, days: &std::ops::RangeInclusive<i32>) -> bool {
        let length = |start: Date| self.end.day_number() - start.day_number() + 1;
        self.start.is_some_and(|start| days.contains(&length(start)))
    }
}
