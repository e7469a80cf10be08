//! The listening socket: one of our own, or one of the service manager; and notifications to the service manager.
use std::{
    env, io,
    net::{SocketAddr, ToSocketAddrs},
    os::{linux::net::SocketAddrExt, unix::net::UnixDatagram},
    time::Duration,
};

use listenfd::ListenFd;
use socket2::SockRef;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    runtime::{Builder, Runtime},
    time::timeout,
};

/// How many unsent bytes of an answer the kernel holds. With more, the socket would rarely become writable: a slow reader of
/// a long answer would look like one that does not read.
const UNSENT: u32 = 128 * 1024;

/// How long an exchange without hyper may take.
const EXCHANGE_TIMEOUT: Duration = Duration::from_secs(5);

/// How long to wait after a connection could not be accepted.
const ACCEPT_RETRY: Duration = Duration::from_millis(50);

/// A socket that listens, and the runtime that accepts its connections.
pub(crate) struct Listener {
    pub(crate) runtime: Runtime,
    pub(crate) listener: TcpListener,
    /// Who opened the socket.
    pub(crate) owner: Owner,
}

/// Who opened the listening socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// This program: connections that were not accepted end with it.
    Us,
    /// The service manager's: connections wait in it for the next server.
    ServiceManager,
}

impl Listener {
    /// Takes the socket that the service manager listens on already, if there is one; otherwise listens on the first address
    /// of this host and port that works.
    pub(crate) fn open(address: &str, name: InheritedSocket) -> io::Result<Listener> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (listener, owner) = match inherited_socket(name)? {
            Some(listener) => {
                listener.set_nonblocking(true)?;
                let _entered = runtime.enter();
                (TcpListener::from_std(listener)?, Owner::ServiceManager)
            }
            None => (runtime.block_on(TcpListener::bind(&*resolve(address)?))?, Owner::Us),
        };
        // Without this option the socket only becomes writable more rarely. Connections inherit it.
        let _ = SockRef::from(&listener).set_tcp_notsent_lowat(UNSENT);
        Ok(Listener { runtime, listener, owner })
    }

    pub(crate) fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

impl Listener {
    /// Serves every connection, for as long as the program runs.
    pub(crate) fn serve_each<F: Future<Output = ()> + 'static>(
        self,
        serve: impl Fn(TcpStream) -> F,
    ) {
        let Listener { runtime, listener, .. } = self;
        tokio::task::LocalSet::new().block_on(&runtime, async {
            loop {
                match listener.accept().await {
                    Ok((stream, _)) => drop(tokio::task::spawn_local(serve(stream))),
                    // Out of descriptors, most likely: give connections some time to end.
                    Err(_) => tokio::time::sleep(ACCEPT_RETRY).await,
                }
            }
        });
    }
}

/// Answers a connection without hyper, which cannot serve it: reads what has come of the request, and writes this.
pub(crate) async fn answer_by_hand(mut stream: impl AsyncRead + AsyncWrite + Unpin, answer: &str) {
    let mut received = [0; 8 * 1024];
    let exchange = async {
        if stream.read(&mut received).await? == 0 {
            return Ok(0);
        }
        stream.write_all(answer.as_bytes()).await?;
        stream.shutdown().await?;
        // A connection that is closed while the peer still sends often loses the answer.
        stream.read(&mut received).await
    };
    // A peer that has gone is no failure.
    let _ = timeout(EXCHANGE_TIMEOUT, exchange).await;
}

/// One of the sockets that a service manager hands over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InheritedSocket {
    /// The first that is not for operators.
    Public,
    /// The one that is named `admin`.
    Admin,
}

fn inherited_socket(which: InheritedSocket) -> io::Result<Option<std::net::TcpListener>> {
    let names = env::var("LISTEN_FDNAMES").unwrap_or_default();
    let names: Vec<&str> = names.split(':').collect();
    let mut sockets = ListenFd::from_env();
    let is_admin = |at: &usize| names.get(*at) == Some(&"admin");
    let at = (0..sockets.len()).find(|at| is_admin(at) == (which == InheritedSocket::Admin));
    at.map_or(Ok(None), |at| sockets.take_tcp_listener(at))
}

/// The addresses of a host and port, IPv4 first, because every client can reach those.
fn resolve(listen: &str) -> io::Result<Vec<SocketAddr>> {
    let mut addresses: Vec<_> = listen.to_socket_addrs()?.collect();
    addresses.sort_by_key(SocketAddr::is_ipv6);
    Ok(addresses)
}

/// Notifies the service manager, if it asked for that, of the state of the program: `READY=1`, `STOPPING=1`.
pub(crate) fn notify(state: &str) {
    let Some(path) = env::var_os("NOTIFY_SOCKET").filter(|path| !path.is_empty()) else { return };
    let name = path.as_encoded_bytes();
    let address = match name.strip_prefix(b"@") {
        Some(name) => std::os::unix::net::SocketAddr::from_abstract_name(name),
        None => std::os::unix::net::SocketAddr::from_pathname(&path),
    };
    let sent = address.and_then(|address| {
        UnixDatagram::unbound()?.send_to_addr(state.as_bytes(), &address).map(drop)
    });
    if let Err(err) = sent {
        tracing::warn!("the service manager cannot be notified of {state}: {err}");
    }
}
