//! `finserve webhooks`: lists the webhooks of all keys, and disables one.
use fincore::{
    chrono::Utc,
    printable,
    webhooks::{self, OwnedWebhook},
};

use super::{
    Failure,
    accounts::AccountsLocation,
    output::terminal::{print, print_json},
};
use crate::cli::Webhooks;

pub(crate) fn run(location: AccountsLocation<'_>, command: Webhooks) -> Result<(), Failure> {
    match command {
        Webhooks::List { json } => {
            // Before the first key there is nothing to list, and listing creates nothing.
            let all = match location.open_if_any()? {
                Some(accounts) => webhooks::list_all(&accounts)?,
                None => Vec::new(),
            };
            if json { print_json(&all) } else { print(&table(&all)) }
        }
        Webhooks::Disable { id, reason } => {
            let accounts = location.open_existing()?;
            let owned = webhooks::disable(&accounts, &id.parse()?, &reason, Utc::now())?;
            let OwnedWebhook { key, webhook, .. } = owned;
            print(&format!("{} of {key}… is disabled\n", webhook.id))
        }
    }
}

fn table(all: &[OwnedWebhook]) -> String {
    let width = all.iter().map(|owned| owned.webhook.id.to_string().len()).max().unwrap_or(2);
    let header = ["id", "key", "status", "pending", "created"];
    let mut table = format!(
        "{:<width$} {:<13} {:<8} {:>7} {:<16} url and events\n",
        header[0], header[1], header[2], header[3], header[4]
    );
    for OwnedWebhook { key, webhook, pending, .. } in all {
        let created = webhook.created_at.format("%Y-%m-%d %H:%M");
        let (id, url, events) = (&webhook.id, printable(&webhook.url), webhook.events.join(", "));
        table += &format!(
            "{id:<width$} {key}… {:<8} {pending:>7} {created:<16} {url} {events}\n",
            webhook.status
        );
        if let (Some(since), None) = (webhook.failing_since, webhook.disabled_at) {
            let since = since.format("%Y-%m-%d %H:%M");
            table += &format!("{:<width$} every call has failed since {since}\n", "");
        }
        if let Some(reason) = &webhook.reason {
            table += &format!("{:<width$} {}\n", "", printable(reason));
        }
    }
    table
}
