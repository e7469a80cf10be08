//! Servers on free ports, and HTTP spoken by hand, so that wrong requests can be sent too.
use std::{
    fs::{self, File},
    io::{self, BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::{
        Once, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use chrono::DateTime;
use fincore::{
    Accounts, Key, Plan, bundle,
    keys::{self, Registration},
};
use finserve::Clock;
use serde_json::Value;

/// Where in its data directory a server's errors are written.
const ERRORS: &str = "stderr.txt";

/// A running server, with a data directory of its own; stopped when dropped.
pub(crate) struct Server {
    running: Running,
    pub(crate) data: tempfile::TempDir,
    pub(crate) address: String,
    /// Platinum keys; requests take turns with them, so that no limit is in the way.
    keys: Vec<Key>,
    requests: AtomicUsize,
}

/// How a server runs.
enum Running {
    /// Inside the program of the tests, which is quick.
    Here(#[expect(dead_code, reason = "stops when dropped")] finserve::Server),
    /// As a process of its own.
    Process(Child),
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
        Server::start_with(&[])
    }

    /// A server with further arguments.
    pub(crate) fn start_with(arguments: &[&str]) -> Server {
        Server::start_on(filled(), arguments)
    }

    /// A server over a data directory that is there.
    pub(crate) fn start_over(data: tempfile::TempDir) -> Server {
        Server::start_on(data, &[])
    }

    pub(crate) fn start_on(data: tempfile::TempDir, arguments: &[&str]) -> Server {
        let keys = platinum_keys(data.path());
        let place = ["--listen", "127.0.0.1:0", "--data", data.path().to_str().unwrap()];
        let arguments = place.iter().chain(arguments);
        let server = finserve::Server::start(arguments, Clock::system()).unwrap();
        let address = server.address().to_string();
        Server {
            running: Running::Here(server),
            data,
            address,
            keys,
            requests: AtomicUsize::new(0),
        }
    }

    /// The real program, for tests of signals, of exit codes and of what it writes.
    pub(crate) fn process(arguments: &[&str]) -> Server {
        Server::process_on(filled(), arguments)
    }

    /// The real program over a data directory that is there.
    pub(crate) fn process_on(data: tempfile::TempDir, arguments: &[&str]) -> Server {
        let keys = platinum_keys(data.path());
        let errors = File::create(data.path().join(ERRORS)).unwrap();
        let mut child = finserve(&["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(data.path())
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(errors)
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let (_, address) =
            line.trim().split_once("http://").expect("the server says where it listens");
        let address = address.to_owned();
        let running = Running::Process(child);
        Server { running, data, address, keys, requests: AtomicUsize::new(0) }
    }

    /// The server with the bundled data that tests share when they only read.
    pub(crate) fn shared() -> &'static Server {
        static SHARED: SharedServer = SharedServer::new();
        SHARED.get_or_start(Server::start)
    }

    pub(crate) fn get(&self, target: &str) -> Reply {
        self.request("GET", target, "")
    }

    /// A well-formed request on Platinum, with further header lines, each ended by CRLF.
    pub(crate) fn request(&self, method: &str, target: &str, headers: &str) -> Reply {
        let turn = self.requests.fetch_add(1, Ordering::Relaxed) % self.keys.len();
        let key = self.keys[turn].reveal();
        self.keyless(method, target, &format!("X-API-Key: {key}\r\n{headers}"))
    }

    /// The header line with a Platinum key.
    pub(crate) fn with_key(&self) -> String {
        with(&self.keys[0])
    }

    /// A well-formed request without a key, unless it is among the header lines.
    pub(crate) fn keyless(&self, method: &str, target: &str, headers: &str) -> Reply {
        let head = format!(
            "{method} {target} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n{headers}\r\n"
        );
        self.send(head.as_bytes())
    }

    /// A request without a key that carries JSON.
    pub(crate) fn post(&self, target: &str, headers: &str, body: &str) -> Reply {
        let length = body.len();
        let request = format!(
            "POST {target} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
        );
        self.send(request.as_bytes())
    }

    /// What other programs do to the accounts while this server runs.
    pub(crate) fn accounts(&self) -> Accounts {
        Accounts::open(self.data.path().join("accounts.db")).unwrap()
    }

    /// Any bytes; the connection must be closed by what they say.
    pub(crate) fn send(&self, bytes: &[u8]) -> Reply {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        stream.write_all(bytes).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        Reply::parse(&answer)
    }

    pub(crate) fn pid(&self) -> u32 {
        match &self.running {
            Running::Process(child) => child.id(),
            Running::Here(_) => panic!("this server is in the process of the tests"),
        }
    }

    pub(crate) fn wait(&mut self) -> std::process::ExitStatus {
        match &mut self.running {
            Running::Process(child) => child.wait().unwrap(),
            Running::Here(_) => panic!("this server is in the process of the tests"),
        }
    }
}

/// A server that tests share when they only read.
pub(crate) struct SharedServer(OnceLock<(Server, Child)>);

impl SharedServer {
    pub(crate) const fn new() -> SharedServer {
        SharedServer(OnceLock::new())
    }

    pub(crate) fn get_or_start(&'static self, start: impl FnOnce() -> Server) -> &'static Server {
        let start = || {
            let server = start();
            // Statics are never dropped: the guard sees its input end with this process, and removes the directory.
            let guard = Command::new("sh")
                .args(["-c", "read _; rm -r \"$0\""])
                .arg(server.data.path())
                .stdin(Stdio::piped())
                .spawn()
                .unwrap();
            (server, guard)
        };
        &self.0.get_or_init(start).0
    }
}

/// Four new keys in the accounts of a data directory.
fn platinum_keys(data: &Path) -> Vec<Key> {
    let accounts = Accounts::open(data.join("accounts.db")).unwrap();
    (0..4).map(|_| new_key(&accounts, Plan::Platinum)).collect()
}

/// A data directory with the bundled data, copied from one that is filled once: that takes seconds.
pub(crate) fn filled() -> tempfile::TempDir {
    let data = tempfile::tempdir().unwrap();
    fill(data.path());
    data
}

/// The same without the bundled statements, where all figures are those of a test.
pub(crate) fn filled_without_statements() -> tempfile::TempDir {
    let data = filled();
    forget_statements(data.path());
    data
}

/// Removes the bundled statements from a data directory.
pub(crate) fn forget_statements(directory: &Path) {
    const SQL: &str = "DELETE FROM statement; DELETE FROM statement_form; DELETE FROM account; DELETE FROM financial";
    let file = rusqlite::Connection::open(directory.join("catalogue.db")).unwrap();
    file.execute_batch(SQL).unwrap();
}

/// Copies the bundled data into a directory.
pub(crate) fn fill(directory: &Path) {
    fs::create_dir_all(directory).unwrap();
    drop(bundle::filled_copy(directory).unwrap());
}

/// The official files, which lie beside the project on some machines. Says so where they do not.
pub(crate) fn upstream() -> Option<PathBuf> {
    static TOLD: Once = Once::new();
    let upstream = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/upstream");
    if upstream.exists() {
        return Some(upstream);
    }
    TOLD.call_once(|| {
        // Past the harness of the tests, which keeps what they print.
        let line =
            "no official files in ../shared/upstream: tests compare with the bundled tables only\n";
        let _ = io::stderr().write_all(line.as_bytes());
    });
    None
}

/// A new key on a plan.
pub(crate) fn new_key(accounts: &Accounts, plan: Plan) -> Key {
    let who =
        Registration { name: "Ana".parse().unwrap(), email: "ana@example.com".parse().unwrap() };
    keys::issue(accounts, &who, plan, DateTime::UNIX_EPOCH).unwrap()
}

/// The header line that sends a key.
pub(crate) fn with(key: &Key) -> String {
    format!("X-API-Key: {}\r\n", key.reveal())
}

impl Drop for Server {
    fn drop(&mut self) {
        let Running::Process(child) = &mut self.running else { return };
        let _ = child.kill();
        let _ = child.wait();
        if std::thread::panicking() {
            let errors = fs::read_to_string(self.data.path().join(ERRORS));
            eprintln!("the server said: {}", errors.unwrap_or_default());
        }
    }
}

/// What the chunks of a body hold; nothing if the last one is missing.
pub(crate) fn whole(mut chunks: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let end = chunks.windows(2).position(|two| two == b"\r\n")?;
        let length = usize::from_str_radix(str::from_utf8(&chunks[..end]).unwrap(), 16).unwrap();
        let chunk = chunks.get(end + 2..end + 2 + length)?;
        if length == 0 {
            return Some(body);
        }
        body.extend_from_slice(chunk);
        chunks = chunks.get(end + 2 + length + 2..)?;
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
    pub(crate) fn parse(bytes: &[u8]) -> Reply {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").expect("a head ends");
        let head = str::from_utf8(&bytes[..end]).unwrap();
        let mut lines = head.lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let header = |line: &str| {
            let (name, value) = line.split_once(": ").unwrap();
            (name.to_lowercase(), value.to_owned())
        };
        let mut reply =
            Reply { status, headers: lines.map(header).collect(), body: bytes[end + 4..].to_vec() };
        if reply.header("transfer-encoding") == Some("chunked") && !reply.body.is_empty() {
            reply.body = whole(&reply.body).expect("a stream ends with its last chunk");
        }
        reply
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
        let cache = self.header("cache-control");
        assert!(["no-store", "private, no-store"].map(Some).contains(&cache), "{cache:?}");
        let json = self.json();
        assert_eq!(json["error"], code);
        json["message"].as_str().expect("a message").to_owned()
    }
}
