//! The newest years of a company, at the top of its page: revenue, EBIT and net income.
use fincore::{
    Date,
    plans::Upgrade,
    statements::{AccountPlan, CompanyFinancials, Metric, Scope},
};
use maud::{Markup, html};

use super::{
    amounts::{abbreviated, figure},
    metric_names::metric_name,
    missing_statements,
};
use crate::pages::{
    chart::groups::{Group, Groups},
    language::Language,
    page_url::Address,
    upgrade_prompt::upgrade,
    view::View,
};

/// The figures that are shown, as far as the plan of accounts has them.
const METRICS: [Metric; 3] = [Metric::Revenue, Metric::Ebit, Metric::NetIncome];

/// The states of a company's figures.
pub(crate) enum YearsShown {
    /// It has no statements.
    None,
    /// It has some, for those whose plan includes them.
    Locked(Upgrade),
    /// The newest years, newest first.
    Whole(Vec<CompanyFinancials>),
}

/// The section; nothing for a company without statements.
pub(super) fn five_years(view: &View, id: &str, shown: &YearsShown) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    html! {
        @match shown {
            YearsShown::None => {}
            YearsShown::Locked(prompt) => {
                section aria-labelledby="years" {
                    h2 id="years" { (say("Financial statements", "Demonstrações financeiras")) }
                    (upgrade(view, prompt))
                }
            }
            YearsShown::Whole(years) => {
                section.years aria-labelledby="years" {
                    (figures(view, years))
                    p.actions {
                        a.button href=(Address::at(format!("/companies/{id}/statements")).link(view)) { (say("Financial statements", "Demonstrações financeiras")) }
                        a.button href=(Address::at("/companies/compare").with("ids", Some(id)).link(view)) { (say("Compare with others", "Comparar com outras")) }
                    }
                }
            }
        }
    }
}

fn figures(view: &View, years: &[CompanyFinancials]) -> Markup {
    let language = view.language;
    let has = |metric: &Metric| years.iter().any(|year| year.figure(*metric).value.is_some());
    let metrics: Vec<Metric> = METRICS.into_iter().filter(has).collect();
    let names: Vec<&'static str> =
        metrics.iter().map(|metric| metric_name(language, *metric)).collect();
    let title = in_words(&names, language);
    html! {
        h2 id="years" { @if names.is_empty() { (language.pick("Financial statements", "Demonstrações financeiras")) } @else { (title) } }
        @if !names.is_empty() {
            @if years.len() > 1 { (chart(language, years, (&metrics, &names))) }
            div.scroll tabindex="0" {
                table.years {
                    thead { tr {
                        th scope="col" { "R$" }
                        @for year in years { th.count scope="col" { (year_end(language, year.period_end)) } }
                    } }
                    tbody { @for (metric, name) in metrics.iter().zip(&names) {
                        tr {
                            th scope="row" { (name) }
                            @for year in years { td.count { (figure(language, *metric, year.figure(*metric).value)) } }
                        }
                    } }
                }
            }
            p.note { (note(language, &years[0])) }
            (missing_statements::only_some(language, years.iter()))
        }
    }
}

/// Bars of each year, oldest first.
fn chart(
    language: Language,
    years: &[CompanyFinancials],
    (metrics, names): (&[Metric], &[&'static str]),
) -> Markup {
    let values = years.iter().flat_map(|year| metrics.iter().map(|metric| year.figure(*metric)));
    let largest =
        values.filter_map(|figure| Some(figure.value?.to_f64().abs())).fold(0.0, f64::max);
    let (scale, unit) = match largest {
        _ if largest >= 1e9 => (1e9, language.pick("R$ billions", "R$ bilhões")),
        _ if largest >= 1e6 => (1e6, language.pick("R$ millions", "R$ milhões")),
        _ => (1e3, language.pick("R$ thousands", "R$ milhares")),
    };
    let bar = |year: &CompanyFinancials, metric: Metric| {
        let value = year.figure(metric).value?;
        Some((value.to_f64() / scale, abbreviated(language, value)))
    };
    let group = |year: &CompanyFinancials| Group {
        label: year.period_end.year().to_string(),
        bars: metrics.iter().map(|metric| bar(year, *metric)).collect(),
    };
    let groups: Vec<Group> = years.iter().rev().map(group).collect();
    let title =
        language.pick(format!("By fiscal year, {unit}"), format!("Por exercício social, {unit}"));
    Groups { id: "years-chart", title: &title, unit, names, groups: &groups }.picture(language)
}

/// The end of a fiscal year: the year alone where it ends in December.
pub(super) fn year_end(language: Language, end: Date) -> Markup {
    let is_calendar = end.month() == 12;
    html! {
        time datetime=(end) { @if is_calendar { (end.year()) } @else { (language.date(end)) } }
    }
}

/// Whose figures they are, and why some are left out.
fn note(language: Language, newest: &CompanyFinancials) -> Markup {
    let scope = match newest.scope {
        Scope::Consolidated => language.pick("Consolidated", "Consolidado"),
        Scope::Individual => {
            language.pick("Of the company alone (individual)", "Da controladora (individual)")
        }
    };
    let plan = match newest.plan {
        Some(AccountPlan::Bank) => language.pick(
            "; the plan of accounts of banks has no EBIT, and revenue is that of financial intermediation",
            "; o plano de contas dos bancos não tem EBIT, e a receita é a da intermediação financeira",
        ),
        Some(AccountPlan::Insurer) => language.pick(
            "; by the plan of accounts of insurers",
            "; pelo plano de contas das seguradoras",
        ),
        Some(AccountPlan::General) | None => "",
    };
    let tail = language.pick(
        ". Rounded: the exact figure is in the tooltip, and in the API.",
        ". Arredondado: o valor exato está na dica de cada valor e na API.",
    );
    html! { (scope) (plan) (tail) }
}

/// Names as a heading: `Revenue, EBIT and net income`.
fn in_words(names: &[&str], language: Language) -> String {
    let lower = |name: &str| {
        let keeps = name.chars().nth(1).is_some_and(char::is_uppercase);
        if keeps { name.to_owned() } else { name.to_lowercase() }
    };
    let Some((first, rest)) = names.split_first() else { return String::new() };
    let and = language.pick(" and ", " e ");
    let Some((last, middle)) = rest.split_last() else { return (*first).to_owned() };
    let middle: String = middle.iter().map(|name| format!(", {}", lower(name))).collect();
    format!("{first}{middle}{and}{}", lower(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heading_names_what_is_there() {
        let names = ["Revenue", "EBIT", "Net income"];
        assert_eq!(in_words(&names, Language::English), "Revenue, EBIT and net income");
        assert_eq!(in_words(&names[1..], Language::English), "EBIT and net income");
        assert_eq!(in_words(&names[2..], Language::English), "Net income");
        let names = ["Receita líquida", "EBIT"];
        assert_eq!(in_words(&names, Language::Portuguese), "Receita líquida e EBIT");
    }
}
