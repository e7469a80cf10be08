//! `finserve doctor`: says what is wrong with a server and what to do.
use std::time::Duration;

use fincore::{
    Key,
    chrono::{DateTime, TimeDelta, Utc},
};
use serde::Serialize;

use super::{
    Failure,
    accounts::Place,
    terminal::{print, print_json},
};
use crate::{
    cli,
    now::Now,
    sources::{self, Sign},
};

mod certificate;
mod data;
mod machine;
mod public;
mod rights;

/// How long anybody is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// Clocks of servers that are kept right differ by less.
const CLOCK_ERROR: TimeDelta = TimeDelta::minutes(5);

/// What was looked at, and how it is.
#[derive(Debug, Serialize)]
struct Finding {
    about: &'static str,
    verdict: Verdict,
    /// A sentence for people.
    says: String,
    /// What to do, where something is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Fine,
    /// Good to know; nothing has to be done.
    Note,
    Wrong,
}

/// All that was found.
#[derive(Debug, Serialize)]
struct Report {
    wrong: usize,
    findings: Vec<Finding>,
}

/// Looks at everything, prints what was found, and fails if something is wrong.
pub(crate) fn run(place: Place<'_>, args: &cli::Doctor) -> Result<(), Failure> {
    let mut findings = match &args.ready {
        Some(admin) => vec![public::ready(admin, PATIENCE)],
        None => examine(place, args),
    };
    // Paths and addresses are as they were typed.
    for finding in &mut findings {
        finding.says = Key::redact(&finding.says);
        finding.remedy = finding.remedy.as_deref().map(Key::redact);
    }
    let wrong = findings.iter().filter(|finding| finding.verdict == Verdict::Wrong).count();
    if args.json {
        print_json(&Report { wrong, findings })?;
    } else {
        print(&findings.iter().map(line).collect::<String>())?;
    }
    match wrong {
        0 => Ok(()),
        1 => Err(Failure::Said("one thing is wrong".into())),
        wrong => Err(Failure::Said(format!("{wrong} things are wrong"))),
    }
}

fn examine(place: Place<'_>, args: &cli::Doctor) -> Vec<Finding> {
    let data = place.data;
    let now = Now::read();
    let mut findings = rights::look(data);
    let (found, newest) = data::look(place, now);
    findings.extend(found);
    findings.extend(machine::disk(data));
    findings.push(machine::descriptors(args.max_connections));
    findings.extend(machine::clock(now.utc, newest));
    if !args.offline {
        let signs = sources::reach(&args.addresses.bases(), PATIENCE);
        findings.extend(signs.iter().map(publisher));
        findings.extend(clocks(&signs, now.utc));
    }
    if let Some(url) = &args.url {
        findings.extend(public::look(url, &args.listen, now, PATIENCE));
    }
    findings
}

fn publisher(sign: &Sign) -> Finding {
    let Sign { publisher, address, clock } = sign;
    match clock {
        Ok(_) => Finding::fine("sources", format!("{publisher} answers at {address}.")),
        Err(why) => Finding::wrong(
            "sources",
            format!("{publisher} cannot be asked at {address}: {why}."),
            "If the others answer, it has a bad day, and the next sync makes up for it. If none does, look at DNS, \
             firewall and HTTPS_PROXY; without a network, import files.",
        ),
    }
}

/// Our clock by those of the publishers; nothing if none told the time.
fn clocks(signs: &[Sign], now: DateTime<Utc>) -> Option<Finding> {
    let told = signs.iter().filter_map(|sign| sign.clock.as_ref().ok().copied().flatten());
    // One of them may be wrong; the nearest is enough to trust ours.
    let nearest = told.min_by_key(|theirs| (*theirs - now).abs())?;
    if (nearest - now).abs() <= CLOCK_ERROR {
        return Some(Finding::fine("clock", "The clock agrees with the publishers'.".into()));
    }
    let says = format!("The clock says {}, the publishers' {}.", second(now), second(nearest));
    Some(Finding::wrong("clock", says, "Set it, and keep it right: apt install systemd-timesyncd."))
}

impl Finding {
    fn fine(about: &'static str, says: String) -> Finding {
        Finding { about, verdict: Verdict::Fine, says, remedy: None }
    }

    fn note(about: &'static str, says: String) -> Finding {
        Finding { about, verdict: Verdict::Note, says, remedy: None }
    }

    fn wrong(about: &'static str, says: String, remedy: impl Into<String>) -> Finding {
        Finding { about, verdict: Verdict::Wrong, says, remedy: Some(remedy.into()) }
    }
}

fn line(finding: &Finding) -> String {
    let verdict = match finding.verdict {
        Verdict::Fine => "ok   ",
        Verdict::Note => "note ",
        Verdict::Wrong => "WRONG",
    };
    let remedy = finding.remedy.as_ref().map(|remedy| format!("       {remedy}\n"));
    format!("{verdict}  {}: {}\n{}", finding.about, finding.says, remedy.unwrap_or_default())
}

/// A time as people read it, to the second.
fn second(time: DateTime<Utc>) -> String {
    time.format("%Y-%m-%d %H:%M:%S UTC").to_string()
}

/// A size as people read it.
fn size(bytes: u64) -> String {
    indicatif::BinaryBytes(bytes).to_string()
}

#[cfg(test)]
mod tests;
