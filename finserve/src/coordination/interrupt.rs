//! The message of a command that its user stops.
use std::{
    io::{self, Write},
    process, thread,
};

/// The exit code of a program that Ctrl-C has ended, as shells know it.
const INTERRUPTED: i32 = 130;

/// From now on, Ctrl-C prints this sentence and ends the program.
pub(crate) fn on_interrupt(sentence: impl Fn() -> &'static str + Send + 'static) {
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build();
        // Without it, the signal ends the program in silence.
        let Ok(runtime) = runtime else { return };
        if runtime.block_on(tokio::signal::ctrl_c()).is_ok() {
            // The terminal has shown ^C, or a bar.
            let _ = writeln!(io::stderr(), "\n{}", sentence());
            process::exit(INTERRUPTED);
        }
    });
}
