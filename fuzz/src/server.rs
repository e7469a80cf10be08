//! A server in this process: bytes go in by a socket, as from anybody.
use std::{
    io::{ErrorKind, Read, Write},
    net::{Ipv4Addr, Shutdown, SocketAddr},
    sync::{
        OnceLock,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use finserve::{Clock, Server};
use socket2::{Domain, Socket, Type};

use crate::sample;

/// Sends bytes to the server, and closes the sending side. No bytes whatever may make it fail: panics end the process,
/// and an answer of 500 ends this.
pub fn answer(request: &[u8]) -> Vec<u8> {
    let mut socket = connect();
    // It may have answered, and closed, before it has read all of this.
    let _ = socket.write_all(request);
    let _ = socket.shutdown(Shutdown::Write);
    let mut answer = Vec::new();
    let _ = socket.read_to_end(&mut answer);
    assert!(!answer.starts_with(b"HTTP/1.1 500"), "{}", String::from_utf8_lossy(&answer));
    answer
}

/// A request for a target with this body, which must be answered.
pub fn answer_with_body(target: &str, media: &str, body: &[u8]) {
    let length = body.len();
    let head = format!(
        "POST {target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: {media}\r\nContent-Length: {length}\r\n\r\n"
    );
    let request = [head.as_bytes(), body].concat();
    answer(&request);
}

/// A connection from an address that was not used before, so that no limit is in the way.
fn connect() -> Socket {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed) % 0x00ff_fff0;
    let from = Ipv4Addr::from_bits(0x7f00_0002 + number);
    loop {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
        socket.bind(&SocketAddr::from((from, 0)).into()).expect("every address of 127/8 is ours");
        socket.set_read_timeout(Some(Duration::from_secs(60))).expect("a time that is not zero");
        match socket.connect(&address().into()) {
            Ok(()) => return socket,
            // By the clock of the fuzzer.
            Err(err) if err.kind() == ErrorKind::Interrupted => (),
            Err(err) => panic!("the server does not listen: {err}"),
        }
    }
}

/// Where the server listens, which is started by the first call.
fn address() -> SocketAddr {
    static SERVER: OnceLock<Server> = OnceLock::new();
    let start = || {
        let data = sample::directory().to_str().expect("a temporary directory is UTF-8");
        let arguments = ["--data", data, "--listen", "127.0.0.1:0"];
        // A proxy from which no request comes, so that the header is read and not believed; and one from which some do.
        let bounds = ["--trusted-proxy", "127.0.0.0/9", "--registrations-per-hour", "1000000"];
        let connections = ["--max-connections", "1024", "--max-connections-per-address", "1024"];
        let arguments = [&arguments[..], &bounds, &connections].concat();
        Server::start(arguments, Clock::system()).expect("it starts")
    };
    SERVER.get_or_init(start).address()
}
