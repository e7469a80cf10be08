//! A server that plays the central bank and CVM. It answers as they do: in chunks, without a tag, with their headers.
use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use flate2::write::GzEncoder;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::published::{Published, Response};

/// What goes wrong.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    /// A page, with status 200 and the content type of data.
    Page,
    /// This status, with a page.
    Status(u16),
    /// 429 with this `Retry-After`.
    Limited(&'static str),
    /// A byte now and then.
    Drip,
    /// Half of the body, then the connection ends.
    Cut,
    /// `Content-Length` says more than there is.
    LongerLength,
    /// `Content-Length` says less than there is.
    ShorterLength,
    /// Half of the content, as if it were all.
    Half,
    /// Other content.
    Instead(Vec<u8>),
    /// The first half of the rows, well formed.
    FirstRows,
    /// A page for windows of more than this many years, as [`Fault::Page`].
    LongWindow(i32),
    /// Nothing is wrong, but the answer is compressed and comes in chunks.
    Compressed,
    /// The same, but it ends too early.
    CompressedCut,
}

/// How the server tells whether a file has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Conditional {
    Never,
    ByTag,
    ByTime,
}

/// A request that was answered.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) target: String,
    pub(crate) agent: String,
    pub(crate) status: u16,
}

/// What publishers have, and how they behave.
pub(crate) trait Publications: Send + 'static {
    /// The answer to a request; the first part of its path names the publisher.
    fn answer(&mut self, target: &str) -> Response;

    /// What goes wrong with this answer, besides the faults of the script.
    fn mood(&mut self, target: &str, answer: &Response) -> Option<Fault>;
}

struct State<P> {
    published: P,
    conditional: Conditional,
    /// Requests whose target contains the text fail; so often, or always.
    faults: Vec<(String, Fault, Option<u32>)>,
    asked: Vec<Asked>,
}

/// The server. Every publisher has a path of its own, as on a mirror.
pub(crate) struct Publisher<P = Published> {
    pub(crate) address: String,
    state: Arc<Mutex<State<P>>>,
}

impl<P: Publications> Publisher<P> {
    pub(crate) fn start(published: P) -> Publisher<P> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let state = Arc::new(Mutex::new(State {
            published,
            conditional: Conditional::Never,
            faults: Vec::new(),
            asked: Vec::new(),
        }));
        let shared = state.clone();
        // Ends with the tests.
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let state = shared.clone();
                // A client that goes away is no failure of ours.
                thread::spawn(move || serve(stream, &state).ok());
            }
        });
        Publisher { address, state }
    }

    /// The flags that send a program here.
    pub(crate) fn flags(&self) -> [String; 10] {
        let flag = |name: &str, path: &str| {
            [format!("--{name}-url"), format!("http://{}/{path}", self.address)]
        };
        // With and without the last slash.
        let flags = [
            flag("sgs", "sgs"),
            flag("olinda", "olinda/"),
            flag("ptax", "ptax"),
            flag("bcb", "bcb"),
            flag("cvm", "cvm/"),
        ];
        flags.concat().try_into().unwrap()
    }

    pub(crate) fn publish<T>(&self, change: impl FnOnce(&mut P) -> T) -> T {
        change(&mut self.state.lock().unwrap().published)
    }

    pub(crate) fn conditional(&self, conditional: Conditional) {
        self.state.lock().unwrap().conditional = conditional;
    }

    /// From now on, requests for targets that contain `text` fail.
    pub(crate) fn break_down(&self, text: &str, fault: Fault) {
        self.state.lock().unwrap().faults.push((text.to_owned(), fault, None));
    }

    /// The same for this many requests.
    pub(crate) fn break_down_for(&self, text: &str, fault: Fault, times: u32) {
        self.state.lock().unwrap().faults.push((text.to_owned(), fault, Some(times)));
    }

    /// From now on, everything works.
    pub(crate) fn recover(&self) {
        self.state.lock().unwrap().faults.clear();
    }

    /// The requests since this was last asked.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        std::mem::take(&mut self.state.lock().unwrap().asked)
    }
}

/// Answers the requests of a connection, until one goes wrong.
fn serve<P: Publications>(mut stream: TcpStream, state: &Mutex<State<P>>) -> std::io::Result<()> {
    let mut requests = BufReader::new(stream.try_clone()?);
    while let Some((target, headers)) = head(&mut requests)? {
        if answer(&mut stream, state, target, &headers)? == Connection::Closed {
            break;
        }
    }
    Ok(())
}

/// Whether more requests may come over a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Connection {
    Open,
    Closed,
}

fn answer<P: Publications>(
    stream: &mut TcpStream,
    state: &Mutex<State<P>>,
    target: String,
    headers: &BTreeMap<String, String>,
) -> std::io::Result<Connection> {
    let (response, fault, tags) = {
        let mut state = state.lock().unwrap();
        let mut response = state.published.answer(&target);
        let fault = state.fault(&target, &response);
        let tags = if response.status == 200 { state.tags(&response.body) } else { Vec::new() };
        let unchanged = |(name, value): &(&str, String)| {
            let asked = if *name == "ETag" { "if-none-match" } else { "if-modified-since" };
            headers.get(asked) == Some(value)
        };
        if fault.is_none() && tags.iter().any(unchanged) {
            response = Response { status: 304, body: Vec::new() };
        }
        (response, fault, tags)
    };
    let status = match &fault {
        Some(Fault::Status(status)) => *status,
        Some(Fault::Limited(_)) => 429,
        _ => response.status,
    };
    let agent = headers.get("user-agent").cloned().unwrap_or_default();
    state.lock().unwrap().asked.push(Asked { target, agent, status });
    let tags: String = tags.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    send(stream, response, fault, &tags)
}

impl<P: Publications> State<P> {
    /// The fault of this request, if it has one.
    fn fault(&mut self, target: &str, response: &Response) -> Option<Fault> {
        let found = self
            .faults
            .iter_mut()
            .find(|(text, _, times)| target.contains(text.as_str()) && *times != Some(0));
        let Some(found) = found else {
            return self.published.mood(target, response);
        };
        if let Fault::LongWindow(years) = found.1 {
            return (years_of(target) > years).then_some(Fault::Page);
        }
        if let Some(times) = &mut found.2 {
            *times -= 1;
        }
        Some(found.1.clone())
    }

    /// The header that says which version of a file this is.
    fn tags(&self, body: &[u8]) -> Vec<(&'static str, String)> {
        let digest = Sha256::digest(body);
        let number = u32::from_be_bytes(digest[..4].try_into().unwrap());
        match self.conditional {
            Conditional::Never => Vec::new(),
            Conditional::ByTag => vec![("ETag", format!("\"{number:08x}\""))],
            Conditional::ByTime => {
                let time = chrono::DateTime::from_timestamp(i64::from(number >> 1), 0).unwrap();
                vec![("Last-Modified", time.format("%a, %d %b %Y %H:%M:%S GMT").to_string())]
            }
        }
    }
}

/// The target and headers of the next request, names in lower case; `None` if there is none.
fn head(
    requests: &mut BufReader<TcpStream>,
) -> std::io::Result<Option<(String, BTreeMap<String, String>)>> {
    let mut lines = requests.by_ref().lines();
    let Some(first) = lines.next().transpose()? else { return Ok(None) };
    let target = first.split(' ').nth(1).unwrap_or_default().replace("%27", "'");
    let mut headers = BTreeMap::new();
    for line in lines {
        let line = line?;
        let Some((name, value)) = line.split_once(": ") else { break };
        headers.insert(name.to_lowercase(), value.to_owned());
    }
    Ok(Some((target, headers)))
}

fn send(
    stream: &mut TcpStream,
    Response { status, body }: Response,
    fault: Option<Fault>,
    tags: &str,
) -> std::io::Result<Connection> {
    let page = PAGE.as_bytes().to_vec();
    let half = body.len() / 2;
    let (status, extra, body, length, sent) = match fault {
        None if status != 304 => return in_chunks(stream, status, &body, tags),
        None => (status, tags.to_owned(), body.clone(), body.len(), body.len()),
        Some(Fault::FirstRows) => return in_chunks(stream, status, &first_rows(&body), ""),
        Some(Fault::LongWindow(_)) => unreachable!("it becomes a page"),
        Some(Fault::Page) => (200, String::new(), page.clone(), page.len(), page.len()),
        Some(Fault::Status(status)) => {
            (status, String::new(), page.clone(), page.len(), page.len())
        }
        Some(Fault::Limited(after)) => (429, format!("Retry-After: {after}\r\n"), Vec::new(), 0, 0),
        Some(Fault::Cut) => (status, tags.to_owned(), body.clone(), body.len(), half),
        Some(Fault::LongerLength) => {
            (status, tags.to_owned(), body.clone(), body.len() + 99, body.len())
        }
        Some(Fault::ShorterLength) => (status, tags.to_owned(), body.clone(), half, body.len()),
        Some(Fault::Half) => (status, String::new(), body.clone(), half, half),
        Some(Fault::Instead(other)) => {
            (200, String::new(), other.clone(), other.len(), other.len())
        }
        Some(Fault::Compressed) => return chunked(stream, &body, 3, tags),
        Some(Fault::CompressedCut) => return chunked(stream, &body, 1, tags),
        Some(Fault::Drip) => {
            write!(
                stream,
                "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n",
                body.len().max(1 << 16)
            )?;
            // Until the client has had enough.
            loop {
                stream.write_all(b"[")?;
                thread::sleep(Duration::from_millis(20));
            }
        }
    };
    // What the content type says proves nothing.
    let length =
        if status == 304 { String::new() } else { format!("Content-Length: {length}\r\n") };
    write!(
        stream,
        "HTTP/1.1 {status} Status\r\nContent-Type: application/json\r\n{length}Connection: close\r\n{extra}\r\n"
    )?;
    stream.write_all(&body[..sent])?;
    stream.shutdown(std::net::Shutdown::Write)?;
    // So that the client sees an end, not a reset.
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    let _ = stream.read(&mut [0; 64]);
    Ok(Connection::Closed)
}

/// What SGS sends with status 200 when it has had enough.
const PAGE: &str = "<!DOCTYPE html><html><head><title>Requisição inválida!</title></head><body>\
    <h2>Requisição inválida!</h2></body></html>";

/// The headers that the central bank's services send, as recorded.
const AZURE: &str = "Content-Type: application/json;charset=UTF-8;odata.metadata=minimal\r\n\
    X-Content-Type-Options: nosniff\r\nX-Xss-Protection: 1; mode=block\r\nPragma: no-cache\r\nExpires: 0\r\n\
    Strict-Transport-Security: max-age=31536000 ; includeSubDomains\r\nX-Frame-Options: DENY\r\nOdata-Version: 4.0\r\n\
    Set-Cookie: JSESSIONID=0000diFInvK; Path=/; HttpOnly\r\nSet-Cookie: TS013694c2=012e4f88b38c; Path=/\r\n\
    Content-Language: en-US\r\nX-Azure-Ref: 20260331T192536Z-er1f57765dddx9lvh\r\nX-Cache: CONFIG_NOCACHE\r\n";

/// An answer as the real servers send it: in chunks, without its length.
fn in_chunks(
    stream: &mut TcpStream,
    status: u16,
    body: &[u8],
    tags: &str,
) -> std::io::Result<Connection> {
    let mut answer =
        format!("HTTP/1.1 {status} Status\r\n{AZURE}Transfer-Encoding: chunked\r\n{tags}\r\n")
            .into_bytes();
    for chunk in body.chunks(8192) {
        answer.extend(format!("{:x}\r\n", chunk.len()).bytes());
        answer.extend(chunk);
        answer.extend(b"\r\n");
    }
    answer.extend(b"0\r\n\r\n");
    stream.write_all(&answer)?;
    Ok(Connection::Open)
}

/// The first half of the rows of an answer of the central bank.
fn first_rows(body: &[u8]) -> Vec<u8> {
    let mut answer: Value = serde_json::from_slice(body).unwrap_or_default();
    let rows = if answer.is_array() { &mut answer } else { &mut answer["value"] };
    if let Some(rows) = rows.as_array_mut() {
        rows.truncate(rows.len() / 2);
    }
    answer.to_string().into_bytes()
}

/// The calendar years of the window that a request to SGS asks for.
pub(crate) fn years_of(target: &str) -> i32 {
    let year = |name: &str| -> Option<i32> { target.split(name).nth(1)?.get(6..10)?.parse().ok() };
    let window = year("dataInicial=").zip(year("dataFinal="));
    window.map_or(0, |(first, last)| last - first + 1)
}

/// A compressed answer in two chunks and the empty one that ends it, or fewer of them.
fn chunked(
    stream: &mut TcpStream,
    body: &[u8],
    chunks: usize,
    tags: &str,
) -> std::io::Result<Connection> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(body)?;
    let body = encoder.finish()?;
    let (first, second) = body.split_at(body.len() / 2);
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n{tags}\r\n"
    )?;
    for chunk in [first, second, b""].into_iter().take(chunks) {
        write!(stream, "{:x}\r\n", chunk.len())?;
        stream.write_all(chunk)?;
        stream.write_all(b"\r\n")?;
    }
    Ok(Connection::Closed)
}
