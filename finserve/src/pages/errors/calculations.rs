//! Faults of calculations, in the words of the pages.
use fincore::{CalculationFault, SeriesFault, Uncompoundable, chrono::NaiveDate};

use crate::pages::language::Language;

/// The fault of a series, after its name.
pub(super) fn series_fault(series: &str, fault: &SeriesFault, language: Language) -> String {
    let say = |english: String, portuguese: String| language.pick(english, portuguese);
    let day = |day: &NaiveDate| language.date(*day);
    let words = match fault {
        SeriesFault::Uncompoundable(why) => {
            let why = uncompoundable(*why, language);
            say(
                format!("{why}, so it cannot be compounded; choose one from the list"),
                format!("{why}, por isso não pode ser capitalizada; escolha uma da lista"),
            )
        }
        SeriesFault::NotPositive { date } => {
            let date = day(date);
            say(
                format!("its value for {date} is not positive"),
                format!("o valor de {date} não é positivo"),
            )
        }
        SeriesFault::Gap { from, next } => {
            let (from, next) = (day(from), day(next));
            say(
                format!("there is no value from {from} to the day before {next}"),
                format!("não há valor de {from} até a véspera de {next}"),
            )
        }
        SeriesFault::Empty { from, to } => {
            let (from, to) = (day(from), day(to));
            say(
                format!("there is no value from {from} to {to}"),
                format!("não há valor de {from} a {to}"),
            )
        }
        SeriesFault::LateStart { day: first, next } => {
            let (first, next) = (day(first), day(next));
            say(
                format!("there is no value near {first}; the next is dated {next}"),
                format!("não há valor perto de {first}; o seguinte é de {next}"),
            )
        }
        SeriesFault::EarlyEnd { day: last, before } => {
            let (last, before) = (day(last), day(before));
            say(
                format!("there is no value near {last}; the one before is dated {before}"),
                format!("não há valor perto de {last}; o anterior é de {before}"),
            )
        }
        SeriesFault::Missing { date } => {
            let date = day(date);
            say(format!("there is no value for {date}"), format!("não há valor para {date}"))
        }
        SeriesFault::BeginsLater { first, from } => {
            let (first, from) = (day(first), day(from));
            say(
                format!("its values begin on {first}, after {from}; choose a later first day"),
                format!(
                    "os valores começam em {first}, depois de {from}; escolha uma data inicial posterior"
                ),
            )
        }
        SeriesFault::EndsBefore { newest, from } => {
            let (newest, from) = (day(newest), day(from));
            say(
                format!("its newest value is dated {newest}, before {from}"),
                format!("o valor mais recente é de {newest}, antes de {from}"),
            )
        }
        SeriesFault::EndsEarlier { newest, to } => {
            let (newest, to) = (day(newest), day(to));
            say(
                format!(
                    "its newest value is dated {newest}, before {to}; leave the last day empty to calculate up to there"
                ),
                format!(
                    "o valor mais recente é de {newest}, antes de {to}; deixe a última data em branco para calcular até lá"
                ),
            )
        }
        SeriesFault::FactorTooLarge => self::fault(&CalculationFault::FactorTooLarge, language),
    };
    format!("{} {series}: {words}", language.pick("series", "série"))
}

fn uncompoundable(why: Uncompoundable, language: Language) -> &'static str {
    match why {
        Uncompoundable::UnknownUnit => {
            language.pick("its unit is not known", "a unidade dela não é conhecida")
        }
        Uncompoundable::RatePerYear => {
            language.pick("it is a rate per year", "ela é uma taxa ao ano")
        }
        Uncompoundable::RateOfTwelveMonths => {
            language.pick("it is a rate of 12 months", "ela é uma taxa de 12 meses")
        }
    }
}

/// Other faults of calculators.
pub(super) fn fault(fault: &CalculationFault, language: Language) -> String {
    let say = |english: String, portuguese: String| language.pick(english, portuguese);
    let day = |day: &NaiveDate| language.date(*day);
    let and = |names: &[String]| names.join(language.pick(" and ", " e "));
    match fault {
        CalculationFault::FactorTooLarge => language.pick(
            "the factor has more than 30 digits before the point; shorten the period, or lower the percentage or spread",
            "o fator tem mais de 30 dígitos antes da vírgula; encurte o período, ou reduza o percentual ou o spread",
        ).to_owned(),
        CalculationFault::PercentOfLevel { series } => say(
            format!("the series {series} is not a rate; a percentage of it means nothing: leave this empty"),
            format!("a série {series} não é uma taxa; um percentual dela não faz sentido: deixe este campo em branco"),
        ),
        CalculationFault::NoMonthsToCount { series } => say(
            format!("the series {series} is not a monthly index; count the months of both dates"),
            format!("a série {series} não é um índice mensal; conte os meses das duas datas"),
        ),
        CalculationFault::Future { date } => {
            let date = day(date);
            say(format!("{date} is in the future"), format!("{date} está no futuro"))
        }
        CalculationFault::NoBulletin { day: last, currencies } => {
            let (last, names) = (day(last), and(currencies));
            say(
                format!("no closing bulletin up to {last} has {names}"),
                format!("nenhum boletim de fechamento até {last} tem {names}"),
            )
        }
        CalculationFault::OldBulletin { day: last, currencies, newest } => {
            let (last, names, newest) = (day(last), and(currencies), day(newest));
            say(
                format!("the newest closing bulletin up to {last} with {names} is dated {newest}; choose that day, or leave the date empty for the newest"),
                format!("o boletim de fechamento mais recente até {last} com {names} é de {newest}; escolha esse dia, ou deixe a data em branco para o mais recente"),
            )
        }
        CalculationFault::NoPrice { pair, date } => {
            let date = day(date);
            say(format!("{pair} has no price on {date}"), format!("{pair} não tem preço em {date}"))
        }
        CalculationFault::NotInterest { series } => say(
            format!("the series {series} is not a rate per day or month, such as selic or cdi"),
            format!("a série {series} não é uma taxa ao dia ou ao mês, como selic ou cdi"),
        ),
        CalculationFault::NotInflation { series } => say(
            format!("the series {series} is not a monthly price index, such as ipca"),
            format!("a série {series} não é um índice de preços mensal, como ipca"),
        ),
        CalculationFault::NoCommonMonth { interest, inflation, newest, from } => {
            let (newest, from) = (day(newest), day(from));
            say(
                format!("the newest month that {interest} and {inflation} both have is {newest}, before {from}"),
                format!("o mês mais recente que {interest} e {inflation} têm é {newest}, antes de {from}"),
            )
        }
        CalculationFault::NothingAfterInflation { from, to } => {
            let (from, to) = (day(from), day(to));
            say(
                format!("inflation from {from} to {to} left nothing"),
                format!("a inflação de {from} a {to} não deixou nada"),
            )
        }
        CalculationFault::NothingAfterInterest { from, to } => {
            let (from, to) = (day(from), day(to));
            say(
                format!("interest from {from} to {to} left nothing: there is no rate per year"),
                format!("os juros de {from} a {to} não deixaram nada: não há taxa ao ano"),
            )
        }
    }
}
