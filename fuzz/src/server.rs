//! A server in this process: bytes go in by a socket, as from anybody.
use std::{
    io::{ErrorKind, Read, Write},
    net::{Ipv4Addr, Shutdown, SocketAddr},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU32, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use fincore::{Accounts, webhooks::Targets};
use socket2::{Domain, Socket, Type};

use crate::{
    http::{self, Access, App, Bounds, Inherited, Listener, Settings},
    offer::Offer,
    shelf,
};

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

/// Where the server listens, which is started by the first who asks.
fn address() -> SocketAddr {
    static ADDRESS: OnceLock<SocketAddr> = OnceLock::new();
    *ADDRESS.get_or_init(|| {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let accounts = Accounts::open(directory.path().join("accounts.db")).expect("new accounts");
        // A proxy that nobody comes from, so that the header is read and not believed; and one that some do.
        let proxies = vec!["127.0.0.0/9".parse().expect("a network")];
        let access = Access::new(accounts, u32::MAX, proxies, Instant::now());
        let app = Arc::new(App::new(shelf().clone(), access, Targets::Public, Offer::default()));
        let listener = Listener::open("127.0.0.1:0", Inherited::Public).expect("a free port");
        let address = listener.address().expect("it listens");
        thread::spawn(move || {
            let _directory = directory;
            let bounds = Bounds { most: 1024, per_address: 1024, proxies: Vec::new() };
            let settings = Settings { bounds, certificate: None };
            http::serve(listener, &app, settings, || (), |_| ())
                .expect("signals can be waited for");
        });
        address
    })
}
