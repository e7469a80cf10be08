//! Figures of companies as people read them: amounts to three or four digits, with the exact figure beside them.
use fincore::{Decimal, statements::Metric};
use maud::{Markup, html};

use crate::pages::language::Language;

/// The powers of ten that amounts are abbreviated by, largest first: the word in each language, and the decimals kept.
const SCALES: [(u32, (&str, &str), u32); 3] =
    [(9, ("bn", "bi"), 2), (6, ("m", "mi"), 1), (3, ("k", "mil"), 0)];

/// A figure of a metric: abbreviated if it is an amount, with the exact one as its title and value; a dash if there is none.
pub(crate) fn figure(language: Language, metric: Metric, value: Option<Decimal>) -> Markup {
    let Some(value) = value else {
        return html! { span.no aria-label=(language.pick("none", "não há")) { "–" } };
    };
    let exact = language.number(value);
    match Unit::of(metric) {
        Unit::Reais => {
            html! { data value=(value) title=(format!("R$ {exact}")) { (abbreviated(language, value)) } }
        }
        Unit::Shares => {
            html! { data value=(value) title=(exact) { (abbreviated(language, value)) } }
        }
        Unit::ReaisAShare => html! { data value=(value) { (exact) } },
        Unit::Percent => html! { data value=(value) { (exact) " %" } },
        Unit::Times => html! { data value=(value) { (exact) "×" } },
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Reais,
    ReaisAShare,
    Shares,
    Percent,
    Times,
}

impl Unit {
    pub(crate) fn of(metric: Metric) -> Unit {
        match metric {
            Metric::Eps => Unit::ReaisAShare,
            Metric::Shares => Unit::Shares,
            Metric::GrossMargin
            | Metric::EbitMargin
            | Metric::NetMargin
            | Metric::Roe
            | Metric::Roa => Unit::Percent,
            Metric::DebtToEquity | Metric::NetDebtToEbitda => Unit::Times,
            Metric::Revenue
            | Metric::GrossProfit
            | Metric::Ebit
            | Metric::DepreciationAmortisation
            | Metric::Ebitda
            | Metric::FinancialResult
            | Metric::NetIncome
            | Metric::NetIncomeControlling
            | Metric::TotalAssets
            | Metric::CurrentAssets
            | Metric::CurrentLiabilities
            | Metric::Cash
            | Metric::GrossDebt
            | Metric::NetDebt
            | Metric::Equity
            | Metric::OperatingCashFlow
            | Metric::InvestingCashFlow
            | Metric::FinancingCashFlow
            | Metric::CapitalExpenditure
            | Metric::DividendsPaid => Unit::Reais,
        }
    }
}

/// An amount in thousands, millions or billions, rounded half away from zero: `12,35 bi`. Smaller ones are whole.
pub(crate) fn abbreviated(language: Language, value: Decimal) -> String {
    let text = value.to_string();
    let (sign, digits) = text.strip_prefix('-').map_or(("", text.as_str()), |rest| ("-", rest));
    let whole = digits.split('.').next().unwrap_or_default();
    // A decimal has 18 digits at most.
    let Ok(whole) = whole.parse::<u64>() else { return language.number(value) };
    let larger = |(power, ..): &&(u32, (&str, &str), u32)| {
        // A value that rounds up to the next word is written with that one: 999,960 is 1.0 m.
        whole.saturating_add(10_u64.pow(*power) / 2000) >= 10_u64.pow(*power)
    };
    let Some((power, (english, portuguese), kept)) = SCALES.iter().find(larger) else {
        return language.number(value);
    };
    let step = 10_u64.pow(power - kept);
    let rounded = whole.saturating_add(step / 2) / step;
    let (whole, rest) = (rounded / 10_u64.pow(*kept), rounded % 10_u64.pow(*kept));
    let decimals = if *kept == 0 {
        String::new()
    } else {
        format!(".{rest:0>width$}", width = *kept as usize)
    };
    let number = language.written(&format!("{sign}{whole}{decimals}"));
    format!("{number}\u{a0}{}", language.pick(english, portuguese))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_rounded_to_what_is_read_at_a_glance() {
        let (en, pt) = (Language::English, Language::Portuguese);
        for (amount, english, portuguese) in [
            ("0", "0", "0"),
            ("-12.5", "−12.5", "−12,5"),
            ("999", "999", "999"),
            ("1500", "2 k", "2 mil"),
            ("-1234567", "−1.2 m", "−1,2 mi"),
            ("999960000", "1.00 bn", "1,00 bi"),
            ("12345678900.55", "12.35 bn", "12,35 bi"),
            ("2533000000000", "2,533.00 bn", "2.533,00 bi"),
            ("-999999999999999999", "−1,000,000,000.00 bn", "−1.000.000.000,00 bi"),
        ] {
            let written = [en, pt].map(|language| {
                abbreviated(language, amount.parse().unwrap()).replace('\u{a0}', " ")
            });
            assert_eq!(written, [english, portuguese], "{amount}");
        }
    }

    #[test]
    fn the_exact_figure_stands_beside_the_abbreviated_one() {
        let shown = |metric, value: &str| {
            figure(Language::Portuguese, metric, Some(value.parse().unwrap())).into_string()
        };
        assert_eq!(
            shown(Metric::Revenue, "1234567890"),
            "<data value=\"1234567890\" title=\"R$ 1.234.567.890\">1,23\u{a0}bi</data>"
        );
        assert_eq!(shown(Metric::Roe, "-3.10"), "<data value=\"-3.10\">−3,10 %</data>");
        assert_eq!(shown(Metric::Eps, "0.12345"), "<data value=\"0.12345\">0,12345</data>");
        assert!(figure(Language::English, Metric::Ebit, None).into_string().contains("none"));
    }
}
