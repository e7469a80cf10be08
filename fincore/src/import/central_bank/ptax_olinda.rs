//! Olinda, the central bank's PTAX service: JSON responses for one currency over a period.
use std::{borrow::Cow, collections::BTreeMap};

use serde::Deserialize;
use serde_json::value::RawValue;

use super::values;
use crate::{
    error::Error,
    import::import_error::Refusal,
    market::store::Quote,
    truncate::truncate,
    types::{Currency, Date},
};

pub(super) fn recognises(start: &str) -> bool {
    start.starts_with('{') && start.contains("\"value\"")
}

/// The kind of a response. `CotacaoDolar…` has closing quotes of the dollar only. `CotacaoMoeda…` has all bulletins of a
/// currency that is only in the file name, as in `CotacaoMoedaPeriodo.EUR.json`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Service {
    Dollar,
    Bulletins(Currency),
}

impl Service {
    /// From the content; if it does not say, from the file name.
    pub(super) fn of(name: &str, text: &str) -> Result<Service, Refusal> {
        let (dollar, bulletins) =
            (text.contains("#_CotacaoDolar"), text.contains("#_CotacaoMoeda"));
        if dollar || (!bulletins && name.contains("CotacaoDolar")) {
            return Ok(Service::Dollar);
        }
        name.split_once("CotacaoMoeda")
            .and_then(|(_, rest)| rest.split(['.', '_', '-', ' ']).nth(1))
            .filter(|part| part.bytes().all(|b| b.is_ascii_uppercase()))
            .and_then(|part| part.parse().ok())
            .map(Service::Bulletins)
            .ok_or_else(|| {
                Refusal::whole(
                    "the currency is missing: name the file CotacaoMoedaPeriodo.CURRENCY.json",
                )
            })
    }

    pub(super) fn currency(self) -> Currency {
        match self {
            Service::Dollar => Currency::USD,
            Service::Bulletins(currency) => currency,
        }
    }

    /// The kind of a bulletin, from its type. Fails if the type is missing.
    fn bulletin_kind(self, kind: Option<&str>) -> Result<BulletinKind, Error> {
        match (self, kind) {
            (Service::Dollar, None) | (_, Some("Fechamento" | "Fechamento PTAX")) => {
                Ok(BulletinKind::Closing)
            }
            (_, Some("Abertura" | "Intermediário" | "Fechamento Interbancário")) => {
                Ok(BulletinKind::Intraday)
            }
            (_, None | Some("")) => Err(Error::in_file("", "a type of bulletin (tipoBoletim)")),
            (_, Some(_)) => Ok(BulletinKind::Unknown),
        }
    }
}

/// The kinds of bulletins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BulletinKind {
    Closing,
    Intraday,
    Unknown,
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
    #[serde(borrow)]
    data_hora_cotacao: Cow<'a, str>,
    #[serde(borrow, default)]
    tipo_boletim: Option<Cow<'a, str>>,
}

/// The content of a response.
#[derive(Debug)]
pub(super) struct Parsed {
    /// The last closing quote of each day.
    pub(super) quotes: Vec<Quote>,
    /// The number of bulletins during the day.
    pub(super) intraday: usize,
    /// The number of bulletins of each unknown type.
    pub(super) unknown: BTreeMap<String, usize>,
}

/// The quotes of a response, of which there may be none.
pub(super) fn parse(service: Service, text: &str) -> Result<Parsed, Refusal> {
    let answer: Answer<'_> = serde_json::from_str(text)?;
    let mut closing: BTreeMap<Date, (&str, Quote)> = BTreeMap::new();
    let (mut intraday, mut unknown) = (0, BTreeMap::new());
    for bulletin in &answer.value {
        let refuse = |err| Refusal::inside(text, bulletin.cotacao_compra.get(), err);
        let time = &*bulletin.data_hora_cotacao;
        let kind = bulletin.tipo_boletim.as_deref();
        match service.bulletin_kind(kind).map_err(refuse)? {
            BulletinKind::Intraday => intraday += 1,
            BulletinKind::Unknown => {
                *unknown.entry(truncate(kind.unwrap_or_default()).into_owned()).or_default() += 1;
            }
            // Only what is served is judged: bulletins during the day may have a price of zero.
            BulletinKind::Closing => {
                let quote = parse_quote(bulletin, service.currency()).map_err(refuse)?;
                if closing.get(&quote.date).is_none_or(|(earlier, _)| *earlier <= time) {
                    closing.insert(quote.date, (time, quote));
                }
            }
        }
    }
    let quotes = closing.into_values().map(|(_, quote)| quote).collect();
    Ok(Parsed { quotes, intraday, unknown })
}

/// Whether this is a response without bulletins, which needs no currency.
pub(super) fn is_empty(text: &str) -> bool {
    serde_json::from_str(text).is_ok_and(|answer: Answer<'_>| answer.value.is_empty())
}

fn parse_quote(bulletin: &Bulletin<'_>, currency: Currency) -> Result<Quote, Error> {
    let date = bulletin.data_hora_cotacao.split(' ').next().unwrap_or_default().parse()?;
    let sides = (bulletin.cotacao_compra.get(), bulletin.cotacao_venda.get());
    values::quote(currency, date, sides, '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    const EURO: Service = Service::Bulletins(Currency::EUR);

    fn check(service: Service, value: &str) -> Result<(Vec<String>, usize), Refusal> {
        let text = format!(
            "{{\"@odata.context\":\"https://host/odata$metadata#_CotacaoMoedaPeriodo\",\"value\":[\n{value}]}}"
        );
        assert!(recognises(&text));
        let Parsed { quotes, intraday, .. } = parse(service, &text)?;
        let show = |quote: &Quote| {
            format!("{} {} {}", quote.date, quote.buy.unwrap(), quote.sell.unwrap())
        };
        Ok((quotes.iter().map(show).collect(), intraday))
    }

    #[test]
    fn serves_the_closing_bulletin_only() {
        let value = r#"{"paridadeCompra":1.16470,"paridadeVenda":1.16500,"cotacaoCompra":5.82520,"cotacaoVenda":5.82740,"dataHoraCotacao":"2026-05-25 10:05:29.075","tipoBoletim":"Abertura"},
            {"paridadeCompra":1.16410,"paridadeVenda":1.16420,"cotacaoCompra":5.82700,"cotacaoVenda":5.82810,"dataHoraCotacao":"2026-05-25 13:06:31.058","tipoBoletim":"Intermedi\u00e1rio"},
            {"paridadeCompra":1.16410,"paridadeVenda":1.16420,"cotacaoCompra":5.82820,"cotacaoVenda":5.82940,"dataHoraCotacao":"2026-05-25 13:06:31.065","tipoBoletim":"Fechamento"},
            {"paridadeCompra":1.16410,"paridadeVenda":1.16420,"cotacaoCompra":5.84820,"cotacaoVenda":5.84940,"dataHoraCotacao":"2026-05-26 10:06:31.06","tipoBoletim":"Abertura"}"#;
        assert_eq!(check(EURO, value).unwrap(), (vec!["2026-05-25 5.82820 5.82940".into()], 3));
    }

    #[test]
    fn keeps_the_last_of_two_closings_on_a_day() {
        let value = r#"{"cotacaoCompra":5.68740,"cotacaoVenda":5.68800,"dataHoraCotacao":"2025-04-23 13:06:30.443"},
            {"cotacaoCompra":5.68000,"cotacaoVenda":5.68100,"dataHoraCotacao":"2025-04-23 13:06:30.416"}"#;
        assert_eq!(
            check(Service::Dollar, value).unwrap(),
            (vec!["2025-04-23 5.68740 5.68800".into()], 0)
        );
    }

    #[test]
    fn refuses_with_the_line() {
        let one = |buy: &str, time: &str| {
            check(
                Service::Dollar,
                &format!(
                    "{{\"cotacaoCompra\":{buy},\"cotacaoVenda\":5.1,\"dataHoraCotacao\":\"{time}\"}}"
                ),
            )
        };
        let wrong = [
            (one("5.1", "2025-02-30 13:00:00.1"), "\"2025-02-30\" is not a date"),
            (one("5.1", "23/04/2025 13:00:00.1"), "\"23/04/2025\" is not a date"),
            (one("NaN", "2025-04-23 13:00:00.1"), "not the published JSON"),
            (one("\"5.1\"", "2025-04-23 13:00:00.1"), "is not a number"),
            (one("1e3", "2025-04-23 13:00:00.1"), "is not a number"),
            (one("-5.1", "2025-04-23 13:00:00.1"), "is not a price"),
            (one("null", "2025-04-23 13:00:00.1"), "is not a number"),
            (one("5.2", "2025-04-23 13:00:00.1"), "\"5.2\" is not a buying price up to"),
        ];
        for (got, reason) in wrong {
            let refusal = got.unwrap_err();
            assert_eq!(refusal.line, Some(2), "{refusal:?}");
            assert!(refusal.reason.contains(reason), "{refusal:?} lacks {reason}");
        }
        assert_eq!(check(EURO, "").unwrap(), (vec![], 0));
        assert!(is_empty(r#"{"value":[]}"#) && !is_empty(r#"{"value":[{"cotacaoCompra":1}]}"#));
    }

    #[test]
    fn only_closing_bulletins_are_judged() {
        let bulletin = |prices: &str, kind: &str| {
            format!(
                "{{{prices},\"dataHoraCotacao\":\"2026-11-10 13:03:00.1\",\"tipoBoletim\":\"{kind}\"}}"
            )
        };
        let closing = bulletin("\"cotacaoCompra\":5.1,\"cotacaoVenda\":5.2", "Fechamento");
        let odd = [
            ("\"cotacaoCompra\":0,\"cotacaoVenda\":0.0", "is not a price above zero"),
            ("\"cotacaoCompra\":5.3,\"cotacaoVenda\":5.2", "is not a buying price"),
            ("\"cotacaoCompra\":null,\"cotacaoVenda\":5.2", "is not a number"),
        ];
        for (prices, reason) in odd {
            let intraday = bulletin(prices, "Intermediário");
            let read = check(EURO, &format!("{intraday},\n{closing}")).unwrap();
            assert_eq!(read, (vec!["2026-11-10 5.1 5.2".into()], 1));
            let refusal = check(EURO, &bulletin(prices, "Fechamento")).unwrap_err();
            assert!(refusal.reason.contains(reason), "{refusal:?} lacks {reason}");
        }
    }

    #[test]
    fn a_bulletin_must_say_whether_it_closes_the_day() {
        let quote =
            r#"{"cotacaoCompra":5.1,"cotacaoVenda":5.2,"dataHoraCotacao":"2026-11-10 10:03:00.1""#;
        for rest in ["}", r#","tipoBoletim":""}"#] {
            let refusal = check(EURO, &format!("{quote}{rest}")).unwrap_err();
            assert!(refusal.reason.contains("is not a type of bulletin"), "{refusal:?}");
        }
    }

    #[test]
    fn a_bulletin_of_a_new_type_is_left_out_and_counted() {
        let text = r#"{"value":[
            {"cotacaoCompra":5.1,"cotacaoVenda":5.2,"dataHoraCotacao":"2026-11-10 10:03:00.1","tipoBoletim":"Parcial"},
            {"cotacaoCompra":5.1,"cotacaoVenda":5.2,"dataHoraCotacao":"2026-11-10 10:03:00.1","tipoBoletim":"fechamento"},
            {"cotacaoCompra":5.1,"cotacaoVenda":5.2,"dataHoraCotacao":"2026-11-10 13:03:00.1","tipoBoletim":"Parcial"}]}"#;
        let parsed = parse(EURO, text).unwrap();
        let want = [("Parcial".to_owned(), 2), ("fechamento".to_owned(), 1)];
        assert_eq!((parsed.quotes.len(), parsed.unknown), (0, BTreeMap::from(want)));
    }

    #[test]
    fn finds_the_currency_in_content_or_name() {
        let (plain, moeda) =
            (r#"{"value":[]}"#, r##"{"@odata.context":"x#_CotacaoMoedaPeriodo"}"##);
        let dollar = r##"{"@odata.context":"x#_CotacaoDolarPeriodo"}"##;
        let cases = [
            ("CotacaoMoedaPeriodo.EUR.2026-05-25_2026-06-01.json", plain, Some(EURO)),
            ("CotacaoMoedaPeriodo.EUR.json", moeda, Some(EURO)),
            ("CotacaoMoedaPeriodo.EUR.json", dollar, Some(Service::Dollar)),
            ("CotacaoDolarPeriodo.json", plain, Some(Service::Dollar)),
            ("CotacaoDolarPeriodo.json", moeda, None),
            ("CotacaoMoedaPeriodo.json", plain, None),
            ("CotacaoMoedaPeriodo.eur.json", plain, None),
            ("BCB_PTAX_EUR.json", plain, None),
        ];
        for (name, text, service) in cases {
            assert_eq!(Service::of(name, text).ok(), service, "{name} {text}");
        }
    }
}
