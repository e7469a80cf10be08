//! Why a download from a publisher failed.
use std::{fmt, io, time::Duration};

use fincore::Error;

use crate::net::trusted_certificates::{explain_failure, explain_refusal};

/// Advice where a publisher cannot be reached.
pub(crate) const WAYS_OUT: &str = "CVM and the central bank drop requests from some clouds and countries: use a mirror \
    (--cvm-url, --sgs-url, --olinda-url, --ptax-url, --bcb-url) or a proxy (HTTPS_PROXY), or import files by hand; \
    see docs/keeping-data-fresh.md";

/// Why a request, or the import of its answer, failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// For the operator.
    pub(super) message: String,
    pub(super) kind: FaultKind,
}

/// Whether trying again may help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FaultKind {
    /// It does not: the answer is wrong, or the request is.
    Permanent,
    /// It does not, because the import refuses the file; unless other data changes.
    Refused,
    /// It may, because the server has trouble; not before the time that it named.
    Temporary { wait: Option<Duration> },
    /// It may, because the server sent something else than data, as if all were well. SGS also does that with windows that
    /// are too long for it.
    NotData,
    /// There was no connection. Trying again may help, unless no other publisher can be reached either.
    Unreachable,
    /// The server was silent or too slow, so each further attempt takes long.
    Silence,
    /// The publisher has failed too often in this run to be asked again.
    Skipped,
    /// The sync was stopped.
    Stopped,
}

impl Fault {
    pub(super) fn permanent(message: impl Into<String>) -> Fault {
        Fault { message: message.into(), kind: FaultKind::Permanent }
    }

    pub(super) fn temporary(message: impl Into<String>) -> Fault {
        Fault { message: message.into(), kind: FaultKind::Temporary { wait: None } }
    }

    pub(super) fn unreachable(message: impl Into<String>) -> Fault {
        Fault { message: message.into(), kind: FaultKind::Unreachable }
    }

    pub(super) fn silence(message: impl Into<String>) -> Fault {
        Fault { message: message.into(), kind: FaultKind::Silence }
    }

    /// Whether the cause may lie between this machine and the publisher.
    pub(super) fn is_cut_off(&self) -> bool {
        match self.kind {
            FaultKind::Unreachable | FaultKind::Silence => true,
            FaultKind::Permanent => self.message.contains("answered 403"),
            FaultKind::Refused
            | FaultKind::Temporary { .. }
            | FaultKind::NotData
            | FaultKind::Skipped
            | FaultKind::Stopped => false,
        }
    }

    pub(super) fn stopped() -> Fault {
        Fault { message: "stopped".into(), kind: FaultKind::Stopped }
    }

    /// Adds what was asked for and, if the server is at fault, its host. Faults that concern the whole run stay as they are.
    pub(super) fn about(self, what: &str, host: &str) -> Fault {
        let message = match self.kind {
            FaultKind::Skipped | FaultKind::Stopped => self.message,
            FaultKind::Permanent | FaultKind::Refused => format!("{what}: {}", self.message),
            FaultKind::Temporary { .. }
            | FaultKind::NotData
            | FaultKind::Unreachable
            | FaultKind::Silence => {
                format!("{what}: {host}: {}", self.message)
            }
        };
        Fault { message, kind: self.kind }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// An error of the import; the request names the file.
impl From<Error> for Fault {
    fn from(err: Error) -> Fault {
        match err {
            Error::Refused { line: Some(line), reason, .. } => {
                Fault { message: format!("line {line}: {reason}"), kind: FaultKind::Refused }
            }
            Error::Refused { reason, .. } => Fault { message: reason, kind: FaultKind::Refused },
            other => Fault::permanent(other.to_string()),
        }
    }
}

/// An error of the disk; errors of the network are `ureq::Error`.
impl From<io::Error> for Fault {
    fn from(err: io::Error) -> Fault {
        Fault::permanent(format!("the download cannot be stored: {err}"))
    }
}

impl From<ureq::Error> for Fault {
    fn from(err: ureq::Error) -> Fault {
        match err {
            ureq::Error::Timeout(ureq::Timeout::Resolve) => {
                Fault::unreachable("the host name cannot be resolved")
            }
            ureq::Error::Timeout(ureq::Timeout::Connect) => {
                Fault::unreachable("the server cannot be reached")
            }
            ureq::Error::Timeout(_) => Fault::silence("the server did not answer in time"),
            ureq::Error::HostNotFound => Fault::unreachable("the host name cannot be resolved"),
            ureq::Error::ConnectionFailed => Fault::unreachable("the server cannot be reached"),
            ureq::Error::Io(err) => connection_fault(&err),
            ureq::Error::Protocol(_) | ureq::Error::BodyStalled => {
                Fault::temporary(format!("the answer is not proper HTTP ({err})"))
            }
            ureq::Error::TooManyRedirects => Fault::permanent("the server redirects in a circle"),
            ureq::Error::ConnectProxyFailed(_) | ureq::Error::InvalidProxyUrl => {
                Fault::permanent(format!("the proxy refuses the connection ({err})"))
            }
            ureq::Error::Rustls(err) => {
                Fault::permanent(format!("no secure connection ({})", explain_refusal(&err)))
            }
            other => Fault::permanent(format!("no secure connection ({other})")),
        }
    }
}

fn connection_fault(err: &io::Error) -> Fault {
    match err.kind() {
        io::ErrorKind::ConnectionRefused => Fault::unreachable("the server refuses connections"),
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => {
            Fault::silence("the server did not answer in time")
        }
        io::ErrorKind::UnexpectedEof
        | io::ErrorKind::ConnectionReset
        | io::ErrorKind::ConnectionAborted
        | io::ErrorKind::BrokenPipe => Fault::temporary("the server broke off the connection"),
        io::ErrorKind::InvalidData => {
            Fault::permanent(format!("no secure connection ({})", explain_failure(err)))
        }
        io::ErrorKind::NetworkUnreachable | io::ErrorKind::HostUnreachable => {
            Fault::unreachable("the network cannot be reached")
        }
        _ if err.to_string().contains("lookup address") => {
            Fault::unreachable("the host name cannot be resolved")
        }
        _ => Fault::temporary(format!("the connection failed ({err})")),
    }
}
