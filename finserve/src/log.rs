//! Messages for the operator.
use std::{
    fmt,
    io::{self, Write},
};

/// Writes a message to the standard error. If that is closed there is nothing more to do.
pub(crate) fn log(message: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr(), "finserve: {message}");
}
