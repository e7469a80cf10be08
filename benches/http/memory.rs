//! Start and memory: the first fill, the first answer, idle.
use std::{
    path::Path,
    thread,
    time::{Duration, Instant},
};

use crate::{Outcome, report::milliseconds, rows::CURRENT, server::Server};

/// Starts a server on an empty directory, which fills it with the bundled data, and then again on what it has made;
/// prints what that took.
pub(crate) fn measure(program: &Path, empty: &Path) -> Outcome<()> {
    // What a server does at leisure after its start is part of what it needs when idle.
    let idle = |server: &Server| {
        thread::sleep(Duration::from_secs(5));
        server.memory("VmRSS")
    };
    let server = Server::finserve(program, empty, &[])?;
    let fill = server.processor()?;
    let filled = idle(&server)?;
    drop(server);
    let (server, first) = start(program, empty)?;
    let idle = idle(&server)?;
    println!("| bundled data | measured | goal |");
    println!("|---|---|---|");
    println!("| first fill, processor s | {:.2} | 1.50 |", fill.as_secs_f64());
    println!("| first answer after a start, ms | {:.0} | 50 |", milliseconds(first));
    println!("| idle after the first start, MiB | {filled:.1} | 32 |");
    println!("| idle after another start, MiB | {idle:.1} | 32 |\n");
    Ok(())
}

/// Starts a server, and tells how long it took to answer.
pub(crate) fn start(program: &Path, data: &Path) -> Outcome<(Server, Duration)> {
    let start = Instant::now();
    let server = Server::finserve(program, data, &[])?;
    let answer = server.get(CURRENT, &[])?;
    let first = start.elapsed();
    if answer.status != 200 {
        return Err(format!("the first answer has status {}", answer.status).into());
    }
    Ok((server, first))
}
