//! A long request must not delay a short one: the current rate, while 32 clients ask for the dearest answers.
//!
//! Server and clients share the processors, so some of the loss is the machine's: the last row has the 32 clients
//! ask the bare server instead.
use std::{thread, time::Duration};

use crate::{
    CONNECTIONS, Outcome, ROWS_A_YEAR,
    arguments::Arguments,
    data,
    load::{Load, Measured},
    report::milliseconds,
    rows,
    server::Server,
    subject::Subject,
};

/// Those who ask for the current rate.
const SHORT: u32 = 8;

/// So long the others ask before and after.
const MARGIN: u64 = 1;

/// Prints a row for each kind of long request.
pub(crate) fn measure(arguments: &Arguments) -> Outcome<()> {
    let seconds = arguments.seconds;
    let data = data::filings(arguments.data.as_deref(), ROWS_A_YEAR)?;
    let subject = Subject::start(&arguments.program, &data)?;
    let current = subject.row("current rate")?;
    let load = Load { connections: SHORT, ..subject.load(current, 0, seconds)? };
    let short = Short { alone: load.run(&subject.server)?, load, server: &subject.server };
    println!("The current rate, asked for by {SHORT} clients, while {CONNECTIONS} others ask:\n");
    println!("| the others | their requests/s | current rate/s (alone) | ratio | p99 ms (alone) |");
    println!("|---|---|---|---|---|");
    for row in rows::dear(&subject.sample) {
        row.typical(&subject.server, &subject.keys)?;
        let others = subject.load(&row, 0, seconds + 2 * MARGIN)?;
        short.beside(row.name, &others, &subject.server)?;
    }
    let bare = Server::bare()?;
    let copy = bare.copy(&current.typical(&subject.server, &subject.keys)?)?;
    let others = Load { before: copy, ..subject.load(current, 0, seconds + 2 * MARGIN)? };
    short.beside("(the bare server, the current rate)", &others, &bare)?;
    println!();
    Ok(())
}

/// The short requests, and how they fare alone.
struct Short<'a> {
    load: Load<'a>,
    server: &'a Server,
    alone: Measured,
}

impl Short<'_> {
    /// Runs them while the others ask, and prints what has become of them.
    fn beside(&self, name: &str, others: &Load<'_>, asked: &Server) -> Outcome<()> {
        let others = others.start(asked)?;
        thread::sleep(Duration::from_secs(MARGIN));
        let (with, alone) = (self.load.run(self.server)?, self.alone);
        let others = others.end()?;
        println!(
            "| {name} | {:.0} | {:.0} ({:.0}) | {:.2} | {:.1} ({:.1}) |",
            others.rate,
            with.rate,
            alone.rate,
            with.rate / alone.rate,
            milliseconds(with.p99),
            milliseconds(alone.p99),
        );
        Ok(())
    }
}
