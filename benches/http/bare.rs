//! The yardstick: hyper alone. It answers `/N` and `/N/…` with a body of N bytes.
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

fn answer(request: &Request<Incoming>, bytes: &Bytes) -> Response<Full<Bytes>> {
    let length: Option<usize> =
        request.uri().path().split('/').nth(1).and_then(|text| text.parse().ok());
    let length = length.filter(|length| *length <= LONGEST).expect("the bench asks for a length");
    let mut response = Response::new(Full::new(bytes.slice(..length)));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
