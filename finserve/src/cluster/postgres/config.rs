//! The address of a database, and how we connect to it.
use std::time::Duration;

use tokio_postgres::Config;

/// How long a new connection may take.
const CONNECT: Duration = Duration::from_secs(2);

/// Asked of the server for each of our sessions: our own tables; an end for one that holds a lock and says nothing, or whose
/// machine is gone, so that others get on.
const OPTIONS: &str = "-c search_path=finserve -c idle_in_transaction_session_timeout=10000 -c lock_timeout=1500 \
    -c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=3";

/// Reads an address. Fails, in words that do not repeat it: it has a password.
pub(super) fn read(address: &str) -> Result<Config, String> {
    const WANTED: &str =
        "expected a PostgreSQL address such as postgres://user:password@host/database";
    if !["postgres://", "postgresql://"].iter().any(|scheme| address.starts_with(scheme)) {
        return Err(WANTED.to_owned());
    }
    // Certificates are always verified; the driver does not know these names for it.
    let address = ["verify-full", "verify-ca"].iter().fold(address.to_owned(), |text, mode| {
        text.replace(&format!("sslmode={mode}"), "sslmode=require")
    });
    let mut config: Config = address.parse().map_err(|err: tokio_postgres::Error| {
        let why = std::error::Error::source(&err).map(ToString::to_string).unwrap_or_default();
        format!("{WANTED} ({why})")
    })?;
    if config.get_hosts().is_empty() {
        return Err(format!("{WANTED} (it has no host)"));
    }
    let options =
        config.get_options().map_or_else(|| OPTIONS.to_owned(), |own| format!("{own} {OPTIONS}"));
    config
        .options(options)
        .application_name("finserve")
        .connect_timeout(CONNECT)
        .keepalives_idle(Duration::from_secs(5))
        .keepalives_interval(Duration::from_secs(2))
        .keepalives_retries(3)
        .tcp_user_timeout(Duration::from_secs(10));
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_address_is_refused_without_repeating_it() {
        for wrong in [
            "redis://user:secret@host/db",
            "postgres://user:secret@host:port/db",
            "postgres://user:secret@/db?sslmode=secret",
            "secret",
            "",
        ] {
            let said = read(wrong).unwrap_err();
            assert!(said.contains("postgres://user:password@host/database"), "{said}");
            assert!(!said.contains("secret"), "{said}");
        }
    }

    #[test]
    fn an_address_keeps_its_own_options() {
        let config =
            read("postgres://ana@host/db?sslmode=verify-full&options=-c%20geqo%3Doff").unwrap();
        assert!(config.get_options().unwrap().starts_with("-c geqo=off -c search_path=finserve"));
        assert_eq!(config.get_ssl_mode(), tokio_postgres::config::SslMode::Require);
    }
}
