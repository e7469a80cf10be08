//! One run over datasets: the central bank and CVM in parallel, each one request at a time.
use std::thread;

use fincore::{
    Catalogue, Date, downloads,
    market::{self, History, SeriesList},
};

use super::{
    Config,
    dataset_selection::{Content, Dataset, HeldData},
    publisher_queue::PublisherQueue,
    sgs,
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
    let held = || held_data(job.catalogue, job.config, job.today);
    run_datasets(job, &job.config.only.datasets(held, |_| true), report)
}

/// The held series that are in no dataset of their own: known ones, and others that were downloaded before. A number that
/// only files had may be none of SGS. And the meetings to come.
pub(super) fn held_data(catalogue: &Catalogue, config: &Config, today: Date) -> HeldData {
    let held = || -> fincore::Result<HeldData> {
        let snapshot = catalogue.snapshot(today)?;
        let meetings = market::selic_decisions(&snapshot, History::default())?.upcoming;
        let mut numbers = Vec::new();
        for series in market::series_list(&snapshot, SeriesList::default())?.data {
            let known = market::known_series().iter().find(|known| known.number == series.number);
            let is_kept = match known {
                Some(known) => known.on_demand,
                None => {
                    let prefix = sgs::url_prefix(&config.urls.sgs, series.number);
                    !downloads::addresses(&snapshot, &prefix)?.is_empty()
                }
            };
            numbers.extend(is_kept.then_some(series.number));
        }
        Ok(HeldData { on_demand: numbers, meetings_to_come: meetings.len() })
    };
    held().unwrap_or_else(|err| {
        tracing::error!("sync: what is held cannot be read: {err}");
        HeldData::default()
    })
}
