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
    /// One of the keys.
    pub(crate) key: String,
    /// How long the first answer took after the start.
    pub(crate) first: Duration,
}

impl Subject {
    /// Starts a server over a data directory that has been filled.
    pub(crate) fn start(program: &Path, data: &Path) -> Outcome<Subject> {
        let callers = load::by_key(&data::keys(data)?);
        let keys = fs::read_to_string(&callers.file)?;
        let key = keys.lines().next().ok_or("there is no key")?.to_owned();
        let sample = Sample::of(data)?;
        let (server, first) = memory::start(program, data)?;
        let rows = rows::rows(&sample, &server, &key)?;
        Ok(Subject { server, sample, rows, callers, key, first })
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
        row.size(&self.server, &self.key)?;
        Load { connections, ..self.load(row, 0, seconds)? }.run(&self.server)
    }
}
