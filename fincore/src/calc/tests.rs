//! Calculators against what the central bank publishes, and against plain products of whole numbers.
use std::sync::{Arc, Mutex, Weak};

use num_bigint::BigInt;
use num_traits::Pow;

use super::*;
use crate::{
    import::bundle,
    market::{series_definitions, whole_histories},
    store::{Catalogue, Snapshot},
    values::{Date, Decimal, Limit, Offset, Plan, Result, lock},
};

mod lacking;
mod savings_and_months;

/// The bundled data, for as long as a test needs it.
static BUNDLED: Mutex<Weak<(tempfile::TempDir, Catalogue)>> = Mutex::new(Weak::new());

fn with_snapshot(test: impl FnOnce(&Snapshot)) {
    let bundled = {
        let mut known = lock(&BUNDLED);
        known.upgrade().unwrap_or_else(|| {
            let dir = tempfile::tempdir().unwrap();
            let catalogue = bundle::filled_copy(dir.path()).unwrap();
            let filled = Arc::new((dir, catalogue));
            *known = Arc::downgrade(&filled);
            filled
        })
    };
    test(&bundled.1.snapshot(day("2026-10-05")).unwrap().for_plan(Plan::Free));
}

fn day(text: &str) -> Date {
    text.parse().unwrap()
}

fn query(series: &str, from: &str, to: &str) -> Accumulation {
    Accumulation { to: Some(day(to)), ..Accumulation::new(series.parse().unwrap(), day(from)) }
}

fn growth(snapshot: &Snapshot, series: &str, from: &str, to: &str) -> Growth {
    accumulate(snapshot, query(series, from, to)).unwrap().answer
}

fn correct(
    snapshot: &Snapshot,
    index: &str,
    amount: &str,
    from: &str,
    to: &str,
) -> CorrectedAmount {
    let to = Some(day(to));
    let query = Correction::new(amount.parse().unwrap(), day(from), index.parse().unwrap());
    correction(snapshot, Correction { to, ..query }).unwrap().answer
}

fn refusal<T>(answer: Result<T>) -> String {
    answer.err().unwrap().to_string()
}

/// The product of 1 + rate/100 as a whole number and its decimals, without any rounding.
fn product(rates: &[Decimal]) -> (BigInt, u32) {
    let mut product = (BigInt::from(1), 0);
    for rate in rates {
        let (digits, decimals) = rate.parts();
        let decimals = u32::from(decimals) + 2;
        product.0 *= Pow::pow(BigInt::from(10), decimals) + digits;
        product.1 += decimals;
    }
    product
}

/// A positive number with so many decimals, rounded half up to fewer of them.
fn rounded((digits, decimals): (BigInt, u32), to: u32) -> String {
    let unit: BigInt = Pow::pow(BigInt::from(10), decimals.saturating_sub(to));
    let digits = if decimals < to {
        digits * Pow::pow(BigInt::from(10), to - decimals)
    } else {
        (digits * 2 + &unit) / (unit * 2)
    };
    let text = format!("{digits:0>width$}", width = to as usize + 1);
    let (whole, fraction) = text.split_at(text.len() - to as usize);
    format!("{whole}.{fraction}")
}

fn trimmed(text: &str) -> &str {
    text.trim_end_matches('0')
}

#[test]
fn daily_rates_of_a_month_give_the_monthly_rate_that_is_published() {
    with_snapshot(|snapshot| {
        for (daily, monthly) in [(12, 4391), (11, 4390)] {
            let mut months = 0;
            for published in
                whole_histories::observations(snapshot, monthly, Date::MIN, Date::MAX).unwrap()
            {
                let last = published.date.months_after(1).days_before(1);
                let from = published.date.to_string();
                let month = growth(snapshot, &daily.to_string(), &from, &last.to_string());
                let percent = month.accumulated.to_string().parse::<Decimal>().unwrap();
                let percent =
                    crate::values::fixed_point::FixedPoint::from(percent).round(2).to_string();
                assert_eq!(percent, published.value.to_string(), "{daily} {from}");
                months += 1;
            }
            assert!(months >= 77, "{monthly} has {months} months");
        }
    });
}

#[test]
fn every_price_index_is_the_exact_product_of_its_months() {
    with_snapshot(|snapshot| {
        for index in ["ipca", "igp-m", "inpc", "igp-di"] {
            let number = series_definitions::number(&index.parse().unwrap()).unwrap();
            let rows =
                whole_histories::observations(snapshot, number, Date::MIN, Date::MAX).unwrap();
            for (first, last) in [(0, rows.len() - 1), (0, 0), (rows.len() / 2, rows.len() - 1)] {
                let rates: Vec<Decimal> = rows[first..=last].iter().map(|row| row.value).collect();
                let (from, to) = (rows[first].date.to_string(), rows[last].date.to_string());
                let (digits, decimals) = product(&rates);
                let corrected = correct(snapshot, index, "1234.56", &from, &to);
                assert_eq!(
                    corrected.result.to_string(),
                    rounded((&digits * 123_456, decimals + 2), 2),
                    "{index} {from} {to}"
                );
                let factor = rounded((digits, decimals), 16);
                let grown = growth(snapshot, index, &from, &to);
                assert_eq!(trimmed(&grown.factor.to_string()), trimmed(&factor));
                assert_eq!(corrected.derivation.factor, grown.factor);
                assert_eq!(grown.periods, rates.len());
            }
        }
    });
}

#[test]
fn ten_thousand_daily_rates_are_the_exact_product_too() {
    with_snapshot(|snapshot| {
        for (index, number) in [("selic", 11), ("cdi", 12)] {
            let rows =
                whole_histories::observations(snapshot, number, Date::MIN, Date::MAX).unwrap();
            let rates: Vec<Decimal> = rows.iter().map(|row| row.value).collect();
            let (from, to) = (rows[0].date.to_string(), rows[rows.len() - 1].date.to_string());
            let whole = growth(snapshot, index, &from, &to);
            assert_eq!(whole.periods, rows.len());
            assert_eq!(
                trimmed(&whole.factor.to_string()),
                trimmed(&rounded(product(&rates), 16)),
                "{index}"
            );
        }
    });
}

#[test]
fn the_calculator_of_the_central_bank_agrees() {
    with_snapshot(|snapshot| {
        // As printed by it on 2022-12-02.
        let selic = correct(snapshot, "selic", "118706.46", "2016-09-30", "2022-12-02");
        assert_eq!(selic.result.to_string(), "181400.64");
        assert!(selic.derivation.factor.to_string().starts_with("1.52814465"));
        assert_eq!(selic.derivation.periods, 1547);
        // The last day earns nothing, and a day alone neither.
        let same = correct(snapshot, "cdi", "5", "2024-03-04", "2024-03-04");
        assert_eq!((same.result.to_string().as_str(), same.derivation.periods), ("5.00", 0));
        assert_eq!(same.derivation.first, None);
        // A month of a price index: the same month at both ends.
        let month = correct(snapshot, "ipca", "1000", "2020-01-05", "2020-01-25");
        assert_eq!((month.result.to_string().as_str(), month.derivation.periods), ("1002.10", 1));
    });
}

#[test]
fn percentages_and_spreads_change_the_factor_as_the_market_does() {
    with_snapshot(|snapshot| {
        let query = Correction {
            to: Some(day("2025-01-02")),
            percent: Some("110".parse().unwrap()),
            ..Correction::new("1000".parse().unwrap(), day("2024-01-02"), "cdi".parse().unwrap())
        };
        let share = correction(snapshot, query.clone()).unwrap();
        let rows =
            whole_histories::observations(snapshot, 12, day("2024-01-02"), day("2025-01-01"))
                .unwrap();
        // 110 % of a rate with six decimals is a rate with seven.
        let rates: Vec<Decimal> = rows
            .iter()
            .map(|row| {
                let (digits, decimals) = row.value.parts();
                Decimal::from_parts(digits * 11, decimals + 1)
            })
            .collect();
        assert_eq!(
            trimmed(&share.derivation.factor.to_string()),
            trimmed(&rounded(product(&rates), 16))
        );
        // A spread alone: a year of 252 days gives the spread itself.
        let spread = Some("10".parse().unwrap());
        let query = Correction { percent: None, spread, ..query };
        let with = correction(snapshot, query.clone()).unwrap();
        let added = with.spread.clone().unwrap();
        assert_eq!(added.business_days as usize, rows.len());
        assert!(rows.len() < 260);
        let wanted = 1.1_f64.powf(f64::from(added.business_days) / 252.0);
        assert!((added.factor.to_f64() - wanted).abs() < 1e-14, "{}", added.factor);
        // The factor is that of the index times that of the spread, and the amount times it is the result.
        let whole = added.index_factor.to_f64() * wanted;
        assert!((with.derivation.factor.to_f64() - whole).abs() < 1e-14);
        assert!((with.derivation.accumulated.to_f64() - (whole - 1.0) * 100.0).abs() < 1e-6);
        assert!((with.result.to_f64() - whole * 1000.0).abs() < 0.006, "{}", with.result);
        // On a price index the spread counts the business days of the whole months.
        let index =
            Correction { index: "ipca".parse().unwrap(), to: Some(day("2024-12-01")), ..query };
        let index = correction(snapshot, index).unwrap();
        assert_eq!(index.spread.clone().unwrap().business_days, 253);
        let usd = Correction {
            percent: Some("50".parse().unwrap()),
            ..Correction::new("1".parse().unwrap(), day("2024-01-02"), "usd-sell".parse().unwrap())
        };
        assert!(refusal(correction(snapshot, usd)).contains("is not a rate"));
    });
}

#[test]
fn steps_lead_to_the_result() {
    with_snapshot(|snapshot| {
        for series in ["ipca", "selic", "ibc-br", "usd-sell"] {
            let steps =
                Accumulation { steps: Steps::Listed, ..query(series, "2023-01-15", "2024-02-10") };
            let grown = accumulate(snapshot, steps).unwrap();
            let steps = grown.steps.as_ref().unwrap();
            assert_eq!(steps.len(), grown.periods, "{series}");
            assert_eq!(steps.last().unwrap().product, grown.factor, "{series}");
            assert_eq!(Some(steps[0].date), grown.first.as_ref().map(|row| row.date));
            let products: Vec<f64> = steps.iter().map(|step| step.product.to_f64()).collect();
            for (pair, step) in products.windows(2).zip(&steps[1..]) {
                assert!((pair[0] * step.factor.to_f64() - pair[1]).abs() < 1e-9, "{series}");
            }
        }
    });
}

#[test]
fn pages_of_steps_are_parts_of_one_list() {
    with_snapshot(|snapshot| {
        let whole =
            Accumulation { steps: Steps::Listed, ..query("selic", "2022-01-03", "2024-02-10") };
        let page = |limit, offset| {
            let (limit, offset) = (Limit::new(limit).unwrap(), Offset::new(offset).unwrap());
            accumulate(snapshot, Accumulation { limit, offset, ..whole.clone() }).unwrap()
        };
        let all = accumulate(snapshot, whole.clone()).unwrap();
        let steps = all.steps.as_deref().unwrap();
        assert!(steps.len() > 500 && steps.len() == all.periods);
        let pages = (0..).step_by(100).map(|offset| page(100, offset).steps.clone().unwrap());
        let joined: Vec<_> = pages.take_while(|page| !page.is_empty()).flatten().collect();
        assert_eq!(joined, steps);
        let last = page(1, all.periods as u64 - 1);
        assert_eq!(last.steps.as_deref().unwrap()[0].product, all.factor);
        assert_eq!(page(1000, 1_000_000_000).steps.as_deref(), Some(&[][..]));
        assert_eq!((last.factor.clone(), last.periods), (all.factor.clone(), all.periods));
    });
}

#[test]
fn levels_are_compared_and_older_currencies_named() {
    with_snapshot(|snapshot| {
        let dollar = growth(snapshot, "usd-sell", "2024-01-02", "2024-12-31");
        let (first, last) = (dollar.first.clone().unwrap(), dollar.last.clone().unwrap());
        let wanted = last.value.to_f64() / first.value.to_f64();
        assert!((dollar.factor.to_f64() - wanted).abs() < 1e-12);
        let old = correct(snapshot, "ipca", "1000000", "1994-06-01", "1994-07-01");
        let reais = old.reais.unwrap();
        assert_eq!((reais.divisor, reais.currency), (2750, "CR$ (cruzeiro real)"));
        assert!((reais.result.to_f64() - old.result.to_f64() / 2750.0).abs() < 0.01);
        assert!(correct(snapshot, "ipca", "1", "1994-07-01", "2026-01-01").reais.is_none());
        // The month counts as a whole, but money had another name in the middle of it.
        for (from, divisor) in [("1989-01-15", 1_000_000), ("1989-01-16", 1_000)] {
            let reais = correct(snapshot, "ipca", "1000", from, "1993-08-01").reais.unwrap();
            assert_eq!((reais.divisor, reais.into), (divisor, "CR$ (cruzeiro real)"), "{from}");
        }
    });
}

#[test]
fn currencies_are_converted_through_the_real() {
    with_snapshot(|snapshot| {
        let of = |amount: &str, from: &str, to: &str, date: Option<&str>, side: Side| {
            let query = Conversion::new(from.parse().unwrap(), to.parse().unwrap());
            let (amount, date) = (amount.parse().unwrap(), date.map(day));
            convert(snapshot, Conversion { amount, date, side, ..query })
        };
        let quote = |currency: &str, date: &str| {
            let pair = crate::values::ids::Pair::in_reais(currency.parse().unwrap());
            let quotes =
                whole_histories::common_quotes(snapshot, pair.base, pair.base, day(date)).unwrap();
            quotes.unwrap().0
        };
        let (eur, usd) = (quote("EUR", "2026-02-10"), quote("USD", "2026-02-10"));
        let cross = of("100", "EUR", "USD", Some("2026-02-10"), Side::Sell).unwrap();
        let wanted = 100.0 * eur.sell.to_f64() / usd.sell.to_f64();
        assert!((cross.result.to_f64() - wanted).abs() < 1e-7);
        assert_eq!(cross.quotes.len(), 2);
        assert_eq!((cross.date, cross.asked), (Some(day("2026-02-10")), None));
        let buy = of("3", "USD", "BRL", Some("2026-02-10"), Side::Buy).unwrap();
        assert!((buy.result.to_f64() - 3.0 * usd.buy.to_f64()).abs() < 1e-9);
        let back = of("10", "BRL", "USD", Some("2026-02-10"), Side::Sell).unwrap();
        assert!((back.result.to_f64() - 10.0 / usd.sell.to_f64()).abs() < 1e-8);
        let sunday = of("1", "USD", "BRL", Some("2026-02-08"), Side::Sell).unwrap();
        assert_eq!((sunday.date, sunday.asked), (Some(day("2026-02-06")), Some(day("2026-02-08"))));
        assert!(sunday.rule.contains("2026-02-08 has no bulletin"), "{}", sunday.rule);
        let same = of("7.5", "BRL", "BRL", None, Side::Sell).unwrap();
        assert_eq!((same.result.to_string().as_str(), same.date), ("7.50", None));
        assert!(refusal(of("1", "USD", "BRL", Some("2026-10-06"), Side::Sell)).contains("future"));
        assert!(
            refusal(of("1", "USD", "BRL", Some("1970-01-01"), Side::Sell)).contains("no closing")
        );
        assert!(refusal(of("1", "XXX", "BRL", None, Side::Sell)).contains("XXX/BRL"));
        let late = refusal(of("1", "EUR", "USD", Some("2026-10-04"), Side::Sell));
        assert!(late.contains("ask for that day"), "{late}");
    });
}

#[test]
fn interest_less_inflation() {
    with_snapshot(|snapshot| {
        let to = Some(day("2025-12-31"));
        let future = refusal(real_rate(snapshot, RealRate::new(day("2026-09-01"))));
        assert!(future.contains("both have is 2026-08-01, before 2026-09-01"), "{future}");
        let real =
            real_rate(snapshot, RealRate { to, ..RealRate::new(day("2025-01-01")) }).unwrap();
        assert_eq!((real.months, real.to), (12, day("2025-12-01")));
        let selic = growth(snapshot, "selic", "2025-01-01", "2025-12-31");
        let ipca = growth(snapshot, "ipca", "2025-01-01", "2025-12-01");
        assert_eq!((&real.interest.factor, &real.inflation.factor), (&selic.factor, &ipca.factor));
        let wanted = selic.factor.to_f64() / ipca.factor.to_f64();
        assert!((real.factor.to_f64() - wanted).abs() < 1e-14);
        // Of a year it is the rate per year.
        assert_eq!(real.real, real.per_year);
        let open = real_rate(snapshot, RealRate::new(day("2020-01-01"))).unwrap();
        assert_eq!(open.to, day("2026-08-01"));
        assert!(open.per_year.to_f64() < open.real.to_f64());
        let wrong =
            RealRate { inflation: "cdi".parse().unwrap(), ..RealRate::new(day("2025-01-01")) };
        assert!(refusal(real_rate(snapshot, wrong)).contains("monthly price index"));
        let wrong =
            RealRate { interest: "usd-sell".parse().unwrap(), ..RealRate::new(day("2025-01-01")) };
        assert!(refusal(real_rate(snapshot, wrong)).contains("rate per day or month"));
    });
}
