//! One side of a quote that is newer than the quote itself. A currency is always shown by its newest day with both sides;
//! this says that there is a newer one with one side.
use fincore::market::{NewerSide, Side};
use maud::{Markup, html};

use crate::pages::view::View;

/// A sentence for each newer side, with a link to its series.
pub(crate) fn newer_side_notes(view: &View, sides: &[NewerSide]) -> Markup {
    let language = view.language;
    html! {
        @for newer in sides {
            @let side = match newer.side {
                Side::Buy => language.pick("Newer, buy side only: ", "Mais recente, só a compra: "),
                Side::Sell => language.pick("Newer, sell side only: ", "Mais recente, só a venda: "),
            };
            span.newer {
                (side)
                a href=(view.link(&format!("/market/{}", newer.series))) { (language.number(newer.value)) }
                " · " time datetime=(newer.date) { (language.date(newer.date)) }
            }
        }
    }
}
