//! Faults that the library reports, in the words of the pages.
use fincore::{Invalid, Wanted};

use super::{calculations, transformations};
use crate::pages::language::Language;

/// The words for what is wrong with a value; none for one that no page reads.
pub(super) fn invalid(invalid: &Invalid, language: Language) -> Option<String> {
    match invalid {
        Invalid::Value { given, wanted: what } => {
            Some(is_not(given, &wanted(what, language)?, language))
        }
        Invalid::Period { from, to } => {
            let (from, to) = (language.date(*from), language.date(*to));
            Some(language.pick(
                format!("the first day ({from}) is after the last one ({to}); it must be the same day or earlier"),
                format!("a data inicial ({from}) é posterior à final ({to}); ela deve ser igual ou anterior"),
            ))
        }
        Invalid::SearchTooBroad => Some(language.pick(
            "the search is too broad: use fewer or longer words, or narrow it by company, category, type or days",
            "a busca é ampla demais: use menos palavras ou palavras mais longas, ou restrinja por companhia, categoria, tipo ou datas",
        ).to_owned()),
        Invalid::SameSeries { one, other } => Some(language.pick(
            format!("{one:?} and {other:?} are the same series; choose each series once"),
            format!("{one:?} e {other:?} são a mesma série; escolha cada série uma vez"),
        )),
        Invalid::Series { series, fault } => {
            Some(calculations::series_fault(series, fault, language))
        }
        Invalid::Calculation(fault) => Some(calculations::fault(fault, language)),
        Invalid::Transformation(fault) => Some(transformations::fault(fault, language)),
        Invalid::AsOfFuture { day, today } => {
            let (day, today) = (language.date(*day), language.date(*today));
            Some(language.pick(
                format!("{day} is after today ({today})"),
                format!("{day} é posterior a hoje ({today})"),
            ))
        }
        Invalid::StatementPeriod { period, fitting } => Some(language.pick(
            format!("there are no such figures by {period}; choose {fitting}"),
            format!("não há esses valores por {period}; escolha entre: {fitting}"),
        )),
        Invalid::AsOfBeforeFirstImport { day, since } => {
            let (day, since) = (language.date(*day), since.map(|since| language.date(since)));
            let since = since.map_or(String::new(), |since| {
                language.pick(
                    format!("; the past is known since {since}"),
                    format!("; o passado é conhecido desde {since}"),
                )
            });
            Some(language.pick(
                format!("what was known on {day} was not noted{since}"),
                format!("o que se sabia em {day} não foi registrado{since}"),
            ))
        }
        Invalid::FirstReleaseAsOf => Some(language.pick(
            "first values and what was known on a day cannot be combined",
            "os primeiros valores não se combinam com o que se sabia em um dia",
        ).to_owned()),
        Invalid::Secret(_)
        | Invalid::LongPeriod { .. }
        | Invalid::ExpiredCursor
        | Invalid::Export(_)
        | Invalid::Webhook(_)
        | Invalid::Link(_)
        | Invalid::WouldOverwrite { .. }
        | Invalid::Operation(_) => None,
    }
}

/// A text is repeated as it was typed.
pub(super) fn is_not(given: &str, wanted: &str, language: Language) -> String {
    format!("{given:?} {} {wanted}", language.pick("is not", "não é"))
}

/// The value that was wanted. Where the English of the API helps people too, pages say it too.
fn wanted(wanted: &Wanted, language: Language) -> Option<String> {
    let same = |portuguese: &str| Some(language.pick(wanted.to_string(), portuguese.to_owned()));
    match wanted {
        Wanted::Date => Some(
            language
                .pick(
                    "a date (YYYY-MM-DD, such as 2025-12-31)",
                    "uma data (AAAA-MM-DD, como 2025-12-31)",
                )
                .to_owned(),
        ),
        Wanted::Company => {
            same("uma companhia (um código CVM, um CNPJ ou um código de negociação)")
        }
        Wanted::FilingId => {
            same("a identificação de um documento (um número de protocolo, ou uma como dfp-144874)")
        }
        Wanted::Series => same("uma série (o número dela no SGS, ou um nome como igp-m)"),
        Wanted::FewerSeries { most, given } => {
            same(&format!("uma lista de no máximo {most} séries (tem {given})"))
        }
        Wanted::Currency => same("uma moeda (três letras, como USD)"),
        Wanted::CurrencyPair => same("um par de moedas (EUR/BRL, EURBRL ou eur-brl)"),
        Wanted::Words => same("um texto com pelo menos uma letra ou um dígito"),
        Wanted::FewerWords { most, given } => {
            same(&format!("um texto de no máximo {most} palavras (tem {given})"))
        }
        Wanted::ShorterText { most } => same(&format!("um texto de no máximo {most} caracteres")),
        Wanted::Order => same("uma ordem (newest ou relevance)"),
        Wanted::Amount => same("um valor (como 1000,50, com no máximo 18 dígitos)"),
        Wanted::AmountWithOneReading { decimals, thousands } => {
            let decimals = decimals.replace('.', ",");
            same(&format!(
                "um valor que todos leem do mesmo modo ({decimals}, se o sinal separa os decimais; {thousands}, se separa os milhares: escreva o que quer dizer)"
            ))
        }
        Wanted::Months => same("um modo de contar os meses (inclusive ou contract)"),
        Wanted::Percent => same("um percentual do índice (maior que 0, no máximo 1000)"),
        Wanted::Spread => same("um spread em por cento ao ano (maior que -100, no máximo 1000)"),
        Wanted::QuotedRate => same("uma taxa em por cento (maior que -100, no máximo 1000000)"),
        Wanted::Convention => same(
            "um período de taxas (day, dia útil; month, mês; year252, year360 ou year365, ano)",
        ),
        Wanted::SpreadAboveMinus100 => same("um spread acima de -100"),
        Wanted::Side => same("um lado (buy, compra, ou sell, venda)"),
        Wanted::Frequency => {
            same("uma frequência (week, semana; month, mês; quarter, trimestre; year, ano)")
        }
        Wanted::Aggregate => same(
            "um modo de agregar (mean, média; first, primeiro; last, último; min, mínimo; max, máximo; sum, soma; compound, acumulado)",
        ),
        Wanted::Units => same(
            "uma unidade (value, change, percent_change, year_ago, percent_year_ago, accumulated_12m ou index)",
        ),
        Wanted::Changes => same("uma escolha de linhas (changes, só as mudanças)"),
        Wanted::StatementKind => same(
            "uma demonstração (balance-sheet, income, comprehensive-income, cash-flow, value-added ou equity-changes)",
        ),
        Wanted::Period => same(
            "um período (annual, ano; quarter, trimestre; ytd, acumulado no ano; ttm, doze meses)",
        ),
        Wanted::Scope => same("um escopo (consolidated, consolidado, ou individual)"),
        Wanted::Layout => same("um formato (long, longo, ou wide, largo)"),
        Wanted::Metrics => {
            same("uma lista de indicadores (revenue, ebit, net_income, …, separados por vírgulas)")
        }
        Wanted::MetricOrder => same(
            "uma ordem (um indicador, name ou period_end; com um sinal de menos, o maior primeiro)",
        ),
        Wanted::Year => same("um ano (AAAA)"),
        Wanted::Number { .. }
        | Wanted::WholeNumber { .. }
        | Wanted::Cnpj
        | Wanted::CvmCode
        | Wanted::CompanyId
        | Wanted::KnownCompany
        | Wanted::KnownSeries
        | Wanted::TrueOrFalse
        | Wanted::Plan
        | Wanted::Name { .. }
        | Wanted::Email { .. }
        | Wanted::KeyPrefix
        | Wanted::LinkId
        | Wanted::LinkPath { .. }
        | Wanted::Cursor
        | Wanted::EventType { .. }
        | Wanted::Category { .. }
        | Wanted::WebhookId
        | Wanted::DeliveryId
        | Wanted::HttpsAddress
        | Wanted::HttpAddress
        | Wanted::AddressWithoutFragment
        | Wanted::PublicAddress
        | Wanted::WebhookTimestamp
        | Wanted::InFile(_) => None,
    }
}
