//! The rows of a statement, and the matrix that they make.
use std::str::FromStr;

use foldhash::{HashMap, HashMapExt};

use crate::{
    import::Contradictions,
    statements::{Content, NewAccount, StoredColumn, code_order},
    values::{Decimal, Error},
};

/// A form has up to four periods in a statement, and changes of equity some ten parts in each.
const MOST_COLUMNS: usize = 100;

/// Real statements have nearly all cells of their matrix. One of more cells than these for each of its rows is no table, and
/// would take memory that its file does not.
const MOST_CELLS_A_ROW: usize = 4;
/// Few cells take little memory.
const FEW_CELLS: usize = 256;

/// A statement, as its rows come in.
#[derive(Default)]
pub(crate) struct StatementRows {
    columns: Vec<StoredColumn>,
    rows: Vec<StatementRow>,
}

/// A row by its line: the places of its account and of its column, and its value.
struct StatementRow {
    line: usize,
    account: usize,
    column: usize,
    value: Decimal,
}

impl StatementRows {
    /// Adds a row of an account in a column.
    pub(crate) fn add(
        &mut self,
        line: usize,
        account: usize,
        column: StoredColumn,
        value: Decimal,
    ) -> Result<(), Error> {
        let known = self.columns.iter().position(|known| *known == column);
        let column = match known {
            Some(place) => place,
            None if self.columns.len() == MOST_COLUMNS => {
                let wanted = format!("a period of the form, which has {MOST_COLUMNS} others");
                return Err(Error::in_file(&column.end.to_string(), wanted));
            }
            None => {
                self.columns.push(column);
                self.columns.len() - 1
            }
        };
        self.rows.push(StatementRow { line, account, column, value });
        Ok(())
    }

    /// The matrix of all values, with the accounts in the order of their codes, then of the file. Of rows that contradict each
    /// other the last counts. `None` if it is nearly empty.
    pub(crate) fn finish(
        self,
        accounts: &[NewAccount],
        contradictions: &mut Contradictions,
    ) -> Option<Content> {
        let StatementRows { columns, rows } = self;
        let mut order: Vec<usize> = (0..columns.len()).collect();
        order.sort_by_key(|place| {
            (columns[*place].order, std::cmp::Reverse(columns[*place].end), columns[*place].start)
        });
        let mut column_of = vec![0; columns.len()];
        order.iter().enumerate().for_each(|(place, column)| column_of[*column] = place);
        let used = UsedAccounts::of(&rows, accounts);
        let cells = used.places.len() * columns.len();
        if cells > rows.len() * MOST_CELLS_A_ROW + FEW_CELLS {
            return None;
        }
        let mut matrix: Vec<Option<Decimal>> = vec![None; cells];
        for StatementRow { line, account, column, value } in rows {
            let cell = |row: usize| row * columns.len() + column_of[column];
            let row = used.row_of[&account];
            let known = matrix[cell(row)];
            let mut contradicts = known.is_some_and(|known| known != value);
            for other in used.others_of_code(row, accounts) {
                contradicts |= matrix[cell(other)].take().is_some_and(|known| known != value);
            }
            if contradicts {
                contradictions.add(line);
            }
            matrix[cell(row)] = Some(value);
        }
        let account = |place: &usize| i64::try_from(*place).unwrap_or_default();
        let mut content = Content {
            columns: order.iter().map(|place| columns[*place]).collect(),
            accounts: used.places.iter().map(account).collect(),
            values: matrix,
        };
        content.remove_empty_accounts();
        Some(content)
    }
}

/// The accounts of a statement.
struct UsedAccounts {
    /// Their places, in the order of their codes. Those of the same code and name are one.
    places: Vec<usize>,
    /// The row of the matrix of each place.
    row_of: HashMap<usize, usize>,
}

impl UsedAccounts {
    fn of(rows: &[StatementRow], accounts: &[NewAccount]) -> UsedAccounts {
        let (mut by_name, mut first_of) = (HashMap::new(), HashMap::new());
        let mut places = Vec::new();
        for StatementRow { account, .. } in rows {
            first_of.entry(*account).or_insert_with(|| {
                let NewAccount { code, name, .. } = &accounts[*account];
                *by_name.entry((code, name)).or_insert_with(|| {
                    places.push(*account);
                    *account
                })
            });
        }
        places.sort_by_cached_key(|place| code_order(&accounts[*place].code));
        let row_of_first: HashMap<usize, usize> =
            places.iter().enumerate().map(|(row, place)| (*place, row)).collect();
        let row_of = first_of.into_iter().map(|(place, first)| (place, row_of_first[&first]));
        UsedAccounts { row_of: row_of.collect(), places }
    }

    /// The other rows of an account of CVM's plan, which has one name. Companies use a code of their own for several accounts.
    fn others_of_code(&self, row: usize, accounts: &[NewAccount]) -> impl Iterator<Item = usize> {
        let own = &accounts[self.places[row]];
        let is_same = move |other: &usize| {
            let other = &accounts[self.places[*other]];
            own.fixed && other.fixed && own.code == other.code
        };
        // They are next to each other.
        let before = (0..row).rev().take_while(is_same);
        let after = (row + 1..self.places.len()).take_while(is_same);
        before.chain(after).collect::<Vec<_>>().into_iter()
    }
}

/// In what the values of a form are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scale {
    Units,
    Thousands,
}

impl FromStr for Scale {
    type Err = Error;

    fn from_str(text: &str) -> Result<Scale, Error> {
        match text.trim() {
            "UNIDADE" => Ok(Scale::Units),
            "MIL" => Ok(Scale::Thousands),
            other => Err(Error::in_file(other, "a scale (UNIDADE or MIL)")),
        }
    }
}

/// A value in reais: `1447937.0000000000` in thousands is 1447937000. Zeros behind the dot carry nothing, because every
/// value has ten of them.
pub(crate) fn parse_value(text: &str, scale: Scale) -> Result<Decimal, Error> {
    let text = text.trim();
    parse(text, scale).ok_or_else(|| Error::in_file(text, "a value (-1234.5000000000)"))
}

fn parse(text: &str, scale: Scale) -> Option<Decimal> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (whole, decimals) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
    let are_digits =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !are_digits(whole) || !are_digits(decimals) {
        return None;
    }
    let decimals = decimals.trim_end_matches('0');
    let digits: i64 = format!("{}{decimals}", whole.trim_start_matches('0'))
        .parse()
        .or_else(|err| {
            if whole.bytes().all(|byte| byte == b'0') && decimals.is_empty() {
                Ok(0)
            } else {
                Err(err)
            }
        })
        .ok()?;
    let digits = if unsigned.len() < text.len() { -digits } else { digits };
    let places = match scale {
        Scale::Units => 0,
        Scale::Thousands => 3,
    };
    match decimals.len().checked_sub(places) {
        Some(decimals) => Decimal::new(digits, u8::try_from(decimals).ok()?),
        None => {
            let more = u32::try_from(places - decimals.len()).ok()?;
            Decimal::new(digits.checked_mul(10_i64.pow(more))?, 0)
        }
    }
}

#[cfg(test)]
mod statement_values_tests {
    use super::*;

    #[test]
    fn values_are_in_reais_to_their_last_digit() {
        let cases = [
            ("1447937.0000000000", Scale::Thousands, "1447937000"),
            ("-127130.0000000000", Scale::Thousands, "-127130000"),
            ("0.0000000000", Scale::Thousands, "0"),
            ("0.5000000000", Scale::Thousands, "500"),
            ("12.3456000000", Scale::Thousands, "12345.6"),
            ("1234.5600000000", Scale::Units, "1234.56"),
            ("0.0123400000", Scale::Units, "0.01234"),
            ("007", Scale::Units, "7"),
            ("3202125000.0000000000", Scale::Thousands, "3202125000000"),
        ];
        for (text, scale, value) in cases {
            assert_eq!(parse_value(text, scale).unwrap().to_string(), value, "{text}");
        }
    }

    #[test]
    fn refuses_what_is_no_value() {
        for text in
            ["", "-", "1.447.937", "1,5", "1e5", "NaN", "9999999999999999999", "1.", ".5", "--1"]
        {
            assert!(parse_value(text, Scale::Units).is_err(), "{text}");
        }
        assert!(parse_value("999999999999999999", Scale::Thousands).is_err());
        assert!("MILHÃO".parse::<Scale>().is_err());
    }
}
