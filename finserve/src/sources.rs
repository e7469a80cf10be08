//! Downloads from the publishers of the data: which files, when, and how they reach the catalogue.
mod background_sync;
mod client;
mod copom;
mod cvm;
mod dataset_requests;
mod dataset_selection;
mod date_windows;
mod failure;
mod network_outage;
mod olinda;
mod ptax;
mod publisher_address;
mod publisher_queue;
mod reachability;
mod request;
mod schedule;
mod sgs;
mod sync_job;
mod sync_run;
mod user_agent;

pub(crate) use background_sync::start;
pub(crate) use dataset_selection::{Selection, SeriesNumbers};
pub(crate) use failure::WAYS_OUT;
pub(crate) use network_outage::NetworkOutage;
pub(crate) use publisher_address::BaseUrl;
pub(crate) use reachability::{PublisherReply, check_publishers};
pub(crate) use sync_job::{Job, Mode, Outcome};
pub(crate) use sync_run::run;
pub(crate) use user_agent::UserAgent;

use std::time::Duration;

use fincore::{Date, chrono::TimeDelta};

/// The addresses of the publishers, the datasets to download, and how long to wait.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    pub(crate) urls: PublisherUrls,
    pub(crate) only: Selection,
    /// The first day of a first fill.
    pub(crate) since: Option<Date>,
    pub(crate) timeouts: Timeouts,
    /// How this program names itself to publishers.
    pub(crate) user_agent: UserAgent,
    /// How long the change log reaches back.
    pub(crate) keep_changes: TimeDelta,
    /// Whether implausible data is accepted, and any number of withdrawn filings removed.
    pub(crate) force: bool,
}

/// The address of each publisher.
#[derive(Clone, Debug)]
pub(crate) struct PublisherUrls {
    pub(crate) sgs: BaseUrl,
    pub(crate) olinda: BaseUrl,
    pub(crate) ptax: BaseUrl,
    /// The central bank's site.
    pub(crate) site: BaseUrl,
    pub(crate) cvm: BaseUrl,
}

/// How long to wait for a publisher.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timeouts {
    /// The most time that all requests to one publisher may take in one run, pauses included.
    pub(crate) budget: Duration,
    /// How long a server may be silent.
    pub(crate) timeout: Duration,
    /// The pause before the first retry; it doubles with each one.
    pub(crate) retry_delay: Duration,
    /// The least time between two requests to one publisher.
    pub(crate) pace: Duration,
}
