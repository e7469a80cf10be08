//! The message for statements that are not stored here, and the command that brings them.
use fincore::statements::{CompanyFinancials, Metric};
use maud::{Markup, html};

use crate::pages::language::Language;

/// The commands that bring statements.
pub(super) fn what_brings_them(language: Language) -> Markup {
    let say = |english, portuguese| language.pick(english, portuguese);
    html! {
        code { "finserve sync" } (say(" brings those of all companies, ", " traz as de todas as companhias, "))
        code { "finserve import dfp_cia_aberta_2025.zip" } (say(" those of a file of CVM.", " as de um arquivo da CVM."))
    }
}

/// A note if a company has figures of some of its statements only, such as of those that come with the program.
pub(super) fn only_some<'f>(
    language: Language,
    mut figures: impl Iterator<Item = &'f CompanyFinancials>,
) -> Markup {
    let has = |figures: &CompanyFinancials, metric| figures.figure(metric).value.is_some();
    let lacks_income = |figures: &CompanyFinancials| {
        has(figures, Metric::NetIncome) && !has(figures, Metric::Revenue)
    };
    html! {
        @if figures.any(lacks_income) {
            p.note {
                (language.pick(
                    "Some of these statements are not held here, and the figures made of them are missing. ",
                    "Algumas dessas demonstrações não estão aqui, e faltam os números que dependem delas. ",
                ))
                (what_brings_them(language))
            }
        }
    }
}
