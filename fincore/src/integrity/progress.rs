//! The progress of a check or a repair.

/// The progress of [`Catalogue::check_with`](crate::Catalogue::check_with) and
/// [`Catalogue::rebuild_with`](crate::Catalogue::rebuild_with).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckStep {
    /// What is being checked.
    pub doing: &'static str,
    /// The number of steps done so far.
    pub done: usize,
    /// The number of steps in total.
    pub steps: usize,
    /// The number of rows done in this step.
    pub rows: u64,
}

/// Reports progress to the caller.
pub(super) struct Progress<'a> {
    report: Option<&'a mut dyn FnMut(CheckStep)>,
    now: CheckStep,
    has_begun: bool,
}

/// The number of rows between two reports.
const REPORT_INTERVAL: u64 = 10_000;

impl<'a> Progress<'a> {
    pub(super) fn new(report: &'a mut dyn FnMut(CheckStep), steps: usize) -> Progress<'a> {
        Progress {
            report: Some(report),
            now: CheckStep { doing: "", done: 0, steps, rows: 0 },
            has_begun: false,
        }
    }

    /// Reports nothing, for a step that is part of another one.
    pub(super) fn none() -> Progress<'static> {
        Progress {
            report: None,
            now: CheckStep { doing: "", done: 0, steps: 0, rows: 0 },
            has_begun: false,
        }
    }

    pub(super) fn begin(&mut self, doing: &'static str) {
        let done = self.now.done + usize::from(self.has_begun);
        (self.now, self.has_begun) = (CheckStep { doing, done, rows: 0, ..self.now }, true);
        self.report();
    }

    pub(super) fn count_row(&mut self) {
        self.now.rows += 1;
        if self.now.rows.is_multiple_of(REPORT_INTERVAL) {
            self.report();
        }
    }

    /// Sets the number of rows done in this step.
    pub(super) fn set_rows(&mut self, rows: u64) {
        self.now.rows = rows;
        self.report();
    }

    fn report(&mut self) {
        if let Some(report) = &mut self.report {
            report(self.now);
        }
    }
}
