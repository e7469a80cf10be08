//! Rows of a table that cannot be read: a few are left out, many refuse the file.
use crate::import::{Contradictions, Refusal};

/// More than one bad row in this many means that the file is not what it seems to be.
const MOST_BAD: usize = 100;

/// Of a few bad rows, one in this many means the same.
const MOST_BAD_OF_FEW: usize = 10;

/// How many bad rows are few, and how many that contradict others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FewBad {
    One,
    /// Or twenty: archives of statements may have small tables, of some forms.
    Five,
}

/// More than one row in this many that contradicts another means the same, unless they are few.
const MOST_CONTRADICTIONS: usize = 10;

/// The number of lines shown; the others are only counted.
const EXAMPLES: usize = 3;

/// The bad rows of a table so far.
#[derive(Debug, Default)]
pub(crate) struct BadRows {
    rows: usize,
    left_out: Examples,
    /// Rows that are kept without some of their fields, and the number of these fields.
    incomplete: Examples,
    fields: usize,
    contradictions: Contradictions,
    /// Blank lines since the last row, which are allowed only at the end of the file: how many, and the first.
    blank: (usize, usize),
}

#[derive(Debug, Default)]
struct Examples {
    count: usize,
    lines: Vec<(usize, String)>,
}

impl BadRows {
    /// Counts a line with content.
    pub(crate) fn count_row(&mut self) {
        let (blank, first) = std::mem::take(&mut self.blank);
        for number in 0..blank {
            self.rows += 1;
            self.left_out.add(first + number, "the line is blank");
        }
        self.rows += 1;
    }

    /// Counts a line without content. At the end of the file it is ignored.
    pub(crate) fn count_blank_line(&mut self, number: usize) {
        let (count, first) = self.blank;
        self.blank = (count + 1, if count == 0 { number } else { first });
    }

    /// Adds a row that is left out.
    pub(crate) fn leave_out(&mut self, line: usize, reason: impl ToString) {
        self.left_out.add(line, reason);
    }

    /// Adds a row that is kept without some of its fields.
    pub(crate) fn leave_out_fields(&mut self, line: usize, reasons: &[String]) {
        if !reasons.is_empty() {
            self.fields += reasons.len();
            self.incomplete.add(line, reasons.join(", "));
        }
    }

    /// Adds a row that has other values than another one with the same number.
    pub(crate) fn contradict(&mut self, line: usize) {
        self.contradictions.add(line);
    }

    /// A sentence about rows that contradict others, if there are any.
    pub(crate) fn contradiction_note(&self) -> Option<String> {
        self.contradictions.note()
    }

    /// The number of rows so far.
    pub(crate) fn row_count(&self) -> usize {
        self.rows
    }

    pub(crate) fn any_left_out(&self) -> bool {
        self.left_out.count > 0
    }

    /// Refuses a table if more than 1 % of all rows are bad, of few bad rows 10 %, or if no row is good. One bad row is
    /// always allowed. Of rows that contradict others 10 % are too many, unless they are few.
    pub(crate) fn check(&self, few: FewBad) -> Result<(), Refusal> {
        let reason = "the same number appears twice with different values";
        check_contradictions(&self.contradictions, few, self.rows, reason)?;
        let lines = self.left_out.lines.first().into_iter().chain(self.incomplete.lines.first());
        let Some((line, reason)) = lines.min() else { return Ok(()) };
        let bad = self.left_out.count + self.incomplete.count;
        if self.left_out.count == self.rows && bad == 1 {
            return Err(Refusal::at(*line, reason));
        }
        let (most, percent) = match few {
            FewBad::Five if bad <= 5 => (MOST_BAD_OF_FEW, 10),
            FewBad::One | FewBad::Five => (MOST_BAD, 1),
        };
        if self.left_out.count == self.rows || (bad > 1 && bad * most > self.rows) {
            let rows = self.rows;
            let reason =
                format!("{reason} ({bad} of {rows} rows are bad; over {percent} % is too many)");
            return Err(Refusal::at(*line, reason));
        }
        Ok(())
    }

    /// Sentences for the report, each with the number of rows or fields that it is about.
    pub(crate) fn report(&self) -> impl Iterator<Item = (usize, String)> {
        let groups = [
            (self.left_out.count, &self.left_out, "rows that cannot be read"),
            (self.fields, &self.incomplete, "fields that cannot be read; their rows are kept"),
        ];
        let groups = groups.into_iter().filter(|(count, ..)| *count > 0);
        groups.map(|(count, rows, what)| (count, format!("{what} ({})", rows.list())))
    }
}

/// Refuses a table in which too many rows say something else than another row.
pub(crate) fn check_contradictions(
    contradictions: &Contradictions,
    few: FewBad,
    rows: usize,
    reason: &str,
) -> Result<(), Refusal> {
    let few = match few {
        FewBad::One => 1,
        FewBad::Five => 20,
    };
    match (contradictions.first(), contradictions.count()) {
        (Some(line), count) if count > few && count * MOST_CONTRADICTIONS > rows => {
            let reason = format!("{reason} ({count} of {rows} rows; over 10 % is too many)");
            Err(Refusal::at(line, reason))
        }
        _ => Ok(()),
    }
}

impl Examples {
    fn add(&mut self, line: usize, reason: impl ToString) {
        self.count += 1;
        if self.lines.len() < EXAMPLES {
            self.lines.push((line, reason.to_string()));
        }
    }

    fn list(&self) -> String {
        let lines = self.lines.iter().map(|(line, reason)| format!("line {line}: {reason}"));
        let mut list = lines.collect::<Vec<_>>().join("; ");
        if self.count > self.lines.len() {
            list += &format!("; and {} more", self.count - self.lines.len());
        }
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rows: usize, left_out: usize, fields: usize) -> BadRows {
        let mut bad_rows = BadRows::default();
        (0..rows).for_each(|_| bad_rows.count_row());
        (0..left_out).for_each(|number| bad_rows.leave_out(number + 2, "bad"));
        (0..fields).for_each(|number| bad_rows.leave_out_fields(number + 9, &["odd".to_owned()]));
        bad_rows
    }

    #[test]
    fn one_bad_row_is_always_allowed_and_one_in_a_hundred() {
        for (rows, left_out, fields) in [(0, 0, 0), (2, 1, 0), (1, 0, 1), (200, 2, 0), (200, 1, 1)]
        {
            assert_eq!(of(rows, left_out, fields).check(FewBad::One), Ok(()));
        }
        for (rows, left_out, fields) in [(199, 2, 0), (199, 1, 1), (3, 0, 2), (2, 2, 0)] {
            let refusal = of(rows, left_out, fields).check(FewBad::One).unwrap_err();
            let counted = format!("(2 of {rows} rows are bad; over 1 % is too many)");
            assert!(refusal.reason.contains(&counted), "{refusal:?}");
        }
    }

    #[test]
    fn a_few_bad_rows_do_not_refuse_a_small_table_of_statements() {
        for (rows, left_out, fields) in [(20, 2, 0), (199, 1, 1), (50, 5, 0), (600, 6, 0)] {
            assert_eq!(of(rows, left_out, fields).check(FewBad::Five), Ok(()));
        }
        for (rows, left_out, percent) in [(599, 6, 1), (19, 2, 10), (5, 5, 10), (6, 6, 1)] {
            let refusal = of(rows, left_out, 0).check(FewBad::Five).unwrap_err();
            let counted =
                format!("({left_out} of {rows} rows are bad; over {percent} % is too many)");
            assert!(refusal.reason.contains(&counted), "{refusal:?}");
        }
    }

    #[test]
    fn twenty_rows_that_contradict_others_do_not_refuse_a_small_table_of_statements() {
        let contradicting = |rows, count| {
            let mut bad_rows = of(rows, 0, 0);
            (0..count).for_each(|number| bad_rows.contradict(number + 2));
            bad_rows.check(FewBad::Five)
        };
        for (rows, count) in [(7, 2), (21, 20), (210, 21)] {
            assert_eq!(contradicting(rows, count), Ok(()));
        }
        let refusal = contradicting(209, 21).unwrap_err();
        assert!(refusal.reason.contains("21 of 209 rows; over 10 % is too many"), "{refusal:?}");
    }

    #[test]
    fn fields_of_one_row_count_once() {
        assert_eq!(of(1, 1, 0).check(FewBad::One), Err(Refusal::at(2, "bad")));
        let mut bad_rows = of(3, 0, 0);
        bad_rows.leave_out_fields(2, &["one".to_owned(), "two".to_owned()]);
        assert_eq!(bad_rows.check(FewBad::One), Ok(()), "it is one row");
        assert_eq!(bad_rows.report().next().map(|(fields, _)| fields), Some(2));
    }

    #[test]
    fn reports_the_first_lines_and_counts_the_others() {
        let report: Vec<_> = of(900, 5, 1).report().collect();
        let left_out =
            "rows that cannot be read (line 2: bad; line 3: bad; line 4: bad; and 2 more)";
        let fields = "fields that cannot be read; their rows are kept (line 9: odd)";
        assert_eq!(report, [(5, left_out.to_owned()), (1, fields.to_owned())]);
    }

    #[test]
    fn a_blank_line_counts_where_something_follows() {
        let mut bad_rows = of(100, 0, 0);
        bad_rows.count_blank_line(102);
        bad_rows.count_blank_line(103);
        assert_eq!(bad_rows.report().count(), 0);
        bad_rows.count_row();
        assert_eq!(bad_rows.check(FewBad::One).unwrap_err().line, Some(102));
        bad_rows.count_blank_line(105);
        assert_eq!(bad_rows.report().next().map(|(count, _)| count), Some(2));
    }
}
