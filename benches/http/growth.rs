//! Costs against sizes: processor time a request with more filings, more callers, more connections.
use std::{fs, path::Path};

use tempfile::tempdir;

use crate::{
    CONNECTIONS, Outcome, ROWS_A_YEAR,
    arguments::Arguments,
    data,
    load::{Callers, Load, Measured},
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
    let small = data::kept(FILINGS[0])?;
    let lines = [
        by_filings(arguments)?,
        by_callers(arguments, &small)?,
        by_connections(arguments, &Subject::start(&arguments.program, &small)?)?,
    ];
    long::measure(arguments)?;
    let failed: Vec<_> = lines.iter().flatten().filter(|line| line.failed).collect();
    if failed.is_empty() {
        return Ok(());
    }
    Err(format!("not measured: {:?}", failed.iter().map(|line| line.name).collect::<Vec<_>>())
        .into())
}

/// A row of a table.
struct Line {
    name: &'static str,
    cells: String,
    /// Whether a cell could not be measured.
    failed: bool,
}

impl Line {
    fn new(name: &'static str) -> Line {
        Line { name, cells: String::new(), failed: false }
    }

    /// Adds a cell: the processor time, or why there is none.
    fn add(&mut self, measured: Outcome<Measured>) {
        let cell = match measured {
            Ok(measured) => format!("{:.1}", measured.processor),
            Err(why) => {
                self.failed = true;
                why.to_string().replace('\n', " ")
            }
        };
        self.cells += &format!(" {cell} |");
    }
}

fn by_filings(arguments: &Arguments) -> Outcome<Vec<Line>> {
    let mut lines: Vec<Line> = Vec::new();
    for rows_a_year in FILINGS {
        let subject = Subject::start(&arguments.program, &data::kept(rows_a_year)?)?;
        let wanted = subject.rows.iter().filter(|row| arguments.wants(row.name));
        for (at, row) in wanted.enumerate() {
            if lines.len() == at {
                lines.push(Line::new(row.name));
            }
            lines[at].add(subject.measure(row, CONNECTIONS, arguments.seconds));
        }
    }
    println!("Processor µs a request by number of filings:\n");
    table(&FILINGS.map(|rows_a_year| rows_a_year * 20), &lines);
    Ok(lines)
}

/// A thousand callers are keys, because addresses may ask only thirty times a minute; more are addresses.
fn by_callers(arguments: &Arguments, data: &Path) -> Outcome<Vec<Line>> {
    let keys = data::keys(data)?;
    let server = Server::finserve(&arguments.program, data, &["--trusted-proxy", "127.0.0.1"])?;
    let place = tempdir()?;
    let mut line = Line::new("current rate");
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
        line.add(load.run(&server));
    }
    println!("Processor µs a request by number of callers (a thousand keys, then addresses):\n");
    let lines = vec![line];
    table(&CALLERS, &lines);
    println!("Peak memory of that server: {:.0} MiB\n", server.memory("VmHWM")?);
    Ok(lines)
}

/// The address of a number, below 10.0.0.0/8.
fn address(number: u64) -> String {
    let [.., a, b, c] = number.to_be_bytes();
    format!("10.{a}.{b}.{c}")
}

fn by_connections(arguments: &Arguments, subject: &Subject) -> Outcome<Vec<Line>> {
    let mut lines = Vec::new();
    for row in subject.rows.iter().filter(|row| arguments.wants(row.name)) {
        let mut line = Line::new(row.name);
        for connections in CONNECTIONS_TRIED {
            line.add(subject.measure(row, connections, arguments.seconds));
        }
        lines.push(line);
    }
    println!("Processor µs a request by number of connections:\n");
    table(&CONNECTIONS_TRIED, &lines);
    Ok(lines)
}

fn table(heads: &[impl ToString], lines: &[Line]) {
    let heads: Vec<String> = heads.iter().map(ToString::to_string).collect();
    println!("| request | {} |\n|---|{}", heads.join(" | "), "---|".repeat(heads.len()));
    for Line { name, cells, .. } in lines {
        println!("| {name} |{cells}");
    }
    println!();
}
