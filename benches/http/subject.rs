//! Our server over a data directory, ready to be measured: its keys, and everything to ask it for.
use std::{fs, path::Path, time::Duration};

use crate::{
    CONNECTIONS, Outcome, PREPARED,
    data::{self, Sample},
    load::{self, Callers, Load, Measured},
    memory,
    rows::{self, Row},
    server::Server,
};

pub(crate) struct Subject {
    pub(crate) server: Server,
    pub(crate) sample: Sample,
    pub(crate) rows: Vec<Row>,
    pub(crate) callers: Callers,
    /// The keys.
    pub(crate) keys: Vec<String>,
    /// How long the first answer took after the start.
    pub(crate) first: Duration,
}

impl Subject {
    /// Starts a server over a data directory that has been filled.
    pub(crate) fn start(program: &Path, data: &Path) -> Outcome<Subject> {
        let callers = load::by_key(&data::keys(data)?);
        let keys = fs::read_to_string(&callers.file)?;
        let keys: Vec<String> = keys.lines().map(str::to_owned).collect();
        let key = keys.first().ok_or("there is no key")?;
        let sample = Sample::of(data)?;
        let (server, first) = memory::start(program, data)?;
        let rows = rows::rows(&sample, &server, key)?;
        Ok(Subject { server, sample, rows, callers, keys, first })
    }

    /// The row of this name.
    pub(crate) fn row(&self, name: &str) -> Outcome<&Row> {
        let found = self.rows.iter().find(|row| row.name == name);
        found.ok_or_else(|| format!("there is no row {name:?}").into())
    }

    /// Asks for the targets of a row from the one after `asked` on. What is asked for the first time stays so, if
    /// each load goes on where the last one ended.
    pub(crate) fn load<'a>(&'a self, row: &'a Row, asked: u64, seconds: u64) -> Outcome<Load<'a>> {
        let length = row.targets.len();
        let next = row.targets.iter().cycle().skip(usize::try_from(asked)? % length);
        Ok(Load {
            targets: next.take(length.min(PREPARED)).map(String::as_str).collect(),
            before: String::new(),
            headers: &row.headers,
            callers: &self.callers,
            connections: CONNECTIONS,
            seconds,
        })
    }

    /// Asks for the targets of a row once, after checking a few answers.
    pub(crate) fn measure(&self, row: &Row, connections: u32, seconds: u64) -> Outcome<Measured> {
        row.typical(&self.server, &self.keys)?;
        Load { connections, ..self.load(row, 0, seconds)? }.run(&self.server)
    }
}
