//! The yardstick: hyper alone. It answers with copies of our own answers, status, headers and body, that it was given before:
//! `POST /` with an answer is answered with a number, and `/NUMBER/…` with that answer.
use std::{
    convert::Infallible,
    io::{self, Read},
    net::Ipv4Addr,
    process,
    sync::{
        OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use http_body_util::{BodyExt, Full};
use hyper::{
    HeaderMap, Method, Request, Response, StatusCode,
    body::{Bytes, Incoming},
    header::{HeaderName, HeaderValue},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use tokio::{net::TcpListener, runtime::Runtime};

use crate::{
    Outcome,
    server::{Answer, LISTENS},
};

/// More than a run has rows.
const MOST: usize = 256;

/// The answers that it has been given. They live as long as the program, so that no counter of their users costs time.
static ANSWERS: [OnceLock<Copy>; MOST] = [const { OnceLock::new() }; MOST];

/// An answer of ours.
struct Copy {
    status: StatusCode,
    headers: HeaderMap,
    body: &'static [u8],
}

/// Serves until the standard input ends, which it does with the program that started this one.
pub(crate) fn serve() -> Outcome<()> {
    thread::spawn(|| {
        let _ = io::stdin().read(&mut [0]);
        process::exit(0)
    });
    Runtime::new()?.block_on(async {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        println!("{LISTENS}{}", listener.local_addr()?);
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            tokio::spawn(async move {
                let answer = service_fn(async |request| Ok::<_, Infallible>(answer(request).await));
                // A client that goes away is no failure.
                let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), answer).await;
            });
        }
    })
}

async fn answer(request: Request<Incoming>) -> Response<Full<Bytes>> {
    if request.method() == Method::POST {
        let bytes = request.into_body().collect().await.expect("the bench sends all of it");
        return Response::new(Full::from(keep(&bytes.to_bytes()).to_string()));
    }
    let number = request.uri().path().split('/').nth(1).and_then(|number| number.parse().ok());
    let copy = number.and_then(|number: usize| ANSWERS.get(number)?.get());
    let Copy { status, headers, body } = copy.expect("the bench asks for what it has given");
    let mut response = Response::new(Full::new(Bytes::from_static(body)));
    *response.status_mut() = *status;
    *response.headers_mut() = headers.clone();
    response
}

/// Keeps an answer, and returns its number.
fn keep(bytes: &[u8]) -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    /// What hyper writes itself.
    const OWN: [&str; 4] = ["connection", "content-length", "date", "transfer-encoding"];
    let Answer { status, head, body } = Answer::parse(bytes).expect("the bench sends answers");
    let mut headers = HeaderMap::new();
    for (name, value) in head.lines().filter_map(|line| line.split_once(": ")) {
        if !OWN.contains(&name) {
            let name = HeaderName::from_static(name.to_owned().leak());
            headers.append(name, HeaderValue::from_static(value.to_owned().leak()));
        }
    }
    let status = StatusCode::from_u16(status).expect("an answer of ours has a status");
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let place = ANSWERS.get(number).expect("a run has fewer rows");
    place.get_or_init(|| Copy { status, headers, body: body.leak() });
    number
}
