//! A server of files: those of a directory, or an object store that wants signed requests.
use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    sync::{Arc, Mutex},
    thread,
};

/// A tiny server: files of a directory, or an object store that wants signed requests.
pub(crate) struct Files {
    pub(crate) address: String,
    pub(crate) state: Arc<Mutex<State>>,
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    /// Method, target and status of what was asked.
    pub(crate) asked: Vec<(String, String, u16)>,
    /// What is served instead of a file.
    pub(crate) instead: BTreeMap<String, Vec<u8>>,
    signed: bool,
}

impl Files {
    pub(crate) fn start(signed: bool) -> Files {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let state = Arc::new(Mutex::new(State { signed, ..State::default() }));
        let shared = state.clone();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let state = shared.clone();
                thread::spawn(move || {
                    let mut reader = BufReader::new(stream);
                    while answer(&mut reader, &state).is_some() {}
                });
            }
        });
        Files { address, state }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/data", self.address)
    }

    /// Serves what lies in a directory, below `data`.
    pub(crate) fn show(&self, directory: &Path) {
        let mut state = self.state.lock().unwrap();
        state.files.clear();
        for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
            let name = format!("/data/{}", entry.file_name().into_string().unwrap());
            state.files.insert(name, fs::read(entry.path()).unwrap());
        }
    }
}

fn answer(stream: &mut BufReader<TcpStream>, state: &Mutex<State>) -> Option<()> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if stream.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let header = |name: &str| {
        let line =
            head.lines().find(|line| line.to_lowercase().starts_with(&format!("{name}: ")))?;
        Some(line.split_once(": ")?.1.to_owned())
    };
    let length = header("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    let mut words = head.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let mut state = state.lock().unwrap();
    let signed = ["X-Amz-Signature=", "X-Amz-Credential=key%2F", "X-Amz-Expires="];
    let (status, body) = if state.signed && !signed.iter().all(|part| query.contains(part)) {
        (403, Vec::new())
    } else {
        reply(&mut state, (&method, path, query), header("if-none-match"), body)
    };
    let tag =
        format!("\"{}-{}\"", body.len(), body.iter().map(|byte| u64::from(*byte)).sum::<u64>());
    state.asked.push((method, path.to_owned(), status));
    drop(state);
    let length = if status == 304 { 0 } else { body.len() };
    let head = format!("HTTP/1.1 {status} X\r\nETag: {tag}\r\nContent-Length: {length}\r\n\r\n");
    stream.get_mut().write_all(head.as_bytes()).ok()?;
    stream.get_mut().write_all(&body[..length]).ok()
}

fn reply(
    state: &mut State,
    (method, path, query): (&str, &str, &str),
    known: Option<String>,
    body: Vec<u8>,
) -> (u16, Vec<u8>) {
    match method {
        "PUT" => {
            state.files.insert(path.to_owned(), body);
            (200, Vec::new())
        }
        "DELETE" => {
            state.files.remove(path);
            (204, Vec::new())
        }
        "GET" if query.contains("list-type=2") => {
            let keys = state.files.keys().filter_map(|name| name.strip_prefix("/bucket/"));
            let contents = keys.map(|key| format!(
                "<Contents><Key>{key}</Key><ETag>x</ETag><LastModified>x</LastModified><Size>1</Size></Contents>"
            ));
            let list = contents.collect::<String>();
            (200, format!("<ListBucketResult>{list}</ListBucketResult>").into_bytes())
        }
        _ => {
            let found = state.instead.get(path).or_else(|| state.files.get(path)).cloned();
            let Some(found) = found else { return (404, Vec::new()) };
            let sum: u64 = found.iter().map(|byte| u64::from(*byte)).sum();
            let is_known = known == Some(format!("\"{}-{sum}\"", found.len()));
            (if is_known { 304 } else { 200 }, found)
        }
    }
}
