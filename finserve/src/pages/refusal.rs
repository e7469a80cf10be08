//! What the library and the API refuse, in the language of the page and in words for people.
use fincore::Date;

use super::language::Language;

mod table;

use table::{Row, TABLE};

/// A refusal as a page tells it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) text: String,
    /// The language of the text, for the `lang` attribute, where it is not that of the page.
    pub(crate) lang: Option<&'static str>,
}

/// Tells a refusal by the table; one that the table lacks is told as it is, in English.
pub(crate) fn told(message: &str, language: Language) -> Told {
    match translate(message, language) {
        Some(text) => Told { text: sentence(&text), lang: None },
        None => Told { text: message.to_owned(), lang: language.pick(None, Some("en")) },
    }
}

/// The words of the first row that fits.
fn translate(text: &str, language: Language) -> Option<String> {
    TABLE.iter().copied().flatten().find_map(|row| {
        let gaps = gaps(text, row.said)?;
        let mut filled = gaps.iter().map(|gap| gap.fill(language));
        let mut pieces = pieces(row.words(language));
        let mut words = pieces.next()?.1.to_owned();
        for (_, piece) in pieces {
            words.push_str(&filled.next()??);
            words.push_str(piece);
        }
        Some(words)
    })
}

impl Row {
    fn words(&self, language: Language) -> &'static str {
        language.pick(self.english, self.portuguese)
    }
}

/// What stands in a gap of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gap<'m> {
    /// What somebody typed: it stays as it is.
    Quoted(&'m str),
    /// A name, a number or a day.
    Value(&'m str),
    /// Words, which have a row of their own.
    Words(&'m str),
}

impl Gap<'_> {
    fn fill(self, language: Language) -> Option<String> {
        match self {
            Gap::Quoted(text) => Some(text.to_owned()),
            Gap::Value(text) => Some(match text.parse::<Date>() {
                Ok(day) => language.date(day),
                Err(_) => text.to_owned(),
            }),
            Gap::Words(text) => translate(text, language),
        }
    }
}

/// A form piece by piece: each with the gap before it, which the first one does not have.
fn pieces(form: &str) -> impl Iterator<Item = (&str, &str)> {
    let with_gap = |piece| str::split_once(piece, '}').unwrap_or(("", piece));
    form.split('{').map(with_gap)
}

/// What stands in the gaps of a form, if the message has that form.
fn gaps<'m>(message: &'m str, form: &str) -> Option<Vec<Gap<'m>>> {
    let mut pieces = pieces(form).peekable();
    let (_, mut before) = pieces.next()?;
    let mut rest = message.strip_prefix(before)?;
    let mut found = Vec::new();
    while let Some((kind, piece)) = pieces.next() {
        let is_last = pieces.peek().is_none();
        let end = match before.ends_with('"') {
            true => closing_quote(rest)?,
            false if is_last => rest.len().checked_sub(piece.len())?,
            false => rest.find(piece)?,
        };
        let (text, after) = rest.split_at_checked(end)?;
        found.push(match kind {
            "…" => Gap::Words(text),
            _ if before.ends_with('"') => Gap::Quoted(text),
            _ => Gap::Value(text),
        });
        rest = after.strip_prefix(piece)?;
        before = piece;
    }
    rest.is_empty().then_some(found)
}

/// Where a quoted text ends; a quotation mark in it follows a backslash.
fn closing_quote(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    text.find(|c| {
        let closes = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        closes
    })
}

/// With a capital at its beginning and a full stop at its end.
fn sentence(text: &str) -> String {
    let mut rest = text.chars();
    let first = rest.next().into_iter().flat_map(char::to_uppercase);
    first.chain(rest.chain(['.'])).collect()
}

#[cfg(test)]
mod tests {
    use fincore::{
        Catalogue, Import,
        calc::{self, Accumulated},
    };

    use super::*;

    fn check(message: &str, english: &str, portuguese: &str) {
        for (language, wanted) in [(Language::English, english), (Language::Portuguese, portuguese)]
        {
            let wanted = Told { text: wanted.to_owned(), lang: None };
            assert_eq!(told(message, language), wanted, "{message}");
        }
    }

    #[test]
    fn days_and_words_in_the_gaps_are_in_the_language_of_the_page() {
        check(
            "series ipca: its newest value is of 2026-08-01, before 2030-01-01; leave out the last day to calculate up to there",
            "Series ipca: its newest value is of 1 Aug 2026, before 1 Jan 2030; leave the last day empty to calculate up to there.",
            "Série ipca: o valor mais recente é de 01/08/2026, antes de 01/01/2030; deixe a última data em branco para calcular até lá.",
        );
        check(
            "there is nothing at this path: \"!!\" is not a currency (three letters, such as USD)",
            "There is nothing at this address: \"!!\" is not a currency (three letters, such as USD).",
            "Não há nada neste endereço: \"!!\" não é uma moeda (três letras, como USD).",
        );
    }

    #[test]
    fn what_somebody_typed_is_repeated_as_it_is() {
        for typed in ["2026-01-01", "x is not a date", "a\" is not {} \\", "{…}", "é: série", ""]
        {
            let message = fincore::Error::invalid(typed, "a date (YYYY-MM-DD)").to_string();
            let wanted = format!("{typed:?} não é uma data (AAAA-MM-DD, como 2025-12-31).");
            assert_eq!(told(&message, Language::Portuguese).text, wanted, "{typed}");
        }
    }

    #[test]
    fn what_the_table_lacks_is_told_in_english_and_marked_as_such() {
        for message in
            ["the moon is full", "", "\"x\" is not a moon", "\"x", "series ipca: the moon"]
        {
            let marked = Told { text: message.to_owned(), lang: Some("en") };
            assert_eq!(told(message, Language::Portuguese), marked);
            assert_eq!(told(message, Language::English), Told { lang: None, ..marked });
        }
    }

    #[test]
    fn every_row_has_the_same_gaps_in_each_language_and_is_reached() {
        for row in TABLE.iter().copied().flatten() {
            let kinds = |form| pieces(form).map(|(kind, _)| kind).collect::<Vec<_>>();
            assert_eq!(kinds(row.said), kinds(row.english), "{}", row.said);
            assert_eq!(kinds(row.said), kinds(row.portuguese), "{}", row.said);
            let first =
                TABLE.iter().copied().flatten().find(|other| gaps(row.said, other.said).is_some());
            assert_eq!(first.map(|first| first.said), Some(row.said), "hidden by an earlier row");
        }
    }

    /// The bundled figures have no holes.
    #[test]
    fn tells_of_holes_in_a_series() {
        let dir = tempfile::tempdir().unwrap();
        let catalogue = Catalogue::open(dir.path().join("catalogue.db")).unwrap();
        let mut import =
            Import::begin(&catalogue, "2025-06-02T12:00:00Z".parse().unwrap()).unwrap();
        for (number, days) in
            [(433, ["01/01", "01/03"]), (195, ["02/01", "03/03"]), (1, ["02/01", "03/03"])]
        {
            let rows = days.map(|day| format!(r#"{{"data":"{day}/2025","valor":"0.5"}}"#));
            let file = format!("[{}]", rows.join(","));
            import.file(&format!("bcdata.sgs.{number}.json"), file.as_bytes()).unwrap();
        }
        import.commit().unwrap();
        let snapshot = catalogue.snapshot("2025-06-02".parse().unwrap()).unwrap();
        for (series, from, to, wanted) in [
            ("ipca", "2025-01-01", "2025-03-01", "Série ipca: não há valor para 01/02/2025."),
            ("savings", "2025-01-02", "2025-03-02", "Série savings: não há valor para 02/02/2025."),
            ("usd-sell", "2025-02-01", "2025-02-07", "Série usd-sell: não há valor "),
        ] {
            let from = from.parse().unwrap();
            let query = Accumulated {
                to: Some(to.parse().unwrap()),
                ..Accumulated::of(series.parse().unwrap(), from)
            };
            let refused = calc::accumulated(&snapshot, query).unwrap_err().to_string();
            let Told { text, lang } = told(&refused, Language::Portuguese);
            assert!(text.starts_with(wanted) && lang.is_none(), "{refused}: {text}");
        }
    }

    #[test]
    fn tells_what_calculators_lack() {
        for (message, portuguese) in [
            (
                "series cdi: its newest value is of 2026-08-31, before 2099-01-01",
                "Série cdi: o valor mais recente é de 31/08/2026, antes de 01/01/2099.",
            ),
            (
                "series cdi: there is no value from 2026-09-05 to the day before 2026-09-14",
                "Série cdi: não há valor de 05/09/2026 até a véspera de 14/09/2026.",
            ),
            (
                "series usd-sell: there is no value from 2026-09-05 to 2026-09-06; the newest is of 2026-09-04",
                "Série usd-sell: não há valor de 05/09/2026 a 06/09/2026; o mais recente é de 04/09/2026.",
            ),
            (
                "series usd-sell: there is no value from 2026-09-05 to 2026-09-06",
                "Série usd-sell: não há valor de 05/09/2026 a 06/09/2026.",
            ),
            (
                "series eur-sell: there is no value near 2014-01-02; the next is of 2015-01-02",
                "Série eur-sell: não há valor perto de 02/01/2014; o seguinte é de 02/01/2015.",
            ),
            (
                "series eur-sell: there is no value near 2026-07-31; the one before is of 2026-06-30",
                "Série eur-sell: não há valor perto de 31/07/2026; o anterior é de 30/06/2026.",
            ),
            (
                "interest of 2026-01-01 to 2026-02-01 left nothing: there is no rate per year",
                "Os juros de 01/01/2026 a 01/02/2026 não deixaram nada: não há taxa ao ano.",
            ),
            (
                "the newest month that cdi-daily and ipca both have is of 2026-08-01, before 2026-09-01",
                "O mês mais recente que cdi-daily e ipca têm é de 01/08/2026, antes de 01/09/2026.",
            ),
            (
                "series cdi: the factor has more than 30 digits before the point; shorten the period, or lower the percentage or spread",
                "Série cdi: o fator tem mais de 30 dígitos antes da vírgula; encurte o período, ou reduza o percentual ou o spread.",
            ),
        ] {
            let wanted = Told { text: portuguese.to_owned(), lang: None };
            assert_eq!(told(message, Language::Portuguese), wanted);
        }
    }
}
