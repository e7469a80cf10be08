//! `finserve doctor`: says what is wrong with a server and what to do.
use std::time::Duration;

use fincore::{
    Key,
    chrono::{DateTime, TimeDelta, Utc},
};
use serde::Serialize;

use super::{
    Failure,
    accounts::AccountsLocation,
    output::terminal::{print, print_json},
};
use crate::{
    cli,
    coordination::clock::Now,
    sources::{self, PublisherReply, UserAgent, WAYS_OUT},
};

mod certificate;
mod data_checks;
mod file_permissions;
mod machine;
mod public_address;

/// How long the doctor waits for a server or publisher.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Clocks that are synchronised differ by less.
const CLOCK_ERROR: TimeDelta = TimeDelta::minutes(5);

/// The result of one check.
#[derive(Debug, Serialize)]
struct Finding {
    about: &'static str,
    verdict: Verdict,
    /// A sentence for the operator.
    says: String,
    /// The remedy, if something is wrong.
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

/// The findings of all checks.
#[derive(Debug, Serialize)]
struct Report {
    wrong: usize,
    findings: Vec<Finding>,
}

/// Runs all checks, prints the findings, and fails if something is wrong.
pub(crate) fn run(location: AccountsLocation<'_>, args: &cli::Doctor) -> Result<(), Failure> {
    let mut findings = match &args.ready {
        Some(admin) => vec![public_address::check_ready(admin, TIMEOUT)],
        None => examine(location, args),
    };
    // Paths and addresses are repeated as typed, and may hold a key.
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
        1 => Err(Failure::Message("1 problem found".into())),
        wrong => Err(Failure::Message(format!("{wrong} problems found"))),
    }
}

fn examine(location: AccountsLocation<'_>, args: &cli::Doctor) -> Vec<Finding> {
    let data = location.data;
    let now = Now::read();
    let mut findings = file_permissions::check(data);
    let (found, newest) = data_checks::check(location, now);
    findings.extend(found);
    findings.extend(machine::check_disk(data));
    findings.push(machine::check_descriptors(args.socket.max_connections));
    findings.extend(machine::check_clock(now.utc, newest));
    if !args.offline {
        let replies =
            sources::check_publishers(&args.addresses.urls(), &UserAgent::default(), TIMEOUT);
        if let Some(outage) = outage(&replies) {
            // A dataset that the outage kept from synchronising needs no remedy of its own.
            for failed in findings.iter_mut().filter(|finding| finding.follows_from_outage()) {
                (failed.verdict, failed.remedy) = (Verdict::Note, None);
            }
            findings.push(outage);
        } else {
            findings.extend(replies.iter().map(publisher_finding));
        }
        findings.extend(compare_clocks(&replies, now.utc));
    }
    if let Some(url) = &args.url {
        findings.extend(public_address::check(url, &args.socket.listen, now, TIMEOUT));
    }
    findings
}

/// That none of the publishers answers, which has one cause.
fn outage(replies: &[PublisherReply]) -> Option<Finding> {
    if replies.iter().any(|reply| reply.is_reached) {
        return None;
    }
    let mut reasons: Vec<&str> =
        replies.iter().filter_map(|reply| reply.clock.as_ref().err()).map(String::as_str).collect();
    reasons.sort_unstable();
    reasons.dedup();
    Some(Finding::wrong(
        "sources",
        format!("No publisher can be reached: {}.", reasons.join("; ")),
        format!("Check DNS, firewall and HTTPS_PROXY. {WAYS_OUT}."),
    ))
}

fn publisher_finding(reply: &PublisherReply) -> Finding {
    let PublisherReply { publisher, address, clock, .. } = reply;
    match clock {
        Ok(_) => Finding::fine("sources", format!("{publisher} answers at {address}.")),
        Err(why) => Finding::wrong(
            "sources",
            format!("{publisher} does not answer at {address}: {why}."),
            format!("If it is down, the next sync catches up. {WAYS_OUT}."),
        ),
    }
}

/// Compares the clock with those of the publishers; `None` if none sent its time.
fn compare_clocks(replies: &[PublisherReply], now: DateTime<Utc>) -> Option<Finding> {
    let clocks = replies.iter().filter_map(|reply| reply.clock.as_ref().ok().copied().flatten());
    // One of them may be wrong, so the nearest decides.
    let nearest = clocks.min_by_key(|theirs| (*theirs - now).abs())?;
    if (nearest - now).abs() <= CLOCK_ERROR {
        return Some(Finding::fine("clock", "The clock agrees with the publishers'.".into()));
    }
    let says = format!(
        "The clock says {}; the publishers' clocks say {}.",
        format_time(now),
        format_time(nearest)
    );
    Some(Finding::wrong(
        "clock",
        says,
        "Set the clock and keep it synchronised: apt install systemd-timesyncd.",
    ))
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

    /// Whether it says that a sync failed because no publisher could be reached.
    fn follows_from_outage(&self) -> bool {
        self.verdict == Verdict::Wrong && self.says.contains("no publisher can be reached")
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
fn format_time(time: DateTime<Utc>) -> String {
    time.format("%Y-%m-%d %H:%M:%S UTC").to_string()
}

/// A size as people read it.
fn format_size(bytes: u64) -> String {
    indicatif::BinaryBytes(bytes).to_string()
}

#[cfg(test)]
mod tests;
