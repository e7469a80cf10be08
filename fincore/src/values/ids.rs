//! Ids of filings and series, currencies and their pairs, and the row keys made from them.
use std::{fmt, str::FromStr};

use crate::values::{Date, Error, Result, Wanted, decimal::whole_number, fold};

/// The id of a filing: CVM's protocol number, or for a periodic form its short name and document number,
/// as in `dfp-144874`.
///
/// ```
/// let id: fincore::FilingId = "dfp-144874".parse()?;
/// assert_eq!(id.to_string(), "dfp-144874");
/// # Ok::<(), fincore::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FilingId {
    form: Form,
    number: u64,
}

/// The forms in which companies file; each has document numbers of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// Event documents (IPE), numbered by protocol.
    Ipe,
    /// Annual financial statements.
    Dfp,
    /// Quarterly financial statements.
    Itr,
    /// The reference form.
    Fre,
    /// The registration form.
    Fca,
}

impl Form {
    /// Every form.
    pub const ALL: [Form; 5] = [Form::Ipe, Form::Dfp, Form::Itr, Form::Fre, Form::Fca];

    /// Its short name in small letters: `ipe`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Form::Ipe => "ipe",
            Form::Dfp => "dfp",
            Form::Itr => "itr",
            Form::Fre => "fre",
            Form::Fca => "fca",
        }
    }

    /// The name of its dataset: `filings.ipe`.
    #[must_use]
    pub fn dataset(self) -> &'static str {
        match self {
            Form::Ipe => "filings.ipe",
            Form::Dfp => "filings.dfp",
            Form::Itr => "filings.itr",
            Form::Fre => "filings.fre",
            Form::Fca => "filings.fca",
        }
    }

    /// The smallest and the largest [`FilingId::to_bits`] of its filings.
    pub(crate) fn id_bits(self) -> (i64, i64) {
        let first = (self as i64) << NUMBER_BITS;
        (first, first | ((1 << NUMBER_BITS) - 1))
    }

    /// The prefix of the id; empty for a protocol number.
    fn prefix(self) -> &'static str {
        match self {
            Form::Ipe => "",
            Form::Dfp => "dfp-",
            Form::Itr => "itr-",
            Form::Fre => "fre-",
            Form::Fca => "fca-",
        }
    }
}

/// A row key holds, from the highest bit: the day (22 bits), the form (4), the number (36).
const NUMBER_BITS: u32 = 36;
pub(crate) const ID_BITS: u32 = 40;

impl FilingId {
    /// `None` if the number does not fit into a row key.
    pub(crate) fn new(form: Form, number: u64) -> Option<FilingId> {
        (number < 1 << NUMBER_BITS).then_some(FilingId { form, number })
    }

    pub(crate) fn form(self) -> Form {
        self.form
    }

    pub(crate) fn number(self) -> u64 {
        self.number
    }

    /// The id as one integer, without the date.
    pub(crate) fn to_bits(self) -> i64 {
        (self.form as i64) << NUMBER_BITS | self.number.cast_signed()
    }

    /// The inverse of [`FilingId::to_bits`].
    pub(crate) fn from_bits(bits: i64) -> Option<FilingId> {
        let number = (bits & ((1 << NUMBER_BITS) - 1)).cast_unsigned();
        let form = Form::ALL.get(usize::try_from(bits >> NUMBER_BITS).ok()?)?;
        Some(FilingId { form: *form, number })
    }

    /// A row key ordered by delivery date, then id: reading the table backwards gives the newest filings
    /// first, without sorting.
    pub(crate) fn key(self, date: Date) -> i64 {
        first_key(date) | self.to_bits()
    }

    /// The inverse of [`FilingId::key`].
    pub(crate) fn of_key(key: i64) -> Option<(FilingId, Date)> {
        let date = Date::from_day_number(i32::try_from(key >> ID_BITS).ok()?)?;
        Some((FilingId::from_bits(key & ((1 << ID_BITS) - 1))?, date))
    }

    fn parse(text: &str) -> Option<FilingId> {
        // A leading zero would be a second spelling of the same id.
        let number = |digits: &str| whole_number(digits).filter(|_| !digits.starts_with('0'));
        let of = |form: Form| FilingId::new(form, number(text.strip_prefix(form.prefix())?)?);
        Form::ALL.into_iter().find_map(of)
    }
}

/// The smallest key that a filing of this day can have.
pub(crate) fn first_key(date: Date) -> i64 {
    i64::from(date.day_number()) << ID_BITS
}

/// The largest key that a filing of this day can have.
pub(crate) fn last_key(date: Date) -> i64 {
    first_key(date) | ((1 << ID_BITS) - 1)
}

/// A range of keys, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeyRange {
    pub(crate) first: i64,
    pub(crate) last: i64,
}

impl KeyRange {
    pub(crate) const ALL: KeyRange = KeyRange { first: i64::MIN, last: i64::MAX };

    /// The keys of filings that were delivered on these days.
    pub(crate) fn of(from: Date, to: Date) -> KeyRange {
        KeyRange { first: first_key(from), last: last_key(to) }
    }
}

impl fmt::Display for FilingId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.form.prefix(), self.number)
    }
}

super::as_text!(FilingId, Wanted::FilingId);

/// The number of a series in SGS, or its name: case, accents and punctuation of a name are ignored.
///
/// A well-formed id may name a series that does not exist.
///
/// ```
/// use fincore::SeriesId;
///
/// assert_eq!("189".parse::<SeriesId>()?, SeriesId::from(189));
/// assert_eq!("IGP-M".parse::<SeriesId>()?, "igp_m".parse()?);
/// # Ok::<(), fincore::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SeriesId(Id);

#[derive(Clone, Debug)]
enum Id {
    Number(u32),
    Name {
        given: String,
        /// Letters and digits, for comparison.
        letters: String,
    },
}

impl SeriesId {
    /// The number, if it is one.
    pub(crate) fn number(&self) -> Option<u32> {
        match &self.0 {
            Id::Number(number) => Some(*number),
            Id::Name { .. } => None,
        }
    }

    pub(crate) fn is_named(&self, name: &str) -> bool {
        match &self.0 {
            Id::Number(_) => false,
            Id::Name { letters, .. } => *letters == letters_of(name),
        }
    }
}

/// Letters and digits, folded.
fn letters_of(name: &str) -> String {
    fold(name).chars().filter(|letter| letter.is_alphanumeric()).collect()
}

impl FromStr for SeriesId {
    type Err = Error;

    fn from_str(text: &str) -> Result<SeriesId> {
        if let Some(number) = whole_number(text) {
            return Ok(SeriesId(Id::Number(number)));
        }
        let letters = letters_of(text);
        if letters.is_empty() {
            return Err(Error::invalid(text, Wanted::Series));
        }
        Ok(SeriesId(Id::Name { given: text.to_owned(), letters }))
    }
}

impl From<u32> for SeriesId {
    fn from(number: u32) -> SeriesId {
        SeriesId(Id::Number(number))
    }
}

impl PartialEq for SeriesId {
    fn eq(&self, other: &SeriesId) -> bool {
        match (&self.0, &other.0) {
            (Id::Number(ours), Id::Number(theirs)) => ours == theirs,
            (Id::Name { letters: ours, .. }, Id::Name { letters: theirs, .. }) => ours == theirs,
            (Id::Number(_), Id::Name { .. }) | (Id::Name { .. }, Id::Number(_)) => false,
        }
    }
}

impl Eq for SeriesId {}

impl fmt::Display for SeriesId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Id::Number(number) => fmt::Display::fmt(number, f),
            Id::Name { given, .. } => f.pad(given),
        }
    }
}

super::as_text!(SeriesId);

/// A currency, by the three-letter code that the central bank uses: `USD`, `SDR`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Currency([u8; 3]);

impl Currency {
    /// The Brazilian real; all quotes are in reais.
    pub const BRL: Currency = Currency(*b"BRL");
    /// The United States dollar.
    pub const USD: Currency = Currency(*b"USD");
    /// The euro.
    pub const EUR: Currency = Currency(*b"EUR");
    /// The Japanese yen.
    pub const JPY: Currency = Currency(*b"JPY");
    /// The pound sterling.
    pub const GBP: Currency = Currency(*b"GBP");

    fn parse(text: &str) -> Option<Currency> {
        Currency::of_letters(text.as_bytes())
    }

    fn of_letters(letters: &[u8]) -> Option<Currency> {
        let symbol = <[u8; 3]>::try_from(letters).ok()?;
        symbol
            .iter()
            .all(u8::is_ascii_alphabetic)
            .then(|| Currency(symbol.map(|b| b.to_ascii_uppercase())))
    }

    /// The code: three capital letters.
    #[must_use]
    pub fn as_str(&self) -> &str {
        str::from_utf8(&self.0).expect("three ASCII letters")
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A currency pair, written `EUR/BRL`; `EURBRL` and `eur-brl` are read too.
///
/// ```
/// let pair: fincore::Pair = "eur-brl".parse()?;
/// assert_eq!(pair.to_string(), "EUR/BRL");
/// # Ok::<(), fincore::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pair {
    /// The currency that is priced.
    pub base: Currency,
    /// The currency it is priced in.
    pub quote: Currency,
}

impl Pair {
    /// The price of one unit of `base` in Brazilian reais.
    #[must_use]
    pub const fn in_reais(base: Currency) -> Pair {
        Pair { base, quote: Currency::BRL }
    }

    fn parse(text: &str) -> Option<Pair> {
        let (base, quote) = match text.as_bytes() {
            [base @ .., b'/' | b'-', q1, q2, q3] if base.len() == 3 => (base, [*q1, *q2, *q3]),
            [base @ .., q1, q2, q3] if base.len() == 3 => (base, [*q1, *q2, *q3]),
            _ => return None,
        };
        let (base, quote) = (Currency::of_letters(base)?, Currency::of_letters(&quote)?);
        Some(Pair { base, quote })
    }
}

impl Default for Pair {
    /// `USD/BRL`.
    fn default() -> Pair {
        Pair::in_reais(Currency::USD)
    }
}

impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([a, b, c], [x, y, z]) = (self.base.0, self.quote.0);
        f.pad(str::from_utf8(&[a, b, c, b'/', x, y, z]).expect("ASCII letters"))
    }
}

super::as_text!(Currency, Wanted::Currency);
super::as_text!(Pair, Wanted::CurrencyPair);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reads_what_it_writes_and_nothing_else() {
        for text in ["1195062", "dfp-144874", "itr-1", "fre-138169", "fca-146477", "68719476735"] {
            assert_eq!(text.parse::<FilingId>().unwrap().to_string(), text);
        }
        for text in
            ["", "0", "01", "-1", "dfp-", "dfp-01", "DFP-1", "ipe-1", "x", "68719476736", "1 "]
        {
            let message = text.parse::<FilingId>().unwrap_err().to_string();
            assert!(
                message.starts_with(&format!("{text:?} is not the id of a filing")),
                "{message}"
            );
        }
    }

    proptest! {
        #[test]
        fn keys_follow_the_date_and_then_the_id(
            a in (0usize..5, 1u64..1 << 36, 1i32..3_652_059),
            b in (0usize..5, 1u64..1 << 36, 1i32..3_652_059),
        ) {
            let of = |(form, number, day): (usize, u64, i32)| {
                let id = FilingId::new(Form::ALL[form], number).unwrap();
                (Date::from_day_number(day).unwrap(), id)
            };
            let ((day_a, id_a), (day_b, id_b)) = (of(a), of(b));
            let (key_a, key_b) = (id_a.key(day_a), id_b.key(day_b));
            prop_assert_eq!((day_a, id_a).cmp(&(day_b, id_b)), key_a.cmp(&key_b));
            prop_assert_eq!(FilingId::of_key(key_a), Some((id_a, day_a)));
            prop_assert!(first_key(day_a) <= key_a && key_a <= last_key(day_a));
        }
    }
}

#[cfg(test)]
mod series_id_tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn tells_a_number_from_a_name() {
        let number = |text: &str| text.parse::<SeriesId>().ok().map(|id| id.number());
        for (text, wanted) in [
            ("189", Some(Some(189))),
            ("0189", Some(Some(189))),
            ("igp-m", Some(None)),
            // Too large for a number of SGS: a name that no series has.
            ("99999999999", Some(None)),
            ("+189", Some(None)),
            ("4.389", Some(None)),
            ("", None),
            ("-_ /", None),
        ] {
            assert_eq!(number(text), wanted, "{text}");
        }
    }

    #[test]
    fn ignores_case_accents_and_punctuation_of_a_name() {
        for text in ["igp-m", "IGP-M", "igpm", "igp_m", "Igp M", "ÍGP.M"] {
            assert!(text.parse::<SeriesId>().unwrap().is_named("igp-m"), "{text}");
        }
        for text in ["igp", "igp-mm", "189", "i"] {
            assert!(!text.parse::<SeriesId>().unwrap().is_named("igp-m"), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics_and_what_is_printed_parses_back(text in "\\PC*") {
            if let Ok(id) = text.parse::<SeriesId>() {
                prop_assert_eq!(&id.to_string().parse::<SeriesId>().unwrap(), &id);
            }
        }
    }
}

#[cfg(test)]
mod pair_tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn accepts_slash_dash_and_no_separator() {
        for text in ["EUR/BRL", "EURBRL", "eur-brl", "Eur/bRl"] {
            assert_eq!(text.parse::<Pair>().unwrap().to_string(), "EUR/BRL");
        }
    }

    #[test]
    fn refuses_everything_else() {
        let wrong = [
            "",
            "EUR",
            "EUR/",
            "/BRL",
            "EUR//BRL",
            "EUR_BRL",
            "EUR BRL",
            "EU/BRLX",
            "EURBRLX",
            "EUR/BR1",
            "€UR/BRL",
            "EURéBR",
            " EUR/BRL",
            "EUR/BRL ",
        ];
        for text in wrong {
            let message = text.parse::<Pair>().unwrap_err().to_string();
            assert!(message.starts_with(&format!("{text:?} is not a currency pair")), "{message}");
        }
    }

    proptest! {
        #[test]
        fn what_is_printed_parses_back(text in "[A-Za-z]{3}[/-]?[A-Za-z]{3}") {
            let pair: Pair = text.parse().unwrap();
            prop_assert_eq!(pair.to_string().parse::<Pair>().unwrap(), pair);
        }

        #[test]
        fn no_text_panics(text in "\\PC*") {
            let _ = text.parse::<Pair>();
        }
    }
}
