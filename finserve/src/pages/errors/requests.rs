//! Requests that are wrong, and what does not exist, in the words of the pages.
use fincore::{Date, Resource};

use super::values;
use crate::{
    errors::{AddressFault, BadRequest, NotFound, Problem, Wanted},
    pages::language::Language,
};

/// The words for a request that is wrong; none for one that no page or form of ours leads to.
pub(super) fn bad_request(wrong: &BadRequest, language: Language) -> Option<String> {
    let say = |english: String, portuguese: String| Some(language.pick(english, portuguese));
    match wrong {
        BadRequest::Value(wrong) => problem(wrong, language),
        BadRequest::Parameter { name, problem: wrong } => {
            let why = problem(wrong, language)?;
            say(format!("in the address, {name:?}: {why}"), format!("no endereço, {name:?}: {why}"))
        }
        BadRequest::UnknownParameter { name, known } if known.is_empty() => say(
            format!(
                "this page takes nothing after a question mark: remove {name:?} from the address"
            ),
            format!(
                "esta página não aceita nada depois de um ponto de interrogação: remova {name:?} do endereço"
            ),
        ),
        BadRequest::UnknownParameter { name, known } => {
            let known = known.join(", ");
            say(
                format!("this page does not take {name:?} in its address; it takes {known}"),
                format!("esta página não aceita {name:?} no endereço; ela aceita {known}"),
            )
        }
        BadRequest::MissingParameter { name } => {
            say(format!("{name:?} is missing"), format!("falta {name:?}"))
        }
        BadRequest::RepeatedParameter { name } => say(
            format!("{name:?} is in the address twice"),
            format!("{name:?} está duas vezes no endereço"),
        ),
        BadRequest::TooManyParameters { most } => say(
            format!("the address has more than {most} parts after its question mark"),
            format!("o endereço tem mais de {most} partes depois do ponto de interrogação"),
        ),
        BadRequest::Address { text, fault } => {
            let fault = match fault {
                AddressFault::BrokenEscape => language.pick(
                    "has a % that is not followed by two hexadecimal digits",
                    "tem um % que não é seguido de dois dígitos hexadecimais",
                ),
                AddressFault::NotUtf8 => language.pick("is not UTF-8", "não é UTF-8"),
                AddressFault::Nul => {
                    language.pick("contains a NUL character", "contém um caractere NUL")
                }
            };
            say(format!("{text:?} in the address {fault}"), format!("{text:?} no endereço {fault}"))
        }
        BadRequest::UnknownField { .. }
        | BadRequest::Header { .. }
        | BadRequest::Host
        | BadRequest::HostName
        | BadRequest::Method
        | BadRequest::TwoKeys
        | BadRequest::KeyAndLink
        | BadRequest::KeyInAddress { .. }
        | BadRequest::BrokenBody
        | BadRequest::FormNotUtf8
        | BadRequest::Json { .. }
        | BadRequest::ExportOverHttp10
        | BadRequest::ExportSince(_)
        | BadRequest::PrivateAddress
        | BadRequest::NotAPath
        | BadRequest::NotAnAddress
        | BadRequest::Form
        | BadRequest::UnlistedSeries(_)
        | BadRequest::UnlistedPair { .. } => None,
    }
}

/// The words for what does not exist at an address.
pub(super) fn not_found(missing: &NotFound, language: Language) -> Option<String> {
    let say = |english: String, portuguese: String| Some(language.pick(english, portuguese));
    match missing {
        NotFound::Data { what, id } => match what {
            Resource::Company => say(
                format!("there is no company {id:?}; look for it by its name under Companies"),
                format!("não há companhia {id:?}; procure pelo nome em Companhias"),
            ),
            Resource::Filing => say(
                format!("there is no filing {id:?}; look for it under Filings"),
                format!("não há documento {id:?}; procure em Documentos"),
            ),
            Resource::CurrencyPair => say(
                format!("there are no quotes for {id}; Market shows the currencies that have some"),
                format!("não há cotações para {id}; Mercado mostra as moedas que têm"),
            ),
            Resource::Series => say(
                format!(
                    "there are no values of the series {id} yet; Market shows those that have some"
                ),
                format!("ainda não há valores da série {id}; Mercado mostra as que têm"),
            ),
            Resource::UnknownSeries => say(
                format!("there is no series {id:?}; Market lists all series"),
                format!("não há série {id:?}; Mercado mostra todas as séries"),
            ),
            Resource::SavingsOfDay => Some(savings_of_day(id, language)),
            Resource::SavingsUntil2012 => Some(savings_until_2012(id, language)),
            Resource::Key
            | Resource::Link
            | Resource::Dataset
            | Resource::Webhook
            | Resource::Delivery => None,
        },
        NotFound::Path(wrong) => {
            let why = problem(wrong, language)?;
            say(
                format!("there is nothing at this address: {why}"),
                format!("não há nada neste endereço: {why}"),
            )
        }
        NotFound::Id(invalid) => values::invalid(invalid, language),
        // The page for these has its own words.
        NotFound::Route { .. }
        | NotFound::Query { .. }
        | NotFound::Asset { .. }
        | NotFound::Row => None,
    }
}

/// The words for what was chosen in a form, and does not exist.
pub(super) fn no_such_choice(what: Resource, id: &str, language: Language) -> Option<String> {
    let say = |english: String, portuguese: String| Some(language.pick(english, portuguese));
    match what {
        Resource::CurrencyPair => {
            say(format!("there are no quotes for {id}"), format!("não há cotações para {id}"))
        }
        Resource::Series => say(
            format!("there are no values of the series {id} yet; choose one from the list"),
            format!("ainda não há valores da série {id}; escolha uma da lista"),
        ),
        Resource::UnknownSeries => say(
            format!("there is no series {id:?}; choose one from the list"),
            format!("não há série {id:?}; escolha uma da lista"),
        ),
        Resource::SavingsOfDay => Some(savings_of_day(id, language)),
        Resource::SavingsUntil2012 => Some(savings_until_2012(id, language)),
        Resource::Company
        | Resource::Filing
        | Resource::Key
        | Resource::Link
        | Resource::Dataset
        | Resource::Webhook
        | Resource::Delivery => None,
    }
}

/// The words for a savings deposit of a day whose returns are not held.
fn savings_of_day(day: &str, language: Language) -> String {
    let day = written_day(day, language);
    language.pick(
        format!(
            "a savings deposit of {day} needs the series 195, of which there are no values yet; choose the first of a month"
        ),
        format!(
            "um depósito de poupança de {day} depende da série 195, da qual ainda não há valores; escolha o primeiro dia de um mês"
        ),
    )
}

/// The words for a savings deposit of the time before the present rule.
fn savings_until_2012(day: &str, language: Language) -> String {
    let day = written_day(day, language);
    language.pick(
        format!(
            "a savings deposit of {day} follows the rule of before 4 May 2012 and needs the series 25, of which there are no values yet"
        ),
        format!(
            "um depósito de poupança de {day} segue a regra anterior a 4 de maio de 2012 e depende da série 25, da qual ainda não há valores"
        ),
    )
}

fn written_day(day: &str, language: Language) -> String {
    day.parse::<Date>().map_or_else(|_| day.to_owned(), |day| language.date(day))
}

fn problem(problem: &Problem, language: Language) -> Option<String> {
    match problem {
        Problem::Library(invalid) => values::invalid(invalid, language),
        Problem::Value { given, wanted } => {
            Some(values::is_not(given, &own_wanted(*wanted, language)?, language))
        }
        Problem::DialectWithoutCsv
        | Problem::ValueOfList
        | Problem::ValueOfRows
        | Problem::WithoutValue
        | Problem::NoSuchField { .. }
        | Problem::FieldNeeded { .. }
        | Problem::WithoutIds
        | Problem::WithIds
        | Problem::NotPlainText => None,
    }
}

/// The value that the server wanted. Pages have no formats to choose.
fn own_wanted(wanted: Wanted, language: Language) -> Option<String> {
    let portuguese = match wanted {
        Wanted::Language => "um idioma das páginas (en ou pt)".to_owned(),
        Wanted::Path => "um caminho deste serviço (/pricing)".to_owned(),
        Wanted::Range => "um período (3m, 12m, 5y ou all)".to_owned(),
        Wanted::PageNumber { most } => format!("uma página (de 1 a {most})"),
        Wanted::Companies { most } => {
            format!("uma lista de uma a {most} companhias, separadas por vírgulas")
        }
        Wanted::ListFormat { .. }
        | Wanted::TableFormat { .. }
        | Wanted::AnswerFormat
        | Wanted::DecimalMark
        | Wanted::ExportFormat
        | Wanted::Dialect
        | Wanted::DataVersion
        | Wanted::LinkPath => {
            return None;
        }
    };
    Some(language.pick(wanted.to_string(), portuguese))
}
