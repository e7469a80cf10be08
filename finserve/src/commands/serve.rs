//! `finserve serve`: answers requests until it is stopped.
use std::{
    env, net::SocketAddr, os::unix::process::CommandExt, path::Path, process::Command, sync::Arc,
    thread, time::Instant,
};

use fincore::{Accounts, Catalogue, backup::ACCOUNTS, datasets};

use super::{
    Failure,
    accounts::{self, Place},
    data::{lock_for_server, open_catalogue, open_or_fill, unusable},
    descriptors,
    follow::Publication,
    freshness,
    terminal::print,
};
use crate::{
    admin::Admin,
    cli,
    cluster::limits::{Address, SharedLimits},
    deliver::Deliver,
    election,
    housekeeping::Housekeeping,
    http::{self, Access, App, Bounds, Certificate, Inherited, Listener, Settings, Signal, notify},
    lock::Work,
    now::Now,
    ready::Readiness,
    sources,
};

/// Serves until SIGINT or SIGTERM.
pub(crate) fn run(place: Place<'_>, args: &cli::Serve) -> Result<(), Failure> {
    let data = place.data;
    let bounds = descriptors::bounds(args);
    let certificate = args.tls().map(|(chain, key)| Certificate::read(chain, key)).transpose();
    let certificate = certificate.map_err(Failure::Said)?;
    let limits = args.limits.as_ref().map(|typed| Address::parse(typed.as_str())).transpose();
    let limits = limits.map_err(|wrong| Failure::Said(format!("--limits: {wrong}")))?;
    let ready = Arc::new(Readiness::starting());
    let admin = Admin::new(&ready, data);
    let _lock = lock_for_server(data, args.sharing())?;
    // First of all: this may start the program anew, which would lose sockets.
    let own = if args.catalogue_from.is_none() { Some(open(data)?) } else { None };
    let mut asked_at = None;
    if let Some(address) = &args.admin {
        let listener = listen(address, Inherited::Admin)?;
        asked_at = Some(format!("http://{}", address_of(&listener)?));
        admin.serve(listener);
    }
    let postgres = place.address.map(|address| accounts::wait_for(address, &ready)).transpose()?;
    let mut publication = Publication::of(data, args, postgres.as_ref())?;
    let accounts = match &postgres {
        Some(postgres) => accounts::over(postgres)?,
        None => sound(place)?,
    };
    let catalogue = match (own, &mut publication) {
        (Some(own), _) => own,
        (None, Some(publication)) => publication.first(&ready),
        (None, None) => open(data)?,
    };
    catalogue.look_for_unreadable().map_err(|err| unusable(data, err))?;
    let mut access =
        Access::new(accounts, args.registrations_per_hour, args.proxies(), Instant::now());
    if let Some(address) = limits {
        let shared = access.with_shared_limits(|memory| SharedLimits::start(address, memory));
        access = shared.map_err(|wrong| Failure::Said(format!("--limits: {wrong}")))?;
    }
    let app = Arc::new(App::new(catalogue.clone(), access, args.targets(), args.offer()));
    let listener = listen(&args.listen, Inherited::Public)?;
    let address = address_of(&listener)?;
    // Nobody has set it before.
    let _ = admin.app.set(app.clone());
    let housekeeping = Housekeeping::start(&app, &ready);
    let election = postgres.as_ref().map_or_else(
        || election::in_directory(data, Work::Webhooks),
        |postgres| postgres.election(Work::Webhooks),
    );
    let deliver = Deliver::start(&app, election, args.targets());
    if let Some(postgres) = &postgres {
        let app = app.clone();
        postgres.listen(move || app.access().refresh_signal().signal(Signal::Refresh));
    }
    let following = publication.map(|publication| publication.start(app.metrics()));
    let sync = (args.sync && following.is_none()).then(|| {
        sources::start(catalogue.clone(), data, args.sources.config(), app.metrics().clone())
    });
    let mut printed = Ok(());
    let scheme = if certificate.is_some() { "https" } else { "http" };
    let url = format!("{scheme}://{address}");
    let started = Started { data, args, url, admin: asked_at, bounds: &bounds.clone() };
    let settings = Settings { bounds, certificate };
    let served = thread::scope(|scope| {
        http::serve(
            listener,
            &app,
            settings,
            || {
                printed = started.print();
                started.log();
                ready.started();
                notify("READY=1");
                // Counting rows takes longer than anything else here; no request waits for it.
                scope.spawn(|| started.tell(&catalogue));
            },
            |signal| {
                tracing::info!("stopping: {}", signal.name());
                ready.stopping();
                notify("STOPPING=1");
                // Meanwhile the last requests are answered.
                deliver.ask_to_stop();
                if let Some(sync) = &sync {
                    sync.ask_to_stop();
                }
                if let Some(following) = &following {
                    following.ask_to_stop();
                }
            },
        )
    });
    if let Some(sync) = sync {
        sync.stop();
    }
    if let Some(following) = following {
        following.stop();
    }
    deliver.stop();
    // Nothing is counted any more: write the last counts, whatever else went wrong.
    housekeeping.stop();
    // Where the accounts were away, they may be back.
    let _ = app.access().accounts().verify();
    let unwritten = app.access().unwritten();
    let flushed = app.access().flush();
    served.map_err(Failure::system("cannot wait for signals"))?;
    printed?;
    flushed?;
    tracing::info!(
        "stopped: every request is answered, the usage of the last {unwritten} is written"
    );
    Ok(())
}

/// Opens the accounts of the data directory; a server must not begin with damaged ones.
fn sound(place: Place<'_>) -> Result<Accounts, Failure> {
    let accounts = place.open()?;
    let problems = accounts.quick_check()?;
    if problems.is_empty() {
        return Ok(accounts);
    }
    let (path, problems) = (place.data.join(ACCOUNTS), problems.join("; "));
    let path = path.display();
    Err(Failure::Said(format!("{path} is damaged ({problems}): restore a backup")))
}

fn listen(address: &str, which: Inherited) -> Result<Listener, Failure> {
    let cannot = format!("cannot listen on {address}");
    Listener::open(address, which).map_err(Failure::system(cannot))
}

fn address_of(listener: &Listener) -> Result<SocketAddr, Failure> {
    listener.address().map_err(Failure::system("cannot tell where it listens"))
}

/// Opens the catalogue. Where it was new, the program starts itself anew once it is filled: most of the memory that this takes
/// would stay with the process, several times what a server needs.
fn open(data: &Path) -> Result<Catalogue, Failure> {
    let (catalogue, filled) = open_or_fill(data)?;
    if !filled {
        return Ok(catalogue);
    }
    drop(catalogue);
    // Returns only if it fails, and then a server that takes more memory is better than none.
    let failed = env::current_exe().map_or_else(
        |err| err,
        |program| Command::new(program).args(env::args_os().skip(1)).exec(),
    );
    tracing::warn!("cannot start anew after filling the data directory: {failed}");
    open_catalogue(data)
}

/// A server that has started, and what is said of it.
struct Started<'a> {
    data: &'a Path,
    args: &'a cli::Serve,
    url: String,
    /// Where operators ask.
    admin: Option<String>,
    bounds: &'a Bounds,
}

impl Started<'_> {
    fn print(&self) -> Result<(), Failure> {
        print(&format!("finserve {} listens on {}\n", env!("CARGO_PKG_VERSION"), self.url))
    }

    /// The published catalogue that is served, if one is.
    fn followed(&self) -> Option<String> {
        Some(self.args.catalogue_from.as_ref()?.read().ok()?.to_string())
    }

    fn log(&self) {
        tracing::info!(
            version = env!("CARGO_PKG_VERSION"),
            sqlite = fincore::sqlite_version(),
            url = &*self.url,
            admin = self.admin.as_deref(),
            base_path = &*self.args.base_path,
            data = &*self.data.to_string_lossy(),
            connections = self.bounds.most,
            connections_per_address = self.bounds.per_address,
            registrations_per_hour = self.args.registrations_per_hour,
            sync = self.args.sync,
            shared_limits = self.args.limits.is_some(),
            catalogue_from = self.followed().as_deref(),
            "started"
        );
    }

    /// Says where the data is and how new it is.
    fn tell(&self, catalogue: &Catalogue) {
        let told = self.about(catalogue).and_then(|about| print(&about));
        if let Err(failure) = told {
            tracing::warn!("cannot tell how new the data is: {failure}");
        }
    }

    fn about(&self, catalogue: &Catalogue) -> Result<String, Failure> {
        let status = datasets::status(&catalogue.snapshot(Now::read().today())?)?;
        for dataset in &status.data {
            tracing::info!(
                dataset = &*dataset.dataset,
                newest = dataset.newest.map(|day| day.to_string()),
                stale = dataset.stale,
                rows = dataset.rows,
                "data"
            );
        }
        let (newest, stale) = (freshness::newest(&status), freshness::stale(&status));
        let about = format!("data directory: {}\nnewest data: {newest}\n", self.data.display());
        Ok(match (stale.is_empty(), self.args.sync, self.followed()) {
            (true, _, _) => about,
            (false, true, _) => format!("{about}{stale}; synchronising now\n"),
            (false, false, Some(target)) => {
                format!("{about}{stale}; {target} has nothing newer yet\n")
            }
            (false, false, None) => {
                format!(
                    "{about}{stale}; `finserve sync` or `finserve serve --sync` brings newer data\n"
                )
            }
        })
    }
}
