//! `finserve keys`: creates, lists, upgrades and revokes API keys.
use fincore::{
    chrono::{DateTime, Utc},
    keys::{self, KeyRecord, Registration},
};

use super::{
    Failure,
    accounts::AccountsLocation,
    data_directory::ACCOUNTS,
    output::terminal::{print, print_json},
};
use crate::cli::Keys;

pub(super) mod links;

pub(crate) fn run(location: AccountsLocation<'_>, command: Keys) -> Result<(), Failure> {
    match command {
        Keys::Create { plan, name, email } => {
            if location.are_in_directory() && !location.data.join(ACCOUNTS).exists() {
                let data = location.data.display();
                tracing::info!("there are no accounts in {data} yet: creating them");
            }
            let registration = Registration { name, email };
            let key = keys::issue(&location.open()?, &registration, plan, Utc::now())?;
            // Nothing but the key goes to the output, so that it can be piped where it belongs.
            print(&format!("{}\n", key.reveal())).map_err(|failure| {
                let prefix = key.prefix();
                Failure::Message(format!(
                    "{failure}; the key {prefix}… exists, but could not be shown: revoke it"
                ))
            })
        }
        Keys::List { json } => {
            // Before the first key there is nothing to list, and listing creates nothing.
            let records = match location.open_if_any()? {
                Some(accounts) => keys::list(&accounts)?,
                None => Vec::new(),
            };
            if json { print_json(&records) } else { print(&table(&records)) }
        }
        Keys::SetPlan { prefix, plan } => {
            let record = keys::set_plan(&location.open_existing()?, &prefix.prefix()?, plan)?;
            print(&format!("{}… of {} is now on {}\n", record.prefix, record.name, plan.name()))
        }
        Keys::Revoke { prefix } => {
            let record = keys::revoke(&location.open_existing()?, &prefix.prefix()?, Utc::now())?;
            print(&format!("{}… of {} is revoked\n", record.prefix, record.name))
        }
    }
}

fn table(records: &[KeyRecord]) -> String {
    let time = |time: DateTime<Utc>| time.format("%Y-%m-%d %H:%M").to_string();
    let header = ["key", "plan", "created", "revoked"];
    let mut table = format!(
        "{:<13} {:<8} {:<16} {:<16} name and e-mail\n",
        header[0], header[1], header[2], header[3]
    );
    for KeyRecord { prefix, plan, name, email, created, revoked, .. } in records {
        let (created, revoked) = (time(*created), revoked.map_or_else(|| "-".to_owned(), time));
        table += &format!("{prefix}… {plan:<8} {created:<16} {revoked:<16} {name} <{email}>\n");
    }
    table
}
