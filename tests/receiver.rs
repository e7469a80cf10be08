//! A server that plays a receiver of webhooks, and answers by script.
use std::{
    collections::VecDeque,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

/// How a call is answered.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// This status.
    Status(u16),
    /// This status, which leads elsewhere.
    Redirect(u16, String),
    /// Nothing, for longer than any client waits.
    Silence,
    /// 200, after this time.
    Slow(Duration),
    /// 200, with a body that never ends.
    Endless,
    /// The connection ends.
    HangUp,
}

/// A call that came in.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    pub(crate) at: Instant,
}

impl Received {
    /// A header by its name in lowercase.
    pub(crate) fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(given, _)| given == name);
        &found.unwrap_or_else(|| panic!("a call without {name}: {self:?}")).1
    }

    /// The id of the event.
    pub(crate) fn id(&self) -> &str {
        self.header("webhook-id")
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }
}

#[derive(Default)]
struct State {
    /// Answers to the next calls; afterwards the last resort.
    script: VecDeque<Answer>,
    otherwise: Option<Answer>,
    received: Vec<Received>,
}

/// The receiver.
pub(crate) struct Receiver {
    pub(crate) address: String,
    state: Arc<Mutex<State>>,
}

impl Receiver {
    /// Answers the next calls by this script, and all others with 200.
    pub(crate) fn start(script: &[Answer]) -> Receiver {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let script = script.iter().cloned().collect();
        let state = Arc::new(Mutex::new(State { script, ..State::default() }));
        let shared = state.clone();
        // Ends with the tests.
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let state = shared.clone();
                // A client that goes away is no failure of ours.
                thread::spawn(move || answer(stream, &state).ok());
            }
        });
        Receiver { address, state }
    }

    /// From now on every call is answered like this.
    pub(crate) fn answer_all(&self, answer: Answer) {
        self.state.lock().unwrap().otherwise = Some(answer);
    }

    /// Where it listens.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// All calls so far.
    pub(crate) fn received(&self) -> Vec<Received> {
        self.state.lock().unwrap().received.clone()
    }

    /// All calls, once there are this many; a minute is long enough to know that they do not come.
    pub(crate) fn wait_for(&self, calls: usize) -> Vec<Received> {
        for _ in 0..6000 {
            let received = self.received();
            if received.len() >= calls {
                return received;
            }
            thread::sleep(Duration::from_millis(10));
        }
        panic!("{calls} calls have not come: {:?}", self.received());
    }
}

/// One call a connection.
fn answer(mut stream: TcpStream, state: &Mutex<State>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut line = String::new();
    if reader.read_line(&mut line).is_err() {
        // This is TLS, which servers without it answer like this.
        return write!(stream, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
    }
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.push((name.to_lowercase(), value.to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length.map_or(0, |(_, length)| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let answer = {
        let mut state = state.lock().unwrap();
        state.received.push(Received { path, headers, body, at: Instant::now() });
        let scripted = state.script.pop_front();
        scripted.or_else(|| state.otherwise.clone()).unwrap_or(Answer::Status(200))
    };
    let head = |status: u16| format!("HTTP/1.1 {status} Scripted\r\nConnection: close\r\n");
    match answer {
        Answer::Status(status) => write!(stream, "{}Content-Length: 0\r\n\r\n", head(status)),
        Answer::Redirect(status, to) => {
            write!(stream, "{}Location: {to}\r\nContent-Length: 0\r\n\r\n", head(status))
        }
        Answer::Silence => {
            thread::sleep(Duration::from_secs(60));
            Ok(())
        }
        Answer::Slow(time) => {
            thread::sleep(time);
            write!(stream, "{}Content-Length: 0\r\n\r\n", head(200))
        }
        Answer::Endless => {
            write!(stream, "{}\r\n", head(200))?;
            loop {
                stream.write_all(&[b'x'; 1000])?;
                thread::sleep(Duration::from_millis(10));
            }
        }
        Answer::HangUp => Ok(()),
    }
}
