//! What a developer would reach for instead, over the same catalogue: Datasette, which serves any SQLite file.
//!
//! It knows no keys, limits or usage, and answers with the rows alone.
use std::{
    net::TcpListener,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    Outcome, arguments::Arguments, load::Load, report::median, server::Server, subject::Subject,
};

const DATASETTE: &str = "datasette==0.65.5";

/// Another server, and how it is asked for the current rate and for 20 rows.
struct Rival {
    name: &'static str,
    server: Server,
    targets: [&'static str; 2],
}

/// Prints how many times as fast we are. The rival reads the catalogue of `data`.
pub(crate) fn measure(arguments: &Arguments, subject: &Subject, data: &Path) -> Outcome<()> {
    let catalogue = data.join("catalogue.db");
    let rival = datasette(&catalogue)?;
    println!("| beside | request | times as fast | processor µs a request (theirs) |");
    println!("|---|---|---|---|");
    for (name, target) in ["current rate", "20 rows of a series"].into_iter().zip(rival.targets) {
        compare(arguments, subject, name, &rival, target)?;
    }
    println!();
    Ok(())
}

fn compare(
    arguments: &Arguments,
    subject: &Subject,
    name: &str,
    rival: &Rival,
    target: &str,
) -> Outcome<()> {
    let row = subject.row(name)?;
    let answer = rival.server.get(target, &[])?;
    if answer.status != 200 || !String::from_utf8_lossy(&answer.body).contains("\"value\":") {
        return Err(format!("{}: {target} has status {}", rival.name, answer.status).into());
    }
    let mut rounds = Vec::new();
    for _ in 0..arguments.rounds {
        let load = subject.load(row, 0, arguments.seconds)?;
        let ours = load.run(&subject.server)?;
        rounds.push((ours, Load { targets: vec![target], ..load }.run(&rival.server)?));
    }
    println!(
        "| {} | {name} | {:.1} | {:.0} ({:.0}) |",
        rival.name,
        median(rounds.iter().map(|(ours, theirs)| ours.rate / theirs.rate)),
        median(rounds.iter().map(|(ours, _)| ours.processor)),
        median(rounds.iter().map(|(_, theirs)| theirs.processor)),
    );
    Ok(())
}

fn datasette(catalogue: &Path) -> Outcome<Rival> {
    let place = place("datasette");
    if !place.join("bin/datasette").exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(&place))?;
        run(Command::new(place.join("bin/pip")).args(["install", "--quiet", DATASETTE]))?;
    }
    let port = free_port()?;
    let mut command = Command::new(place.join("bin/datasette"));
    command.arg("serve").arg(catalogue).args(["-p", &port.to_string()]);
    Ok(Rival {
        name: "Datasette",
        server: Server::other(&mut command, format!("127.0.0.1:{port}"))?,
        targets: [
            "/catalogue/rate.json?series__exact=432&_sort_desc=date&_shape=array&_nofacet=1&_nocount=1&_col=date&_col=value&_size=1",
            "/catalogue/rate.json?series__exact=432&_sort_desc=date&_shape=array&_nofacet=1&_nocount=1&_col=date&_col=value&_size=20",
        ],
    })
}

/// Where something is installed: among the build's files, so that it is done once.
fn place(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn run(command: &mut Command) -> Outcome<()> {
    let status = command.status().map_err(|err| format!("{command:?} does not start: {err}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} has failed").into()) }
}

fn free_port() -> Outcome<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}
