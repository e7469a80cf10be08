//! A connection to one server, by the client library.
use std::{
    future::poll_fn,
    io,
    pin::{Pin, pin},
    sync::Arc,
    task::Poll,
};

use redis::{
    AsyncConnectionConfig, ConnectionAddr, ConnectionInfo, IntoConnectionInfo, RedisConnectionInfo,
    RedisResult, TlsCertificates, aio::MultiplexedConnection,
};
use rustls::pki_types::ServerName;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
};
use tokio_rustls::TlsConnector;

use super::{address::Address, fault::Fault};
use crate::net::trusted_certificates;

/// An address with all that connections to it need.
pub(super) struct Endpoint {
    pub(super) address: Address,
    encryption: Option<Encryption>,
}

/// How connections are encrypted.
struct Encryption {
    connector: TlsConnector,
    name: ServerName<'static>,
    /// The certificates that are trusted instead of those that come with the program.
    own_roots: Option<Vec<u8>>,
}

impl Endpoint {
    /// Fails, in words, if there are no certificates to trust.
    pub(super) fn new(address: Address) -> Result<Endpoint, String> {
        let encryption = if address.is_encrypted {
            let name = ServerName::try_from(address.host.clone()).map_err(|err| err.to_string())?;
            let connector = TlsConnector::from(Arc::new(trusted_certificates::rustls_config()?));
            Some(Encryption { connector, name, own_roots: trusted_certificates::own_roots_pem()? })
        } else {
            None
        };
        Ok(Endpoint { address, encryption })
    }

    /// The address as the library writes it, for connections that it makes itself.
    pub(super) fn connection_info(&self) -> RedisResult<ConnectionInfo> {
        let Address { host, port, user, password, database, is_encrypted } = self.address.clone();
        let addr = if is_encrypted {
            ConnectionAddr::TcpTls { host, port, insecure: false, tls_params: None }
        } else {
            ConnectionAddr::Tcp(host, port)
        };
        let mut login = RedisConnectionInfo::default().set_db(database.into());
        if let Some(user) = user {
            login = login.set_username(user);
        }
        if let Some(password) = password {
            login = login.set_password(password);
        }
        Ok(addr.into_connection_info()?.set_redis_settings(login))
    }

    /// The certificates for connections that the library makes itself; nothing if they are not encrypted.
    pub(super) fn certificates(&self) -> Option<TlsCertificates> {
        let Encryption { own_roots, .. } = self.encryption.as_ref()?;
        Some(TlsCertificates { client_tls: None, root_cert: own_roots.clone() })
    }
}

/// A plain or an encrypted stream.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// A connection that is logged in.
pub(super) struct Connection {
    commands: MultiplexedConnection,
    /// Moves bytes between the socket and `commands` while it is polled. It belongs to the task that asks, not to one of
    /// its own: an answer then wakes one task instead of two, and the end of the connection is seen at once.
    driver: Pin<Box<dyn Future<Output = ()> + Send>>,
}

impl Connection {
    /// Connects and logs in.
    pub(super) async fn open(endpoint: &Endpoint) -> Result<Connection, Fault> {
        let Endpoint { address, encryption } = endpoint;
        let stream = TcpStream::connect((&*address.host, address.port)).await?;
        // A call is written at once, so delaying packets only costs time.
        stream.set_nodelay(true)?;
        let stream: Box<dyn Stream> = match encryption {
            None => Box::new(stream),
            Some(tls) => Box::new(tls.connector.connect(tls.name.clone(), stream).await?),
        };
        // The library would log in by itself, and keep the reason of a refusal for itself. Callers have their own timeouts.
        let no_login = RedisConnectionInfo::default().set_skip_set_lib_name();
        let config = AsyncConnectionConfig::new().set_response_timeout(None);
        let opened = MultiplexedConnection::new_with_config(&no_login, stream, config).await;
        let (commands, driver) = opened?;
        let mut connection = Connection { commands, driver: Box::pin(driver) };
        connection.log_in(address).await?;
        Ok(connection)
    }

    async fn log_in(&mut self, address: &Address) -> Result<(), Fault> {
        let mut login = redis::pipe();
        if let Some(password) = &address.password {
            login.cmd("AUTH").arg(&address.user).arg(password);
        }
        if address.database != 0 {
            login.cmd("SELECT").arg(address.database);
        }
        if login.is_empty() {
            return Ok(());
        }
        Ok(self.run(async |commands| login.exec_async(commands).await).await?)
    }

    /// Runs a request, and drives the connection meanwhile.
    pub(super) async fn run<T>(
        &mut self,
        request: impl AsyncFnOnce(&mut MultiplexedConnection) -> RedisResult<T>,
    ) -> RedisResult<T> {
        let Connection { commands, driver } = self;
        let mut request = pin!(request(commands));
        poll_fn(|cx| {
            // First the request is handed to the driver, which sends it; later the driver reads the answer. That counts even
            // if the thread was held up so long that the caller's timeout has passed: this poll is the last one then.
            if let Poll::Ready(answer) = request.as_mut().poll(cx) {
                return Poll::Ready(answer);
            }
            let has_ended = driver.as_mut().poll(cx).is_ready();
            match request.as_mut().poll(cx) {
                Poll::Pending if has_ended => {
                    Poll::Ready(Err(io::Error::from(io::ErrorKind::BrokenPipe).into()))
                }
                polled => polled,
            }
        })
        .await
    }

    /// Ends when the other side closes the connection.
    pub(super) async fn wait_for_end(&mut self) {
        (&mut self.driver).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_encrypted_addresses_need_certificates() {
        for (text, is_encrypted) in [("redis://ana:b@a:1/2", false), ("rediss://ana:b@a:1/2", true)]
        {
            let endpoint = Endpoint::new(Address::parse(text).unwrap()).unwrap();
            assert_eq!(endpoint.certificates().is_some(), is_encrypted, "{text}");
            let info = endpoint.connection_info().unwrap();
            assert_eq!(info.addr().to_string(), "a:1");
            let login = info.redis_settings();
            assert_eq!(
                (login.username(), login.password(), login.db()),
                (Some("ana"), Some("b"), 2)
            );
            assert!(!format!("{info:?}").contains("\"b\""), "{info:?}");
        }
    }
}
