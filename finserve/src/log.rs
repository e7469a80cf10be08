//! Messages for the operator.
use std::{
    fmt,
    io::{self, Write},
};

/// Writes a message to the standard error. If that is closed there is nothing more to do.
pub(crate) fn log(message: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr(), "finserve: {message}");
}

/// Logs a problem once, not each time, and when it is over.
pub(crate) struct Trouble {
    what: &'static str,
    lasts: bool,
}

impl Trouble {
    pub(crate) fn new(what: &'static str) -> Trouble {
        Trouble { what, lasts: false }
    }

    pub(crate) fn report<T, E: fmt::Display>(&mut self, outcome: &Result<T, E>) {
        match outcome {
            Err(err) if !self.lasts => log(format_args!("{}: {err}", self.what)),
            Ok(_) if self.lasts => log(format_args!("{}: recovered", self.what)),
            Ok(_) | Err(_) => (),
        }
        self.lasts = outcome.is_err();
    }
}
