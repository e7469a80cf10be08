//! How far threads stand back behind those that answer short requests.

/// How important the work of a thread is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Priority {
    /// It mostly waits, or others wait for it.
    Usual,
    /// It stands back behind short requests: beside them it gets about a tenth of a processor, and all of it where no other
    /// thread wants it.
    Low,
    /// It stands back behind all others: beside them it gets about an eighth of what those of low priority get.
    Lowest,
}

impl Priority {
    /// Gives the calling thread this priority. It cannot be raised again.
    ///
    /// A debug build runs in tests, beside compilers and other tests: at a low priority it would stand still for minutes.
    pub(crate) fn take(self) {
        if cfg!(all(debug_assertions, not(test))) {
            return;
        }
        // On Linux this is about the calling thread. Without it, long work only takes a larger share.
        #[cfg(target_os = "linux")]
        if let Some(niceness) = self.niceness() {
            let _ = rustix::process::setpriority_process(None, niceness);
        }
    }

    #[cfg(target_os = "linux")]
    fn niceness(self) -> Option<i32> {
        match self {
            Priority::Usual => None,
            Priority::Low => Some(10),
            Priority::Lowest => Some(19),
        }
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::thread;

    use super::*;

    fn niceness_after(priority: Priority) -> i32 {
        let thread = thread::spawn(move || {
            priority.take();
            rustix::process::getpriority_process(None).unwrap()
        });
        thread.join().unwrap()
    }

    #[test]
    fn a_thread_stands_back_and_others_do_not() {
        let before = rustix::process::getpriority_process(None).unwrap();
        assert_eq!(niceness_after(Priority::Lowest), 19);
        assert_eq!(niceness_after(Priority::Usual), before);
        assert_eq!(rustix::process::getpriority_process(None).unwrap(), before);
    }
}
