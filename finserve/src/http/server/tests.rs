//! Connections and their peers, whatever those do.
use std::{
    io::{Read, Write},
    sync::LazyLock,
};

use fincore::{CallerId, Error};

use super::*;
use crate::{
    http::{
        endpoints::{page_handlers, service},
        message::{
            formats::Formats,
            payload::Payload,
            reply::{Body, Caching, Reply},
            response_headers::Sharing,
            stream::Stream,
        },
        pipeline::{
            answer::tests::app,
            answer_cost::Cost,
            route_table::{Handler, Route},
        },
        transport::{concurrency_slots::Slots, worker_pool::Lane},
    },
    net::listener::InheritedSocket,
    observe::{admin::Admin, readiness::Readiness},
};

fn row(path: &'static str, handler: Handler) -> Route {
    Route {
        method: Method::GET,
        path,
        feature: None,
        cost: Cost::Short,
        params: Vec::new(),
        formats: Formats::One,
        columns: Vec::new(),
        other_columns: (&[], Vec::new()),
        handler,
        sharing: Sharing::Any,
        is_api: true,
        is_page: false,
        is_kept: false,
    }
}

/// Serves these rows while `client` talks to the address.
fn with_server(rows: Vec<Route>, client: impl FnOnce(SocketAddr)) {
    with_timeouts(TIMEOUTS, rows, client);
}

fn with_timeouts(timeouts: Timeouts, rows: Vec<Route>, client: impl FnOnce(SocketAddr)) {
    let dir = tempfile::tempdir().unwrap();
    with_app(timeouts, &Arc::new(app(&dir, rows)), client);
}

/// Serves an app while `client` talks to the address.
fn with_app(timeouts: Timeouts, app: &Arc<App>, client: impl FnOnce(SocketAddr)) {
    let Listener { runtime, listener, owner } =
        Listener::open("127.0.0.1:0", InheritedSocket::Public).unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let workers = Workers::start(app, None).unwrap();
    let bounds = Bounds { most: 64, per_address: 64, proxies: Vec::new() };
    let connections = Arc::new(Connections::new(bounds));
    let acceptor = Acceptor { listener, owner, connections, timeouts, app, certificate: None };
    thread::scope(|scope| {
        let stopped = async { drop(stopped.await) };
        let accepting = scope.spawn(|| runtime.block_on(acceptor.accept(&workers, stopped)));
        client(address);
        drop(stop);
        accepting.join().unwrap();
    });
    workers.finish();
}

#[test]
fn a_panic_fails_its_own_request_only() {
    let rows = vec![
        row("/panic", Handler::Direct(|_, _| panic!("a bug"))),
        row("/query", Handler::Query(Box::new(|_, _| panic!("a {} bug", "worse")))),
        row("/health", Handler::Direct(service::health)),
    ];
    with_server(rows, |address| {
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        for (path, status) in
            [("/panic", "500"), ("/health", "200"), ("/query", "500"), ("/health", "200")]
        {
            write!(stream, "GET {path} HTTP/1.1\r\nHost: test\r\n\r\n").unwrap();
            let mut bytes = [0; 4096];
            let length = stream.read(&mut bytes).unwrap();
            let reply = str::from_utf8(&bytes[..length]).unwrap();
            assert!(reply.starts_with(&format!("HTTP/1.1 {status}")), "{path}: {reply}");
            let id = reply.split("x-request-id: ").nth(1).unwrap().lines().next().unwrap();
            assert!(status == "200" || reply.contains(&format!("report request {id}")), "{reply}");
        }
    });
}

#[test]
fn a_worker_that_is_late_is_named() {
    let rows = vec![
        row("/api/v1/status", Handler::Direct(service::status)),
        Route { is_page: true, ..row("/status", Handler::Direct(page_handlers::status)) },
    ];
    let dir = tempfile::tempdir().unwrap();
    let app = Arc::new(app(&dir, rows));
    let ready = Arc::new(Readiness::starting());
    ready.set_started();
    let admin = Admin::new(&ready);
    let listener = Listener::open("127.0.0.1:0", InheritedSocket::Admin).unwrap();
    let admin_address = listener.listener.local_addr().unwrap();
    admin.workers.set(app.metrics().workers().clone()).ok().unwrap();
    admin.serve(listener, Vec::new());
    let get = |address: SocketAddr, path: &str| {
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        let host = "Host: localhost\r\nConnection: close";
        write!(stream, "GET {path} HTTP/1.1\r\n{host}\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    with_app(TIMEOUTS, &app, |address| {
        let shown = || {
            [
                get(address, "/api/v1/status").contains(r#""late":["sync"]"#),
                get(address, "/status").contains("has not run when it should: </strong>sync."),
                get(admin_address, "/ready").contains(r#"{"late":["sync"],"ready":true"#),
            ]
        };
        assert_eq!(shown(), [false; 3]);
        // One that should have shown by now that it runs.
        let heartbeat = app.metrics().workers().add("sync", Duration::ZERO);
        assert_eq!(shown(), [true; 3]);
        heartbeat.end();
        assert_eq!(shown(), [false; 3]);
    });
}

/// Where the streams of [`streamed`] stand.
static STREAMS: LazyLock<Slots> = LazyLock::new(|| Slots::new(10, 10));

/// A stream without end, or one that fails after so many parts.
fn streamed(whole_parts: Option<u32>, lane: &Lane) -> Reply {
    let caller = CallerId::address([192, 0, 2, 1].into());
    let slot = STREAMS.take(caller).unwrap();
    let mut parts = 0;
    let producer = move |out: &mut Vec<u8>| {
        parts += 1;
        out.resize(10_000, b'x');
        if whole_parts.is_some_and(|whole| parts > whole) {
            Err(Error::operation("damaged"))
        } else {
            Ok(true)
        }
    };
    let stream =
        Stream::begin(Box::new(producer), None, "a test".into(), slot, lane.clone()).ok().unwrap();
    Reply::ok(Body::stream("text/plain", None, Payload::stream(stream)), Caching::Never)
}

/// Sends a request, and gives the connection and the start of the response.
fn ask(address: SocketAddr, path: &str, version: &str) -> (std::net::TcpStream, String) {
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    write!(stream, "GET {path} HTTP/{version}\r\nHost: test\r\n\r\n").unwrap();
    let mut bytes = [0; 1000];
    let length = stream.read(&mut bytes).unwrap();
    (stream, String::from_utf8(bytes[..length].into()).unwrap())
}

fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::yield_now();
    }
}

#[test]
fn a_stream_ends_with_its_peer_whatever_the_peer_does() {
    let rows = vec![
        row("/endless", Handler::Direct(|context, _| Ok(streamed(None, &context.streams)))),
        row("/broken", Handler::Direct(|context, _| Ok(streamed(Some(100), &context.streams)))),
        row(
            "/overdue",
            Handler::Direct(|context, _| {
                Ok(streamed(None, &context.streams).until(context.request.now.instant + SHORT))
            }),
        ),
    ];
    const SHORT: Duration = Duration::from_millis(300);
    let taken = || STREAMS.taken();
    with_timeouts(Timeouts { write: SHORT, ..TIMEOUTS }, rows, |address| {
        // One that stops reading is cut, and what its stream holds is free.
        let (stalled, head) = ask(address, "/endless", "1.1");
        assert!(head.contains("transfer-encoding: chunked"), "{head}");
        wait_until("a stalled reader is cut", || taken() == 0);
        drop(stalled);

        // One that goes away ends its stream.
        drop(ask(address, "/endless", "1.1"));
        wait_until("a stream ends with its connection", || taken() == 0);

        // One that reads now and then is never silent for long, but is cut by the deadline.
        let (mut dripping, _) = ask(address, "/overdue", "1.1");
        let mut some = [0; 100_000];
        wait_until("a dripping reader is cut", || {
            let _ = (&dripping).read(&mut some.clone());
            taken() == 0
        });
        let _ = dripping.read(&mut some);

        // A failure half-way leaves out the last chunk.
        for (version, framing) in [("1.1", "transfer-encoding: chunked"), ("1.0", "HTTP/1.0")] {
            let (mut broken, head) = ask(address, "/broken", version);
            assert!(head.contains(framing), "{head}");
            let mut rest = Vec::new();
            let _ = broken.read_to_end(&mut rest);
            assert!(rest.len() > 500_000 && !rest.ends_with(b"0\r\n\r\n"));
            wait_until("a broken stream is over", || taken() == 0);
        }
    });
}

#[test]
fn a_stream_goes_on_after_what_waits_has_been_refused() {
    let rows = vec![
        row("/endless", Handler::Direct(|context, _| Ok(streamed(None, &context.streams)))),
        Route { cost: Cost::Long, ..row("/long", Handler::Direct(service::health)) },
    ];
    let dir = tempfile::tempdir().unwrap();
    let app = Arc::new(app(&dir, rows));
    with_app(TIMEOUTS, &app, |address| {
        let (mut stream, _) = ask(address, "/endless", "1.1");
        app.refuse_waiting();
        let (_, refused) = ask(address, "/long", "1.1");
        assert!(refused.starts_with("HTTP/1.1 503"), "{refused}");
        let (mut read, mut some) = (0, vec![0; 100_000]);
        while read < 20_000_000 {
            let more = stream.read(&mut some).unwrap();
            assert!(more > 0, "it ended after {read} bytes");
            read += more;
        }
    });
}

#[test]
fn a_peer_that_keeps_us_waiting_is_cut() {
    const SHORT: Duration = Duration::from_millis(300);
    let large = Handler::Direct(|_, _| {
        let body = Body::new("text/plain", vec![b'x'; 50_000_000]);
        Ok(Reply::ok(body, Caching::Never))
    });
    let slow = Handler::Direct(|_, _| {
        thread::sleep(3 * SHORT + LOOK);
        Ok(Reply::ok(Body::new("text/plain", "slow"), Caching::Never))
    });
    let rows = vec![
        row("/health", Handler::Direct(service::health)),
        row("/large", large),
        Route { cost: Cost::Disk, ..row("/slow", slow) },
    ];
    with_timeouts(Timeouts { head: SHORT, write: SHORT, ..TIMEOUTS }, rows, |address| {
        let connect = || {
            let stream = std::net::TcpStream::connect(address).unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
            stream
        };
        let ends = |mut stream: std::net::TcpStream| {
            let mut rest = Vec::new();
            let _ = stream.read_to_end(&mut rest);
            rest.len()
        };
        // Before its first request, in the midst of it, and between two.
        assert_eq!(ends(connect()), 0);
        let mut half = connect();
        half.write_all(b"GET /health HTTP/1.1\r\nHost:").unwrap();
        assert_eq!(ends(half), 0);
        let (silent, head) = ask(address, "/health", "1.1");
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        assert_eq!(ends(silent), 0);
        // One that drips its head is not waited for either.
        let mut dripping = connect();
        let cut = (0..200).any(|_| {
            thread::sleep(Duration::from_millis(50));
            dripping.write_all(b"x").is_err()
        });
        assert!(cut);
        // Who does not read is cut, who waits for an answer is not, nor who reads slowly but steadily.
        let (unread, _) = ask(address, "/large", "1.1");
        thread::sleep(2 * LOOK + 2 * SHORT);
        assert!(ends(unread) < 50_000_000);
        let (_, slow) = ask(address, "/slow", "1.1");
        assert!(slow.ends_with("slow"), "{slow}");
        let (mut reading, _) = ask(address, "/large", "1.1");
        let (mut read, mut some) = (0, vec![0; 4_000_000]);
        while read < 40_000_000 {
            read += reading.read(&mut some).unwrap();
            thread::sleep(SHORT / 6);
        }
    });
}

#[test]
fn a_half_closed_connection_gets_its_response() {
    with_server(vec![row("/health", Handler::Direct(service::health))], |address| {
        for _ in 0..200 {
            let mut stream = std::net::TcpStream::connect(address).unwrap();
            stream.write_all(b"GET /health HTTP/1.1\r\nHost: test\r\n\r\n").unwrap();
            stream.shutdown(std::net::Shutdown::Write).unwrap();
            let mut reply = String::new();
            stream.read_to_string(&mut reply).unwrap();
            assert!(reply.starts_with("HTTP/1.1 200"), "{reply:?}");
        }
    });
}
