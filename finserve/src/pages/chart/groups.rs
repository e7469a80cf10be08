//! Figures of several kinds, period by period: bars that stand in groups.
use maud::{Markup, html};

use super::{
    Size,
    geometry::{Plot, as_f64, unit},
};
use crate::pages::language::Language;

/// The part of its band that a group of bars takes.
const FILLED: f64 = 0.72;

/// Groups of bars that have the same unit.
#[derive(Debug)]
pub(crate) struct Groups<'a> {
    /// Tells charts of a page apart; a word.
    pub(crate) id: &'a str,
    pub(crate) title: &'a str,
    /// The unit of the vertical axis.
    pub(crate) unit: &'a str,
    /// The names of a group's bars, in order.
    pub(crate) names: &'a [&'static str],
    /// Oldest first.
    pub(crate) groups: &'a [Group],
}

/// The bars of one period.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) label: String,
    /// The height of each bar, and how its figure is written; none where there is no figure.
    pub(crate) bars: Vec<Option<(f64, String)>>,
}

impl Groups<'_> {
    /// The picture, with a legend.
    pub(crate) fn picture(&self, language: Language) -> Markup {
        let size = Size::Wide;
        let plot = Plot::of_groups(size, self.bounds(), language);
        let band = (size.right() - plot.left) / as_f64(self.groups.len().max(1));
        let title_id = format!("{}-title", self.id);
        html! {
            figure.chart.wide.compared.groups {
                figcaption id=(title_id) { (self.title) }
                @if self.names.len() > 1 { (self.legend()) }
                svg viewBox=(format!("0 0 {} {}", size.width(), size.height())) role="group" tabindex="0" aria-labelledby=(title_id) {
                    g.axes aria-hidden="true" {
                        text.unit x="0" y=(size.headline()) { (self.unit) }
                        (plot.vertical_axis())
                        @for (nth, group) in self.groups.iter().enumerate() {
                            @let middle = plot.left + band * (as_f64(nth) + 0.5);
                            text x=(unit(middle)) y=(size.height() - 5.0) text-anchor="middle" { (group.label) }
                        }
                    }
                    @for (nth, group) in self.groups.iter().enumerate() {
                        (self.group(&plot, (plot.left + band * as_f64(nth), band), group))
                    }
                }
            }
        }
    }

    /// The names of the bars, in the order in which they stand.
    fn legend(&self) -> Markup {
        html! {
            ul.legend {
                @for (place, name) in self.names.iter().enumerate() {
                    li {
                        svg.sample viewBox="0 0 12 12" width="12" height="12" aria-hidden="true" {
                            rect class=(format!("bar series-{place}")) x="0" y="0" width="12" height="12" {}
                        }
                        (name)
                    }
                }
            }
        }
    }

    /// A group in its band, which shows its values when the pointer or the keyboard's focus is on it.
    fn group(&self, plot: &Plot, (left, band): (f64, f64), group: &Group) -> Markup {
        let size = plot.size;
        let width = band * FILLED / as_f64(self.names.len().max(1));
        let start = left + band * (1.0 - FILLED) / 2.0;
        let zero = plot.height(0.0);
        html! {
            g.point role="img" aria-label=(self.in_words(group)) {
                rect.hit x=(unit(left)) y=(size.top()) width=(unit(band)) height=(size.bottom() - size.top()) {}
                @for (place, bar) in group.bars.iter().enumerate() {
                    @if let Some((height, _)) = bar {
                        @let y = plot.height(*height);
                        // A gap between bars tells them apart without colours.
                        rect class=(format!("bar series-{place}")) x=(unit(start + width * as_f64(place) + 0.8)) width=(unit((width - 1.6).max(1.0)))
                            y=(unit(y.min(zero))) height=(unit((y - zero).abs())) {}
                    }
                }
                text.value x=(size.width()) y=(size.headline()) text-anchor="end" {
                    (group.label)
                    @for (_, written) in group.bars.iter().flatten() { " · " tspan { (written) } }
                }
            }
        }
    }

    /// The figures of a group, as they are read out.
    fn in_words(&self, group: &Group) -> String {
        let said = self.names.iter().zip(&group.bars).filter_map(|(name, bar)| {
            let (_, written) = bar.as_ref()?;
            Some(format!("{name} {written}"))
        });
        format!("{}: {}", group.label, said.collect::<Vec<_>>().join("; "))
    }

    /// The lowest and the highest end of a bar; all stand on zero.
    fn bounds(&self) -> (f64, f64) {
        let heights = self.groups.iter().flat_map(|group| group.bars.iter().flatten());
        let (low, high) = heights.fold((0.0_f64, 0.0_f64), |(low, high), (height, _)| {
            (low.min(*height), high.max(*height))
        });
        if high > low { (low, high) } else { (0.0, 1.0) }
    }
}
