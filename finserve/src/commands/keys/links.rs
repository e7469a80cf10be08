//! `finserve links`: makes, lists and revokes the links of a key.
use fincore::{
    chrono::{DateTime, Utc},
    keys,
    links::{self, Link, NewLink},
    printable,
};

use crate::{
    cli::Links,
    commands::{
        Failure,
        accounts::AccountsLocation,
        output::terminal::{print, print_json},
    },
    http::operator_link_path,
};

pub(crate) fn run(location: AccountsLocation<'_>, command: Links) -> Result<(), Failure> {
    let accounts = location.open_existing()?;
    match command {
        Links::Create { prefix, name, path } => {
            let path = path.map(operator_link_path).transpose().map_err(Failure::Usage)?;
            let key = keys::id(&accounts, &prefix.prefix()?)?;
            let (link, token) = links::create(&accounts, key, &NewLink { name, path }, Utc::now())?;
            // Nothing but the token goes to the output, so that it can be piped where it belongs.
            print(&format!("{}\n", token.reveal())).map_err(|failure| {
                let id = link.id;
                Failure::Message(format!(
                    "{failure}; the link {id} exists, but its token could not be shown: revoke it"
                ))
            })
        }
        Links::List { prefix, json } => {
            let prefix = prefix.prefix()?;
            let all = links::list(&accounts, keys::id(&accounts, &prefix)?)?;
            let record = keys::record(&accounts, &prefix)?;
            if record.revoked.is_some() {
                // Beside the output, where programs read that.
                tracing::warn!("{}… is revoked: none of its links works", record.prefix);
            }
            if json { print_json(&all) } else { print(&table(&all)) }
        }
        Links::Revoke { id } => {
            let id = id.parse()?;
            links::revoke_any(&accounts, &id, Utc::now())?;
            print(&format!("{id} is revoked\n"))
        }
    }
}

fn table(all: &[Link]) -> String {
    let time = |time: DateTime<Utc>| time.format("%Y-%m-%d %H:%M").to_string();
    let header = ["id", "created", "last used"];
    let mut table =
        format!("{:<26} {:<16} {:<16} name and path\n", header[0], header[1], header[2]);
    for Link { id, name, path, created, last_used, .. } in all {
        let (created, used) = (time(*created), last_used.map_or_else(|| "-".to_owned(), time));
        let path =
            path.as_ref().map_or_else(String::new, |path| format!(" {}", printable(path.as_str())));
        table += &format!("{id:<26} {created:<16} {used:<16} {}{path}\n", name.as_str());
    }
    table
}
