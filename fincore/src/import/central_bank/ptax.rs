//! PTAX closing quotes: JSON of Olinda, the central bank's service, and CSV of its bulletins.
use std::{borrow::Cow, collections::BTreeMap};

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{
    import::{
        Refusal,
        central_bank::{self, ConsistentValues},
        file_scan,
    },
    market::Quote,
    values::{Currency, Date, Decimal, Error, truncate, whole_number},
};

pub(crate) fn recognises_olinda(start: &str) -> bool {
    start.starts_with('{') && start.contains("\"value\"")
}

/// The kind of a response. `CotacaoDolar…` has closing quotes of the dollar only. `CotacaoMoeda…` has all bulletins of a
/// currency that is only in the file name, as in `CotacaoMoedaPeriodo.EUR.json`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Service {
    Dollar,
    Bulletins(Currency),
}

impl Service {
    /// From the content; if it does not say, from the file name.
    pub(crate) fn of(name: &str, text: &str) -> Result<Service, Refusal> {
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

    pub(crate) fn currency(self) -> Currency {
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
pub(crate) struct Parsed {
    /// The last closing quote of each day.
    pub(crate) quotes: Vec<Quote>,
    /// The number of bulletins during the day.
    pub(crate) intraday: usize,
    /// The number of bulletins of each unknown type.
    pub(crate) unknown: BTreeMap<String, usize>,
}

/// The quotes of a response, of which there may be none.
pub(crate) fn parse_olinda(service: Service, text: &str) -> Result<Parsed, Refusal> {
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
pub(crate) fn is_empty(text: &str) -> bool {
    serde_json::from_str(text).is_ok_and(|answer: Answer<'_>| answer.value.is_empty())
}

fn parse_quote(bulletin: &Bulletin<'_>, currency: Currency) -> Result<Quote, Error> {
    let date = bulletin.data_hora_cotacao.split(' ').next().unwrap_or_default().parse()?;
    let (buy, sell) = (bulletin.cotacao_compra.get(), bulletin.cotacao_venda.get());
    central_bank::quote(currency, date, buy, sell, '.')
}

pub(crate) fn recognises_csv(start: &str) -> bool {
    let first = start.lines().next().unwrap_or_default();
    let date = first.split(';').next().unwrap_or_default();
    first.contains(';') && central_bank::date(date).is_ok()
}

/// The quotes of a file, keyed by currency code (the numbers of currencies have changed over time), and the number of
/// rows of an unknown type.
pub(crate) fn parse_csv(text: &str) -> Result<(Vec<Quote>, usize), Refusal> {
    let mut seen = ConsistentValues::new();
    let (mut quotes, mut unknown) = (Vec::new(), 0);
    for (number, line) in file_scan::lines(text)? {
        let refuse = |err: String| Refusal::at(number, err);
        let Some(quote) = parse_line(line).map_err(|err| refuse(err.to_string()))? else {
            unknown += 1;
            continue;
        };
        seen.insert((quote.currency, quote.date), (quote.buy, quote.sell))
            .map_err(|err| refuse(err.to_owned()))?;
        quotes.push(quote);
    }
    Ok((quotes, unknown))
}

/// The quote of a line; `None` for a type that is not known yet.
fn parse_line(line: &str) -> Result<Option<Quote>, Error> {
    let fields: Vec<&str> = line.split(';').collect();
    let [date, code, kind, symbol, buy, sell, parity_buy, parity_sell] = fields[..] else {
        let wanted = "8 fields (date;code;type;symbol;buy;sell;parity buy;parity sell)";
        return Err(Error::operation(format!("it has {} fields, not {wanted}", fields.len())));
    };
    if whole_number::<u16>(code).is_none() {
        return Err(Error::in_file(code, "the number of a currency"));
    }
    // The parities against the dollar are redundant; they only have to be numbers.
    Decimal::parse_with(parity_buy, ',')?;
    Decimal::parse_with(parity_sell, ',')?;
    let quote = central_bank::quote(symbol.parse()?, central_bank::date(date)?, buy, sell, ',')?;
    match kind.as_bytes() {
        b"A" | b"B" => Ok(Some(quote)),
        [b'C'..=b'Z'] => Ok(None),
        _ => Err(Error::in_file(kind, "a type of currency (A or B)")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EURO: Service = Service::Bulletins(Currency::EUR);

    fn check(service: Service, value: &str) -> Result<(Vec<String>, usize), Refusal> {
        let text = format!(
            "{{\"@odata.context\":\"https://host/odata$metadata#_CotacaoMoedaPeriodo\",\"value\":[\n{value}]}}"
        );
        assert!(recognises_olinda(&text));
        let Parsed { quotes, intraday, .. } = parse_olinda(service, &text)?;
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
        let parsed = parse_olinda(EURO, text).unwrap();
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

#[cfg(test)]
mod ptax_csv_tests {
    use super::*;

    fn check(text: &str) -> Result<Vec<String>, Refusal> {
        let side = |side: Option<Decimal>| side.unwrap().to_string();
        let show = |quote: &Quote| {
            format!("{} {} {} {}", quote.date, quote.currency, side(quote.buy), side(quote.sell))
        };
        Ok(parse_csv(text)?.0.iter().map(show).collect())
    }

    #[test]
    fn reads_every_layout_there_was() {
        let layouts = [
            (
                "31/01/2013;005;A;AFN;00000000,03825;00000000,03826;000000051,9700;000000051,9700\r\n",
                "2013-01-31 AFN 0.03825 0.03826",
            ),
            (
                "31/01/2013;150;B;AUD;000000002,0702;000000002,0710;000000001,0415;000000001,0416\r\n",
                "2013-01-31 AUD 2.0702 2.0710",
            ),
            (
                "15/08/2013;5;A;AFN;0,04152000;0,04161000;56,32000000;56,42000000\r\n",
                "2013-08-15 AFN 0.04152000 0.04161000",
            ),
            (
                "31/07/2026;005;A;AFN;0,07721000;0,07746000;65,55000000;65,75000000\r\n",
                "2026-07-31 AFN 0.07721000 0.07746000",
            ),
            (
                "31/07/2026;791;B;XAU;659,99000000;660,12000000;131,30000000;131,32000000\r\n",
                "2026-07-31 XAU 659.99000000 660.12000000",
            ),
            (
                "31/07/2026;138;A;IRR;0,00000370;0,00000371;1365000,00000000;1370000,00000000\r\n",
                "2026-07-31 IRR 0.00000370 0.00000371",
            ),
            ("04012021;220;A;USD;5,1620;5,1626;1,0000;1,0000\n", "2021-01-04 USD 5.1620 5.1626"),
        ];
        for (text, want) in layouts {
            assert!(recognises_csv(text));
            assert_eq!(check(text).unwrap(), [want]);
        }
    }

    #[test]
    fn the_same_quote_may_appear_twice_with_other_zeros() {
        let text = "04012021;220;A;USD;5,0000;5,1000;1,0000;1,0000\n\
                    04012021;220;A;USD;5,00000000;5,10000000;1,0000;1,0000\n";
        assert_eq!(check(text).unwrap().len(), 2);
    }

    #[test]
    fn blank_lines_at_the_end_are_nothing_and_a_new_type_is_left_out() {
        let text = "04012021;220;A;USD;5,0000;5,1000;1,0000;1,0000\n\
                    04012021;999;C;XYZ;5,0000;5,1000;1,0000;1,0000\n\r\n\n";
        let (quotes, unknown) = parse_csv(text).unwrap();
        assert_eq!((quotes.len(), unknown), (1, 1));
    }

    #[test]
    fn refuses_with_the_line() {
        let good = "04012021;220;A;USD;5,1620;5,1626;1,0000;1,0000\n";
        let wrong = [
            ("05012021;220;A;USD;5,1620;5,1626;1,0000\n", "7 fields"),
            ("05012021;220;A;USD;5,1620;5,1626;1,0000;1,0000;\n", "9 fields"),
            ("31022021;220;A;USD;5,1620;5,1626;1,0000;1,0000\n", "\"31022021\" is not a date"),
            ("05012021;22x;A;USD;5,1620;5,1626;1,0000;1,0000\n", "\"22x\" is not the number"),
            ("05012021;220;c;USD;5,1620;5,1626;1,0000;1,0000\n", "\"c\" is not a type"),
            ("05012021;220;A;US$;5,1620;5,1626;1,0000;1,0000\n", "\"US$\" is not a currency"),
            ("05012021;220;A;USD;NaN;5,1626;1,0000;1,0000\n", "\"NaN\" is not a number"),
            ("05012021;220;A;USD;5.1620;5,1626;1,0000;1,0000\n", "\"5.1620\" is not a number"),
            ("05012021;220;A;USD;0,0000;5,1626;1,0000;1,0000\n", "is not a price above zero"),
            ("05012021;220;A;USD;5,1620;-5,1626;1,0000;1,0000\n", "is not a price above zero"),
            (
                "05012021;220;A;USD;5,1627;5,1626;1,0000;1,0000\n",
                "\"5,1627\" is not a buying price",
            ),
            ("05012021;790;A;BRL;1,0000;1,0000;1,0000;1,0000\n", "\"BRL\" is not a currency that"),
            ("05012021;220;A;USD;5,1620;5,1626;1,0000;x\n", "\"x\" is not a number"),
            ("04012021;220;A;USD;5,1620;5,1627;1,0000;1,0000\n", "twice with different figures"),
            ("05012021;220;A;USD;5,1620;5,1626;1,0000;1,0", "truncated"),
            ("\n05012021;220;A;USD;5,1620;5,1626;1,0000;1,0000\n", "1 fields"),
        ];
        for (line, reason) in wrong {
            let refusal = check(&format!("{good}{line}")).unwrap_err();
            assert_eq!(refusal.line, Some(2), "{refusal:?}");
            assert!(refusal.reason.contains(reason), "{refusal:?} lacks {reason}");
        }
    }
}
