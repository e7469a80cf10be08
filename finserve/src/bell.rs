//! Waking a thread that waits for work.
use std::{
    sync::{Condvar, Mutex, PoisonError},
    time::Duration,
};

/// A bell. Ringing it ends the present wait, or else the next one.
#[derive(Debug, Default)]
pub(crate) struct Bell {
    rung: Mutex<bool>,
    ringing: Condvar,
}

impl Bell {
    pub(crate) fn ring(&self) {
        *self.rung.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.ringing.notify_all();
    }

    /// Waits until the bell is rung, but no longer than this.
    pub(crate) fn wait(&self, time: Duration) {
        let rung = self.rung.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.ringing.wait_timeout_while(rung, time, |rung| !*rung);
        *waited.unwrap_or_else(PoisonError::into_inner).0 = false;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn a_ring_ends_one_wait() {
        let (bell, hour) = (Bell::default(), Duration::from_secs(3600));
        bell.ring();
        bell.wait(hour);
        let started = Instant::now();
        bell.wait(Duration::from_millis(20));
        assert!(started.elapsed() >= Duration::from_millis(20), "one ring ends one wait only");
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| bell.wait(hour));
            bell.ring();
            waiting.join().unwrap();
        });
    }
}
