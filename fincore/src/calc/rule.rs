//! How a factor was computed, in a sentence or two.
use crate::{
    calc::{CompoundingBasis, Ends, Months, factor::CompoundFactor, period::first_credited_day},
    market::series_definitions::{IGP_M_UNROUNDED, OLD_SAVINGS},
    values::{Date, Decimal},
};

/// A rule, in English and Portuguese.
#[derive(Debug, Default)]
pub(crate) struct Rule {
    pub(crate) en: String,
    pub(crate) pt: String,
}

impl Rule {
    /// Adds a sentence.
    pub(crate) fn add(&mut self, en: &str, pt: &str) {
        for (rule, sentence) in [(&mut self.en, en), (&mut self.pt, pt)] {
            if !rule.is_empty() {
                rule.push(' ');
            }
            rule.push_str(sentence);
        }
    }

    /// How the observations of a series became its factor.
    pub(crate) fn of(compound: &CompoundFactor) -> Rule {
        let mut rule = Rule::default();
        match compound.series.basis {
            CompoundingBasis::Days => days(&mut rule, compound.ends),
            CompoundingBasis::Months => months(&mut rule, compound),
            CompoundingBasis::Anniversaries => anniversaries(&mut rule, compound),
            CompoundingBasis::Levels => rule.add(
                "The factor is the last value divided by the first one of the period.",
                "O fator é o último valor dividido pelo primeiro valor do período.",
            ),
        }
        rule
    }
}

fn days(rule: &mut Rule, ends: Ends) {
    match ends {
        Ends::First => rule.add(
            "The factor is the product of 1 + rate/100 of every business day from the first day to the day before the last.",
            "O fator é o produto de 1 + taxa/100 de cada dia útil, da data inicial à véspera da data final.",
        ),
        Ends::Both => rule.add(
            "The factor is the product of 1 + rate/100 of every business day, both ends included.",
            "O fator é o produto de 1 + taxa/100 de cada dia útil, com as duas datas incluídas.",
        ),
    }
}

fn months(rule: &mut Rule, compound: &CompoundFactor) {
    match compound.months {
        Months::Inclusive => rule.add(
            "The factor is the product of 1 + rate/100 of every whole month, those of both dates included.",
            "O fator é o produto de 1 + taxa/100 de cada mês inteiro, incluídos os meses das duas datas.",
        ),
        Months::Contract => rule.add(
            "The factor is the product of 1 + rate/100 of every whole month, that of the first date included and that of the last excluded, as contracts count.",
            "O fator é o produto de 1 + taxa/100 de cada mês inteiro, incluído o mês da data inicial e excluído o da data final, como nos contratos.",
        ),
    }
    let (Some(first), Some(last)) = (compound.rows.first(), compound.rows.last()) else {
        rule.add("No month is counted.", "Nenhum mês é contado.");
        return;
    };
    let (en, pt) = counted(compound.rows.len());
    let (first, last) = (first.date, last.date);
    rule.add(
        &format!("{en}: {} to {}.", english_month(first), english_month(last)),
        &format!("{pt}: de {} a {}.", portuguese_month(first), portuguese_month(last)),
    );
    if compound.series.definition.number == IGP_M_UNROUNDED {
        rule.add(
            "The months are those of SGS 28655, unrounded as the index numbers give them; the central bank's calculator for citizens takes the same.",
            "Os meses são os da SGS 28655, sem arredondamento, como os dá o número-índice; a Calculadora do Cidadão do Banco Central usa os mesmos.",
        );
    } else {
        rule.add(
            "The months are published rounded, so the last digit may differ from a figure that is computed from index numbers.",
            "Os meses são publicados com arredondamento; por isso, o último dígito pode diferir de um número calculado a partir de números-índices.",
        );
    }
    if let Some(published) = &compound.published {
        let (value, number) = (published.value, published.number);
        rule.add(
            &format!("The published figure of these 12 months is {value} % (SGS {number})."),
            &format!("O número publicado destes 12 meses é {} % (SGS {number}).", comma(value)),
        );
    }
}

fn anniversaries(rule: &mut Rule, compound: &CompoundFactor) {
    rule.add(
        "The factor is the product of 1 + rate/100 of every whole month from the first day on; a deposit of the 29th, 30th or 31st counts from the next first.",
        "O fator é o produto de 1 + taxa/100 de cada mês completo a partir da data inicial; um depósito dos dias 29, 30 ou 31 conta a partir do dia primeiro seguinte.",
    );
    let begin = first_credited_day(compound.from);
    match u32::try_from(compound.rows.len()) {
        Ok(0) => rule.add(
            "No whole month has passed, so nothing is credited.",
            "Nenhum mês se completou; por isso, nada é creditado.",
        ),
        Ok(months) => {
            let ((en, pt), end) = (counted(compound.rows.len()), begin.months_after(months));
            rule.add(
                &format!("{en}: {begin} to {end}."),
                &format!("{pt}: de {} a {}.", portuguese_day(begin), portuguese_day(end)),
            );
        }
        Err(_) => {}
    }
    match compound.series.definition.number {
        OLD_SAVINGS => rule.add(
            "The rule is that of savings deposits made until 3 May 2012.",
            "A regra é a dos depósitos de poupança feitos até 3 de maio de 2012.",
        ),
        _ if compound.series.is_savings() => rule.add(
            "The rule is that of savings deposits made since 4 May 2012.",
            "A regra é a dos depósitos de poupança feitos a partir de 4 de maio de 2012.",
        ),
        _ => {}
    }
}

/// That so many months are counted.
fn counted(months: usize) -> (String, String) {
    match months {
        1 => ("1 month is counted".into(), "Conta-se 1 mês".into()),
        _ => (format!("{months} months are counted"), format!("Contam-se {months} meses")),
    }
}

fn english_month(day: Date) -> String {
    format!("{:04}-{:02}", day.year(), day.month())
}

fn portuguese_month(day: Date) -> String {
    format!("{:02}/{:04}", day.month(), day.year())
}

fn portuguese_day(day: Date) -> String {
    format!("{:02}/{}", day.day(), portuguese_month(day))
}

fn comma(value: Decimal) -> String {
    value.to_string().replace('.', ",")
}
