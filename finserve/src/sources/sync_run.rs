//! One run over datasets: the central bank and CVM in parallel, each one request at a time.
use std::thread;

use super::{
    dataset_selection::{Content, Dataset},
    publisher_queue::PublisherQueue,
    sync_job::{Job, Outcome},
};

/// Brings these datasets up to date. Each is reported as soon as it is done; a failure of one stops no other.
pub(super) fn run_datasets(
    job: &Job<'_>,
    datasets: &[Dataset],
    report: &(dyn Fn(&Outcome) + Sync),
) -> Vec<Outcome> {
    let of_cvm =
        |dataset: &&Dataset| matches!(dataset.content, Content::Companies | Content::Filings(_));
    let (cvm, bcb): (Vec<_>, Vec<_>) = datasets.iter().partition(of_cvm);
    let run_queue = |datasets: Vec<&Dataset>| {
        let mut queue = PublisherQueue::new(job);
        let mut outcomes = Vec::with_capacity(datasets.len());
        for dataset in datasets {
            let outcome = queue.sync(dataset);
            if outcome.stopped {
                break;
            }
            report(&outcome);
            outcomes.push(outcome);
        }
        outcomes
    };
    thread::scope(|scope| {
        let cvm = scope.spawn(|| run_queue(cvm));
        let mut outcomes = run_queue(bcb);
        outcomes.extend(cvm.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        outcomes
    })
}

/// Brings all wanted datasets up to date.
pub(crate) fn run(job: &Job<'_>, report: &(dyn Fn(&Outcome) + Sync)) -> Vec<Outcome> {
    run_datasets(job, &job.config.only.datasets(|_| true), report)
}
