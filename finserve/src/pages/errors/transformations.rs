//! Faults of transformations, in the words of the pages.
use fincore::TransformationFault;

use crate::pages::language::Language;

/// Why a series cannot be transformed so.
pub(super) fn fault(fault: &TransformationFault, language: Language) -> String {
    let say = |english: String, portuguese: String| language.pick(english, portuguese);
    // Where the English of the API helps people too, pages say the same.
    let same = |portuguese: &str| language.pick(fault.to_string(), portuguese.to_owned());
    match fault {
        TransformationFault::AggregateWithoutFrequency => {
            same("não há períodos a agregar; escolha também uma frequência")
        }
        TransformationFault::BaseWithoutIndex => same("só um índice tem base"),
        TransformationFault::NoRowAtBase { series, date } => {
            let date = language.date(*date);
            say(
                format!(
                    "no row of {series} is dated {date}; a base is the date of a row, of a period its first day"
                ),
                format!(
                    "não há linha de {series} com a data {date}; a base é a data de uma linha, e de um período o primeiro dia"
                ),
            )
        }
        TransformationFault::ZeroAtBase { series, date } => {
            let date = language.date(*date);
            say(
                format!(
                    "the value of {series} of {date} cannot be the base of an index: nothing can be divided by it"
                ),
                format!(
                    "o valor de {series} de {date} não pode ser a base de um índice: não se divide por ele"
                ),
            )
        }
        TransformationFault::MonthsInWeeks { series } => {
            same(&format!("{series} tem um valor por mês; escolha mês, trimestre ou ano"))
        }
        TransformationFault::NotCompounded { series } => same(&format!(
            "{series} não é uma taxa do dia ou do mês, por isso não se acumula; escolha média, primeiro, último, mínimo ou máximo"
        )),
        TransformationFault::SumOfRates { series, .. } => same(&format!(
            "{series} é uma taxa, e a soma de taxas nada diz; escolha outro modo de agregar"
        )),
        TransformationFault::NothingAccumulates { series } => same(&format!(
            "{series} não é uma taxa do dia ou do mês, por isso nada se acumula em 12 meses"
        )),
        TransformationFault::TwelveMonthsOfOtherPeriods => {
            same("o acumulado em 12 meses é de meses: deixe a frequência de fora, ou escolha mês")
        }
        TransformationFault::OnlyCompounded { series, .. } => same(&format!(
            "as taxas de {series} assim só se acumulam: deixe o modo de agregar de fora"
        )),
    }
}
