//! `/companies/screen`: all companies by one of their figures.
use fincore::{
    CvmCode,
    plans::Upgrade,
    statements::{Metric, MetricOrder, Period, ScreenPage},
};
use maud::{Markup, html};

use super::{amounts::figure, metric_names::metric_name, missing_statements};
use crate::{
    errors::BadRequest,
    pages::{
        company_name::company_link,
        errors::ErrorMessage,
        filter_fields::{self, Field},
        language::Language,
        layout,
        page_url::Address,
        result_list::{self, LIST_ROWS, PAGE_ROWS},
        spreadsheet::{self, Sheet, Shows},
        upgrade_prompt::upgrade,
        view::View,
    },
};

const PATH: &str = "/companies/screen";

/// The order without a choice: the largest net income first, which companies of every plan of accounts have.
pub(crate) const USUAL_ORDER: MetricOrder = MetricOrder::Descending(Metric::NetIncome);
const USUAL_ORDER_NAME: &str = "-net_income";

/// The columns of every table; the figure of the order is one more.
const COLUMNS: [Metric; 5] =
    [Metric::Revenue, Metric::Ebit, Metric::NetIncome, Metric::Equity, Metric::Roe];

/// The filters as they were written.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScreenSought {
    pub(crate) order: Option<String>,
    pub(crate) period: Option<String>,
    pub(crate) year: Option<String>,
    pub(crate) sector: Option<String>,
    /// From 1.
    pub(crate) page: u64,
}

/// The states of the page.
pub(crate) enum CompaniesScreened {
    /// The first companies without their figures, and where to get more.
    Preview { names: Vec<(CvmCode, String)>, prompt: Upgrade },
    /// The fault of the filters.
    Wrong(BadRequest),
    /// One page of them.
    Whole(Box<ScreenPage>),
}

impl ScreenSought {
    fn page(&self, number: u64) -> Address {
        let order = self.order.as_deref().filter(|order| *order != USUAL_ORDER_NAME);
        let address = Address::at(PATH).with("order", order);
        self.narrowed(address).with("page", (number > 1).then_some(number))
    }

    /// The request to the API for the same rows.
    fn endpoint(&self) -> Address {
        let order = self.order.as_deref().unwrap_or(USUAL_ORDER_NAME);
        let skipped = self.page.saturating_sub(1) * u64::from(PAGE_ROWS);
        let address = Address::at("/api/v1/financials").with("order", Some(order));
        self.narrowed(address).with("offset", (skipped > 0).then_some(skipped))
    }

    /// The name of the first company, and all of them.
    fn sheet(&self) -> Sheet {
        let rows = ScreenSought { page: 1, ..self.clone() }.endpoint();
        let value = rows.clone().with("field", Some("name")).with("limit", Some(1));
        Sheet::of(value, Shows::Text, Some(rows.with("limit", Some(LIST_ROWS))))
    }

    fn narrowed(&self, address: Address) -> Address {
        let ScreenSought { period, year, sector, .. } = self;
        address
            .with("period", period.as_ref())
            .with("year", year.as_ref())
            .with("sector", sector.as_ref())
    }

    /// The columns that are shown.
    fn columns(&self) -> Vec<Metric> {
        let order =
            self.order.as_deref().and_then(|order| order.trim_start_matches('-').parse().ok());
        let other = order.filter(|metric| !COLUMNS.contains(metric));
        COLUMNS.into_iter().chain(other).collect()
    }
}

/// The page; `sectors` are those of the registry, for those who may know them.
pub(crate) fn screened_companies(
    view: &View,
    sought: &ScreenSought,
    sectors: Option<&[String]>,
    shown: &CompaniesScreened,
) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let title = say("Rank companies by their figures", "Companhias pelos seus números");
    let about = say(
        "All Brazilian listed companies by revenue, net income, equity, debt, margins or returns, by year and sector, from the statements filed with CVM.",
        "Todas as companhias abertas por receita, lucro líquido, patrimônio, dívida, margens ou retornos, por ano e setor, das demonstrações entregues à CVM.",
    );
    let content = html! {
        p.crumbs { a href=(view.link("/companies")) { (say("Companies", "Companhias")) } " / " (say("ranking", "classificação")) }
        h1 { (title) }
        (form(view, sought, sectors))
        section.results aria-labelledby="results" {
            h2 id="results" { (heading(view, shown)) }
            @match shown {
                CompaniesScreened::Preview { names, prompt } => {
                    @if !names.is_empty() { ul { @for (code, name) in names { li { a lang="pt-BR" href=(company_link(view, *code)) { (name) } } } } }
                    (upgrade(view, prompt))
                }
                CompaniesScreened::Wrong(wrong) => {
                    @let message = ErrorMessage::bad_request(wrong, view.language);
                    p.wrong role="alert" lang=[message.lang] { (message.text) }
                }
                CompaniesScreened::Whole(page) => {
                    @if page.total == 0 { (nothing(view)) }
                    @if !page.data.is_empty() {
                        (table(view, sought, page))
                        p.note { (say("In reais, rounded: the exact figure is in the tooltip.", "Em reais, arredondados: o valor exato está na dica.")) }
                        (missing_statements::only_some(view.language, page.data.iter().map(|row| &row.financials)))
                    }
                    (pages(view, sought, page.total))
                    @if !page.data.is_empty() { (result_list::csv_link(view, sought.endpoint())) }
                }
            }
        }
        (layout::command(view, "call", &sought.endpoint().command(view)))
        (spreadsheet::panel(view, &sought.sheet()))
        p.actions { a.button href=(view.link("/companies/compare")) { (say("Compare companies", "Comparar companhias")) } }
    };
    layout::described_page(view, PATH, (title, about), &content)
}

fn form(view: &View, sought: &ScreenSought, sectors: Option<&[String]>) -> Markup {
    let language = view.language;
    let say = |english, portuguese| language.pick(english, portuguese);
    let order = Field {
        name: "order",
        label: say("Order", "Ordem"),
        value: Some(sought.order.as_deref().unwrap_or(USUAL_ORDER_NAME)),
        hint: USUAL_ORDER_NAME,
    };
    let period = Field {
        name: "period",
        label: say("Period", "Período"),
        value: sought.period.as_deref(),
        hint: "annual",
    };
    let periods = [
        (Period::Quarter, say("Newest quarter", "Último trimestre")),
        (Period::TrailingTwelveMonths, say("Twelve months", "Doze meses")),
    ]
    .map(|(period, name)| (period.name().to_owned(), name.to_owned()));
    let year = Field {
        name: "year",
        label: say("Year", "Ano"),
        value: sought.year.as_deref(),
        hint: say("newest", "o último"),
    };
    let sector = Field {
        name: "sector",
        label: say("Sector", "Setor"),
        value: sought.sector.as_deref(),
        hint: "Bancos",
    };
    html! {
        form.filters method="get" action=(view.path(PATH)) data-tidy {
            (filter_fields::language(view))
            (order.choice("", Some(&orders(language))))
            (period.choice(say("Fiscal year", "Exercício social"), Some(&periods)))
            (year.text())
            (sector.choice(say("Any", "Qualquer"), sectors.map(filter_fields::plainly).as_deref()))
            p.actions {
                button.primary { (say("Show", "Mostrar")) }
                a.button href=(view.link(PATH)) { (say("Clear", "Limpar")) }
            }
        }
    }
}

/// Every order, with what is shown for it.
fn orders(language: Language) -> Vec<(String, String)> {
    let both = |metric: Metric| {
        let name = metric_name(language, metric);
        let largest = language.pick("largest first", "maior primeiro");
        let smallest = language.pick("smallest first", "menor primeiro");
        [
            (format!("-{}", metric.name()), format!("{name}, {largest}")),
            (metric.name().to_owned(), format!("{name}, {smallest}")),
        ]
    };
    let by_name = ("name".to_owned(), language.pick("Name", "Nome").to_owned());
    Metric::ALL.into_iter().flat_map(both).chain([by_name]).collect()
}

fn heading(view: &View, shown: &CompaniesScreened) -> String {
    let language = view.language;
    match shown {
        CompaniesScreened::Preview { names, .. } if !names.is_empty() => {
            language.pick("Preview", "Amostra").to_owned()
        }
        CompaniesScreened::Preview { .. } => none(language).to_owned(),
        CompaniesScreened::Wrong(_) => {
            language.pick("Please correct", "Corrija, por favor").to_owned()
        }
        CompaniesScreened::Whole(page) => match page.total {
            0 => none(language).to_owned(),
            1 => language.pick("1 company", "1 companhia").to_owned(),
            total => {
                format!("{} {}", language.count(total), language.pick("companies", "companhias"))
            }
        },
    }
}

fn none(language: Language) -> &'static str {
    language.pick("No company has such figures", "Nenhuma companhia tem esses números")
}

/// Why there may be none.
fn nothing(view: &View) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    html! {
        p.note {
            (say("Either no company of this sector filed for that year, or its statements have not been imported. ", "Ou nenhuma companhia desse setor entregou demonstrações desse ano, ou elas não foram importadas. "))
            (missing_statements::what_brings_them(view.language))
        }
    }
}

fn table(view: &View, sought: &ScreenSought, page: &ScreenPage) -> Markup {
    let language = view.language;
    let columns = sought.columns();
    let period = language.pick("Period end", "Fim do período");
    html! {
        table.rows.screened {
            thead { tr {
                th scope="col" { (language.pick("Company", "Companhia")) }
                th.count scope="col" { (period) }
                @for metric in &columns { th.count scope="col" { (metric_name(language, *metric)) } }
            } }
            tbody { @for row in &page.data { tr {
                th scope="row" { a lang="pt-BR" href=(company_link(view, row.company_id)) { (row.name) } }
                td.count.number data-label=(period) { time datetime=(row.financials.period_end) { (language.date(row.financials.period_end)) } }
                @for metric in &columns {
                    td.count.number data-label=(metric_name(language, *metric)) { (figure(language, *metric, row.financials.figure(*metric).value)) }
                }
            } } }
        }
    }
}

/// Links to the other pages of the list.
fn pages(view: &View, sought: &ScreenSought, total: u64) -> Markup {
    let language = view.language;
    let last = total.div_ceil(u64::from(PAGE_ROWS)).max(1);
    let number = sought.page;
    let link = |to: u64| sought.page(to).link(view);
    let place = language.pick(
        format!("Page {} of {}", language.count(number), language.count(last)),
        format!("Página {} de {}", language.count(number), language.count(last)),
    );
    html! {
        @if last > 1 || number > 1 {
            nav.pages aria-label=(language.pick("Pages", "Páginas")) {
                @if number > 1 { a rel="prev" href=(link((number - 1).min(last))) { (language.pick("Previous", "Anterior")) } }
                span { (place) }
                @if number < last { a rel="next" href=(link(number + 1)) { (language.pick("Next", "Próxima")) } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_that_is_offered_can_be_read() {
        for (order, _) in orders(Language::English) {
            assert!(order.parse::<MetricOrder>().is_ok(), "{order}");
        }
        assert_eq!(USUAL_ORDER_NAME.parse::<MetricOrder>().unwrap(), USUAL_ORDER);
    }

    #[test]
    fn the_figure_of_the_order_is_shown() {
        let of = |order: &str| {
            ScreenSought { order: Some(order.to_owned()), ..ScreenSought::default() }.columns()
        };
        assert_eq!(of("-net_debt").last(), Some(&Metric::NetDebt));
        assert_eq!(of("revenue"), COLUMNS);
        assert_eq!(of("nothing"), COLUMNS);
    }
}
