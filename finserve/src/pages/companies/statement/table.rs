//! The table of a statement.
use fincore::{
    Decimal,
    statements::{AccountRow, Statement, StatementOrigin, StatementPage},
};
use maud::{Markup, html};

use super::scope_name;
use crate::pages::{language::Language, page_url::Address, view::View};

/// A row for each account, a column for each period.
pub(super) fn table(view: &View, page: &StatementPage) -> Markup {
    let (language, rows) = (view.language, page.account_rows());
    let unit = Unit::of(&rows);
    let scope = page.data[0].scope;
    let has_own = rows.iter().any(|row| !row.account.fixed);
    html! {
        p.note {
            (scope_name(language, scope)) ". " (unit.in_words(language)) " "
            @if rows.iter().any(|row| row.account.is_per_share()) { (language.pick("Per share in reais. ", "Por ação em reais. ")) }
            @if has_own { span.own { "*" } (language.pick(" the company’s own account, not one of CVM’s plan.", " conta própria da companhia, fora do plano da CVM.")) }
        }
        div.scroll.statement tabindex="0" {
            table {
                thead { tr {
                    th scope="col" { (language.pick("Account", "Conta")) }
                    @for period in &page.data { (column(view, period)) }
                } }
                tbody { @for row in &rows { tr {
                    th class=(format!("depth-{}", row.account.depth().min(6))) scope="row" lang="pt-BR" {
                        span.code { (row.account.code) } " " (row.account.name)
                        @if !row.account.fixed { span.own { "*" } }
                        @if let Some(part) = &row.account.column { small { (part) } }
                    }
                    @for value in &row.values { td.count {
                        @if let Some(value) = value { data value=(value) { (unit.write(language, row, *value)) } }
                    } }
                } } }
            }
        }
    }
}

/// The head of a column: the period, and where its figures come from.
fn column(view: &View, period: &Statement) -> Markup {
    let language = view.language;
    let form = format!("{} v{}", period.form.name().to_ascii_uppercase(), period.version);
    let filing = |id: &fincore::FilingId| Address::at(format!("/filings/{id}")).link(view);
    let (first, others) = match period.filing_ids.split_first() {
        Some((first, others)) => (Some(first), others),
        None => (None, &[][..]),
    };
    let origin = match period.origin {
        StatementOrigin::Filed => language.pick("filed", "entregue"),
        StatementOrigin::Computed => language.pick("computed", "calculado"),
        StatementOrigin::Restated => language.pick("restated", "reapresentado"),
    };
    html! {
        th.count scope="col" {
            time datetime=(period.period_end) { (language.date(period.period_end)) }
            @if let Some(start) = period.period_start { small { (language.pick("since ", "desde ")) (language.date(start)) } }
            small {
                @match first { Some(id) => { a href=(filing(id)) { (form) } }, None => { (form) } }
                @for (nth, id) in others.iter().enumerate() { " " a href=(filing(id)) aria-label=(language.pick(format!("another form, {}", nth + 2), format!("outro formulário, {}", nth + 2))) { "+" (nth + 2) } }
                ", " (origin)
            }
            @if let Some(received) = period.received { small { (language.pick("received ", "recebido ")) (language.date(received)) } }
        }
    }
}

/// The unit of the values. Values per share are in reais in either.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    /// Where every value is a whole number of them, as most companies file.
    Thousands,
    Reais,
}

impl Unit {
    fn of(rows: &[AccountRow<'_>]) -> Unit {
        let amounts = rows.iter().filter(|row| !row.account.is_per_share());
        let mut values = amounts.flat_map(|row| row.values.iter().flatten());
        if values.all(|value| thousands(*value).is_some()) { Unit::Thousands } else { Unit::Reais }
    }

    fn in_words(self, language: Language) -> &'static str {
        match self {
            Unit::Thousands => language.pick("In thousands of reais.", "Em milhares de reais."),
            Unit::Reais => language.pick("In reais.", "Em reais."),
        }
    }

    fn write(self, language: Language, row: &AccountRow<'_>, value: Decimal) -> String {
        let thousands = match self {
            Unit::Thousands if !row.account.is_per_share() => thousands(value),
            Unit::Thousands | Unit::Reais => None,
        };
        thousands.map_or_else(|| language.number(value), |text| language.written(&text))
    }
}

/// The number of thousands, if it is whole.
fn thousands(value: Decimal) -> Option<String> {
    let text = value.to_string();
    let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
    if decimals.bytes().any(|digit| digit != b'0') {
        return None;
    }
    match whole {
        "0" | "-0" => Some("0".to_owned()),
        _ => whole.strip_suffix("000").filter(|rest| !["", "-"].contains(rest)).map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_whole_or_not_written() {
        for (value, wanted) in [
            ("0", Some("0")),
            ("0.00", Some("0")),
            ("5000", Some("5")),
            ("-1234000.0", Some("-1234")),
            ("500", None),
            ("5000.01", None),
        ] {
            assert_eq!(thousands(value.parse().unwrap()).as_deref(), wanted, "{value}");
        }
    }
}
