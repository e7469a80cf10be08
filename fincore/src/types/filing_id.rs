//! Filing ids, and the row keys made from them.
use std::fmt;

use super::{Date, whole_number};
use crate::error::Wanted;

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
    #[cfg(any(feature = "bundle", feature = "import", test))]
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

impl fmt::Display for FilingId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.form.prefix(), self.number)
    }
}

super::text_type!(FilingId, Wanted::FilingId);

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
