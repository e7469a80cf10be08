//! Reads the answer of a publisher into a temporary file.
use std::{
    fs::File,
    io::{self, ErrorKind, Read, Seek, Write},
    path::Path,
    time::{Duration, Instant},
};

use fincore::{
    chrono::{DateTime, Utc},
    downloads::Validators,
};
use flate2::read::MultiGzDecoder;
use indicatif::ProgressBar;
use sha2::{Digest, Sha256};
use ureq::{Body, http};

use super::retry::retry_after;
use crate::{
    coordination::signal::Signal,
    sources::{
        failure::{Fault, FaultKind},
        request::{Request, Verdict, shorten},
    },
};

/// Where an answer is written, and the progress bar that shows it.
#[derive(Clone, Copy, Debug)]
pub(in crate::sources) struct DownloadTarget<'a> {
    pub(in crate::sources) directory: &'a Path,
    pub(in crate::sources) progress: &'a ProgressBar,
}

/// A server that sends less than this in the time given is too slow.
const LEAST_BYTES_A_SECOND: u64 = 1024;
/// How long a server may be slow.
const SLOW_TIME: Duration = Duration::from_secs(10);
/// The most bytes of an error page that are read.
const MOST_ERROR_BYTES: u64 = 64 * 1024;
/// So many bytes at its start show what an answer is; one without rows is shorter.
const FIRST_BYTES: u64 = 4096;

/// A successful answer.
#[derive(Debug)]
pub(in crate::sources) enum Answer {
    /// Nothing has changed since the last time.
    Unchanged,
    /// The publisher has no data for these days, or not yet.
    Nothing,
    /// A file, complete, to be read from its start.
    File { file: File, validators: Validators },
}

/// Reads an answer that came at this time to its end; its server may be silent for this long.
pub(super) fn read(
    response: http::Response<Body>,
    request: &Request,
    known: Option<&Validators>,
    target: DownloadTarget<'_>,
    (now, timeout): (DateTime<Utc>, Duration),
    stop: &Signal,
) -> Result<Answer, Fault> {
    match response.status().as_u16() {
        200 => download(response, request, target, timeout.min(SLOW_TIME), stop),
        304 if known.is_some() => Ok(Answer::Unchanged),
        404 => {
            let body = body_text(response);
            if request.may_be_absent(&body, known) {
                return Ok(Answer::Nothing);
            }
            Err(Fault::permanent(status_message(404, &body)))
        }
        status @ (408 | 425 | 429 | 500..) => {
            let header = response.headers().get("retry-after");
            let wait = header
                .and_then(|value| value.to_str().ok())
                .and_then(|text| retry_after(text, now));
            let message = status_message(status, &body_text(response));
            Err(Fault { message, kind: FaultKind::Temporary { wait } })
        }
        status => Err(Fault::permanent(status_message(status, &body_text(response)))),
    }
}

/// The status as a message, with the text of the server.
fn status_message(status: u16, body: &str) -> String {
    let reason = match status {
        403 => " (forbidden)",
        404 => " (not found)",
        406 => " (not acceptable)",
        429 => " (too many requests)",
        500 => " (internal error)",
        502..=504 => " (not available)",
        _ => "",
    };
    let mut message = format!("the server answered {status}{reason}");
    let body = shorten(body);
    // An HTML page says no more than the status.
    if !body.is_empty() && !body.starts_with('<') {
        message += &format!(": {body}");
    }
    if matches!(status, 403 | 406) {
        message += REFUSED_NAME;
    }
    message
}

/// Some servers answer so to programs whose name they do not know.
const REFUSED_NAME: &str =
    "; if it refuses the name of this program, give another with --user-agent";

fn is_gzip(response: &http::Response<Body>) -> bool {
    let encoding = response.headers().get("content-encoding");
    encoding.is_some_and(|encoding| encoding.as_bytes().eq_ignore_ascii_case(b"gzip"))
}

fn decoded<'a>(body: impl Read + 'a, is_gzip: bool) -> Box<dyn Read + 'a> {
    if is_gzip { Box::new(MultiGzDecoder::new(body)) } else { Box::new(body) }
}

fn body_text(response: http::Response<Body>) -> String {
    let (is_gzip, body) = (is_gzip(&response), response.into_body().into_reader());
    let mut bytes = Vec::new();
    // A body that cannot be read only makes the message shorter.
    let _ = decoded(body, is_gzip).take(MOST_ERROR_BYTES).read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

fn download(
    response: http::Response<Body>,
    request: &Request,
    target: DownloadTarget<'_>,
    slow_time: Duration,
    stop: &Signal,
) -> Result<Answer, Fault> {
    let header = |name: &str| {
        let value = response.headers().get(name)?.to_str().ok()?;
        Some(value.to_owned())
    };
    let (etag, modified) = (header("etag"), header("last-modified"));
    // The length of a compressed body says nothing about its content.
    let compressed = response.headers().contains_key("content-encoding");
    let length =
        header("content-length").filter(|_| !compressed).and_then(|text| text.parse().ok());
    let most = request.publisher.most_bytes();
    if length.is_some_and(|length| length > most) {
        return Err(too_long(most));
    }
    target.progress.set_length(length.unwrap_or_default());
    target.progress.set_position(0);
    let mut file = tempfile::tempfile_in(target.directory)?;
    let copy = BodyCopy { most, slow_time, stop, progress: target.progress };
    let is_gzip = is_gzip(&response);
    let body = response.into_body().into_with_config().limit(most + 1).reader();
    let (bytes, digest) = copy.run(decoded(body, is_gzip), &mut file)?;
    if length.is_some_and(|length: u64| length != bytes) {
        let length = length.unwrap_or_default();
        return Err(Fault::temporary(format!(
            "the answer broke off after {bytes} of {length} bytes"
        )));
    }
    file.rewind()?;
    let mut start = Vec::new();
    Read::by_ref(&mut file).take(FIRST_BYTES).read_to_end(&mut start)?;
    file.rewind()?;
    match request.judge(&start) {
        Verdict::Data => {
            Ok(Answer::File { file, validators: Validators { etag, modified, digest } })
        }
        Verdict::NoData => Ok(Answer::Nothing),
        Verdict::PassingFault(message) => Err(Fault { message, kind: FaultKind::NotData }),
    }
}

fn too_long(most: u64) -> Fault {
    Fault::permanent(format!("the answer is longer than {} MB", most >> 20))
}

/// Copies a body to a file, within limits of size and time.
struct BodyCopy<'a> {
    most: u64,
    slow_time: Duration,
    stop: &'a Signal,
    progress: &'a indicatif::ProgressBar,
}

impl BodyCopy<'_> {
    /// Copies the body; returns the number of bytes and their digest.
    fn run(&self, mut body: impl Read, file: &mut File) -> Result<(u64, String), Fault> {
        let mut buffer = vec![0; 64 * 1024];
        let (mut bytes, mut digest) = (0, Sha256::new());
        let (mut since, mut then) = (Instant::now(), 0);
        loop {
            let count = match body.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => count,
                Err(err) => return Err(broken_body(err, bytes)),
            };
            bytes += count as u64;
            if bytes > self.most {
                return Err(too_long(self.most));
            }
            digest.update(&buffer[..count]);
            file.write_all(&buffer[..count])?;
            self.progress.set_position(bytes);
            if self.stop.is_stopped() {
                return Err(Fault::stopped());
            }
            if since.elapsed() >= self.slow_time {
                if bytes - then < LEAST_BYTES_A_SECOND * self.slow_time.as_secs().max(1) {
                    return Err(Fault::silence("the server sends too slowly"));
                }
                (since, then) = (Instant::now(), bytes);
            }
        }
        let digest = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Ok((bytes, digest))
    }
}

fn broken_body(err: io::Error, bytes: u64) -> Fault {
    let fault = match err.kind() {
        ErrorKind::InvalidInput | ErrorKind::InvalidData => {
            Fault::temporary(format!("the compressed answer is damaged ({err})"))
        }
        _ => Fault::from(ureq::Error::from(err)),
    };
    Fault { message: format!("{} after {bytes} bytes of the answer", fault.message), ..fault }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_what_the_server_says_but_no_pages() {
        let limit = r#"{"erro":{"detail":"O sistema aceita uma janela de 10 anos"}}"#;
        for (status, body, message) in [
            (
                406,
                limit,
                format!("the server answered 406 (not acceptable): {limit}{REFUSED_NAME}"),
            ),
            (403, "<html>", format!("the server answered 403 (forbidden){REFUSED_NAME}")),
            (503, "<html><body>x", "the server answered 503 (not available)".into()),
            (500, "", "the server answered 500 (internal error)".into()),
            (418, "a\n\n  \u{1b}[31mb", "the server answered 418: a [31mb".into()),
        ] {
            assert_eq!(status_message(status, body), message);
        }
        assert!(status_message(500, &"x".repeat(5000)).len() < 300);
    }
}
