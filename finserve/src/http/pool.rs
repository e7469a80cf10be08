//! Threads for work that takes long, so that no short request waits for it.
use std::{
    num::NonZero,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, Receiver, Sender},
    },
    thread::{self, JoinHandle},
};

use tokio::sync::oneshot;

/// How far the threads stand back (their niceness): beside threads that answer short requests they get about a tenth of
/// a processor, and all of it where nobody else wants it.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

type Work = Box<dyn FnOnce() + Send>;

/// Some threads. Work is done in the order in which it came.
pub(crate) struct Pool {
    /// Nothing once the pool is closed.
    queue: Mutex<Option<Sender<Work>>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl Pool {
    /// A thread for each processor.
    pub(crate) fn start() -> Pool {
        Pool::of(processors())
    }

    /// A thread for every other processor, for streams. Each part of a stream may be made by another thread, and every
    /// thread keeps memory for the next part: with many of them, a single stream would take as much as many.
    pub(crate) fn for_streams() -> Pool {
        Pool::of(processors().div_ceil(2))
    }

    fn of(count: usize) -> Pool {
        let (sender, receiver) = mpsc::channel();
        let receiver = Arc::new(Mutex::new(receiver));
        let threads = (0..count).map(|_| {
            let receiver = receiver.clone();
            thread::spawn(move || work(&receiver))
        });
        let threads = Mutex::new(threads.collect());
        Pool { queue: Mutex::new(Some(sender)), threads }
    }

    /// Has the work done, and hands over what it returns; nothing if it panics, or if the pool is closed.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> oneshot::Receiver<T> {
        let (sender, receiver) = oneshot::channel();
        let work = Box::new(move || {
            if let Ok(done) = catch_unwind(AssertUnwindSafe(work)) {
                // Whoever asked may have gone.
                let _ = sender.send(done);
            }
        });
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(queue) = &*queue {
            // The threads take work for as long as there is a queue.
            let _ = queue.send(work);
        }
        receiver
    }

    /// Does what is waiting, and then nothing any more.
    pub(crate) fn close(&self) {
        drop(self.queue.lock().unwrap_or_else(PoisonError::into_inner).take());
        let threads =
            std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads {
            // Work that panics does not end its thread.
            let _ = thread.join();
        }
    }
}

fn processors() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

fn work(queue: &Mutex<Receiver<Work>>) {
    #[cfg(target_os = "linux")]
    {
        // On Linux this is about the calling thread. Without it, long work only takes a larger share.
        let _ = rustix::process::setpriority_process(None, NICENESS);
    }
    loop {
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(work) = next else { return };
        work();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_done_even_after_a_panic_and_before_the_end() {
        let pool = Pool::start();
        let panicked: Vec<_> = (0..20).map(|_| pool.run(|| panic!("a bug"))).collect();
        let done: Vec<_> = (0..100).map(|number| pool.run(move || number)).collect();
        pool.close();
        assert!(
            panicked
                .into_iter()
                .all(|result: oneshot::Receiver<()>| result.blocking_recv().is_err())
        );
        let done: Vec<_> = done.into_iter().map(|result| result.blocking_recv().unwrap()).collect();
        assert_eq!(done, (0..100).collect::<Vec<_>>());
        assert!(pool.run(|| 1).blocking_recv().is_err());
    }
}
