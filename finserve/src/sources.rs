//! The publishers of the data: what is downloaded from whom, when, and how it reaches the catalogue.
mod background;
mod base;
mod client;
mod cvm;
mod days;
mod fault;
mod fill;
mod job;
mod lane;
mod olinda;
mod ptax;
mod reach;
mod request;
mod response;
mod retry;
mod run;
mod schedule;
mod selection;
mod sgs;

pub(crate) use background::start;
pub(crate) use base::Base;
pub(crate) use fault::in_words;
pub(crate) use job::{Job, Mode, Outcome};
pub(crate) use reach::{Sign, reach};
pub(crate) use run::run;
pub(crate) use selection::Selection;

use std::time::Duration;

use fincore::{Date, chrono::TimeDelta};

/// Where the publishers are, what is wanted of them, and how patient to be.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    pub(crate) bases: Bases,
    pub(crate) only: Selection,
    /// The first day of a first fill.
    pub(crate) since: Option<Date>,
    pub(crate) patience: Patience,
    /// How long the change log reaches back.
    pub(crate) keep_changes: TimeDelta,
}

/// The address of each publisher.
#[derive(Clone, Debug)]
pub(crate) struct Bases {
    pub(crate) sgs: Base,
    pub(crate) olinda: Base,
    pub(crate) ptax: Base,
    pub(crate) cvm: Base,
}

/// How long to wait for a publisher.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// The most time that all requests to one publisher may take in one run, pauses included.
    pub(crate) budget: Duration,
    /// How long a server may be silent.
    pub(crate) timeout: Duration,
    /// The pause before the first repetition; it doubles with each one.
    pub(crate) retry_delay: Duration,
}
