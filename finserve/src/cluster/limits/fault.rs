//! Why Valkey has not answered.
use std::{fmt, io};

use redis::{ErrorKind, RedisError};

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Fault {
    /// The connection failed or ended.
    Lost(String),
    /// It took too long.
    Slow,
    /// The engine refused, in its own words.
    Refused(String),
    /// Something answered that does not speak the protocol.
    Strange,
}

impl Fault {
    /// The other side has ended the connection.
    pub(super) fn closed() -> Fault {
        Fault::Lost("it has closed the connection".to_owned())
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Lost(words) | Fault::Refused(words) => f.write_str(words),
            Fault::Slow => f.write_str("it does not answer in time"),
            Fault::Strange => f.write_str("what answers there is not Valkey or Redis"),
        }
    }
}

impl From<io::Error> for Fault {
    fn from(err: io::Error) -> Fault {
        Fault::Lost(err.to_string())
    }
}

impl From<RedisError> for Fault {
    fn from(err: RedisError) -> Fault {
        if matches!(err.kind(), ErrorKind::Parse | ErrorKind::UnexpectedReturnType) {
            return Fault::Strange;
        }
        if err.is_connection_dropped() {
            return Fault::closed();
        }
        if err.is_io_error() {
            return Fault::Lost(err.to_string());
        }
        let words = err.to_string();
        let errors = err.into_server_errors();
        Fault::Refused(match errors.as_deref().and_then(<[_]>::first) {
            Some((_, said)) => format!("{} {}", said.code(), said.details().unwrap_or_default()),
            None => words,
        })
    }
}

#[cfg(test)]
mod tests {
    use redis::Value;

    use super::*;

    #[test]
    fn repeats_what_the_engine_says() {
        let said = |reply: &str| {
            let value = redis::parse_redis_value(reply.as_bytes()).and_then(Value::extract_error);
            Fault::from(value.unwrap_err()).to_string()
        };
        assert_eq!(said("-ERR unknown command\r\n"), "ERR unknown command");
        assert_eq!(
            said("-WRONGPASS invalid username-password pair\r\n"),
            "WRONGPASS invalid username-password pair"
        );
        let strange = Fault::Strange.to_string();
        for reply in ["HTTP/1.1 400 Bad Request\r\n", "\r\n", ":one\r\n"] {
            assert_eq!(said(reply), strange, "{reply:?}");
        }
    }
}
