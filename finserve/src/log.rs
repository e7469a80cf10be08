//! What the operator is told.
use std::{
    fmt,
    io::{self, Write},
};

/// Tells the operator. Where nobody listens there is nothing more to do.
pub(crate) fn log(message: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr(), "finserve: {message}");
}
