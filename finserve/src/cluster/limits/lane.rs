//! The questions of one worker, on a connection of its own.
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

use super::{CONNECT, Common, Engine, FIRST, Fault, PATIENCE, Question, Told};

/// The most questions in one call: the engine does nothing else meanwhile.
const MOST: usize = 256;

/// How long a lane without a connection waits until it tries again.
const RETRY: Duration = Duration::from_millis(500);

/// How often a connection that nobody uses is tried.
const IDLE: Duration = Duration::from_millis(500);

/// The questions of one worker. Clones are the same lane.
#[derive(Clone)]
pub(crate) struct Lane(Arc<Inner>);

struct Inner {
    common: Arc<Common>,
    queue: Mutex<Queue>,
    wake: Notify,
}

struct Queue {
    /// Whether the lane runs, and has a connection or may have one in a moment. Otherwise nobody waits here.
    is_open: bool,
    waiting: Vec<Waiting>,
}

/// A question, and who asks. Where no answer comes, this is dropped.
struct Waiting {
    question: Question,
    answer: Sender<Told>,
}

/// What may be done at once, or after an answer.
enum Asked {
    /// There is nobody to ask.
    Alone,
    /// There is no room in the memory of this replica.
    Full(Standing),
    Waits(Receiver<Told>),
}

impl Limiter for Lane {
    async fn admit(&self, caller: &Caller, now: Instant) -> Result<Standing, Standing> {
        let told = match self.ask_to_admit(caller, now) {
            Asked::Full(standing) => return Err(standing),
            Asked::Waits(answer) => answer.await.ok(),
            Asked::Alone => None,
        };
        self.admitted(caller, now, told)
    }

    async fn peek(&self, caller: &Caller, now: Instant) -> Standing {
        let told = match self.ask(Question::peek(caller)) {
            Some(answer) => answer.await.ok(),
            None => None,
        };
        self.peeked(caller, now, told)
    }
}

impl Lane {
    pub(super) fn new(common: Arc<Common>) -> Lane {
        let queue = Mutex::new(Queue { is_open: false, waiting: Vec::new() });
        Lane(Arc::new(Inner { common, queue, wake: Notify::new() }))
    }

    /// The same as `admit`, for a thread that may wait.
    pub(super) fn admit_blocking(
        &self,
        caller: &Caller,
        now: Instant,
    ) -> Result<Standing, Standing> {
        let told = match self.ask_to_admit(caller, now) {
            Asked::Full(standing) => return Err(standing),
            Asked::Waits(answer) => answer.blocking_recv().ok(),
            Asked::Alone => None,
        };
        self.admitted(caller, now, told)
    }

    /// The same as `peek`, for a thread that may wait.
    pub(super) fn peek_blocking(&self, caller: &Caller, now: Instant) -> Standing {
        let answer = self.ask(Question::peek(caller));
        self.peeked(caller, now, answer.and_then(|answer| answer.blocking_recv().ok()))
    }

    fn ask_to_admit(&self, caller: &Caller, now: Instant) -> Asked {
        if let Some(standing) = self.0.common.full(caller, now) {
            return Asked::Full(standing);
        }
        self.ask(Question::admit(caller)).map_or(Asked::Alone, Asked::Waits)
    }

    /// Queues a question. The receiver fails where no answer comes in time.
    fn ask(&self, question: Question) -> Option<Receiver<Told>> {
        let mut queue = self.0.queue();
        if !queue.is_open {
            return None;
        }
        let (answer, told) = oneshot::channel();
        queue.waiting.push(Waiting { question, answer });
        let is_first = queue.waiting.len() == 1;
        drop(queue);
        if is_first {
            self.0.wake.notify_one();
        }
        Some(told)
    }

    fn admitted(
        &self,
        caller: &Caller,
        now: Instant,
        told: Option<Told>,
    ) -> Result<Standing, Standing> {
        match told {
            Some(told) => self.0.common.admitted(caller, now, &told),
            None => self.0.common.admit_alone(caller, now),
        }
    }

    fn peeked(&self, caller: &Caller, now: Instant, told: Option<Told>) -> Standing {
        match told {
            Some(told) => told.standing(caller.plan.limit()),
            None => self.0.common.memory.peek(caller, now),
        }
    }

    /// Keeps a connection, and asks by it what is asked here. Never ends; whoever waits when it is dropped is left alone,
    /// even where it was never polled.
    pub(crate) fn run(self) -> impl Future<Output = ()> + Send + use<> {
        // Whoever comes at the very start waits until it is known whether the engine is there.
        self.0.queue().is_open = true;
        // The future owns this from the beginning: the body of an `async fn` that is never polled has nothing to drop.
        let lane = Running(self.0);
        async move { lane.keep().await }
    }
}

/// A lane that runs. Nobody may wait for one that does not.
struct Running(Arc<Inner>);

impl Drop for Running {
    fn drop(&mut self) {
        let mut queue = self.0.queue();
        queue.is_open = false;
        queue.waiting.clear();
    }
}

impl Running {
    async fn keep(&self) {
        let lane = &*self.0;
        let Common { address, window, .. } = &*lane.common;
        let mut patience = FIRST;
        loop {
            let opened = timeout(patience, Engine::open(address, *window)).await;
            let (fault, begun) = match opened.unwrap_or(Err(Fault::Slow)) {
                Ok(engine) => {
                    let begun = Instant::now();
                    lane.open();
                    (lane.serve(engine).await, Some(begun))
                }
                Err(fault) => (Some(fault), None),
            };
            match fault {
                // It was closed while nobody used it: somebody may come at any time, and wait as long as for an answer.
                None => {
                    lane.common.doubt(Instant::now());
                    patience = PATIENCE;
                }
                Some(fault) => {
                    lane.close(&fault);
                    patience = CONNECT;
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
            self.common.back();
        }
    }

    /// Leaves all who wait to themselves, and those who come.
    fn close(&self, why: &Fault) {
        let mut queue = self.queue();
        let was_open = mem::replace(&mut queue.is_open, false);
        let left = mem::take(&mut queue.waiting);
        drop(queue);
        drop(left);
        if was_open {
            self.common.lost(why);
        }
    }

    /// Answers by this connection until it fails; with nothing if it was closed while nobody waited.
    async fn serve(&self, mut engine: Engine) -> Option<Fault> {
        let (mut questions, mut senders) = (Vec::new(), Vec::new());
        let mut looks = interval_at(tokio::time::Instant::now() + IDLE, IDLE);
        let mut is_idle = true;
        loop {
            // Whoever has come meanwhile is in the same call.
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
                    _ = engine.ended() => return None,
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
            let answered = timeout(PATIENCE, engine.ask(&questions)).await;
            match answered.unwrap_or(Err(Fault::Slow)) {
                Ok(answers) => {
                    for (sender, told) in senders.drain(..).zip(answers) {
                        // Whoever asked may have gone.
                        let _ = sender.send(told);
                    }
                    questions.clear();
                }
                Err(fault) => return Some(fault),
            }
        }
    }
}
