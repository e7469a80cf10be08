//! Input of a calculator: numbers and days as people write them.
use std::str::FromStr;

use fincore::{Date, Error, ErrorKind, Invalid, Key, Resource, calc::Amount, truncate};

use crate::pages::{errors::ErrorMessage, language::Language};

/// The fields of a calculator as they were sent. Those that are empty count as not given.
#[derive(Default)]
pub(crate) struct Given(Vec<(&'static str, String)>);

impl Given {
    /// The fields as they were sent. A key that was pasted into a field is not repeated.
    pub(crate) fn of(fields: impl IntoIterator<Item = (&'static str, Option<String>)>) -> Given {
        let given = fields.into_iter().filter_map(|(name, value)| Some((name, value?)));
        let trimmed = given.map(|(name, value)| (name, Key::redact(value.trim())));
        Given(trimmed.filter(|(_, value)| !value.is_empty()).collect())
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(given, _)| *given == name).map(|(_, value)| value.as_str())
    }

    /// Whether a number means something else in the other language.
    ///
    /// A form takes such a number in the language of its page, and redirects (303) to an address with `1000`, because
    /// a shared address must mean the same to every reader.
    pub(crate) fn is_ambiguous(&self) -> bool {
        self.0.iter().any(|(_, value)| is_ambiguous(value))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The fault of a field, or of all of them together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wrong {
    /// The field; none if it is about several.
    pub(crate) field: Option<&'static str>,
    problem: FieldProblem,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum FieldProblem {
    /// The field is empty.
    Empty,
    /// The text is no day.
    Day(Invalid),
    /// The text is no item of the list.
    Choice(Invalid),
    /// The library refuses the value, or all of them together.
    Refused(Invalid),
    /// The choice does not exist.
    NotFound { what: Resource, id: String },
}

impl Wrong {
    /// The fault as a sentence.
    pub(crate) fn message(&self, language: Language) -> ErrorMessage {
        let (invalid, portuguese) = match &self.problem {
            FieldProblem::Empty => {
                return ErrorMessage::plain(
                    language.pick("Please fill in this field.", "Preencha este campo."),
                );
            }
            FieldProblem::NotFound { what, id } => {
                return ErrorMessage::no_such_choice(*what, id, language);
            }
            FieldProblem::Refused(invalid) => return ErrorMessage::invalid(invalid, language),
            FieldProblem::Day(invalid) => {
                (invalid, "Informe uma data, como 31/12/2025, ou um mês, como 12/2025.")
            }
            FieldProblem::Choice(invalid) => (invalid, "Escolha um item da lista."),
        };
        match language {
            Language::English => ErrorMessage::invalid(invalid, language),
            Language::Portuguese => ErrorMessage::plain(portuguese),
        }
    }
}

/// Reads fields, and notes what is wrong with them.
pub(crate) struct Reader<'g> {
    given: &'g Given,
    language: Language,
    pub(crate) wrongs: Vec<Wrong>,
}

impl<'g> Reader<'g> {
    pub(crate) fn new(given: &'g Given, language: Language) -> Reader<'g> {
        Reader { given, language, wrongs: Vec::new() }
    }

    /// A field that may be left empty, after it was rewritten as the library reads it.
    fn optional<T: FromStr<Err = Error>>(
        &mut self,
        name: &'static str,
        rewrite: impl Fn(&str, Language) -> String,
        problem: impl Fn(Invalid, &str) -> FieldProblem,
    ) -> Option<T> {
        let text = self.given.get(name)?;
        match rewrite(text, self.language).parse() {
            Ok(value) => Some(value),
            Err(err) => {
                let problem = problem(invalid(err), text);
                self.wrongs.push(Wrong { field: Some(name), problem });
                None
            }
        }
    }

    /// A number. One that is refused is repeated as it was typed.
    pub(crate) fn number<T: FromStr<Err = Error>>(&mut self, name: &'static str) -> Option<T> {
        self.optional(name, number, |invalid, typed| {
            FieldProblem::Refused(match invalid {
                Invalid::Value { wanted, .. } => {
                    Invalid::Value { given: truncate(typed).into_owned(), wanted }
                }
                other => other,
            })
        })
    }

    /// A day, or a month by its first day.
    pub(crate) fn day(&mut self, name: &'static str) -> Option<Date> {
        let iso = |text: &str, _: Language| first_day(text);
        self.optional(name, iso, |invalid, _| FieldProblem::Day(invalid))
    }

    /// One of a list.
    pub(crate) fn choice<T: FromStr<Err = Error>>(&mut self, name: &'static str) -> Option<T> {
        let same = |text: &str, _: Language| text.to_owned();
        self.optional(name, same, |invalid, _| FieldProblem::Choice(invalid))
    }

    /// Notes that a field is missing, if it is.
    pub(crate) fn require(&mut self, name: &'static str) {
        if self.given.get(name).is_none() {
            self.wrongs.push(Wrong { field: Some(name), problem: FieldProblem::Empty });
        }
    }
}

/// Why a type refuses a text. Parsers fail in no other way.
fn invalid(err: Error) -> Invalid {
    match err {
        Error::Invalid(invalid) => invalid,
        other => Invalid::Operation(other.to_string()),
    }
}

/// The library's fault, beside the field that it names. Fails with an error that is no fault of the visitor.
pub(crate) fn refused(err: Error, series: &'static str) -> Result<Wrong, Error> {
    match err.kind() {
        ErrorKind::Invalid(invalid) => {
            let problem = FieldProblem::Refused(invalid.clone());
            Ok(Wrong { field: invalid.parameter(), problem })
        }
        ErrorKind::NotFound(what, id) => {
            let problem = FieldProblem::NotFound { what, id: id.to_owned() };
            Ok(Wrong { field: Some(series), problem })
        }
        ErrorKind::InvalidKey
        | ErrorKind::PlanRequired(_)
        | ErrorKind::Refused
        | ErrorKind::Busy
        | ErrorKind::Unavailable
        | ErrorKind::Outdated
        | ErrorKind::Newer
        | ErrorKind::NotPermitted
        | ErrorKind::Storage => Err(err),
    }
}

/// A day as the library reads it: a month means its first day, and days may be written the Brazilian way.
pub(crate) fn first_day(text: &str) -> String {
    let is = |part: &str, length: usize| {
        part.len() == length && part.bytes().all(|b| b.is_ascii_digit())
    };
    match text.split(['-', '/']).collect::<Vec<_>>()[..] {
        [year, month] if is(year, 4) && is(month, 2) && text.contains('-') => format!("{text}-01"),
        [month, year] if is(month, 2) && is(year, 4) && text.contains('/') => {
            format!("{year}-{month}-01")
        }
        [day, month, year] if is(day, 2) && is(month, 2) && is(year, 4) && !text.contains('-') => {
            format!("{year}-{month}-{day}")
        }
        _ => text.to_owned(),
    }
}

/// A number as the library reads it: without a sign of money, and with a dot before its decimals. Both languages read
/// `1.000,50` and `1,000.50`; what `1.000` means is left to the language of the page.
pub(crate) fn number(text: &str, language: Language) -> String {
    let bare = bare(text);
    let marks: Vec<char> = bare.chars().filter(|c| ['.', ','].contains(c)).collect();
    // The mark before the decimals, if there is one, and the one between groups of digits.
    let (mark, group) = match marks[..] {
        [] => return bare,
        [only] if is_ambiguous(text) => match only == language.pick(',', '.') {
            true => (None, only),
            false => (Some(only), only),
        },
        [only] => (Some(only), only),
        [first, .., last] if first == last => (None, first),
        [first, .., last] => (Some(last), first),
    };
    let (whole, decimals) = match mark.and_then(|mark| bare.rsplit_once(mark)) {
        Some((whole, decimals)) => (whole, Some(decimals)),
        None => (bare.as_str(), None),
    };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let mut groups = whole.strip_prefix('-').unwrap_or(whole).split(group);
    let first = groups.next().unwrap_or_default();
    let rest: Vec<&str> = groups.collect();
    let fits = is_number(first)
        && (rest.is_empty() || first.len() <= 3)
        && rest.iter().all(|group| group.len() == 3 && is_number(group))
        && decimals.is_none_or(is_number);
    match (fits, decimals) {
        (false, _) => bare,
        (true, None) => whole.replace(group, ""),
        // The library refuses what another language reads differently.
        (true, Some(decimals)) => plain(&format!("{}.{decimals}", whole.replace(group, ""))),
    }
}

/// A number without a sign of money and without spaces.
fn bare(text: &str) -> String {
    text.trim_start_matches("R$").chars().filter(|c| !c.is_whitespace()).collect()
}

/// Whether a number means something else in the other language: `1.000`.
pub(crate) fn is_ambiguous(text: &str) -> bool {
    Amount::two_readings(&bare(text)).is_some()
}

/// A number for an address, which every language reads in the same way.
pub(crate) fn plain(number: &impl ToString) -> String {
    let text = number.to_string();
    if is_ambiguous(&text) { format!("{text}0") } else { text }
}

#[cfg(test)]
mod tests {
    use fincore::CalculationFault;

    use super::*;

    #[test]
    fn reads_numbers_as_the_language_writes_them() {
        let cases = [
            ("1000.50", "1000.50", "1000.50"),
            ("1.000,50", "1000.50", "1000.50"),
            ("1,000.50", "1000.50", "1000.50"),
            ("1.000", "1.0000", "1000"),
            ("1,000", "1000", "1.0000"),
            ("-1.000", "-1.0000", "-1000"),
            ("0.125", "0.125", "0.125"),
            ("0,125", "0.125", "0.125"),
            ("1.0000", "1.0000", "1.0000"),
            ("R$ 1.234.567,8", "1234567.8", "1234567.8"),
            ("1,5", "1.5", "1.5"),
            ("-1.000,5", "-1000.5", "-1000.5"),
            ("110", "110", "110"),
            ("0.5", "0.5", "0.5"),
            ("1.00.0", "1.00.0", "1.00.0"),
            ("1,2,3", "1,2,3", "1,2,3"),
            ("1.000,50,1", "1.000,50,1", "1.000,50,1"),
            ("x", "x", "x"),
            (".", ".", "."),
            ("é.000", "é.000", "é.000"),
            ("", "", ""),
            ("1,", "1,", "1,"),
        ];
        for (text, english, portuguese) in cases {
            assert_eq!(number(text, Language::English), english, "{text}");
            assert_eq!(number(text, Language::Portuguese), portuguese, "{text}");
        }
        assert_eq!(
            ["1.000", "-12.345", "1000.500", "1.00"].map(|text| plain(&text)),
            ["1.0000", "-12.3450", "1000.500", "1.00"]
        );
    }

    #[test]
    fn reads_days_and_months() {
        for (text, day) in [
            ("2020-01", "2020-01-01"),
            ("2020-01-31", "2020-01-31"),
            ("31/12/2020", "2020-12-31"),
            ("12/2020", "2020-12-01"),
            ("2020/01", "2020/01"),
            ("é/2020", "é/2020"),
            ("01-2020", "01-2020"),
            ("", ""),
        ] {
            assert_eq!(first_day(text), day, "{text}");
        }
    }

    #[test]
    fn notes_what_is_wrong_beside_its_field() {
        let given =
            Given::of([("amount", Some(" abc ".to_owned())), ("from", Some(String::new()))]);
        let mut reader = Reader::new(&given, Language::Portuguese);
        reader.require("amount");
        reader.require("from");
        assert_eq!(reader.number::<Amount>("amount"), None);
        assert_eq!(reader.day("from"), None);
        let fields: Vec<_> = reader.wrongs.iter().filter_map(|wrong| wrong.field).collect();
        assert_eq!(fields, ["from", "amount"]);
        let date = "2030-01-01".parse::<Date>().unwrap().into();
        let err = Error::from(CalculationFault::Future { date });
        assert_eq!(err.to_string(), "2030-01-01 is in the future");
        let wrong = refused(err, "series").unwrap();
        let message = wrong.message(Language::English).text;
        assert_eq!((wrong.field, message.as_str()), (Some("date"), "1 Jan 2030 is in the future."));
    }
}
