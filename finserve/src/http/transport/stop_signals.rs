//! When a server stops: at a signal, or when the program that it runs in says so.
use std::{io, sync::Arc};

use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    sync::oneshot,
};

use super::certificate::Certificate;

/// The signals that stop a server.
pub(crate) enum StopOn {
    Signals,
    /// A message, or that nothing is left to send one.
    Request(oneshot::Receiver<()>),
}

impl StopOn {
    /// Installs the signal handlers, if signals count. What is returned ends when the server should stop.
    pub(crate) fn listen(
        self,
        certificate: Option<Arc<Certificate>>,
    ) -> io::Result<impl Future<Output = StopReason>> {
        let signals = matches!(self, StopOn::Signals).then(Signals::new).transpose()?;
        Ok(async move {
            if let Some(signals) = signals {
                return signals.stop(certificate).await;
            }
            if let StopOn::Request(stop) = self {
                let _ = stop.await;
            }
            StopReason::Request
        })
    }
}

/// Why a server stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StopReason {
    Interrupt,
    Terminate,
    /// The program that it runs in.
    Request,
}

impl StopReason {
    pub(crate) fn name(self) -> &'static str {
        match self {
            StopReason::Interrupt => "SIGINT",
            StopReason::Terminate => "SIGTERM",
            StopReason::Request => "as its program asks",
        }
    }
}

/// The signals that a server obeys. From now on they no longer end the program by themselves.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hang_up: Signal,
}

impl Signals {
    fn new() -> io::Result<Signals> {
        Ok(Signals {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    /// Waits for SIGINT or SIGTERM. At SIGHUP the certificate is read again.
    async fn stop(mut self, certificate: Option<Arc<Certificate>>) -> StopReason {
        loop {
            tokio::select! {
                _ = self.interrupt.recv() => return StopReason::Interrupt,
                _ = self.terminate.recv() => return StopReason::Terminate,
                _ = self.hang_up.recv() => match &certificate {
                    Some(certificate) => certificate.read_again(),
                    None => tracing::info!("SIGHUP: there is no certificate to read again"),
                },
            }
        }
    }
}
