//! Requests over HTTP, as a user sends them: each kind beside a bare hyper server that sends a copy of one of its answers.
//!
//! Both are driven by `wrk` with the same requests, in turns within one run, because others may load the machine as
//! well: the ratio counts, and processor time a request. Keys, limits and usage are on, as always.
//!
//! ```console
//! $ cargo bench --bench http
//! $ cargo bench --bench http -- --only 'health,current rate' --rounds 9
//! $ cargo bench --bench http -- --growth
//! $ cargo bench --bench http -- --help
//! ```
#![allow(clippy::print_stdout, reason = "a bench prints what it measures")]
use std::{error::Error, path::Path, process::ExitCode};

mod arguments;
mod bare;
mod data;
#[path = "../generator.rs"]
mod generator;
mod growth;
mod load;
mod long;
mod memory;
mod report;
mod rival;
mod rows;
mod server;
mod subject;

use arguments::{Arguments, On};
use load::Load;
use report::Rounds;
use rows::Row;
use server::Server;
use subject::Subject;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Twenty years of them are 1.5 million filings, somewhat more than CVM has.
const ROWS_A_YEAR: u64 = 75_000;

const CONNECTIONS: u32 = 32;

/// Requests that are made before a measurement; they are sent again if it is longer.
const PREPARED: usize = 100_000;

fn main() -> ExitCode {
    let arguments = Arguments::read();
    let done = if arguments.bare { bare::serve() } else { measure(&arguments) };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(err) => {
            eprintln!("{err}");
            ExitCode::FAILURE
        }
    }
}

fn measure(arguments: &Arguments) -> Outcome<()> {
    if arguments.growth {
        return growth::measure(arguments);
    }
    let bare = Server::bare()?;
    if arguments.is_on(On::Bundled) {
        let bundled = tempfile::tempdir()?;
        memory::measure(&arguments.program, bundled.path())?;
        table(arguments, bundled.path(), &bare)?;
    }
    if arguments.is_on(On::Filings) {
        let filings = data::filings(arguments.data.as_deref(), ROWS_A_YEAR)?;
        table(arguments, &filings, &bare)?;
    }
    Ok(())
}

/// All rows over one data directory. Fails at the end if one of them could not be measured.
fn table(arguments: &Arguments, data: &Path, bare: &Server) -> Outcome<()> {
    let subject = Subject::start(&arguments.program, data)?;
    let wanted: Vec<_> = subject.rows.iter().filter(|row| arguments.wants(row.name)).collect();
    if wanted.is_empty() {
        let names: Vec<_> = subject.rows.iter().map(|row| row.name).collect();
        return Err(format!("no row has any of {:?}; there are {names:?}", arguments.only).into());
    }
    println!("{} filings; first answer after {:.0?}\n", subject.sample.total, subject.first);
    report::head();
    let mut refused = Vec::new();
    for row in wanted {
        if let Err(why) = measure_row(arguments, &subject, row, bare) {
            report::refused(row.name, &why.to_string());
            refused.push(row.name);
        }
    }
    let peak = subject.server.memory("VmHWM")?;
    println!("\nPeak memory after all this: {peak:.0} MiB\n");
    if arguments.datasette {
        rival::measure(arguments, &subject, data)?;
    }
    if refused.is_empty() { Ok(()) } else { Err(format!("not measured: {refused:?}").into()) }
}

fn measure_row(arguments: &Arguments, subject: &Subject, row: &Row, bare: &Server) -> Outcome<()> {
    let typical = row.typical(&subject.server, &subject.keys)?;
    let rounds = rounds(arguments, subject, row, (bare, &bare.copy(&typical)?))?;
    let size = typical.body.len();
    report::row(row.name, row.goal, &rounds, size, subject.server.memory("VmHWM")?);
    Ok(())
}

/// Measures our server and the bare one in turns; the bare one sends the `copy` of one of our answers.
fn rounds(
    arguments: &Arguments,
    subject: &Subject,
    row: &Row,
    (bare, copy): (&Server, &str),
) -> Outcome<Rounds> {
    let mut asked = 0;
    let mut rounds = Vec::new();
    for _ in 0..arguments.rounds {
        let load = subject.load(row, asked, arguments.seconds)?;
        let ours = load.run(&subject.server)?;
        asked += ours.requests;
        rounds.push((ours, Load { before: copy.into(), ..load }.run(bare)?));
    }
    Ok(rounds)
}
