//! A server inside another program, such as a test: with the arguments of `finserve serve`, and a clock of its own.
use std::{ffi::OsString, net::SocketAddr, sync::mpsc, thread};

use tokio::sync::oneshot;

use super::{AfterFill, serve, startup_report::StartupReport};
use crate::{
    cli::{Cli, Command},
    commands::{Failure, accounts::AccountsLocation},
    coordination::clock::Clock,
    http::StopOn,
};

/// How a server is run: its clock, what stops it, and who learns that it has started.
pub(super) struct Control {
    pub(super) clock: Clock,
    pub(super) stop: StopOn,
    pub(super) announce: Announce,
    pub(super) fill: AfterFill,
}

impl Control {
    /// As a process of its own.
    pub(super) fn process() -> Control {
        Control {
            clock: Clock::system(),
            stop: StopOn::Signals,
            announce: Announce::Process,
            fill: AfterFill::Restart,
        }
    }
}

/// Who learns the address of the server once it has started.
pub(super) enum Announce {
    /// The operator, on the standard output.
    Process,
    Program(mpsc::Sender<SocketAddr>),
}

impl Announce {
    pub(super) fn server_started(
        &mut self,
        address: SocketAddr,
        report: &StartupReport<'_>,
    ) -> Result<(), Failure> {
        match self {
            Announce::Process => report.print(),
            Announce::Program(sender) => {
                // A program that no longer waits for this has dropped the server.
                let _ = sender.send(address);
                Ok(())
            }
        }
    }

    pub(super) fn is_process(&self) -> bool {
        matches!(self, Announce::Process)
    }
}

/// A server in this process. It stops when it is dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<thread::JoinHandle<Result<(), Failure>>>,
}

impl Server {
    /// Starts a server with the arguments of `finserve serve`, such as `--data DIR --listen 127.0.0.1:0`, and returns once it
    /// accepts connections. Fails, with a message for people, where the program would fail to start.
    pub fn start<A: Into<OsString>>(
        arguments: impl IntoIterator<Item = A>,
        clock: Clock,
    ) -> Result<Server, String> {
        let program = ["finserve", "serve"].map(OsString::from);
        let arguments = arguments.into_iter().map(Into::into);
        let cli = Cli::parse_arguments(program.into_iter().chain(arguments))?;
        let Some(Command::Serve(args)) = cli.command else {
            return Err("these are not arguments of `finserve serve`".to_owned());
        };
        let (stop, stopped) = oneshot::channel();
        let (sender, started) = mpsc::channel();
        let thread = thread::spawn(move || {
            let location = AccountsLocation { data: &cli.data, address: cli.accounts.as_ref() };
            let (stop, announce) = (StopOn::Request(stopped), Announce::Program(sender));
            serve(location, &args, Control { clock, stop, announce, fill: AfterFill::Continue })
        });
        match started.recv() {
            Ok(address) => Ok(Server { address, stop: Some(stop), thread: Some(thread) }),
            Err(_) => match thread.join() {
                Ok(Err(failure)) => Err(failure.to_string()),
                Ok(Ok(())) => Err("the server stopped before it had started".to_owned()),
                Err(_) => Err("the server panicked".to_owned()),
            },
        }
    }

    /// The address that it listens on.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers the requests under way, writes what was counted, and stops.
    pub fn stop(mut self) -> Result<(), String> {
        self.end().map_err(|failure| failure.to_string())
    }

    fn end(&mut self) -> Result<(), Failure> {
        // The server may have ended already.
        let _ = self.stop.take().map(|stop| stop.send(()));
        match self.thread.take().map(thread::JoinHandle::join) {
            Some(Ok(ended)) => ended,
            Some(Err(_)) => Err(Failure::Message("the server panicked".to_owned())),
            None => Ok(()),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The log has the failure.
        let _ = self.end();
    }
}
