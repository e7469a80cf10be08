//! A server as a process of its own: started, asked, and what it has used.
use std::{
    env, fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::Outcome;

/// What a server prints before its address.
pub(crate) const LISTENS: &str = "listens on http://";

/// Linux counts processor time for programs in hundredths of a second.
const TICK: Duration = Duration::from_millis(10);

/// A running server; stopped when dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: String,
}

/// The answer to one request.
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Its first line and its headers.
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Server {
    /// This program again, as the bare server.
    pub(crate) fn bare() -> Outcome<Server> {
        Server::announced(Command::new(env::current_exe()?).arg("--bare"))
    }

    /// The program itself over a data directory.
    pub(crate) fn finserve(program: &Path, data: &Path, arguments: &[&str]) -> Outcome<Server> {
        let mut command = Command::new(program);
        command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(data).args(arguments);
        Server::announced(&mut command)
    }

    /// A server that says where it listens, in its first line.
    fn announced(command: &mut Command) -> Outcome<Server> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        let output = child.stdout.take().ok_or("the server has no output")?;
        BufReader::new(output).read_line(&mut line)?;
        let address = line.trim().split_once(LISTENS).map(|(_, address)| address.to_owned());
        let address = address.ok_or_else(|| format!("{command:?} does not start"))?;
        Ok(Server { child, address })
    }

    /// Any other server, which listens on `address`; waits until it answers.
    pub(crate) fn other(command: &mut Command, address: String) -> Outcome<Server> {
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let server = Server { child, address };
        let deadline = Instant::now() + Duration::from_secs(20);
        while TcpStream::connect(&server.address).is_err() {
            if Instant::now() > deadline {
                return Err(format!("{command:?} does not answer").into());
            }
            thread::sleep(Duration::from_millis(50));
        }
        Ok(server)
    }

    /// Asks once, on a connection of its own. `headers` are lines such as `Accept: text/csv`.
    pub(crate) fn get(&self, target: &str, headers: &[String]) -> Outcome<Answer> {
        let lines: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
        self.send(&format!("GET {target} HTTP/1.1\r\n{lines}"), &[])
    }

    /// Gives an answer to the bare server, and returns what stands before the targets that it answers with a copy.
    pub(crate) fn copy(&self, answer: &Answer) -> Outcome<String> {
        let bytes = [answer.head.as_bytes(), b"\r\n\r\n", &answer.body].concat();
        let head = format!("POST / HTTP/1.1\r\nContent-Length: {}\r\n", bytes.len());
        let number = self.send(&head, &bytes)?;
        Ok(format!("/{}", String::from_utf8(number.body)?))
    }

    fn send(&self, head: &str, body: &[u8]) -> Outcome<Answer> {
        let mut stream = TcpStream::connect(&self.address)?;
        stream.write_all(format!("{head}Host: bench\r\nConnection: close\r\n\r\n").as_bytes())?;
        stream.write_all(body)?;
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes)?;
        Answer::parse(&bytes)
    }

    /// Processor time of all its threads since it started.
    pub(crate) fn processor(&self) -> Outcome<Duration> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        // The name stands in parentheses and may have spaces; user and system time are the 12th and 13th after it.
        let (_, rest) = stat.rsplit_once(')').ok_or("an odd stat file")?;
        let ticks = rest.split_whitespace().skip(11).take(2).map(str::parse::<u32>);
        Ok(TICK * ticks.sum::<Result<u32, _>>()?)
    }

    /// A line of its memory in MiB: `VmRSS` is used now, `VmHWM` the peak.
    pub(crate) fn memory(&self, line: &str) -> Outcome<f64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let found = status.lines().find_map(|text| text.strip_prefix(line)?.strip_prefix(':'));
        let kib = found.and_then(|text| text.split_whitespace().next()).ok_or("no such line")?;
        Ok(kib.parse::<f64>()? / 1024.0)
    }
}

impl Answer {
    /// The answer with these bytes.
    pub(crate) fn parse(bytes: &[u8]) -> Outcome<Answer> {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").ok_or("no answer")?;
        let head = String::from_utf8(bytes[..end].to_vec())?;
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        Ok(Answer { status: status.ok_or("no status")?, head, body: bytes[end + 4..].to_vec() })
    }

    /// The value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(header, _)| header.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Asked to stop, it leaves its files in order. It may have ended already.
        let _ = Command::new("kill").arg(self.child.id().to_string()).status();
        let _ = self.child.wait();
    }
}
