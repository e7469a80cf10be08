//! `finserve serve`: answers requests until it is stopped.
use std::{
    env,
    net::{SocketAddr, ToSocketAddrs},
    os::unix::process::CommandExt,
    path::Path,
    process::Command,
    sync::Arc,
    thread,
    time::Instant,
};

use fincore::{Catalogue, datasets};

use super::{
    Failure,
    data::{open_accounts, open_catalogue, open_or_fill},
    freshness,
    terminal::print,
};
use crate::{
    cli,
    deliver::Deliver,
    housekeeping::Housekeeping,
    http::{self, Access, App, Listener},
    log::log,
    now::Now,
    sources::Background,
};

/// Serves until SIGINT or SIGTERM.
pub(crate) fn run(data: &Path, args: &cli::Serve) -> Result<(), Failure> {
    let addresses = resolve(&args.listen)?;
    let catalogue = open(data)?;
    let accounts = open_accounts(data)?;
    catalogue.look_for_unreadable()?;
    let access = Access::new(accounts, args.registrations_per_hour, args.proxies(), Instant::now());
    let app = Arc::new(App::new(catalogue.clone(), access, args.targets()));
    let listening = || Failure::system(format!("cannot listen on {}", args.listen));
    let listener = Listener::bind(&addresses).map_err(listening())?;
    let address = listener.address().map_err(listening())?;
    let housekeeping = Housekeeping::start(&app);
    let deliver = Deliver::start(&app, data, args.targets());
    let sync = args.sync.then(|| Background::start(catalogue.clone(), data, args.sources.config()));
    let mut printed = Ok(());
    let served = thread::scope(|scope| {
        http::serve(listener, &app, || {
            let version = env!("CARGO_PKG_VERSION");
            printed = print(&format!("finserve {version} listens on http://{address}\n"));
            // Counting rows takes longer than anything else here; no request waits for it.
            scope.spawn(|| tell(data, &catalogue, args));
        })
    });
    if let Some(sync) = sync {
        sync.stop();
    }
    deliver.stop();
    // Nothing is counted any more: write the last counts, whatever else went wrong.
    housekeeping.stop();
    let flushed = app.access().flush();
    served.map_err(Failure::system("cannot wait for signals"))?;
    printed?;
    Ok(flushed?)
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
    log(format_args!("cannot start anew after filling the data directory: {failed}"));
    open_catalogue(data)
}

/// The addresses of a host and port, IPv4 first, because every client can reach those.
fn resolve(listen: &str) -> Result<Vec<SocketAddr>, Failure> {
    let cannot = format!("cannot listen on {listen}, which is not HOST:PORT or cannot be resolved");
    let mut addresses: Vec<_> =
        listen.to_socket_addrs().map_err(Failure::system(cannot))?.collect();
    addresses.sort_by_key(SocketAddr::is_ipv6);
    Ok(addresses)
}

/// Says where the data is and how new it is.
fn tell(data: &Path, catalogue: &Catalogue, args: &cli::Serve) {
    let told = about(data, catalogue, args).and_then(|about| print(&about));
    if let Err(failure) = told {
        log(format_args!("cannot tell how new the data is: {failure}"));
    }
}

/// Where the data is and how new it is.
fn about(data: &Path, catalogue: &Catalogue, args: &cli::Serve) -> Result<String, Failure> {
    let status = datasets::status(&catalogue.snapshot(Now::read().today())?)?;
    let (newest, stale) = (freshness::newest(&status), freshness::stale(&status));
    let about = format!("data directory: {}\nnewest data: {newest}\n", data.display());
    Ok(match (stale.is_empty(), args.sync) {
        (true, _) => about,
        (false, true) => format!("{about}{stale}; synchronising now\n"),
        (false, false) => {
            format!(
                "{about}{stale}; `finserve sync` or `finserve serve --sync` brings newer data\n"
            )
        }
    })
}
