//! Whether the publishers can be reached.
use std::{thread, time::Duration};

use fincore::chrono::{DateTime, Utc};

use super::{Base, Bases, client::USER_AGENT, fault::Fault, request::Publisher};
use crate::outgoing;

/// What a publisher said when it was asked for a sign of life.
#[derive(Debug)]
pub(crate) struct Sign {
    /// Its name.
    pub(crate) publisher: &'static str,
    pub(crate) address: String,
    /// The time by its clock, if it told; or why there was no answer, in words.
    pub(crate) clock: Result<Option<DateTime<Utc>>, String>,
}

/// Asks all publishers at once, each with one short request, and waits for them no longer than `patience`.
pub(crate) fn reach(bases: &Bases, patience: Duration) -> Vec<Sign> {
    let Bases { sgs, olinda, ptax, cvm } = bases;
    let all = [
        (Publisher::Sgs, sgs),
        (Publisher::Olinda, olinda),
        (Publisher::Ptax, ptax),
        (Publisher::Cvm, cvm),
    ];
    thread::scope(|scope| {
        let asked = all
            .map(|(publisher, base)| (publisher, base, scope.spawn(move || ask(base, patience))));
        let sign =
            |(publisher, base, asked): (Publisher, &Base, thread::ScopedJoinHandle<'_, _>)| Sign {
                publisher: publisher.name(),
                address: base.to_string(),
                clock: asked.join().unwrap_or_else(|_| Err("asking it failed".into())),
            };
        asked.into_iter().map(sign).collect()
    })
}

/// Any answer will do, unless the server says that it has trouble.
fn ask(base: &Base, patience: Duration) -> Result<Option<DateTime<Utc>>, String> {
    let config = outgoing::agent(base.way(), patience)?.user_agent(USER_AGENT).build();
    let answer = config.new_agent().get(base.join("/")).call();
    let answer = answer.map_err(|err| Fault::from(err).to_string())?;
    if answer.status().is_server_error() {
        return Err(format!("the server answers {}", answer.status()));
    }
    let date = answer.headers().get("Date").and_then(|date| date.to_str().ok());
    Ok(date.and_then(|date| DateTime::parse_from_rfc2822(date).ok()).map(|date| date.to_utc()))
}
