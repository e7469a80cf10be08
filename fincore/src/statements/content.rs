//! The content of a stored statement: its accounts and the values of all its periods, in few bytes.
//!
//! Numbers are written seven bits a byte, the lowest first, as in LEB128; those with a sign alternate between positive and
//! negative. Half of the values are zero: each takes one byte.
use crate::values::{Date, Decimal, read_leb128, write_leb128};

/// A statement as it is stored: a matrix of accounts and columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Content {
    pub(crate) columns: Vec<StoredColumn>,
    /// The ids of the accounts, in order.
    pub(crate) accounts: Vec<i64>,
    /// The values of each account, column by column.
    pub(crate) values: Vec<Option<Decimal>>,
}

/// A column of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct StoredColumn {
    pub(crate) order: ColumnOrder,
    /// `None` in balance sheets.
    pub(crate) start: Option<Date>,
    pub(crate) end: Date,
    /// The id of a part of equity, or 0.
    pub(crate) part: i64,
}

/// The order of a form's periods in its columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum ColumnOrder {
    /// The period of the form itself.
    Last,
    /// The period before, for comparison.
    Previous,
    /// An earlier one.
    Earlier,
}

impl ColumnOrder {
    /// Its name: `last`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            ColumnOrder::Last => "last",
            ColumnOrder::Previous => "previous",
            ColumnOrder::Earlier => "earlier",
        }
    }
}

pub(crate) const ORDERS: [ColumnOrder; 3] =
    [ColumnOrder::Last, ColumnOrder::Previous, ColumnOrder::Earlier];

/// The exponent of most values, in thousands of reais. Another one is written beside its value.
const THOUSANDS: i32 = 3;
const UNITS: i32 = 0;

impl Content {
    /// The value of an account in a column, by their places.
    pub(crate) fn value(&self, account: usize, column: usize) -> Option<Decimal> {
        self.values.get(account * self.columns.len() + column).copied().flatten()
    }

    /// Removes the accounts without a value.
    pub(crate) fn remove_empty_accounts(&mut self) {
        let columns = self.columns.len().max(1);
        let is_empty = |row: &[Option<Decimal>]| row.iter().all(Option::is_none);
        if !self.values.chunks(columns).any(is_empty) {
            return;
        }
        let rows = self.accounts.iter().copied().zip(self.values.chunks(columns));
        let (accounts, values): (Vec<i64>, Vec<&[Option<Decimal>]>) =
            rows.filter(|(_, row)| !is_empty(row)).unzip();
        (self.accounts, self.values) = (accounts, values.concat());
    }

    /// The bytes to store.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.values.len() * 3 + self.accounts.len() * 2 + 32);
        let usual = self.usual_exponent();
        write_signed(&mut bytes, usual.into());
        write_leb128(&mut bytes, self.columns.len() as u64);
        for column in &self.columns {
            let order = ORDERS.iter().position(|order| *order == column.order).unwrap_or_default();
            write_leb128(&mut bytes, order as u64);
            write_leb128(
                &mut bytes,
                column.start.map_or(0, |day| day.day_number().unsigned_abs().into()),
            );
            write_leb128(&mut bytes, column.end.day_number().unsigned_abs().into());
            write_leb128(&mut bytes, column.part.unsigned_abs());
        }
        write_leb128(&mut bytes, self.accounts.len() as u64);
        let mut before = 0;
        for account in &self.accounts {
            write_signed(&mut bytes, account - before);
            before = *account;
        }
        self.values.iter().for_each(|value| write_value(&mut bytes, *value, usual));
        bytes
    }

    /// Thousands, unless more values are smaller.
    fn usual_exponent(&self) -> i32 {
        let present = self.values.iter().flatten().map(|value| normalised(*value));
        let (whole, others): (Vec<_>, Vec<_>) = present
            .filter(|(digits, _)| *digits != 0)
            .partition(|(_, exponent)| *exponent >= THOUSANDS);
        if whole.len() >= others.len() { THOUSANDS } else { UNITS }
    }

    /// Decodes stored content; `None` if the bytes are damaged.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Content> {
        let mut bytes = bytes;
        let usual = i32::try_from(read_signed(&mut bytes)?).ok()?;
        let count =
            usize::try_from(read_leb128(&mut bytes)?).ok().filter(|count| *count <= bytes.len())?;
        let mut columns = Vec::with_capacity(count);
        for _ in 0..count {
            let order = *ORDERS.get(usize::try_from(read_leb128(&mut bytes)?).ok()?)?;
            let start = read_leb128(&mut bytes)?;
            let start = if start == 0 { None } else { Some(day(start)?) };
            let (end, part) =
                (day(read_leb128(&mut bytes)?)?, i64::try_from(read_leb128(&mut bytes)?).ok()?);
            columns.push(StoredColumn { order, start, end, part });
        }
        let count =
            usize::try_from(read_leb128(&mut bytes)?).ok().filter(|count| *count <= bytes.len())?;
        let (mut accounts, mut before) = (Vec::with_capacity(count), 0_i64);
        for _ in 0..count {
            before = before.checked_add(read_signed(&mut bytes)?)?;
            accounts.push(before);
        }
        let cells =
            accounts.len().checked_mul(columns.len()).filter(|cells| *cells <= bytes.len())?;
        let values =
            (0..cells).map(|_| read_value(&mut bytes, usual)).collect::<Option<Vec<_>>>()?;
        bytes.is_empty().then_some(Content { columns, accounts, values })
    }
}

fn day(number: u64) -> Option<Date> {
    Date::from_day_number(i32::try_from(number).ok()?)
}

/// The digits of a value without zeros at the end, and the exponent of ten that they take.
fn normalised(value: Decimal) -> (i64, i32) {
    let (mut digits, decimals) = value.parts();
    let mut exponent = -i32::from(decimals);
    while digits != 0 && digits % 10 == 0 {
        (digits, exponent) = (digits / 10, exponent + 1);
    }
    (digits, exponent)
}

/// An absent value is 0. Others are one more than twice their digits, and one more still if their exponent follows.
fn write_value(bytes: &mut Vec<u8>, value: Option<Decimal>, usual: i32) {
    let Some(value) = value else { return write_leb128(bytes, 0) };
    let (digits, exponent) = normalised(value);
    let places = u32::try_from(exponent - usual).ok().and_then(|places| 10_i64.checked_pow(places));
    let at_usual = match places.and_then(|places| digits.checked_mul(places)) {
        Some(at_usual) if at_usual.unsigned_abs() < 1 << 61 => Some(at_usual),
        _ => None,
    };
    match at_usual {
        _ if digits == 0 => write_leb128(bytes, 1),
        Some(digits) => write_leb128(bytes, (zigzag(digits) << 1) + 1),
        None => {
            write_leb128(bytes, (zigzag(digits) << 1) + 2);
            write_signed(bytes, exponent.into());
        }
    }
}

fn read_value(bytes: &mut &[u8], usual: i32) -> Option<Option<Decimal>> {
    let Some(coded) = read_leb128(bytes)?.checked_sub(1) else { return Some(None) };
    let digits = unzigzag(coded >> 1);
    let exponent = match coded & 1 {
        0 => usual,
        _ => i32::try_from(read_signed(bytes)?).ok()?,
    };
    let decimal = match u32::try_from(exponent) {
        Ok(places) => Decimal::new(digits.checked_mul(10_i64.checked_pow(places)?)?, 0),
        Err(_) => Decimal::new(digits, u8::try_from(-exponent).ok()?),
    };
    decimal.map(Some)
}

fn write_signed(bytes: &mut Vec<u8>, number: i64) {
    write_leb128(bytes, zigzag(number));
}

fn read_signed(bytes: &mut &[u8]) -> Option<i64> {
    read_leb128(bytes).map(unzigzag)
}

fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)).cast_unsigned()
}

fn unzigzag(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -(number & 1).cast_signed()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decimal(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    fn content(values: &[Option<&str>]) -> Content {
        let column = |order, start: Option<&str>, end: &str| StoredColumn {
            order,
            start: start.map(|day| day.parse().unwrap()),
            end: end.parse().unwrap(),
            part: 0,
        };
        Content {
            columns: vec![
                column(ColumnOrder::Last, Some("2024-01-01"), "2024-12-31"),
                column(ColumnOrder::Previous, None, "2023-12-31"),
            ],
            accounts: (0..values.len() / 2).map(|place| 7 - 2 * place as i64).collect(),
            values: values.iter().map(|value| value.map(decimal)).collect(),
        }
    }

    #[test]
    fn comes_back_as_it_was() {
        let values =
            [Some("1447937000"), Some("-5000"), Some("0"), None, Some("0.12345"), Some("7")];
        let content = content(&values);
        let bytes = content.encode();
        let back = Content::decode(&bytes).unwrap();
        assert_eq!(back, content);
        assert_eq!(back.value(2, 0).unwrap().to_string(), "0.12345");
        assert_eq!(back.value(1, 1), None);
        assert_eq!(back.value(0, 0).unwrap().to_string(), "1447937000");
        for end in 0..bytes.len() {
            assert_eq!(Content::decode(&bytes[..end]), None, "{end}");
        }
    }

    #[test]
    fn a_zero_takes_one_byte() {
        let (none, zeros) = (content(&[]), content(&[Some("0.00"); 20]));
        // Ten accounts take a byte each.
        assert_eq!(zeros.encode().len(), none.encode().len() + 20 + 10);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_harm(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            let _ = Content::decode(&bytes);
        }

        #[test]
        fn any_value_comes_back(digits in -999_999_999_999_999_999_i64..=999_999_999_999_999_999, decimals in 0_u8..=10) {
            let value = Decimal::new(digits, decimals).unwrap();
            let mut content = content(&[Some("1"), Some("2000")]);
            content.values[0] = Some(value);
            prop_assert_eq!(Content::decode(&content.encode()).unwrap().values[0], Some(value));
        }
    }
}
