//! The certificate of a server: whether it is valid, and until when.
use std::{
    net::{TcpStream, ToSocketAddrs},
    sync::Arc,
    time::Duration,
};

use fincore::chrono::{DateTime, NaiveDateTime, Utc};
use rustls::{ClientConnection, pki_types::ServerName};

use crate::net::trusted_certificates;

/// Until when the certificate of a host is valid; or why it is not.
pub(super) fn expiry(host: &str, port: u16, timeout: Duration) -> Result<DateTime<Utc>, String> {
    let name = ServerName::try_from(host.to_owned()).map_err(|err| err.to_string())?;
    let mut connection =
        ClientConnection::new(Arc::new(trusted_certificates::rustls_config()?), name)
            .map_err(|err| err.to_string())?;
    let mut socket = connect(host, port, timeout)?;
    while connection.is_handshaking() {
        let done = connection.complete_io(&mut socket);
        done.map_err(|err| trusted_certificates::explain_failure(&err))?;
    }
    let certificates = connection.peer_certificates().unwrap_or_default();
    let first = certificates.first().ok_or("the server presents no certificate")?;
    not_after(first).ok_or_else(|| "its certificate cannot be read".into())
}

fn connect(host: &str, port: u16, timeout: Duration) -> Result<TcpStream, String> {
    let addresses = (host, port).to_socket_addrs().map_err(|err| err.to_string())?;
    let mut failed = "the host name has no address".to_owned();
    for address in addresses {
        match TcpStream::connect_timeout(&address, timeout) {
            Ok(socket) => {
                // Setting a timeout that is not zero cannot fail.
                let _ = socket.set_read_timeout(Some(timeout));
                let _ = socket.set_write_timeout(Some(timeout));
                return Ok(socket);
            }
            Err(err) => failed = err.to_string(),
        }
    }
    Err(failed)
}

/// The end of validity: the second time in the fifth part of a certificate, or the fourth where the version is left out
/// (RFC 5280, 4.1).
fn not_after(certificate: &[u8]) -> Option<DateTime<Utc>> {
    let (_, certificate, _) = element(certificate)?;
    let (_, mut parts, _) = element(certificate)?;
    if *parts.first()? == 0xa0 {
        parts = element(parts)?.2;
    }
    // Serial number, algorithm and issuer come before.
    for _ in 0..3 {
        parts = element(parts)?.2;
    }
    let (_, validity, _) = element(parts)?;
    let (_, _, after) = element(validity)?;
    let (tag, time, _) = element(after)?;
    let time = str::from_utf8(time).ok()?;
    // Years of two digits are of this century up to 49.
    let time = match tag {
        0x17 if time.get(..2)? < "50" => format!("20{time}"),
        0x17 => format!("19{time}"),
        _ => time.to_owned(),
    };
    Some(NaiveDateTime::parse_from_str(&time, "%Y%m%d%H%M%SZ").ok()?.and_utc())
}

/// An element of DER: its tag, its content, and what follows it.
fn element(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (tag, rest) = bytes.split_first()?;
    let (first, rest) = rest.split_first()?;
    let (length, rest) = match usize::from(*first) {
        short @ 0..0x80 => (short, rest),
        long => {
            let (digits, rest) = rest.split_at_checked(long - 0x80)?;
            let add = |length: usize, digit: &u8| {
                length.checked_mul(256)?.checked_add(usize::from(*digit))
            };
            (digits.iter().try_fold(0, add)?, rest)
        }
    };
    let (content, after) = rest.split_at_checked(length)?;
    Some((*tag, content, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A certificate as short as one can be: version, serial number, algorithm, issuer, validity.
    fn certificate(version: &[u8], validity: &[u8]) -> Vec<u8> {
        let wrap = |tag: u8, content: &[u8]| {
            [&[tag, 0x81, u8::try_from(content.len()).unwrap()], content].concat()
        };
        let parts = [version, &[2, 1, 7], &[0x30, 0], &[0x30, 0], &wrap(0x30, validity)].concat();
        wrap(0x30, &wrap(0x30, &parts))
    }

    #[test]
    fn reads_until_when_a_certificate_is_valid() {
        let short = |text: &str| [&[0x17, 13], text.as_bytes()].concat();
        let long = |text: &str| [&[0x18, 15], text.as_bytes()].concat();
        let version: &[u8] = &[0xa0, 3, 2, 1, 2];
        for (version, from, to, end) in [
            (version, short("260101000000Z"), short("270203040506Z"), "2027-02-03T04:05:06Z"),
            (&[], short("960101000000Z"), short("970203040506Z"), "1997-02-03T04:05:06Z"),
            (version, short("260101000000Z"), long("20500203040506Z"), "2050-02-03T04:05:06Z"),
        ] {
            let certificate = certificate(version, &[from, to].concat());
            assert_eq!(not_after(&certificate), Some(end.parse().unwrap()));
        }
    }

    #[test]
    fn a_broken_certificate_has_no_end() {
        let whole = certificate(
            &[],
            &[&[0x17, 13], &b"260101000000Z"[..], &[0x17, 13], b"270203040506Z"].concat(),
        );
        assert!(not_after(&whole).is_some());
        for length in 0..whole.len() {
            assert_eq!(not_after(&whole[..length]), None, "{length}");
        }
        assert_eq!(not_after(&[0x30, 0xff, 0xff]), None);
    }
}
