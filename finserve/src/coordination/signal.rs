//! Waking a thread that waits, or stopping it for good.
use std::{
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// A signal to a waiting thread. A wake-up ends the present wait, or else the next one; a stop ends every wait, now and
/// later, and is never overwritten.
#[derive(Debug, Default)]
pub(crate) struct Signal {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Idle,
    Woken,
    Stopped,
}

/// The reason a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wake {
    Timeout,
    Woken,
    Stopped,
}

impl Signal {
    /// Ends one wait.
    pub(crate) fn wake(&self) {
        let mut state = self.lock();
        if *state == State::Idle {
            *state = State::Woken;
        }
        self.changed.notify_all();
    }

    /// Ends all waits, now and later.
    pub(crate) fn stop(&self) {
        *self.lock() = State::Stopped;
        self.changed.notify_all();
    }

    pub(crate) fn is_stopped(&self) -> bool {
        *self.lock() == State::Stopped
    }

    /// Waits for a wake-up or a stop, but no longer than `timeout`.
    pub(crate) fn wait(&self, timeout: Duration) -> Wake {
        let waited =
            self.changed.wait_timeout_while(self.lock(), timeout, |state| *state == State::Idle);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        match *state {
            State::Idle => Wake::Timeout,
            State::Woken => {
                *state = State::Idle;
                Wake::Woken
            }
            State::Stopped => Wake::Stopped,
        }
    }

    /// Nothing can panic while it holds this lock, so the state in a poisoned one is right.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);
    const MOMENT: Duration = Duration::from_millis(20);

    #[test]
    fn a_wake_up_ends_one_wait() {
        let signal = Signal::default();
        signal.wake();
        assert_eq!(signal.wait(HOUR), Wake::Woken);
        let started = Instant::now();
        assert_eq!(signal.wait(MOMENT), Wake::Timeout);
        assert!(started.elapsed() >= MOMENT, "one wake-up ends one wait only");
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| signal.wait(HOUR));
            signal.wake();
            assert_eq!(waiting.join().unwrap(), Wake::Woken);
        });
    }

    #[test]
    fn a_stop_ends_every_wait() {
        let signal = Signal::default();
        assert!(!signal.is_stopped());
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| signal.wait(HOUR));
            signal.stop();
            assert_eq!(waiting.join().unwrap(), Wake::Stopped);
        });
        assert_eq!(signal.wait(HOUR), Wake::Stopped);
        assert!(signal.is_stopped());
    }

    #[test]
    fn a_stop_is_never_overwritten() {
        let signal = Signal::default();
        signal.wake();
        signal.stop();
        signal.wake();
        assert_eq!(signal.wait(HOUR), Wake::Stopped);
        assert!(signal.is_stopped());
    }
}
