//! Requests to one publisher: one at a time, repeated when that may help, within a budget of time.
mod response;
mod retry;

pub(super) use response::{Answer, DownloadTarget};

use std::time::{Duration, Instant};

use fincore::downloads::Validators;
use ureq::Agent;

use super::{
    Config, Timeouts,
    failure::{Fault, FaultKind},
    network_outage::NetworkOutage,
    publisher_address::BaseUrl,
    request::{Publisher, Request},
    sync_job::Job,
};
use crate::{
    coordination::{clock::Clock, jitter::jitter, signal::Signal},
    net::http_client,
};

/// A name must be resolved and a connection made within this time.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The longest that one attempt may take, for answers of the central bank and for the archives of CVM.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(120);
const ARCHIVE_TIMEOUT: Duration = Duration::from_secs(900);

/// After this many requests in a row have failed in spite of retries, requests are not repeated any more; a server that was
/// silent, which takes long, is not even asked any more.
const MOST_FAILURES: u32 = 3;

/// Nine years become one with three splits, so more failures in a row have another reason than long windows.
const MOST_SPLITS: u32 = 3;

/// Asks one publisher, for one run.
#[derive(Debug)]
pub(super) struct Client<'a> {
    publisher: Publisher,
    agent: Agent,
    timeouts: Timeouts,
    clock: &'a Clock,
    stop: &'a Signal,
    network: &'a NetworkOutage,
    config: &'a Config,
    /// Time spent on requests and on pauses between them.
    spent: Duration,
    /// When the last answer was complete, or the last request had failed.
    last_request: Option<Instant>,
    /// Requests that failed since the last that succeeded, and why the last one did.
    failures: u32,
    last_fault: Option<Fault>,
}

impl<'a> Client<'a> {
    pub(super) fn new(
        publisher: Publisher,
        base: &BaseUrl,
        job: &'a Job<'a>,
    ) -> Result<Client<'a>, Fault> {
        let (timeouts, stop) = (job.config.timeouts, job.stop);
        let request_timeout = match publisher {
            Publisher::Sgs | Publisher::Olinda | Publisher::Ptax | Publisher::Site => {
                REQUEST_TIMEOUT
            }
            Publisher::Cvm => ARCHIVE_TIMEOUT,
        };
        let connect_timeout = CONNECT_TIMEOUT.min(timeouts.timeout);
        let agent = http_client::agent(base.proxy_mode(), request_timeout.min(timeouts.budget));
        let config = agent
            .map_err(Fault::permanent)?
            .user_agent(job.config.user_agent.as_str())
            .accept_encoding("gzip")
            .max_redirects(5)
            .timeout_resolve(Some(connect_timeout))
            .timeout_connect(Some(connect_timeout))
            .timeout_recv_response(Some(timeouts.timeout))
            .timeout_per_read(Some(timeouts.timeout))
            .build();
        Ok(Client {
            publisher,
            agent: http_client::connect_to_ipv4_first(config),
            timeouts,
            clock: job.clock,
            stop,
            network: &job.network,
            config: job.config,
            spent: Duration::ZERO,
            last_request: None,
            failures: 0,
            last_fault: None,
        })
    }

    /// Asks for a file, unless it is the same as the known one.
    pub(super) fn get(
        &mut self,
        request: &Request,
        known: Option<&Validators>,
        target: DownloadTarget<'_>,
    ) -> Result<Answer, Fault> {
        if let (MOST_FAILURES.., Some(Fault { message, kind: FaultKind::Silence })) =
            (self.failures, &self.last_fault)
        {
            let message = format!("not asked: {} keeps failing ({message})", self.publisher.name());
            return Err(Fault { message, kind: FaultKind::Skipped });
        }
        if let Some(reason) = self.network.reason() {
            return Err(Fault { message: reason, kind: FaultKind::Skipped });
        }
        let answer = self.get_with_retries(request, known, target);
        match &answer {
            Ok(_) => self.failures = 0,
            Err(fault) => match fault.kind {
                FaultKind::Temporary { .. }
                | FaultKind::NotData
                | FaultKind::Unreachable
                | FaultKind::Silence => {
                    self.failures += 1;
                    self.last_fault = Some(fault.clone());
                }
                FaultKind::Permanent
                | FaultKind::Refused
                | FaultKind::Skipped
                | FaultKind::Stopped => (),
            },
        }
        answer
    }

    /// Whether requests for fewer days may help after something else than data came: the publisher does not always fail.
    pub(super) fn may_ask_for_less(&self) -> bool {
        self.failures <= MOST_SPLITS
    }

    fn get_with_retries(
        &mut self,
        request: &Request,
        known: Option<&Validators>,
        target: DownloadTarget<'_>,
    ) -> Result<Answer, Fault> {
        let mut tries = 0;
        loop {
            if self.stop.is_stopped() {
                return Err(Fault::stopped());
            }
            if self.spent >= self.timeouts.budget {
                return Err(self.out_of_time("the rest follows with the next sync"));
            }
            self.keep_pace();
            let started = Instant::now();
            let answer = self.send(request, known, target);
            self.spent += started.elapsed();
            self.last_request = Some(Instant::now());
            tries += 1;
            let fault = match answer {
                Ok(answer) => {
                    self.network.note_contact();
                    return Ok(answer);
                }
                Err(fault) => fault,
            };
            if fault.kind != FaultKind::Unreachable {
                self.network.note_contact();
            } else if let Some(reason) = self.network.examine(self.config) {
                return Err(Fault { message: reason, kind: FaultKind::Skipped });
            }
            let pause = retry::pause(&fault, tries, self.timeouts.retry_delay, jitter());
            let Some(pause) = pause.filter(|_| self.failures < MOST_FAILURES) else {
                return Err(with_tries(fault, tries));
            };
            if self.spent.saturating_add(pause) >= self.timeouts.budget {
                return Err(self.no_time_to_wait(fault, tries));
            }
            self.clock.pause(pause, self.stop);
            self.spent += pause;
        }
    }

    /// Waits until enough time has passed since the last request.
    fn keep_pace(&mut self) {
        let passed = self.last_request.map_or(Duration::MAX, |last| last.elapsed());
        let pause = self.timeouts.pace.saturating_sub(passed);
        if !pause.is_zero() {
            self.clock.pause(pause, self.stop);
            self.spent += pause;
        }
    }

    fn send(
        &self,
        request: &Request,
        known: Option<&Validators>,
        target: DownloadTarget<'_>,
    ) -> Result<Answer, Fault> {
        let mut call = self.agent.get(&request.url);
        if let Some(known) = known {
            if let Some(etag) = &known.etag {
                call = call.header("If-None-Match", etag);
            }
            if let Some(modified) = &known.modified {
                call = call.header("If-Modified-Since", modified);
            }
        }
        let (now, slowest) = (self.clock.now().utc, self.timeouts.timeout);
        response::read(call.call()?, request, known, target, (now, slowest), self.stop)
    }

    /// That the time before the next attempt is longer than the rest of the budget.
    fn no_time_to_wait(&self, fault: Fault, tries: u32) -> Fault {
        let FaultKind::Temporary { wait: Some(wait) } = fault.kind else {
            return self.out_of_time(&fault.message);
        };
        let (wait, seconds) = (retry::in_words(wait), self.timeouts.budget.as_secs());
        let Fault { message, .. } = with_tries(fault, tries);
        Fault::permanent(format!(
            "{message}: it asks for a pause of {wait}, but --budget allows {seconds} seconds; it is asked again by the next sync"
        ))
    }

    fn out_of_time(&self, why: &str) -> Fault {
        let (name, seconds) = (self.publisher.name(), self.timeouts.budget.as_secs());
        Fault::permanent(format!(
            "{name} took the {seconds} seconds that --budget gives it ({why})"
        ))
    }
}

/// Adds how often it was tried.
fn with_tries(fault: Fault, tries: u32) -> Fault {
    if tries < 2 {
        return fault;
    }
    Fault { message: format!("{} ({tries} tries)", fault.message), ..fault }
}
