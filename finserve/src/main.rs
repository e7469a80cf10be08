//! The `finserve` program: the library decides everything, this turns its arguments into an exit code.
use std::process::ExitCode;

fn main() -> ExitCode {
    finserve::run()
}
