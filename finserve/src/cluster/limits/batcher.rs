//! The questions of one worker, sent in batches on a connection of its own.
//!
//! One script for 32 callers takes the engine a third of the processor time of 32 scripts for one. In a cluster each
//! caller has its own call, and all calls are under way at once.
use std::{
    mem,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use fincore::{
    Caller,
    limits::{Limiter, Standing},
};
use tokio::{
    sync::{
        Notify,
        oneshot::{self, Receiver, Sender},
    },
    task::yield_now,
    time::{interval_at, sleep, timeout},
};

use super::{
    ANSWER, CONNECT, FIRST_CONNECT, Shared,
    engine::Engine,
    fault::Fault,
    script::{Answer, Question},
};

/// The most questions in one call: the engine does nothing else meanwhile.
const MOST: usize = 256;

/// How long a batcher without a connection waits until it tries again.
const RETRY: Duration = Duration::from_millis(500);

/// How often an unused connection is tried.
const IDLE: Duration = Duration::from_millis(500);

/// The questions of one worker. Clones are the same batcher.
#[derive(Clone)]
pub(crate) struct Batcher(Arc<Inner>);

struct Inner {
    shared: Arc<Shared>,
    queue: Mutex<Queue>,
    wake: Notify,
}

struct Queue {
    /// Whether the batcher runs, and has a connection or may have one in a moment. Otherwise no question is queued.
    is_open: bool,
    waiting: Vec<Waiting>,
}

/// A question, and the request that waits for the answer. Where no answer comes, this is dropped.
struct Waiting {
    question: Question,
    answer: Sender<Answer>,
}

/// The first step of an admission.
enum Admission {
    /// This replica has to decide alone.
    Alone,
    /// There is no room in the memory of this replica.
    Full(Standing),
    /// The engine decides.
    Asked(Receiver<Answer>),
}

impl Limiter for Batcher {
    async fn admit(&self, caller: &Caller, now: Instant) -> Result<Standing, Standing> {
        let answer = match self.begin_admission(caller, now) {
            Admission::Full(standing) => return Err(standing),
            Admission::Asked(answer) => answer.await.ok(),
            Admission::Alone => None,
        };
        self.finish_admission(caller, now, answer)
    }

    async fn peek(&self, caller: &Caller, now: Instant) -> Standing {
        let answer = match self.ask(Question::peek(caller)) {
            Some(answer) => answer.await.ok(),
            None => None,
        };
        self.standing(caller, now, answer)
    }
}

impl Batcher {
    pub(super) fn new(shared: Arc<Shared>) -> Batcher {
        let queue = Mutex::new(Queue { is_open: false, waiting: Vec::new() });
        Batcher(Arc::new(Inner { shared, queue, wake: Notify::new() }))
    }

    /// `admit`, for a thread that may wait.
    pub(super) fn admit_blocking(
        &self,
        caller: &Caller,
        now: Instant,
    ) -> Result<Standing, Standing> {
        let answer = match self.begin_admission(caller, now) {
            Admission::Full(standing) => return Err(standing),
            Admission::Asked(answer) => answer.blocking_recv().ok(),
            Admission::Alone => None,
        };
        self.finish_admission(caller, now, answer)
    }

    /// `peek`, for a thread that may wait.
    pub(super) fn peek_blocking(&self, caller: &Caller, now: Instant) -> Standing {
        let answer = self.ask(Question::peek(caller));
        self.standing(caller, now, answer.and_then(|answer| answer.blocking_recv().ok()))
    }

    fn begin_admission(&self, caller: &Caller, now: Instant) -> Admission {
        if let Some(standing) = self.0.shared.refuse_at_once(caller, now) {
            return Admission::Full(standing);
        }
        self.ask(Question::admit(caller)).map_or(Admission::Alone, Admission::Asked)
    }

    /// Queues a question. The receiver fails where no answer comes in time.
    fn ask(&self, question: Question) -> Option<Receiver<Answer>> {
        let mut queue = self.0.queue();
        if !queue.is_open {
            return None;
        }
        let (sender, answer) = oneshot::channel();
        queue.waiting.push(Waiting { question, answer: sender });
        let is_first = queue.waiting.len() == 1;
        drop(queue);
        if is_first {
            self.0.wake.notify_one();
        }
        Some(answer)
    }

    fn finish_admission(
        &self,
        caller: &Caller,
        now: Instant,
        answer: Option<Answer>,
    ) -> Result<Standing, Standing> {
        match answer {
            Some(answer) => self.0.shared.admit_by_answer(caller, now, &answer),
            None => self.0.shared.admit_alone(caller, now),
        }
    }

    fn standing(&self, caller: &Caller, now: Instant, answer: Option<Answer>) -> Standing {
        match answer {
            Some(answer) => answer.standing(caller.plan.limit()),
            None => self.0.shared.memory.peek(caller, now),
        }
    }

    /// Keeps a connection, and sends by it what is queued here. Never ends. When it is dropped, even before its first
    /// poll, requests that wait here are decided by this replica alone.
    pub(crate) fn run(self) -> impl Future<Output = ()> + Send + use<> {
        // The first requests wait until it is known whether the engine is there.
        self.0.queue().is_open = true;
        // The future owns this from the beginning: the body of an `async fn` that is never polled has nothing to drop.
        let batcher = Running(self.0);
        async move { batcher.keep_connected().await }
    }
}

/// A batcher that runs. Requests must not wait for one that does not.
struct Running(Arc<Inner>);

impl Drop for Running {
    fn drop(&mut self) {
        let mut queue = self.0.queue();
        queue.is_open = false;
        queue.waiting.clear();
    }
}

impl Running {
    async fn keep_connected(&self) {
        let batcher = &*self.0;
        let Shared { endpoint, window, .. } = &*batcher.shared;
        let mut time_to_connect = FIRST_CONNECT;
        loop {
            let opened = timeout(time_to_connect, Engine::open(endpoint, *window)).await;
            let (fault, begun) = match opened.unwrap_or(Err(Fault::Slow)) {
                Ok(engine) => {
                    let begun = Instant::now();
                    batcher.open();
                    (batcher.serve(engine).await, Some(begun))
                }
                Err(fault) => (Some(fault), None),
            };
            match fault {
                // It was closed while it was unused: a request may come at any time, and waits as long as for an answer.
                None => {
                    batcher.shared.doubt(Instant::now());
                    time_to_connect = ANSWER;
                }
                Some(fault) => {
                    batcher.close(&fault);
                    time_to_connect = CONNECT;
                    // One that has worked for some time is tried again at once.
                    if begun.is_none_or(|begun| begun.elapsed() < RETRY) {
                        sleep(RETRY).await;
                    }
                }
            }
        }
    }
}

impl Inner {
    fn queue(&self) -> std::sync::MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(&self) {
        let was_open = mem::replace(&mut self.queue().is_open, true);
        if !was_open {
            self.shared.report_back();
        }
    }

    /// Lets this replica decide alone about all requests that wait, and those that come.
    fn close(&self, why: &Fault) {
        let mut queue = self.queue();
        let was_open = mem::replace(&mut queue.is_open, false);
        let left = mem::take(&mut queue.waiting);
        drop(queue);
        drop(left);
        if was_open {
            self.shared.report_lost(why);
        }
    }

    /// Answers by this connection until it fails; with nothing if it was closed while no request waited.
    async fn serve(&self, mut engine: Engine) -> Option<Fault> {
        let (mut questions, mut senders) = (Vec::new(), Vec::new());
        let mut looks = interval_at(tokio::time::Instant::now() + IDLE, IDLE);
        let mut is_idle = true;
        loop {
            // Requests that are ready to run join the same call.
            yield_now().await;
            {
                let mut queue = self.queue();
                let count = queue.waiting.len().min(MOST);
                for Waiting { question, answer } in queue.waiting.drain(..count) {
                    questions.push(question);
                    senders.push(answer);
                }
            }
            if questions.is_empty() {
                tokio::select! {
                    () = self.wake.notified() => continue,
                    () = engine.wait_for_end() => return None,
                    _ = looks.tick() => {
                        if !mem::replace(&mut is_idle, true) {
                            continue;
                        }
                        questions.push(Question::probe());
                    }
                }
            } else {
                is_idle = false;
            }
            let answered = timeout(ANSWER, engine.ask(&questions)).await;
            match answered.unwrap_or(Err(Fault::Slow)) {
                Ok(answers) => {
                    for (sender, answer) in senders.drain(..).zip(answers) {
                        // The request may have ended meanwhile.
                        let _ = sender.send(answer);
                    }
                    questions.clear();
                }
                Err(fault) => return Some(fault),
            }
        }
    }
}
