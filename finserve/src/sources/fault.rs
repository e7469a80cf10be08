//! Why something could not be had from a publisher.
use std::{fmt, io, time::Duration};

use fincore::Error;

/// Why a request, or the import of its answer, failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// In words, for the operator.
    pub(super) words: String,
    pub(super) kind: Kind,
}

/// What can be done about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing for now: the answer is wrong, or the request is.
    Lasting,
    /// The server has trouble, so asking again may help; not before the time that it named.
    Trouble { wait: Option<Duration> },
    /// The server was silent or too slow, so each further try takes long.
    Silence,
    /// The publisher had its chance in this run.
    Unasked,
    /// We were told to stop.
    Stopped,
}

impl Fault {
    pub(super) fn lasting(words: impl Into<String>) -> Fault {
        Fault { words: words.into(), kind: Kind::Lasting }
    }

    pub(super) fn trouble(words: impl Into<String>) -> Fault {
        Fault { words: words.into(), kind: Kind::Trouble { wait: None } }
    }

    pub(super) fn silence(words: impl Into<String>) -> Fault {
        Fault { words: words.into(), kind: Kind::Silence }
    }

    pub(super) fn stopped() -> Fault {
        Fault { words: "stopped".into(), kind: Kind::Stopped }
    }

    /// Names what was asked for, and whom if that is where the trouble lies; unless the same is said of everything.
    pub(super) fn about(self, what: &str, host: &str) -> Fault {
        let words = match self.kind {
            Kind::Unasked | Kind::Stopped => self.words,
            Kind::Lasting => format!("{what}: {}", self.words),
            Kind::Trouble { .. } | Kind::Silence => format!("{what}: {host}: {}", self.words),
        };
        Fault { words, kind: self.kind }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

/// What the import says of an answer; which file that is, the request says.
impl From<Error> for Fault {
    fn from(err: Error) -> Fault {
        match err {
            Error::Refused { line: Some(line), reason, .. } => {
                Fault::lasting(format!("line {line}: {reason}"))
            }
            Error::Refused { reason, .. } => Fault::lasting(reason),
            other => Fault::lasting(other.to_string()),
        }
    }
}

/// What the disk says; the network speaks through `ureq::Error`.
impl From<io::Error> for Fault {
    fn from(err: io::Error) -> Fault {
        Fault::lasting(format!("the download cannot be stored: {err}"))
    }
}

impl From<ureq::Error> for Fault {
    fn from(err: ureq::Error) -> Fault {
        match err {
            ureq::Error::Timeout(_) => Fault::silence("the server did not answer in time"),
            ureq::Error::HostNotFound => Fault::trouble("the host name cannot be resolved"),
            ureq::Error::ConnectionFailed => Fault::trouble("the server cannot be reached"),
            ureq::Error::Io(err) => of_connection(&err),
            ureq::Error::Protocol(_) | ureq::Error::BodyStalled => {
                Fault::trouble(format!("the answer is not proper HTTP ({err})"))
            }
            ureq::Error::Decompress(..) => {
                Fault::trouble(format!("the compressed answer is damaged ({err})"))
            }
            ureq::Error::TooManyRedirects => Fault::lasting("the server redirects in a circle"),
            ureq::Error::ConnectProxyFailed(_) | ureq::Error::InvalidProxyUrl => {
                Fault::lasting(format!("the proxy refuses the connection ({err})"))
            }
            // Certificates, mostly.
            other => Fault::lasting(format!("no secure connection ({other})")),
        }
    }
}

/// Why a request failed, in words.
pub(crate) fn in_words(err: ureq::Error) -> String {
    Fault::from(err).words
}

fn of_connection(err: &io::Error) -> Fault {
    match err.kind() {
        io::ErrorKind::ConnectionRefused => Fault::trouble("the server refuses connections"),
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => {
            Fault::silence("the server did not answer in time")
        }
        io::ErrorKind::UnexpectedEof
        | io::ErrorKind::ConnectionReset
        | io::ErrorKind::ConnectionAborted
        | io::ErrorKind::BrokenPipe => Fault::trouble("the server broke off the connection"),
        io::ErrorKind::InvalidData => Fault::lasting(format!("no secure connection ({err})")),
        _ if err.to_string().contains("lookup address") => {
            Fault::trouble("the host name cannot be resolved")
        }
        _ => Fault::trouble(format!("the connection failed ({err})")),
    }
}
