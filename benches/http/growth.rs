//! Costs against sizes: processor time a request with more filings, more callers, more connections.
use std::{fmt::Write, fs, path::Path};

use tempfile::tempdir;

use crate::{
    CONNECTIONS, Outcome, ROWS_A_YEAR,
    arguments::Arguments,
    data,
    load::{Callers, Load},
    long,
    rows::CURRENT,
    server::Server,
    subject::Subject,
};

/// A year, of twenty: 10 thousand to 1.5 million in all.
const FILINGS: [u64; 4] = [500, 5_000, 50_000, ROWS_A_YEAR];
const CALLERS: [u64; 4] = [1_000, 10_000, 100_000, 1_000_000];
const CONNECTIONS_TRIED: [u32; 4] = [1, 10, 100, 1_000];

/// Requests a second that are reached for certain, so that every caller has its turn in time.
const SLOWEST: u64 = 20_000;

/// Prints one table a size, then what short requests suffer from long ones.
pub(crate) fn measure(arguments: &Arguments) -> Outcome<()> {
    by_filings(arguments)?;
    let small = data::kept(FILINGS[0])?;
    by_callers(arguments, &small)?;
    by_connections(arguments, &Subject::start(&arguments.program, &small)?)?;
    long::measure(arguments)
}

fn by_filings(arguments: &Arguments) -> Outcome<()> {
    let mut lines: Vec<(&str, String)> = Vec::new();
    for rows_a_year in FILINGS {
        let subject = Subject::start(&arguments.program, &data::kept(rows_a_year)?)?;
        let wanted = subject.rows.iter().filter(|row| arguments.wants(row.name));
        for (at, row) in wanted.enumerate() {
            if lines.len() == at {
                lines.push((row.name, String::new()));
            }
            let measured = subject.measure(row, CONNECTIONS, arguments.seconds);
            cell(&mut lines[at].1, measured.map(|measured| measured.processor))?;
        }
    }
    println!("Processor µs a request by number of filings:\n");
    table(&FILINGS.map(|rows_a_year| rows_a_year * 20), &lines);
    Ok(())
}

/// A thousand callers are keys, because addresses may ask only thirty times a minute; more are addresses.
fn by_callers(arguments: &Arguments, data: &Path) -> Outcome<()> {
    let keys = data::keys(data)?;
    let server = Server::finserve(&arguments.program, data, &["--trusted-proxy", "127.0.0.1"])?;
    let place = tempdir()?;
    let mut line = String::new();
    for number in CALLERS {
        let file = place.path().join(number.to_string());
        let (header, callers): (_, Vec<String>) = if number == CALLERS[0] {
            let keys = fs::read_to_string(&keys)?;
            ("X-API-Key", keys.lines().take(usize::try_from(number)?).map(str::to_owned).collect())
        } else {
            ("X-Forwarded-For", (0..number).map(address).collect())
        };
        fs::write(&file, callers.join("\n"))?;
        let load = Load {
            targets: vec![CURRENT],
            before: String::new(),
            headers: &[],
            callers: &Callers { file, header },
            connections: CONNECTIONS,
            seconds: arguments.seconds.max(number / SLOWEST),
        };
        cell(&mut line, load.run(&server).map(|measured| measured.processor))?;
    }
    println!("Processor µs a request by number of callers (a thousand keys, then addresses):\n");
    table(&CALLERS, &[("current rate", line)]);
    println!("Peak memory of that server: {:.0} MiB\n", server.memory("VmHWM")?);
    Ok(())
}

/// The address of a number, below 10.0.0.0/8.
fn address(number: u64) -> String {
    let [.., a, b, c] = number.to_be_bytes();
    format!("10.{a}.{b}.{c}")
}

fn by_connections(arguments: &Arguments, subject: &Subject) -> Outcome<()> {
    let mut lines = Vec::new();
    for row in subject.rows.iter().filter(|row| arguments.wants(row.name)) {
        let mut line = String::new();
        for connections in CONNECTIONS_TRIED {
            let measured = subject.measure(row, connections, arguments.seconds);
            cell(&mut line, measured.map(|measured| measured.processor))?;
        }
        lines.push((row.name, line));
    }
    println!("Processor µs a request by number of connections:\n");
    table(&CONNECTIONS_TRIED, &lines);
    Ok(())
}

/// Adds a cell to a line: a number, or why there is none.
fn cell(line: &mut String, measured: Outcome<f64>) -> Outcome<()> {
    match measured {
        Ok(number) => write!(line, " {number:.1} |")?,
        Err(why) => write!(line, " {} |", why.to_string().replace('\n', " "))?,
    }
    Ok(())
}

fn table(heads: &[impl ToString], lines: &[(&str, String)]) {
    let heads: Vec<String> = heads.iter().map(ToString::to_string).collect();
    println!("| request | {} |\n|---|{}", heads.join(" | "), "---|".repeat(heads.len()));
    for (name, line) in lines {
        println!("| {name} |{line}");
    }
    println!();
}
