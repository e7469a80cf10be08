//! `/companies/{id}/statements`: a statement of a company, a row for each account and a column for each period.
use fincore::{
    Feature,
    plans::Upgrade,
    statements::{Period, Scope, Statement, StatementForm, StatementKind, StatementPage},
};
use maud::{Markup, html};

use super::missing_statements;
use crate::{
    errors::BadRequest,
    pages::{
        errors::ErrorMessage,
        filter_fields,
        language::Language,
        layout,
        page_url::Address,
        spreadsheet::{self, Sheet, Shows},
        upgrade_prompt::upgrade,
        view::View,
    },
};

mod table;
use table::table;

/// How many periods a page shows.
pub(crate) const PERIODS: u32 = 5;

/// The most periods of one answer of the API.
const MOST_PERIODS: u32 = 200;

/// The statement that is asked for, as it was written.
#[derive(Clone, Debug, Default)]
pub(crate) struct StatementSought {
    pub(crate) kind: Option<String>,
    pub(crate) period: Option<String>,
    pub(crate) scope: Option<String>,
    pub(crate) as_of: Option<String>,
    pub(crate) restated: Option<String>,
    /// From 1.
    pub(crate) page: u64,
}

/// A company whose statements are shown.
pub(crate) struct StatementsOf<'a> {
    pub(crate) id: &'a str,
    pub(crate) name: &'a str,
}

/// The states of the page.
pub(crate) enum StatementShown {
    /// Nothing, because their plan does not include statements.
    Locked(Upgrade),
    /// Nothing, because the question is wrong.
    Wrong(BadRequest),
    /// The statement, and all forms with statements of the company.
    Whole { page: Box<StatementPage>, forms: Vec<StatementForm> },
}

impl StatementSought {
    /// The chosen statement; the usual one where the choice cannot be read.
    fn kind(&self) -> StatementKind {
        let kind = self.kind.as_deref().and_then(|kind| kind.parse().ok());
        kind.unwrap_or(StatementKind::Income)
    }

    fn period(&self) -> Period {
        self.period.as_deref().and_then(|period| period.parse().ok()).unwrap_or_default()
    }

    /// The address of another kind and period, from its newest periods on.
    fn other(&self, id: &str, kind: StatementKind, period: Period) -> Address {
        let period = Some(period).filter(|period| periods(kind).contains(period));
        self.narrowed(
            Address::at(format!("/companies/{id}/statements")).with("kind", Some(kind.name())),
            period,
        )
    }

    fn page(&self, id: &str, number: u64) -> Address {
        self.other(id, self.kind(), self.period()).with("page", (number > 1).then_some(number))
    }

    /// The request to the API for the same rows.
    fn endpoint(&self, id: &str) -> Address {
        let path = format!("/api/v1/companies/{id}/statements/{}", self.kind().name());
        self.narrowed(Address::at(path), Some(self.period())).with("layout", Some("wide"))
    }

    /// The periods of this page of it.
    fn shown_periods(&self, id: &str) -> Address {
        let skipped = self.page.saturating_sub(1) * u64::from(PERIODS);
        self.endpoint(id).with("offset", (skipped > 0).then_some(skipped))
    }

    /// The first account of the newest period, and the accounts of all. Where accounts have columns, a code names several.
    fn sheet(&self, id: &str, newest: &Statement) -> Sheet {
        let plain = newest.accounts.first().filter(|account| account.column.is_none());
        let (code, shows) = match plain {
            Some(account) => (account.code.as_str(), Shows::Number),
            None => ("period_end", Shows::Text),
        };
        let path = format!("/api/v1/companies/{id}/statements/{}", self.kind().name());
        let value = self.narrowed(Address::at(path), Some(self.period()));
        let value = value.with("field", Some(code)).with("limit", Some(1));
        Sheet::of(value, shows, Some(self.endpoint(id).with("limit", Some(MOST_PERIODS))))
    }

    fn narrowed(&self, address: Address, period: Option<Period>) -> Address {
        let period = period.filter(|period| *period != Period::default());
        address
            .with("period", period.map(Period::name))
            .with("scope", self.scope.as_ref())
            .with("as_of", self.as_of.as_ref())
            .with("restated", self.restated.as_ref())
    }
}

/// The page.
pub(crate) fn statement(
    view: &View,
    company: &StatementsOf<'_>,
    sought: &StatementSought,
    shown: &StatementShown,
) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let StatementsOf { id, name } = company;
    let kind = kind_name(view.language, sought.kind());
    let content = html! {
        p.crumbs {
            a href=(view.link("/companies")) { (say("Companies", "Companhias")) } " / "
            a lang="pt-BR" href=(view.link(&format!("/companies/{id}"))) { (name) } " / "
            (say("statements", "demonstrações"))
        }
        h1.name { (kind) ": " span lang="pt-BR" { (name) } }
        (choices(view, id, sought))
        @match shown {
            StatementShown::Locked(prompt) => { (upgrade(view, prompt)) }
            StatementShown::Wrong(wrong) => {
                @let message = ErrorMessage::bad_request(wrong, view.language);
                p.wrong role="alert" lang=[message.lang] { (message.text) }
            }
            StatementShown::Whole { page, forms } => {
                @if page.data.is_empty() { (nothing(view, sought, forms, page.total)) }
                @else { (table(view, page)) }
                (pages(view, id, sought, page))
                @if !page.data.is_empty() { (csv(view, id, sought)) }
            }
        }
        h2 { (say("The same from the API", "O mesmo pela API")) }
        (layout::command(view, "call", &sought.shown_periods(id).command(view)))
        @if let StatementShown::Whole { page, .. } = shown && let Some(newest) = page.data.first() {
            (spreadsheet::panel(view, &sought.sheet(id, newest)))
        }
    };
    let title = format!("{kind}: {name}");
    let about = view.language.pick(
        format!("{kind} of {name} (CVM code {id}), account by account, by year, quarter and last twelve months, as filed with CVM."),
        format!("{kind} de {name} (código CVM {id}), conta por conta, por ano, trimestre e últimos doze meses, como entregue à CVM."),
    );
    layout::described_page(view, &format!("/companies/{id}/statements"), (&title, &about), &content)
}

/// The statements that a company files.
fn kind_name(language: Language, kind: StatementKind) -> &'static str {
    match kind {
        StatementKind::BalanceSheet => language.pick("Balance sheet", "Balanço patrimonial"),
        StatementKind::Income => language.pick("Income statement", "Demonstração do resultado"),
        StatementKind::ComprehensiveIncome => {
            language.pick("Comprehensive income", "Resultado abrangente")
        }
        StatementKind::CashFlow => language.pick("Cash flow", "Fluxo de caixa"),
        StatementKind::ValueAdded => language.pick("Value added", "Valor adicionado"),
        StatementKind::EquityChanges => {
            language.pick("Changes of equity", "Mutações do patrimônio líquido")
        }
    }
}

fn period_name(language: Language, period: Period) -> &'static str {
    match period {
        Period::Annual => language.pick("Years", "Anos"),
        Period::Quarter => language.pick("Quarters", "Trimestres"),
        Period::YearToDate => language.pick("Year to date", "Acumulado no ano"),
        Period::TrailingTwelveMonths => language.pick("Twelve months", "Doze meses"),
    }
}

/// The periods that are offered of a kind: a balance sheet is of a day, and changes of equity are never subtracted.
fn periods(kind: StatementKind) -> &'static [Period] {
    match kind {
        StatementKind::BalanceSheet => &[Period::Annual, Period::Quarter],
        StatementKind::EquityChanges => &[Period::Annual, Period::YearToDate],
        StatementKind::Income
        | StatementKind::ComprehensiveIncome
        | StatementKind::CashFlow
        | StatementKind::ValueAdded => {
            &[Period::Annual, Period::Quarter, Period::YearToDate, Period::TrailingTwelveMonths]
        }
    }
}

fn scope_name(language: Language, scope: Scope) -> &'static str {
    match scope {
        Scope::Consolidated => language.pick("Consolidated", "Consolidado"),
        Scope::Individual => language.pick("Individual", "Individual"),
    }
}

/// Links to the other statements and periods, and a form for what is chosen less often.
fn choices(view: &View, id: &str, sought: &StatementSought) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let (kind, period) = (sought.kind(), sought.period());
    let current = |is_it: bool| is_it.then_some("page");
    let scope = filter_fields::Field {
        name: "scope",
        label: say("Scope", "Abrangência"),
        value: sought.scope.as_deref(),
        hint: "consolidated",
    };
    let scopes = Scope::ALL
        .map(|scope| (scope.name().to_owned(), scope_name(view.language, scope).to_owned()));
    let restated = filter_fields::Field {
        name: "restated",
        label: say("Values", "Valores"),
        value: sought.restated.as_deref(),
        hint: "",
    };
    let restatements = [(
        "true".to_owned(),
        say("As restated a year later", "Como reapresentados no ano seguinte").to_owned(),
    )];
    let as_of = filter_fields::Field {
        name: "as_of",
        label: say("Received by", "Recebidos até"),
        value: sought.as_of.as_deref(),
        hint: "",
    };
    html! {
        nav.ranges aria-label=(say("Statements", "Demonstrações")) {
            @for other in StatementKind::ALL {
                a href=(sought.other(id, other, period).link(view)) aria-current=[current(other == kind)] { (kind_name(view.language, other)) }
            }
        }
        nav.ranges aria-label=(say("Periods", "Períodos")) {
            @for other in periods(kind) {
                a href=(sought.other(id, kind, *other).link(view)) aria-current=[current(*other == period)] { (period_name(view.language, *other)) }
            }
        }
        form.days method="get" action=(view.path(&format!("/companies/{id}/statements"))) data-tidy {
            (filter_fields::language(view))
            input type="hidden" name="kind" value=(kind.name());
            @if period != Period::default() { input type="hidden" name="period" value=(period.name()); }
            (scope.choice(say("Consolidated, if there is", "Consolidado, se houver"), Some(&scopes)))
            (restated.choice(say("As filed", "Como entregues"), Some(&restatements)))
            (as_of.day())
            button { (say("Show", "Mostrar")) }
        }
    }
}

/// Why there are no periods.
fn nothing(view: &View, sought: &StatementSought, forms: &[StatementForm], total: u64) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let kinds: Vec<StatementKind> = StatementKind::ALL
        .into_iter()
        .filter(|kind| forms.iter().any(|form| form.kinds.contains(kind)))
        .collect();
    html! {
        @if total > 0 {
            p.note { (say("There are no periods on this page.", "Não há períodos nesta página.")) }
        } @else if forms.is_empty() {
            p.note {
                (say("No statements of this company have been imported. ", "Nenhuma demonstração desta companhia foi importada. "))
                (missing_statements::what_brings_them(view.language))
            }
        } @else if kinds.contains(&sought.kind()) {
            p.note { (say(
                "There is no such period in what has been imported: quarters need the quarterly forms (ITR), a fourth quarter also the annual one (DFP), and twelve months four quarters. Try another scope or period.",
                "Não há esse período no que foi importado: trimestres vêm dos formulários trimestrais (ITR), o quarto também do anual (DFP), e doze meses de quatro trimestres. Tente outra abrangência ou outro período.",
            )) }
        } @else {
            p.note {
                (say("No form that has been imported has this statement. There are: ", "Nenhum formulário importado tem esta demonstração. Há: "))
                (kinds.iter().map(|kind| kind_name(view.language, *kind)).collect::<Vec<_>>().join(", ")) ". "
                (missing_statements::what_brings_them(view.language))
            }
        }
    }
}

/// Links to newer and older periods.
fn pages(view: &View, id: &str, sought: &StatementSought, page: &StatementPage) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let last = page.total.div_ceil(u64::from(PERIODS)).max(1);
    let link = |number: u64| sought.page(id, number).link(view);
    html! {
        @if last > 1 || sought.page > 1 {
            nav.pages aria-label=(say("Other periods", "Outros períodos")) {
                @if sought.page > 1 { a rel="prev" href=(link((sought.page - 1).min(last))) { (say("Newer", "Mais novos")) } }
                @if sought.page < last { a rel="next" href=(link(sought.page + 1)) { (say("Older", "Mais antigos")) } }
            }
        }
    }
}

/// The link to all periods as CSV, for those whose plan includes that.
fn csv(view: &View, id: &str, sought: &StatementSought) -> Markup {
    let has_csv =
        view.visitor.as_ref().is_some_and(|holder| holder.caller.plan.includes(Feature::Csv));
    let csv = sought.endpoint(id).with("limit", Some(MOST_PERIODS)).with("format", Some("csv"));
    html! {
        @if has_csv { p.actions { a.button href=(csv.plain_link(view)) { "CSV" } } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_statement_can_be_seen_by_year() {
        for kind in StatementKind::ALL {
            assert_eq!(periods(kind).first(), Some(&Period::Annual));
        }
    }
}
