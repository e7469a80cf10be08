//! Olinda, the central bank's PTAX service: JSON answers of one currency over a period.
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::text::{self, Refusal};
use crate::{Currency, Date, Error, market::store::Quote};

pub(super) fn recognises(start: &str) -> bool {
    start.starts_with('{') && start.contains("\"value\"")
}

/// The currency of an answer: `CotacaoDolar…` is about the dollar, `CotacaoMoeda…` says it only in
/// the name of its file, as in `CotacaoMoedaPeriodo.EUR.json`.
pub(super) fn currency_of(name: &str, text: &str) -> Result<Currency, Refusal> {
    if text.contains("#_CotacaoDolar") || name.contains("CotacaoDolar") {
        return Ok(Currency::USD);
    }
    name.split(['.', '_', '-', ' '])
        .filter(|part| part.bytes().all(|b| b.is_ascii_uppercase()))
        .find_map(|part| part.parse().ok())
        .ok_or_else(|| {
            Refusal::whole(
                "of which currency? Name the file CotacaoMoedaPeriodo.EUR.json, or as it is",
            )
        })
}

#[derive(Deserialize)]
struct Answer<'a> {
    #[serde(borrow)]
    value: Vec<Bulletin<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Bulletin<'a> {
    #[serde(borrow)]
    cotacao_compra: &'a RawValue,
    #[serde(borrow)]
    cotacao_venda: &'a RawValue,
    data_hora_cotacao: &'a str,
    /// Missing where the service gives closing quotes only.
    #[serde(default)]
    tipo_boletim: Option<&'a str>,
}

/// The closing quotes, the last of a day, and how many other bulletins there were.
pub(super) fn parse(text: &str, currency: Currency) -> Result<(Vec<Quote>, usize), Refusal> {
    let answer: Answer<'_> = serde_json::from_str(text)?;
    if answer.value.is_empty() {
        return Err(Refusal::whole("it holds no quote"));
    }
    let mut closing: BTreeMap<Date, (&str, Quote)> = BTreeMap::new();
    let mut intraday = 0;
    for bulletin in &answer.value {
        let quote = read(bulletin, currency)
            .map_err(|err| Refusal::inside(text, bulletin.data_hora_cotacao, err))?;
        let time = bulletin.data_hora_cotacao;
        if !matches!(bulletin.tipo_boletim, None | Some("Fechamento" | "Fechamento PTAX")) {
            intraday += 1;
        } else if closing.get(&quote.date).is_none_or(|(earlier, _)| *earlier <= time) {
            closing.insert(quote.date, (time, quote));
        }
    }
    Ok((closing.into_values().map(|(_, quote)| quote).collect(), intraday))
}

fn read(bulletin: &Bulletin<'_>, currency: Currency) -> Result<Quote, Error> {
    let time = bulletin.data_hora_cotacao;
    let date = time.split(' ').next().unwrap_or_default().parse()?;
    let buy = text::price(bulletin.cotacao_compra.get(), '.')?;
    let sell = text::price(bulletin.cotacao_venda.get(), '.')?;
    Ok(Quote { currency, date, buy: Some(buy), sell: Some(sell) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: &str) -> Result<(Vec<String>, usize), Refusal> {
        let text = format!(
            "{{\"@odata.context\":\"https://host/odata$metadata#_CotacaoMoedaPeriodo\",\"value\":[\n{value}]}}"
        );
        assert!(recognises(&text));
        let (quotes, intraday) = parse(&text, Currency::EUR)?;
        let show = |quote: &Quote| {
            format!("{} {} {}", quote.date, quote.buy.unwrap(), quote.sell.unwrap())
        };
        Ok((quotes.iter().map(show).collect(), intraday))
    }

    #[test]
    fn serves_the_closing_bulletin_only() {
        let value = r#"{"paridadeCompra":1.16470,"paridadeVenda":1.16500,"cotacaoCompra":5.82520,"cotacaoVenda":5.82740,"dataHoraCotacao":"2026-05-25 10:05:29.075","tipoBoletim":"Abertura"},
            {"paridadeCompra":1.16410,"paridadeVenda":1.16420,"cotacaoCompra":5.82700,"cotacaoVenda":5.82810,"dataHoraCotacao":"2026-05-25 13:06:31.058","tipoBoletim":"Intermediário"},
            {"paridadeCompra":1.16410,"paridadeVenda":1.16420,"cotacaoCompra":5.82820,"cotacaoVenda":5.82940,"dataHoraCotacao":"2026-05-25 13:06:31.065","tipoBoletim":"Fechamento"},
            {"paridadeCompra":1.16410,"paridadeVenda":1.16420,"cotacaoCompra":5.84820,"cotacaoVenda":5.84940,"dataHoraCotacao":"2026-05-26 10:06:31.06","tipoBoletim":"Abertura"}"#;
        assert_eq!(check(value).unwrap(), (vec!["2026-05-25 5.82820 5.82940".into()], 3));
    }

    #[test]
    fn keeps_the_last_of_two_closings_on_a_day() {
        let value = r#"{"cotacaoCompra":5.68740,"cotacaoVenda":5.68800,"dataHoraCotacao":"2025-04-23 13:06:30.443"},
            {"cotacaoCompra":5.68000,"cotacaoVenda":5.68100,"dataHoraCotacao":"2025-04-23 13:06:30.416"}"#;
        assert_eq!(check(value).unwrap(), (vec!["2025-04-23 5.68740 5.68800".into()], 0));
    }

    #[test]
    fn refuses_with_the_line() {
        let one = |buy: &str, time: &str| {
            check(&format!(
                "{{\"cotacaoCompra\":{buy},\"cotacaoVenda\":5.1,\"dataHoraCotacao\":\"{time}\"}}"
            ))
        };
        let wrong = [
            (one("5.1", "2025-02-30 13:00:00.1"), "\"2025-02-30\" is not a date"),
            (one("5.1", "23/04/2025 13:00:00.1"), "\"23/04/2025\" is not a date"),
            (one("NaN", "2025-04-23 13:00:00.1"), "not the JSON"),
            (one("\"5.1\"", "2025-04-23 13:00:00.1"), "is not a number"),
            (one("1e3", "2025-04-23 13:00:00.1"), "is not a number"),
            (one("-5.1", "2025-04-23 13:00:00.1"), "is not a price"),
            (one("null", "2025-04-23 13:00:00.1"), "is not a number"),
        ];
        for (got, reason) in wrong {
            let refusal = got.unwrap_err();
            assert_eq!(refusal.line, Some(2), "{refusal:?}");
            assert!(refusal.reason.contains(reason), "{refusal:?} lacks {reason}");
        }
        assert_eq!(check("").unwrap_err(), Refusal::whole("it holds no quote"));
    }

    #[test]
    fn finds_the_currency_in_the_name() {
        let of =
            |name| currency_of(name, "{\"value\":[]}").map(|currency| currency.to_string()).ok();
        assert_eq!(
            of("CotacaoMoedaPeriodo.EUR.2026-05-25_2026-06-01.json").as_deref(),
            Some("EUR")
        );
        assert_eq!(of("CotacaoDolarPeriodo.json").as_deref(), Some("USD"));
        assert_eq!(of("CotacaoMoedaPeriodo.json"), None);
    }
}
