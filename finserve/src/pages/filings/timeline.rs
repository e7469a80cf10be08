//! The filings of a company over time: a list with a bar for each month or year.
use fincore::filings::{PeriodCount, Profile};
use maud::{Markup, html};

use crate::pages::{page_url::Address, view::View};

/// The width of the longest bar, in units of the picture.
const WIDTH: u64 = 200;

/// Newest first; each period leads to its filings.
pub(crate) fn timeline(view: &View, company: &str, profile: &Profile) -> Markup {
    let (language, periods) = (view.language, &profile.periods);
    let most = periods.iter().map(|period| period.filings).max().unwrap_or_default().max(1);
    let title = match periods.first() {
        Some(period) if period.is_year() => language.pick("Filings by year", "Documentos por ano"),
        _ => language.pick("Filings by month", "Documentos por mês"),
    };
    html! {
        section aria-labelledby="timeline" {
            h2 id="timeline" { (title) }
            @if let Some(covered) = profile.covered {
                p.note {
                    (language.pick("Counted from ", "Contados de "))
                    time datetime=(covered.from) { (language.date(covered.from)) }
                    (language.pick(" to ", " a "))
                    time datetime=(covered.to) { (language.date(covered.to)) }
                    (language.pick(
                        ": notices and minutes of other days are not held.",
                        ": não temos avisos e atas de outros dias.",
                    ))
                }
            }
            ol.timeline {
                @for period in periods { li {
                    @let name = name(view, period);
                    @if period.filings > 0 {
                        a href=(address(company, period).link(view)) { time datetime=(machine(period)) { (name) } }
                    } @else {
                        span.none { time datetime=(machine(period)) { (name) } }
                    }
                    svg viewBox=(format!("0 0 {WIDTH} 10")) preserveAspectRatio="none" aria-hidden="true" {
                        rect.bar width=(width(period.filings, most)) height="10" {}
                    }
                    span.count { (language.count(period.filings)) }
                } }
            }
        }
    }
}

/// The filings of a period.
fn address(company: &str, period: &PeriodCount) -> Address {
    Address::at("/filings")
        .with("company", Some(company))
        .with("from", Some(period.from))
        .with("to", Some(period.to))
}

/// The length of a bar. Whatever is there can be seen.
fn width(filings: u64, most: u64) -> u64 {
    if filings == 0 { 0 } else { (filings * WIDTH / most).max(2) }
}

fn name(view: &View, period: &PeriodCount) -> String {
    if period.is_year() { period.from.year().to_string() } else { view.language.month(period.from) }
}

/// The period as machines read it: `2024` or `2024-05`.
fn machine(period: &PeriodCount) -> String {
    let day = period.from.to_string();
    let length = if period.is_year() { 4 } else { 7 };
    day.get(..length).unwrap_or(&day).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_in_proportion_and_can_be_seen() {
        let widths = [0, 1, 500, 1000].map(|filings| width(filings, 1000));
        assert_eq!(widths, [0, 2, 100, 200]);
    }
}
