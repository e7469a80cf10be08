//! The yardstick: hyper alone. It answers `/N` and `/N/…` with a body of N bytes, and `/hN/…` with the headers besides that all
//! our answers have.
use std::{
    convert::Infallible,
    io::{self, Read},
    net::Ipv4Addr,
    process, thread,
};

use http_body_util::Full;
use hyper::{
    Request, Response,
    body::{Bytes, Incoming},
    header::{CONTENT_TYPE, HeaderValue},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use tokio::{net::TcpListener, runtime::Runtime};

use crate::{Outcome, server::LISTENS};

/// More than any answer has.
const LONGEST: usize = 16 << 20;

/// Serves until the standard input ends, which it does with the program that started this one.
pub(crate) fn serve() -> Outcome<()> {
    thread::spawn(|| {
        let _ = io::stdin().read(&mut [0]);
        process::exit(0)
    });
    Runtime::new()?.block_on(async {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        println!("{LISTENS}{}", listener.local_addr()?);
        let bytes = Bytes::from(vec![b' '; LONGEST]);
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            let bytes = bytes.clone();
            tokio::spawn(async move {
                let answer = service_fn(|request| {
                    let answer = answer(&request, &bytes);
                    async { Ok::<_, Infallible>(answer) }
                });
                // A client that goes away is no failure.
                let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), answer).await;
            });
        }
    })
}

/// What stands before the length of an answer with headers.
pub(crate) const WITH_HEADERS: char = 'h';

/// The headers of our answers, as long as they are on average.
const HEADERS: [(&str, &str); 12] = [
    ("x-request-id", "54237e9f-1048576"),
    ("x-ratelimit-remaining", "1999"),
    ("x-ratelimit-reset", "1794808488"),
    ("ratelimit", "\"platinum\";r=1999;t=60"),
    ("etag", "W/\"0adfb6e0cbf12c3a26614be78b1c085e-8601d4ec7017a57f\""),
    ("vary", "X-API-Key, Authorization, Accept, Accept-Encoding"),
    ("cache-control", "private, max-age=60"),
    ("x-plan", "platinum"),
    ("x-ratelimit-limit", "2000"),
    ("ratelimit-policy", "\"platinum\";q=2000;w=60"),
    ("access-control-allow-origin", "*"),
    (
        "access-control-expose-headers",
        "X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, RateLimit, RateLimit-Policy, X-Plan, \
         X-Request-Id, X-Total-Count, X-Fuzzy, X-Data-Version, Content-Disposition, ETag, Retry-After, Link",
    ),
];

fn answer(request: &Request<Incoming>, bytes: &Bytes) -> Response<Full<Bytes>> {
    let first = request.uri().path().split('/').nth(1).unwrap_or_default();
    let (with_headers, length) = match first.strip_prefix(WITH_HEADERS) {
        Some(length) => (true, length),
        None => (false, first),
    };
    let length: Option<usize> = length.parse().ok();
    let length = length.filter(|length| *length <= LONGEST).expect("the bench asks for a length");
    let mut response = Response::new(Full::new(bytes.slice(..length)));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if with_headers {
        for (name, value) in HEADERS {
            headers.insert(name, HeaderValue::from_static(value));
        }
    }
    response
}
