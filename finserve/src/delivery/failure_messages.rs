//! Why a call failed, as messages for the owner of the webhook. They never repeat the address, which may hold a secret.
use std::io;

use fincore::truncate;

/// Describes a failed call.
pub(super) fn describe(err: &ureq::Error) -> String {
    match err {
        ureq::Error::Timeout(_) => "no answer within 15 seconds".into(),
        ureq::Error::HostNotFound => "the host name cannot be resolved".into(),
        ureq::Error::ConnectionFailed => "the host cannot be reached".into(),
        ureq::Error::Io(err) => describe_connection_error(err),
        ureq::Error::Protocol(_)
        | ureq::Error::BodyStalled
        | ureq::Error::LargeResponseHeader(..) => "the answer is not proper HTTP".into(),
        ureq::Error::Tls(why) => format!("no secure connection ({why})"),
        ureq::Error::Rustls(err) => tls_failure(err.to_string()),
        // This is the message of our resolver.
        ureq::Error::Other(why) => why.to_string(),
        ureq::Error::RequireHttpsOnly(_) => "only https is called".into(),
        ureq::Error::BadUri(_) | ureq::Error::Http(_) => "the URL cannot be called".into(),
        _ => "the call failed".into(),
    }
}

fn describe_connection_error(err: &io::Error) -> String {
    match err.kind() {
        io::ErrorKind::ConnectionRefused => "the host refuses connections".into(),
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => "no answer within 15 seconds".into(),
        io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable => {
            "the host cannot be reached".into()
        }
        io::ErrorKind::UnexpectedEof
        | io::ErrorKind::ConnectionReset
        | io::ErrorKind::ConnectionAborted
        | io::ErrorKind::BrokenPipe => "the host broke off the connection".into(),
        io::ErrorKind::InvalidData => tls_failure(err.to_string()),
        _ if err.to_string().contains("lookup address") => {
            "the host name cannot be resolved".into()
        }
        _ => format!("the connection failed ({})", truncate(&err.to_string())),
    }
}

/// An error of the TLS library; a certificate is the usual reason.
fn tls_failure(why: String) -> String {
    format!("no secure connection ({})", truncate(&why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_failure_has_a_plain_message() {
        let io = |kind| ureq::Error::Io(io::Error::from(kind));
        let cases = [
            (ureq::Error::HostNotFound, "the host name cannot be resolved"),
            (io(io::ErrorKind::ConnectionRefused), "the host refuses connections"),
            (io(io::ErrorKind::TimedOut), "no answer within 15 seconds"),
            (io(io::ErrorKind::ConnectionReset), "the host broke off the connection"),
            (
                ureq::Error::Io(io::Error::new(io::ErrorKind::InvalidData, "certificate expired")),
                "no secure connection (certificate expired)",
            ),
            (
                ureq::Error::Other("the host does not lead to a public address".into()),
                "the host does not lead to a public address",
            ),
            (ureq::Error::BadUri("https://user:secret@x".into()), "the URL cannot be called"),
        ];
        for (err, wanted) in cases {
            assert_eq!(describe(&err), wanted);
        }
    }
}
