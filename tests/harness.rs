//! Servers on free ports, and HTTP spoken by hand, so that wrong requests can be sent too.
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Output, Stdio},
    sync::OnceLock,
    time::Duration,
};

use serde_json::Value;

/// A running server, with a data directory of its own; killed when dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) data: tempfile::TempDir,
    pub(crate) address: String,
}

/// The program under test.
pub(crate) fn finserve(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_finserve"));
    command.args(arguments).env_remove("FINSERVE_LISTEN").env_remove("FINSERVE_DATA");
    command
}

/// Runs `finserve import` into the data directory `data`.
pub(crate) fn import(data: &Path, files: &[&Path]) -> Output {
    finserve(&["import", "--data"]).arg(data).args(files).output().unwrap()
}

impl Server {
    pub(crate) fn start() -> Server {
        let data = tempfile::tempdir().unwrap();
        let mut child = finserve(&["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(data.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let (_, address) =
            line.trim().split_once("http://").expect("the server says where it listens");
        Server { child, data, address: address.to_owned() }
    }

    /// The server that tests share when they only read.
    pub(crate) fn shared() -> &'static Server {
        static SHARED: OnceLock<(Server, Child)> = OnceLock::new();
        // Statics are never dropped: the guard sees its input end with this process, and stops the server.
        let start = || {
            let server = Server::start();
            let guard = Command::new("sh")
                .args(["-c", "read _; kill $0", &server.pid().to_string()])
                .stdin(Stdio::piped())
                .spawn()
                .unwrap();
            (server, guard)
        };
        &SHARED.get_or_init(start).0
    }

    pub(crate) fn get(&self, target: &str) -> Reply {
        self.request("GET", target, "")
    }

    /// A well-formed request with further header lines, each ended by CRLF.
    pub(crate) fn request(&self, method: &str, target: &str, headers: &str) -> Reply {
        let head = format!(
            "{method} {target} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n{headers}\r\n"
        );
        self.send(head.as_bytes())
    }

    /// Any bytes; the connection must be closed by what they say.
    pub(crate) fn send(&self, bytes: &[u8]) -> Reply {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.write_all(bytes).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        Reply::parse(&answer)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn wait(&mut self) -> std::process::ExitStatus {
        self.child.wait().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A response, taken apart.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    fn parse(bytes: &[u8]) -> Reply {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").expect("a head ends");
        let head = str::from_utf8(&bytes[..end]).unwrap();
        let mut lines = head.lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let header = |line: &str| {
            let (name, value) = line.split_once(": ").unwrap();
            (name.to_lowercase(), value.to_owned())
        };
        Reply { status, headers: lines.map(header).collect(), body: bytes[end + 4..].to_vec() }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> &str {
        str::from_utf8(&self.body).unwrap()
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|err| panic!("{err}: {}", self.text()))
    }

    /// The body must be the one error shape, with this code.
    #[track_caller]
    pub(crate) fn expect_error(&self, status: u16, code: &str) -> String {
        assert_eq!(self.status, status, "{}", self.text());
        assert_eq!(self.header("content-type"), Some("application/json"));
        assert_eq!(self.header("cache-control"), Some("no-store"));
        let json = self.json();
        assert_eq!(json["error"], code);
        json["message"].as_str().expect("a message").to_owned()
    }
}
