//! What a server does besides answering: obey other programs, write down usage, forget the idle.
use std::{
    sync::{
        Arc,
        mpsc::{self, RecvTimeoutError, Sender},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use fincore::Result;

use crate::{
    http::{Access, App, Wanted},
    log::log,
};

/// What the operator does to a key takes effect within a second, with room for a slow disk.
const REFRESH: Duration = Duration::from_millis(250);
/// How often, at most, keys that nobody knows make the server look again.
const LOOK: Duration = Duration::from_millis(250);
/// A crash loses at most the last second of usage: likewise.
const FLUSH: Duration = Duration::from_millis(500);

/// Two threads, so that a disk that is slow to write does not hold up what is read.
pub(crate) struct Housekeeping {
    app: Arc<App>,
    stop: Sender<()>,
    threads: [JoinHandle<()>; 2],
}

impl Housekeeping {
    pub(crate) fn start(app: &Arc<App>) -> Housekeeping {
        let (stop, stopped) = mpsc::channel();
        let (reader, writer) = (app.clone(), app.clone());
        let refresh = thread::spawn(move || refresh(reader.access()));
        let flush = thread::spawn(move || {
            let mut trouble = Trouble::new("usage cannot be written");
            while stopped.recv_timeout(FLUSH) == Err(RecvTimeoutError::Timeout) {
                writer.access().sweep(Instant::now());
                trouble.tell(writer.access().flush());
            }
        });
        Housekeeping { app: app.clone(), stop, threads: [refresh, flush] }
    }

    /// Returns once both threads have ended.
    pub(crate) fn stop(self) {
        drop(self.stop);
        self.app.access().looks().want(Wanted::Stop);
        for thread in self.threads {
            // A thread that panicked has said so already.
            let _ = thread.join();
        }
    }
}

/// Looks at what other programs have done to the keys: regularly, and when somebody asks for it.
fn refresh(access: &Access) {
    let mut trouble = Trouble::new("keys cannot be read");
    let mut asked = None::<Instant>;
    loop {
        match access.looks().wait(REFRESH) {
            Wanted::Stop => return,
            Wanted::Nothing => (),
            Wanted::Look => {
                let since = asked.map_or(LOOK, |asked| asked.elapsed());
                thread::sleep(LOOK.saturating_sub(since));
                asked = Some(Instant::now());
            }
        }
        trouble.tell(access.refresh());
    }
}

/// Tells of trouble once, not each time, and when it is over.
struct Trouble {
    what: &'static str,
    lasts: bool,
}

impl Trouble {
    fn new(what: &'static str) -> Trouble {
        Trouble { what, lasts: false }
    }

    fn tell(&mut self, outcome: Result<()>) {
        match &outcome {
            Err(err) if !self.lasts => log(format_args!("{}: {err}", self.what)),
            Ok(()) if self.lasts => log(format_args!("{}: that is over", self.what)),
            _ => (),
        }
        self.lasts = outcome.is_err();
    }
}
