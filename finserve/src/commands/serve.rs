//! `finserve serve`: answers requests until it is stopped.
mod background;
pub(crate) mod embedded;
mod housekeeping;
mod measurements;
mod published_catalogue;
mod retention;
mod startup_report;

use std::{
    env, net::SocketAddr, os::unix::process::CommandExt, path::Path, process::Command, sync::Arc,
    thread, time::Instant,
};

use fincore::{Accounts, Catalogue, backup::ACCOUNTS};

use super::{
    Failure,
    accounts::{self, AccountsLocation},
    data_directory::{
        explain_unusable, lock_for_server, open_catalogue, open_or_fill, refuse_newer,
    },
    descriptor_limits,
};
use crate::{
    cli,
    cluster::{
        limits::{Address, SharedLimits},
        postgres::Postgres,
    },
    http::{self, Access, App, Settings, certificate::Certificate},
    net::listener::{InheritedSocket, Listener, notify},
    observe::{admin::Admin, readiness::Readiness},
};

use background::Background;
use embedded::Control;
use measurements::Measurements;
use published_catalogue::Publication;
use startup_report::StartupReport;

/// Serves until SIGINT or SIGTERM.
pub(crate) fn run(location: AccountsLocation<'_>, args: &cli::Serve) -> Result<(), Failure> {
    serve(location, args, Control::process())
}

/// Serves until `control` says to stop.
fn serve(
    location: AccountsLocation<'_>,
    args: &cli::Serve,
    control: Control,
) -> Result<(), Failure> {
    let data = location.data;
    let Control { clock, stop, mut announce, fill } = control;
    let bounds = descriptor_limits::bounds(args);
    let certificate = args.tls().map(|(chain, key)| Certificate::read(chain, key)).transpose();
    let certificate = certificate.map_err(Failure::Message)?;
    let limits = limits_address(args)?;
    let ready = Arc::new(Readiness::starting());
    let admin = Admin::new(&ready);
    let _lock = lock_for_server(data, args.sharing())?;
    // Before the catalogue is brought up to date.
    if location.are_in_directory() {
        refuse_newer(data)?;
    }
    // Before any socket is opened: this may replace the process, which would lose the sockets.
    let own = match args.catalogue_from {
        None => Some(open(data, fill)?),
        Some(_) => None,
    };
    let admin_url =
        args.admin.as_deref().map(|address| serve_admin(&admin, address)).transpose()?;
    let postgres =
        location.address.map(|address| accounts::wait_for_postgres(address, &ready)).transpose()?;
    let mut publication = Publication::from_args(data, args, postgres.as_ref())?;
    let accounts = open_accounts(location, postgres.as_ref())?;
    let catalogue = match (own, &mut publication) {
        (Some(own), _) => own,
        (None, Some(publication)) => publication.first_catalogue(&ready),
        (None, None) => open(data, fill)?,
    };
    catalogue.count_corrupt_values().map_err(|err| explain_unusable(data, err))?;
    let access = access(accounts, args, limits)?;
    let app =
        App::new(catalogue.clone(), access, args.targets(), args.upgrade_contact(), clock.clone());
    let app = Arc::new(app.with_event_window(args.event_window()));
    let listener = listen(&args.socket.listen, InheritedSocket::Public)?;
    let address = address_of(&listener)?;
    let measured = Measurements { ready: ready.clone(), data: data.to_owned(), app: app.clone() };
    // This is the only place that sets them, so it cannot fail.
    let _ = admin.metrics.set(Box::new(move || measured.text()));
    let _ = admin.workers.set(app.metrics().workers().clone());
    let background = Background::start(&app, &ready, (data, args), postgres.as_ref(), publication);

    let scheme = if certificate.is_some() { "https" } else { "http" };
    let url = format!("{scheme}://{address}");
    let report =
        StartupReport { data, args, url, admin: admin_url, bounds: &bounds, clock: &clock };
    let settings = Settings { bounds: bounds.clone(), certificate };
    let mut announced = Ok(());
    let served = thread::scope(|scope| {
        let started = || {
            announced = announce.server_started(address, &report);
            report.log();
            ready.set_started();
            notify("READY=1");
            if announce.is_process() {
                // Counting rows takes longer than anything else here; no request waits for it.
                scope.spawn(|| report.print_freshness(&catalogue));
            }
        };
        let stopping = |reason: http::StopReason| {
            tracing::info!("stopping: {}", reason.name());
            ready.set_stopping();
            notify("STOPPING=1");
            // The last requests are answered meanwhile.
            background.ask_to_stop();
        };
        http::serve(listener, &app, settings, stop, started, stopping)
    });
    finish(&app, background, served.map_err(Failure::system("cannot wait for signals")), announced)
}

/// Stops the background threads and writes the last usage counts, even if serving failed.
fn finish(
    app: &App,
    background: Background,
    served: Result<usize, Failure>,
    announced: Result<(), Failure>,
) -> Result<(), Failure> {
    background.stop();
    // If the accounts were away, they may be back.
    let _ = app.access().accounts().verify();
    let unwritten = app.access().unwritten();
    let flushed = app.access().flush();
    let answered = match served? {
        0 => "every request was answered".to_owned(),
        1 => "one request took too long and was cut off, every other was answered".to_owned(),
        cut_off => {
            format!("{cut_off} requests took too long and were cut off, every other was answered")
        }
    };
    announced?;
    flushed?;
    tracing::info!("stopped: {answered}, and the usage of the last {unwritten} was written");
    Ok(())
}

fn limits_address(args: &cli::Serve) -> Result<Option<Address>, Failure> {
    let address = args.limits.as_ref().map(|address| Address::parse(address.as_str())).transpose();
    address.map_err(|wrong| Failure::Message(format!("--limits: {wrong}")))
}

/// Keys, limits and usage; if an address is given, limits are shared with other replicas.
fn access(
    accounts: Accounts,
    args: &cli::Serve,
    limits: Option<Address>,
) -> Result<Access, Failure> {
    let access = Access::new(accounts, args.registrations_per_hour, args.proxies(), Instant::now());
    let Some(address) = limits else { return Ok(access) };
    let shared = access.with_shared_limits(|memory| SharedLimits::start(address, memory));
    shared.map_err(|wrong| Failure::Message(format!("--limits: {wrong}")))
}

/// Serves the admin address, and returns its URL.
fn serve_admin(admin: &Arc<Admin>, address: &str) -> Result<String, Failure> {
    let listener = listen(address, InheritedSocket::Admin)?;
    let url = format!("http://{}", address_of(&listener)?);
    let names = address.rsplit_once(':').map(|(host, _)| host.to_owned());
    admin.serve(listener, names.into_iter().collect());
    Ok(url)
}

fn open_accounts(
    location: AccountsLocation<'_>,
    postgres: Option<&Postgres>,
) -> Result<Accounts, Failure> {
    match postgres {
        Some(postgres) => Ok(accounts::accounts_in(postgres)?),
        None => open_undamaged_accounts(location),
    }
}

/// Opens the accounts of the data directory; a server must not begin with damaged ones.
fn open_undamaged_accounts(location: AccountsLocation<'_>) -> Result<Accounts, Failure> {
    let accounts = location.open()?;
    let problems = accounts.quick_check()?;
    if problems.is_empty() {
        return Ok(accounts);
    }
    let (path, problems) = (location.data.join(ACCOUNTS), problems.join("; "));
    let path = path.display();
    Err(Failure::Message(format!("{path} is damaged ({problems}): restore a backup")))
}

fn listen(address: &str, which: InheritedSocket) -> Result<Listener, Failure> {
    let cannot = format!("cannot listen on {address}");
    Listener::open(address, which).map_err(Failure::system(cannot))
}

fn address_of(listener: &Listener) -> Result<SocketAddr, Failure> {
    listener.address().map_err(Failure::system("cannot read the address that it listens on"))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AfterFill {
    /// The process is replaced by a new one: filling takes several times the memory that a server needs, and most of it
    /// would stay with the process.
    Restart,
    Continue,
}

/// Opens the catalogue, and fills it where it is new.
fn open(data: &Path, after: AfterFill) -> Result<Catalogue, Failure> {
    let (catalogue, filled) = open_or_fill(data)?;
    if !filled || after == AfterFill::Continue {
        return Ok(catalogue);
    }
    drop(catalogue);
    // `exec` returns only if it fails, and then a server that takes more memory is better than none.
    let failed = env::current_exe().map_or_else(
        |err| err,
        |program| Command::new(program).args(env::args_os().skip(1)).exec(),
    );
    tracing::warn!("cannot restart after filling the data directory: {failed}");
    open_catalogue(data)
}
