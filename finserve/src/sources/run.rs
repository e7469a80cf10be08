//! One run over datasets: the central bank and CVM side by side, each one request at a time.
use std::thread;

use super::{
    job::{Job, Outcome},
    lane::Lane,
    selection::{Content, Dataset},
};

/// Brings these datasets up to date. Each is reported as soon as it is done; a failure of one stops no other.
pub(super) fn run_datasets(
    job: &Job<'_>,
    datasets: &[Dataset],
    report: &(dyn Fn(&Outcome) + Sync),
) -> Vec<Outcome> {
    let of_cvm =
        |dataset: &&Dataset| matches!(dataset.content, Content::Companies | Content::Filings);
    let (cvm, bcb): (Vec<_>, Vec<_>) = datasets.iter().partition(of_cvm);
    let lane = |datasets: Vec<&Dataset>| {
        let mut lane = Lane::new(job);
        let mut outcomes = Vec::with_capacity(datasets.len());
        for dataset in datasets {
            let outcome = lane.dataset(dataset);
            if outcome.stopped {
                break;
            }
            report(&outcome);
            outcomes.push(outcome);
        }
        outcomes
    };
    thread::scope(|scope| {
        let cvm = scope.spawn(|| lane(cvm));
        let mut outcomes = lane(bcb);
        outcomes.extend(cvm.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        outcomes
    })
}

/// Brings all wanted datasets up to date.
pub(crate) fn run(job: &Job<'_>, report: &(dyn Fn(&Outcome) + Sync)) -> Vec<Outcome> {
    run_datasets(job, &job.config.only.datasets(|_| true), report)
}
