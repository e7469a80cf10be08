//! The socket that is listened on, and the signals that are waited for.
use std::{
    env, io,
    net::{SocketAddr, ToSocketAddrs},
    os::{linux::net::SocketAddrExt, unix::net::UnixDatagram},
    sync::Arc,
    time::Duration,
};

use listenfd::ListenFd;
use socket2::SockRef;
use tokio::{
    net::{TcpListener, TcpStream},
    runtime::{Builder, Runtime},
    signal::unix::{Signal, SignalKind, signal},
};

use super::certificate::Certificate;

/// How much of an answer the kernel holds that is not on its way yet. With more, it would tell only rarely that a peer reads:
/// a slow reader of a long answer would look like one that does not read.
const UNSENT: u32 = 128 * 1024;

/// How long to wait after a connection could not be accepted.
const PAUSE: Duration = Duration::from_millis(50);

/// A socket that listens, and the runtime that accepts its connections.
pub(crate) struct Listener {
    pub(super) runtime: Runtime,
    pub(super) listener: TcpListener,
    /// Whose socket it is.
    pub(super) owner: Owner,
}

/// Whose socket it is that is listened on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// Our own: connections that nobody has accepted end with it.
    Us,
    /// The service manager's: connections wait in it for the next server.
    ServiceManager,
}

impl Listener {
    /// Listens on the first address of this host and port that can be listened on; or takes the socket of this name that
    /// the system's service manager listens on already, if there is one.
    pub(crate) fn open(address: &str, name: Inherited) -> io::Result<Listener> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (listener, owner) = match inherited(name)? {
            Some(listener) => {
                listener.set_nonblocking(true)?;
                let _entered = runtime.enter();
                (TcpListener::from_std(listener)?, Owner::ServiceManager)
            }
            None => (runtime.block_on(TcpListener::bind(&*resolve(address)?))?, Owner::Us),
        };
        // A system without it only tells more rarely. Connections inherit it.
        let _ = SockRef::from(&listener).set_tcp_notsent_lowat(UNSENT);
        Ok(Listener { runtime, listener, owner })
    }

    pub(crate) fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

impl Listener {
    /// Serves every connection, for as long as the program runs.
    pub(crate) fn each<F: Future<Output = ()> + 'static>(self, serve: impl Fn(TcpStream) -> F) {
        let Listener { runtime, listener, .. } = self;
        tokio::task::LocalSet::new().block_on(&runtime, async {
            loop {
                match listener.accept().await {
                    Ok((stream, _)) => drop(tokio::task::spawn_local(serve(stream))),
                    // Out of descriptors, most likely: give connections some time to end.
                    Err(_) => tokio::time::sleep(PAUSE).await,
                }
            }
        });
    }
}

/// Which of the sockets that a service manager hands over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inherited {
    /// The first that is not for operators.
    Public,
    /// That which is named `admin`.
    Admin,
}

fn inherited(wanted: Inherited) -> io::Result<Option<std::net::TcpListener>> {
    let names = env::var("LISTEN_FDNAMES").unwrap_or_default();
    let names: Vec<&str> = names.split(':').collect();
    let mut sockets = ListenFd::from_env();
    let is_admin = |at: &usize| names.get(*at) == Some(&"admin");
    let at = (0..sockets.len()).find(|at| is_admin(at) == (wanted == Inherited::Admin));
    at.map_or(Ok(None), |at| sockets.take_tcp_listener(at))
}

/// The addresses of a host and port, IPv4 first, because every client can reach those.
fn resolve(listen: &str) -> io::Result<Vec<SocketAddr>> {
    let mut addresses: Vec<_> = listen.to_socket_addrs()?.collect();
    addresses.sort_by_key(SocketAddr::is_ipv6);
    Ok(addresses)
}

/// Tells the service manager, if there is one that wants to know, how the program stands: `READY=1`, `STOPPING=1`.
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
        tracing::warn!("the service manager cannot be told {state}: {err}");
    }
}

/// Why a server stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signalled {
    Interrupt,
    Terminate,
}

impl Signalled {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Signalled::Interrupt => "SIGINT",
            Signalled::Terminate => "SIGTERM",
        }
    }
}

/// The signals that a server obeys. From now on they no longer end the program by themselves.
pub(super) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hang_up: Signal,
}

impl Signals {
    pub(super) fn new() -> io::Result<Signals> {
        Ok(Signals {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    /// Waits for SIGINT or SIGTERM. At SIGHUP the certificate is read again.
    pub(super) async fn stop(mut self, certificate: Option<Arc<Certificate>>) -> Signalled {
        loop {
            tokio::select! {
                _ = self.interrupt.recv() => return Signalled::Interrupt,
                _ = self.terminate.recv() => return Signalled::Terminate,
                _ = self.hang_up.recv() => match &certificate {
                    Some(certificate) => certificate.read_again(),
                    None => tracing::info!("SIGHUP: there is no certificate to read again"),
                },
            }
        }
    }
}
