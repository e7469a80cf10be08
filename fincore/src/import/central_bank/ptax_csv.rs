//! PTAX closing quotes as CSV: bulletins of all currencies on one day, or one currency over a period.
//!
//! The columns have not changed since 2013, but their format has: `005;A;AFN;00000000,03825` in January
//! 2013, `5;A;AFN;0,04152000` in August 2013, `005;A;AFN;0,07721000` today. Period files write the date
//! without slashes. One parser reads them all.
use super::values::{self, ConsistentValues};
use crate::{
    error::Error,
    import::{import_error::Refusal, text_lines},
    market::store::Quote,
    types::{Decimal, whole_number},
};

pub(super) fn recognises(start: &str) -> bool {
    let first = start.lines().next().unwrap_or_default();
    let date = first.split(';').next().unwrap_or_default();
    first.contains(';') && values::date(date).is_ok()
}

/// The quotes of a file, keyed by currency code (the numbers of currencies have changed over time), and the number of
/// rows of an unknown type.
pub(super) fn parse(text: &str) -> Result<(Vec<Quote>, usize), Refusal> {
    let mut seen = ConsistentValues::new();
    let (mut quotes, mut unknown) = (Vec::new(), 0);
    for (number, line) in text_lines::lines(text)? {
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
    let quote = values::quote(symbol.parse()?, values::date(date)?, (buy, sell), ',')?;
    match kind.as_bytes() {
        b"A" | b"B" => Ok(Some(quote)),
        [b'C'..=b'Z'] => Ok(None),
        _ => Err(Error::in_file(kind, "a type of currency (A or B)")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Result<Vec<String>, Refusal> {
        let side = |side: Option<Decimal>| side.unwrap().to_string();
        let show = |quote: &Quote| {
            format!("{} {} {} {}", quote.date, quote.currency, side(quote.buy), side(quote.sell))
        };
        Ok(parse(text)?.0.iter().map(show).collect())
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
            assert!(recognises(text));
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
        let (quotes, unknown) = parse(text).unwrap();
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
