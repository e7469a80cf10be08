//! `finserve webhooks`: what the operator sees and ends.
use fincore::{
    chrono::Utc,
    printable,
    webhooks::{self, Owned},
};

use super::{
    Failure,
    accounts::Place,
    terminal::{print, print_json},
};
use crate::cli::Webhooks;

pub(crate) fn run(place: Place<'_>, command: Webhooks) -> Result<(), Failure> {
    match command {
        Webhooks::List { json } => {
            // Before the first key there is nothing to list, and listing creates nothing.
            let all = match place.if_any()? {
                Some(accounts) => webhooks::all(&accounts)?,
                None => Vec::new(),
            };
            if json { print_json(&all) } else { print(&table(&all)) }
        }
        Webhooks::Disable { id, reason } => {
            let accounts = place.existing()?;
            let owned = webhooks::disable(&accounts, &id.parse()?, &reason, Utc::now())?;
            let Owned { key, webhook, .. } = owned;
            print(&format!("{} of {key}… is disabled\n", webhook.id))
        }
    }
}

fn table(all: &[Owned]) -> String {
    let width = all.iter().map(|owned| owned.webhook.id.to_string().len()).max().unwrap_or(2);
    let header = ["id", "key", "status", "pending", "created"];
    let mut table = format!(
        "{:<width$} {:<13} {:<8} {:>7} {:<16} url and events\n",
        header[0], header[1], header[2], header[3], header[4]
    );
    for Owned { key, webhook, pending, .. } in all {
        let created = webhook.created_at.format("%Y-%m-%d %H:%M");
        let (id, url, events) = (&webhook.id, printable(&webhook.url), webhook.events.join(", "));
        table += &format!(
            "{id:<width$} {key}… {:<8} {pending:>7} {created:<16} {url} {events}\n",
            webhook.status
        );
        if let (Some(since), None) = (webhook.failing_since, webhook.disabled_at) {
            let since = since.format("%Y-%m-%d %H:%M");
            table += &format!("{:<width$} every call fails since {since}\n", "");
        }
        if let Some(reason) = &webhook.reason {
            table += &format!("{:<width$} {}\n", "", printable(reason));
        }
    }
    table
}
