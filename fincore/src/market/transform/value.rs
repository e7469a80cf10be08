//! The exact value of a row, until it is rounded in the end.
use num_integer::Integer;

use crate::{
    calendar,
    market::{
        Rhythm,
        transform::parameters::{Frequency, Nature},
    },
    values::{Date, Decimal, Figure, FixedPoint},
};

/// The decimals of percentages and indexes.
pub(crate) const PERCENT_DECIMALS: u32 = 4;

/// The value of a row.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// `digits` / 10^`decimals` / `count`: an observation, a sum, or a mean.
    Quotient { digits: i128, decimals: u32, count: u32 },
    /// Anything else.
    Number(FixedPoint),
}

/// The digits and counts of two quotients, and how many decimals both have.
type Aligned = ((i128, i128), (i128, i128), u32);

/// To how many decimals the value of a row is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decimals {
    /// As many as it has.
    Own,
    /// So many.
    Rounded(u32),
}

impl From<Decimal> for Value {
    fn from(decimal: Decimal) -> Value {
        let (digits, decimals) = decimal.parts();
        Value::Quotient { digits: digits.into(), decimals: decimals.into(), count: 1 }
    }
}

impl Value {
    /// The value itself.
    pub(crate) fn round(&self, to: Decimals) -> Figure {
        match (self, to) {
            (Value::Quotient { digits, decimals, count: 1 }, Decimals::Own) => {
                Figure::of_parts(*digits, *decimals)
            }
            (Value::Quotient { digits, decimals, count }, Decimals::Rounded(to))
                if to >= *decimals =>
            {
                let rounded = ten_to(to - decimals)
                    .and_then(|unit| digits.checked_mul(unit))
                    .map(|digits| divide_half_up(digits, i128::from(*count)));
                rounded
                    .map_or_else(|| self.number().round(to), |digits| Figure::of_parts(digits, to))
            }
            (_, Decimals::Rounded(to)) => self.number().round(to),
            (_, Decimals::Own) => self.number().round(PERCENT_DECIMALS),
        }
    }

    /// How much it is more than an earlier one.
    pub(crate) fn change(&self, earlier: &Value, to: Decimals) -> Figure {
        let exact = || {
            let (new, old, decimals) = self.aligned(earlier)?;
            // Quotients have different counts, so that their difference has both.
            let difference = new.0.checked_mul(old.1)?.checked_sub(old.0.checked_mul(new.1)?)?;
            let count = u32::try_from(new.1.checked_mul(old.1)?).ok()?;
            Some(Value::Quotient { digits: difference, decimals, count })
        };
        let difference =
            exact().unwrap_or_else(|| Value::Number(self.number().minus(&earlier.number())));
        difference.round(to)
    }

    /// How much it is more than an earlier one in percent of that; `None` if that is zero.
    pub(crate) fn percent_change(&self, earlier: &Value) -> Option<Figure> {
        self.relative(earlier, 1)
    }

    /// Its value in percent of another; `None` if that is zero.
    pub(crate) fn percent_of(&self, base: &Value) -> Option<Figure> {
        self.relative(base, 0)
    }

    /// 100 × (self / other − `less`), rounded; `None` if the other is zero.
    fn relative(&self, other: &Value, less: i64) -> Option<Figure> {
        if other.is_zero() {
            return None;
        }
        let quick = || {
            let (new, old, _) = self.aligned(other)?;
            let (new, old) = (new.0.checked_mul(old.1)?, old.0.checked_mul(new.1)?);
            let more = new.checked_sub(old.checked_mul(less.into())?)?;
            let scaled = more.checked_mul(ten_to(PERCENT_DECIMALS + 2)?)?;
            Some(Figure::of_parts(divide_half_up(scaled, old), PERCENT_DECIMALS))
        };
        quick().or_else(|| {
            let more = self.number().minus(&other.number().times_whole(less)).times_whole(100);
            Some(more.over_any(&other.number())?.round(PERCENT_DECIMALS))
        })
    }

    pub(crate) fn equals(&self, other: &Value) -> bool {
        let exact = || {
            let (one, other, _) = self.aligned(other)?;
            Some(one.0.checked_mul(other.1)? == other.0.checked_mul(one.1)?)
        };
        exact().unwrap_or_else(|| self.number() == other.number())
    }

    pub(crate) fn is_zero(&self) -> bool {
        match self {
            Value::Quotient { digits, .. } => *digits == 0,
            Value::Number(number) => number.is_zero(),
        }
    }

    /// The factor of a rate in percent: 1.0021 for 0.21.
    pub(crate) fn factor(&self) -> FixedPoint {
        FixedPoint::one().plus(&self.number().hundredth())
    }

    /// Two quotients with the same decimals; `None` if one is none, or too long.
    fn aligned(&self, other: &Value) -> Option<Aligned> {
        let Value::Quotient { digits, decimals, count } = *self else { return None };
        let Value::Quotient { digits: others, decimals: least, count: of } = *other else {
            return None;
        };
        let most = decimals.max(least);
        let digits = digits.checked_mul(ten_to(most - decimals)?)?;
        let others = others.checked_mul(ten_to(most - least)?)?;
        Some(((digits, count.into()), (others, of.into()), most))
    }

    /// With 64 decimals.
    pub(crate) fn number(&self) -> FixedPoint {
        match self {
            Value::Quotient { digits, decimals, count } => {
                FixedPoint::of_quotient(*digits, *decimals, *count)
            }
            Value::Number(number) => number.clone(),
        }
    }
}

fn ten_to(power: u32) -> Option<i128> {
    10_i128.checked_pow(power)
}

/// The quotient by a number that is not zero, rounded half up, away from zero.
fn divide_half_up(number: i128, by: i128) -> i128 {
    let (quotient, rest) = number.div_rem(&by);
    let (rest, by_size) = (rest.unsigned_abs(), by.unsigned_abs());
    if rest < by_size - rest {
        return quotient;
    }
    if (number < 0) == (by < 0) { quotient + 1 } else { quotient - 1 }
}

impl Frequency {
    /// The first day of the period that a day belongs to.
    pub(crate) fn start(self, day: Date) -> Date {
        let month = day.month();
        match self {
            // Day 1 of the calendar was a Monday.
            Frequency::Week => {
                Date::from_day_number((day.day_number() - 1) / 7 * 7 + 1).unwrap_or(Date::MIN)
            }
            Frequency::Month => day.first_of_month(),
            Frequency::Quarter => first_of(day.year(), (month - 1) / 3 * 3 + 1),
            Frequency::Year => first_of(day.year(), 1),
        }
    }

    /// The first day of the period after the one that begins on a day.
    fn next(self, start: Date) -> Date {
        let months = match self {
            Frequency::Week => {
                return Date::from_day_number(start.day_number() + 7).unwrap_or(Date::MAX);
            }
            Frequency::Month => 1,
            Frequency::Quarter => 3,
            Frequency::Year => 12,
        };
        start.months_after(months)
    }

    /// The first day of the same period a year earlier. A year has no whole number of weeks: 52 weeks earlier.
    pub(crate) fn year_earlier(self, start: Date) -> Option<Date> {
        match self {
            Frequency::Week => Date::from_day_number(start.day_number() - 52 * 7),
            Frequency::Month | Frequency::Quarter | Frequency::Year => year_before(start),
        }
    }

    /// Whether the period that begins on a day has ended for a series whose newest observation is this.
    pub(crate) fn has_ended(self, start: Date, nature: &Nature, newest: Date) -> bool {
        let last = self.next(start).days_before(1);
        let needed = match nature.rhythm {
            Rhythm::Daily => last,
            Rhythm::BusinessDays if calendar::is_business_day(last) => last,
            Rhythm::BusinessDays => calendar::previous(last).unwrap_or(last),
            Rhythm::Monthly => last.first_of_month(),
        };
        newest >= needed
    }
}

/// This day a year earlier, if that year has it.
pub(crate) fn year_before(day: Date) -> Option<Date> {
    Date::new(day.year().checked_sub(1)?, day.month(), day.day())
}

fn first_of(year: u16, month: u8) -> Date {
    Date::new(year, month, 1).unwrap_or(Date::MIN)
}
