//! The cookie that holds a session.
use fincore::{SessionToken, sessions::LIFETIME};
use hyper::header::{COOKIE, HeaderValue};

use super::request::Request;
use crate::site::base_path::BasePath;

const NAME: &str = "session";

/// The name of the cookie. Over TLS its prefix makes browsers accept it from this host only, and from no page without
/// TLS.
fn name(request: &Request, base: BasePath) -> String {
    let prefix = match (request.is_https(), base.link("").is_empty()) {
        (true, true) => "__Host-",
        (true, false) => "__Secure-",
        (false, _) => "",
    };
    format!("{prefix}{NAME}")
}

/// The session that a request names; none where it names two. Cookies of this name that hold something else are not ours:
/// another service on the same host may call its own like that.
pub(crate) fn session(request: &Request, base: BasePath) -> Option<SessionToken> {
    let name = name(request, base);
    let lines = request.head.headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.split_once('='));
    let ours = pairs.filter(|(given, _)| given.trim() == name);
    let mut tokens = ours.filter_map(|(_, value)| value.trim().parse::<SessionToken>().ok());
    let first = tokens.next()?;
    tokens.all(|other| other == first).then_some(first)
}

/// The header that gives a browser a session.
pub(crate) fn given(request: &Request, base: BasePath, token: &SessionToken) -> HeaderValue {
    let mut value = header(request, base, token.reveal(), LIFETIME.num_seconds());
    value.set_sensitive(true);
    value
}

/// The header that makes a browser forget its session.
pub(crate) fn taken(request: &Request, base: BasePath) -> HeaderValue {
    header(request, base, "", 0)
}

fn header(request: &Request, base: BasePath, value: &str, seconds: i64) -> HeaderValue {
    let (name, base) = (name(request, base), base.link(""));
    let path = if base.is_empty() { "/" } else { &base };
    let secure = if request.is_https() { "; Secure" } else { "" };
    let cookie =
        format!("{name}={value}; HttpOnly; SameSite=Lax; Path={path}; Max-Age={seconds}{secure}");
    HeaderValue::try_from(cookie).expect("tokens and paths are plain ASCII")
}

#[cfg(test)]
mod tests {
    use std::{net::Ipv4Addr, sync::Arc, time::Instant};

    use fincore::chrono::DateTime;

    use super::*;
    use crate::{
        coordination::clock::Now,
        http::message::{
            link_parameter::LinkCredential,
            request::{Session, Upload},
        },
    };

    fn request(is_encrypted: bool, lines: &[&[u8]]) -> Request {
        let mut head = hyper::Request::builder();
        for line in lines {
            head = head.header(COOKIE, HeaderValue::from_bytes(line).unwrap());
        }
        Request {
            head: head.body(()).unwrap().into_parts().0,
            upload: Upload::TooLarge(0),
            peer: Ipv4Addr::LOCALHOST.into(),
            is_encrypted,
            now: Now { instant: Instant::now(), utc: DateTime::UNIX_EPOCH },
            session: Session::None,
            link: LinkCredential::None,
            reaction: None,
            turn: Arc::default(),
        }
    }

    #[test]
    fn has_the_name_and_the_bounds_that_its_way_allows() {
        let token: SessionToken = format!("fis_{}", "a".repeat(32)).parse().unwrap();
        for (is_encrypted, base, name, rest) in [
            (false, "", "session", "Path=/; Max-Age=2592000"),
            (false, "/data", "session", "Path=/data; Max-Age=2592000"),
            (true, "", "__Host-session", "Path=/; Max-Age=2592000; Secure"),
            (true, "/data", "__Secure-session", "Path=/data; Max-Age=2592000; Secure"),
        ] {
            let (base, request) = (BasePath::new(base), request(is_encrypted, &[]));
            let value = given(&request, base, &token);
            let wanted = format!("{name}={}; HttpOnly; SameSite=Lax; {rest}", token.reveal());
            assert_eq!(value, wanted.as_str());
            assert!(!format!("{value:?}").contains("fis_"));
            let forgotten =
                format!("{name}=; HttpOnly; SameSite=Lax; {rest}").replace("2592000", "0");
            assert_eq!(taken(&request, base), forgotten.as_str());
        }
    }

    #[test]
    fn reads_what_it_gave_and_nothing_else() {
        let [a, b] = ["a", "b"].map(|letter| format!("fis_{}", letter.repeat(32)));
        let read = |is_encrypted, lines: &[&str]| {
            let lines: Vec<&[u8]> = lines.iter().map(|line| line.as_bytes()).collect();
            let token = session(&request(is_encrypted, &lines), BasePath::default());
            token.map(|token| token.reveal().to_owned())
        };
        let line = |name: &str, token: &str| format!("{name}={token}");
        let one = Some(a.clone());
        assert_eq!(read(false, &[&line("session", &a)]), one);
        assert_eq!(read(false, &[&format!("x=1;session={a} ; y")]), one);
        assert_eq!(read(false, &["x=1", &line("session", &a), "session=other"]), one);
        assert_eq!(read(false, &[&format!("session={a}; session={a}")]), one);
        assert_eq!(read(false, &[&format!("session={a}; session={b}")]), None);
        assert_eq!(read(true, &[&line("__Host-session", &a)]), one);
        // A page without TLS could have written this cookie.
        assert_eq!(read(true, &[&line("session", &a)]), None);
        assert_eq!(read(false, &[&line("__Host-session", &a)]), None);
        for wrong in [
            "",
            "session",
            "session=",
            "=",
            ";;;=;",
            "session==",
            &line("Session", &a),
            &line("session", &a[1..]),
        ] {
            assert_eq!(read(false, &[wrong]), None, "{wrong}");
        }
        assert!(
            session(&request(false, &[b"session=\xff\xfe", b"\x80"]), BasePath::default())
                .is_none()
        );
    }
}
