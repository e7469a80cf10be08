//! Requests to one publisher: one at a time, repeated when that may help, within a budget of time.
use std::time::{Duration, Instant};

use fincore::downloads::Validators;
use ureq::Agent;

use super::{
    Patience,
    base::Base,
    fault::{Fault, Kind},
    request::{Publisher, Request},
    response::{self, Answer, Target},
    retry::pause,
};
use crate::{jitter::jitter, outgoing, stop::Stop};

pub(super) const USER_AGENT: &str =
    concat!("finserve/", env!("CARGO_PKG_VERSION"), " (+keeps a copy of your open data)");

/// A name must be resolved and a connection made within this time.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The longest that one try may take, for answers of the central bank and for the archives of CVM.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(120);
const ARCHIVE_TIMEOUT: Duration = Duration::from_secs(900);

/// After this many requests in a row that failed although they were repeated, requests are not repeated any more;
/// if the server was silent, which takes long, it is not even asked any more.
const MOST_FAILURES: u32 = 3;

/// Asks one publisher, for one run.
#[derive(Debug)]
pub(super) struct Client<'a> {
    publisher: Publisher,
    agent: Agent,
    patience: Patience,
    stop: &'a Stop,
    /// Time spent on requests and on pauses between them.
    spent: Duration,
    /// Requests that failed since the last that succeeded, and why the last one did.
    failures: u32,
    last: Option<Fault>,
}

impl<'a> Client<'a> {
    pub(super) fn new(
        publisher: Publisher,
        base: &Base,
        patience: Patience,
        stop: &'a Stop,
    ) -> Result<Client<'a>, Fault> {
        let request_timeout = match publisher {
            Publisher::Sgs | Publisher::Olinda | Publisher::Ptax => REQUEST_TIMEOUT,
            Publisher::Cvm => ARCHIVE_TIMEOUT,
        };
        let connect_timeout = CONNECT_TIMEOUT.min(patience.timeout);
        let agent = outgoing::agent(base.way(), request_timeout.min(patience.budget));
        let config = agent
            .map_err(Fault::lasting)?
            .user_agent(USER_AGENT)
            .max_redirects(5)
            .timeout_resolve(Some(connect_timeout))
            .timeout_connect(Some(connect_timeout))
            .timeout_recv_response(Some(patience.timeout))
            .timeout_per_read(Some(patience.timeout))
            .build();
        Ok(Client {
            publisher,
            agent: config.new_agent(),
            patience,
            stop,
            spent: Duration::ZERO,
            failures: 0,
            last: None,
        })
    }

    /// Asks for what is newer than what is known.
    pub(super) fn get(
        &mut self,
        request: &Request,
        known: Option<&Validators>,
        target: Target<'_>,
    ) -> Result<Answer, Fault> {
        if let (MOST_FAILURES.., Some(Fault { words, kind: Kind::Silence })) =
            (self.failures, &self.last)
        {
            let words = format!("not asked: {} keeps failing ({words})", self.publisher.name());
            return Err(Fault { words, kind: Kind::Unasked });
        }
        let answer = self.repeat(request, known, target);
        match &answer {
            Ok(_) => self.failures = 0,
            Err(fault) => match fault.kind {
                Kind::Trouble { .. } | Kind::Silence => {
                    self.failures += 1;
                    self.last = Some(fault.clone());
                }
                Kind::Lasting | Kind::Unasked | Kind::Stopped => (),
            },
        }
        answer
    }

    fn repeat(
        &mut self,
        request: &Request,
        known: Option<&Validators>,
        target: Target<'_>,
    ) -> Result<Answer, Fault> {
        let mut tries = 0;
        loop {
            if self.stop.is_stopped() {
                return Err(Fault::stopped());
            }
            if self.spent >= self.patience.budget {
                return Err(self.out_of_time("the rest follows with the next sync"));
            }
            let started = Instant::now();
            let answer = self.once(request, known, target);
            self.spent += started.elapsed();
            tries += 1;
            let fault = match answer {
                Ok(answer) => return Ok(answer),
                Err(fault) => fault,
            };
            let pause = pause(&fault, tries, self.patience.retry_delay, jitter());
            let Some(pause) = pause.filter(|_| self.failures < MOST_FAILURES) else {
                return Err(after(fault, tries));
            };
            if self.spent + pause >= self.patience.budget {
                return Err(self.out_of_time(&fault.words));
            }
            self.stop.wait(pause);
            self.spent += pause;
        }
    }

    fn once(
        &self,
        request: &Request,
        known: Option<&Validators>,
        target: Target<'_>,
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
        let slowest = self.patience.timeout;
        response::read(call.call()?, request, known, target, slowest, self.stop)
    }

    fn out_of_time(&self, why: &str) -> Fault {
        let (name, seconds) = (self.publisher.name(), self.patience.budget.as_secs());
        Fault::lasting(format!("{name} took the {seconds} seconds that --budget gives it ({why})"))
    }
}

/// Says how often it was tried.
fn after(fault: Fault, tries: u32) -> Fault {
    if tries < 2 {
        return fault;
    }
    Fault { words: format!("{} ({tries} tries)", fault.words), ..fault }
}
