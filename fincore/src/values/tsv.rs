//! Tables as text: a line that names the columns, then one row a line.
//!
//! Tabs separate fields, or commas if the header has no tab. Lines that begin with `#` are comments.
use std::str::FromStr;

use crate::values::{Error, Result, decimal::whole_number};

/// Reads every row. The error names the table, the line, and what is wrong there.
pub(crate) fn read<'t, T, const N: usize>(
    name: &str,
    text: &'t str,
    header: &str,
    row: impl Fn([&'t str; N]) -> Result<T>,
) -> Result<Vec<T>> {
    let refused = |line, reason| {
        let (file, line) = (name.to_owned(), Some(line));
        Error::Refused { file, line, reason, can_be_forced: false }
    };
    let separator = if header.contains('\t') { '\t' } else { ',' };
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.starts_with('#'));
    match lines.next() {
        Some((_, line)) if line == header => (),
        other => {
            let line = other.map_or(1, |(number, _)| number);
            return Err(refused(line, format!("the header is not {header}")));
        }
    }
    let read = |(number, line)| {
        let fields = fields(line, separator)
            .ok_or_else(|| refused(number, format!("the fields are not {header}")))?;
        row(fields).map_err(|err| refused(number, err.to_string()))
    };
    lines.map(read).collect()
}

/// Reads a table that is part of this program, from `include_str!`.
pub(crate) fn embedded<T, const N: usize>(
    name: &str,
    text: &'static str,
    header: &str,
    row: impl Fn([&'static str; N]) -> Result<T>,
) -> Vec<T> {
    read(name, text, header, row).expect("a test reads every table of the program")
}

/// The fields of a line, if there are exactly `N`.
fn fields<const N: usize>(line: &str, separator: char) -> Option<[&str; N]> {
    let mut parts = line.split(separator);
    let mut fields = [""; N];
    for field in &mut fields {
        *field = parts.next()?;
    }
    parts.next().is_none().then_some(fields)
}

/// A field whose type says only that it cannot be read, not what is wanted.
pub(crate) fn value<T: FromStr>(field: &str, wanted: &str) -> Result<T> {
    field.parse().map_err(|_| Error::in_file(field, wanted))
}

/// A whole number without a sign.
pub(crate) fn number<T: FromStr>(field: &str) -> Result<T> {
    whole_number(field).ok_or_else(|| Error::in_file(field, "a whole number"))
}

/// The one of these that has this name.
pub(crate) fn named<T: Copy, const N: usize>(
    field: &str,
    all: [T; N],
    name: impl Fn(T) -> &'static str,
    wanted: &str,
) -> Result<T> {
    let found = all.into_iter().find(|known| name(*known) == field);
    found.ok_or_else(|| Error::in_file(field, wanted))
}

/// A field, unless it is empty or `-`.
pub(crate) fn present(field: &str) -> Option<&str> {
    (!matches!(field, "" | "-")).then_some(field)
}

/// A field that may be missing.
pub(crate) fn optional<T: FromStr<Err = Error>>(field: &str) -> Result<Option<T>> {
    present(field).map(str::parse).transpose()
}

/// The texts of a field, which `, ` separates.
pub(crate) fn list(field: &str) -> impl Iterator<Item = &str> {
    present(field).into_iter().flat_map(|field| field.split(", "))
}

/// Refuses a line that does not say why it is there.
pub(crate) fn check_reason(field: &str) -> Result<()> {
    if field.len() > 5 { Ok(()) } else { Err(Error::in_file(field, "a reason for the line")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Result<Vec<(u32, Vec<&str>)>, String> {
        let row = |[code, names]: [_; 2]| Ok((number(code)?, list(names).collect()));
        read("names.tsv", text, "code\tnames", row).map_err(|err| err.to_string())
    }

    #[test]
    fn reads_rows_and_skips_comments() {
        let text = "# Names.\ncode\tnames\n7\ta, b\n# One without a name.\n8\t-\n9\t\n";
        assert_eq!(rows(text), Ok(vec![(7, vec!["a", "b"]), (8, vec![]), (9, vec![])]));
        let pair = |fields: [_; 2]| Ok(fields.concat());
        assert_eq!(read("pairs.csv", "a,b\n1,2\n", "a,b", pair).unwrap(), ["12"]);
    }

    #[test]
    fn a_fault_names_the_table_and_the_line() {
        let faults = [
            ("", "names.tsv, line 1: the header is not code\tnames"),
            ("# Names.\ncode\n", "names.tsv, line 2: the header is not code\tnames"),
            ("code\tnames\n7\n", "names.tsv, line 2: the fields are not code\tnames"),
            ("code\tnames\n7\ta\tb\n", "names.tsv, line 2: the fields are not code\tnames"),
            ("code\tnames\n\n", "names.tsv, line 2: the fields are not code\tnames"),
            ("code\tnames\n7\ta\n# x\n+8\tb\n", "names.tsv, line 4: \"+8\" is not a whole number"),
        ];
        for (text, fault) in faults {
            assert_eq!(rows(text), Err(fault.to_owned()));
        }
    }
}
