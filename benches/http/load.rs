//! Load on a server, by `wrk`: what was asked, how fast it was answered, and what that cost the server.
use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use tempfile::TempDir;

use crate::{Outcome, server::Server};

const SCRIPT: &str = include_str!("load.lua");

/// Who asks: one value of a header a line of a file.
pub(crate) struct Callers {
    pub(crate) file: PathBuf,
    pub(crate) header: &'static str,
}

/// Requests in turn, as many as `seconds` allow.
pub(crate) struct Load<'a> {
    pub(crate) targets: Vec<&'a str>,
    /// What stands before each target: the bare server finds the number of its answer there.
    pub(crate) before: String,
    pub(crate) headers: &'a [String],
    pub(crate) callers: &'a Callers,
    pub(crate) connections: u32,
    pub(crate) seconds: u64,
}

/// How a load was answered.
pub(crate) struct Answered {
    pub(crate) requests: u64,
    /// Requests a second.
    pub(crate) rate: f64,
    pub(crate) p99: Duration,
}

/// The same, with what it cost the server.
#[derive(Clone, Copy)]
pub(crate) struct Measured {
    pub(crate) requests: u64,
    pub(crate) rate: f64,
    pub(crate) p99: Duration,
    /// Processor microseconds a request of the server.
    pub(crate) processor: f64,
}

/// A load that is running.
pub(crate) struct Running {
    wrk: Child,
    // Where its script and targets are, until it ends.
    _place: TempDir,
}

impl Load<'_> {
    /// Runs it to its end.
    ///
    /// Fails if any answer was an error, or any connection failed: such a load says nothing about speed.
    pub(crate) fn run(&self, server: &Server) -> Outcome<Measured> {
        let before = server.processor()?;
        let Answered { requests, rate, p99 } = self.start(server)?.end()?;
        let processor = (server.processor()? - before).as_secs_f64() * 1e6 / to_f64(requests);
        Ok(Measured { requests, rate, p99, processor })
    }

    /// Starts it, to end by itself.
    pub(crate) fn start(&self, server: &Server) -> Outcome<Running> {
        let place = tempfile::tempdir()?;
        let (script, targets) = (place.path().join("load.lua"), place.path().join("targets"));
        fs::write(&script, SCRIPT)?;
        fs::write(&targets, self.targets.join("\n"))?;
        let mut command = Command::new("wrk");
        command
            .args(["--threads=1", "--timeout=10s", "--script"])
            .arg(&script)
            .arg(format!("--connections={}", self.connections))
            .arg(format!("--duration={}s", self.seconds))
            .arg(format!("http://{}", server.address))
            .arg("--")
            .arg(&targets)
            .arg(&self.before)
            .arg(&self.callers.file)
            .arg(self.callers.header)
            .args(self.headers)
            .stdout(Stdio::piped());
        let wrk = command.spawn().map_err(|err| match err.kind() {
            ErrorKind::NotFound => {
                "wrk is missing: install it (Debian: apt-get install wrk)".into()
            }
            _ => format!("wrk does not start: {err}"),
        })?;
        Ok(Running { wrk, _place: place })
    }
}

impl Running {
    /// Waits for its end. Fails like [`Load::run`].
    pub(crate) fn end(self) -> Outcome<Answered> {
        let output = self.wrk.wait_with_output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let line = text.lines().find_map(|line| line.strip_prefix("measured "));
        let line = line.ok_or_else(|| format!("wrk has measured nothing:\n{text}"))?;
        let numbers: Vec<u64> = line.split(' ').map(str::parse).collect::<Result<_, _>>()?;
        let [requests, microseconds, p99, refused, broken] = numbers[..] else {
            return Err(format!("wrk has measured {line:?}, not five numbers").into());
        };
        if requests == 0 || refused > 0 || broken > 0 {
            let why = format!(
                "{requests} answers, {refused} of them errors, {broken} connections failed"
            );
            return Err(why.into());
        }
        let seconds = Duration::from_micros(microseconds).as_secs_f64();
        let rate = to_f64(requests) / seconds;
        Ok(Answered { requests, rate, p99: Duration::from_micros(p99) })
    }
}

/// Callers named by their keys.
pub(crate) fn by_key(file: &Path) -> Callers {
    Callers { file: file.to_owned(), header: "X-API-Key" }
}

#[expect(clippy::cast_precision_loss, reason = "no run counts to 2⁵³")]
fn to_f64(number: u64) -> f64 {
    number as f64
}
