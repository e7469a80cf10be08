//! Where the accounts are, and `finserve accounts`, which copies them.
use std::{path::Path, thread, time::Duration};

use fincore::Accounts;

use super::{
    Failure,
    data_directory::{ACCOUNTS, create, find_file, no_directory},
    output::terminal::print,
};
use crate::{
    cli::{self, redacted::Redacted},
    cluster::postgres::{OpenError, Postgres},
    observe::readiness::{Component, Readiness},
};

/// How long a server waits before it tries again to connect to a database that is away.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// Where the accounts are: in the data directory, or in PostgreSQL.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AccountsLocation<'a> {
    pub(crate) data: &'a Path,
    pub(crate) address: Option<&'a Redacted>,
}

impl AccountsLocation<'_> {
    /// Opens the accounts; creates them in the data directory if there are none yet.
    pub(crate) fn open(self) -> Result<Accounts, Failure> {
        if let Some(accounts) = self.open_in_postgres()? {
            return Ok(accounts);
        }
        create(self.data)?;
        Ok(Accounts::open(self.data.join(ACCOUNTS))?)
    }

    /// Opens accounts that exist already. Commands that only read must not create them.
    pub(crate) fn open_existing(self) -> Result<Accounts, Failure> {
        if let Some(accounts) = self.open_in_postgres()? {
            return Ok(accounts);
        }
        Ok(Accounts::open(find_file(self.data, ACCOUNTS)?)?)
    }

    /// Opens the accounts, or returns `None` if no key was ever issued.
    pub(crate) fn open_if_any(self) -> Result<Option<Accounts>, Failure> {
        if self.are_in_directory() && find_file(self.data, ACCOUNTS).is_err() {
            return if self.data.is_dir() { Ok(None) } else { Err(no_directory(self.data)) };
        }
        self.open_existing().map(Some)
    }

    pub(crate) fn are_in_directory(self) -> bool {
        self.address.is_none()
    }

    /// The name of the accounts in messages.
    pub(crate) fn name(self) -> &'static str {
        if self.are_in_directory() { ACCOUNTS } else { "accounts in PostgreSQL" }
    }

    fn open_in_postgres(self) -> Result<Option<Accounts>, Failure> {
        self.address.map(|address| Ok(accounts_in(&connect(address)?)?)).transpose()
    }
}

/// Connects to the PostgreSQL of an address.
pub(crate) fn connect(address: &Redacted) -> Result<Postgres, Failure> {
    Postgres::open(address.as_str()).map_err(|err| match err {
        OpenError::Away(message) | OpenError::Refused(message) => Failure::Message(message),
    })
}

/// Waits for a database that is away: after a power cut the server may start first.
pub(crate) fn wait_for_postgres(
    address: &Redacted,
    ready: &Readiness,
) -> Result<Postgres, Failure> {
    loop {
        match Postgres::open(address.as_str()) {
            Ok(postgres) => {
                ready.report(Component::Accounts, None);
                return Ok(postgres);
            }
            Err(OpenError::Refused(message)) => return Err(Failure::Message(message)),
            Err(OpenError::Away(message)) => ready.report(Component::Accounts, Some(message)),
        }
        thread::sleep(RETRY_INTERVAL);
    }
}

/// The accounts in a PostgreSQL.
pub(crate) fn accounts_in(postgres: &Postgres) -> fincore::Result<Accounts> {
    Accounts::with_store(Box::new(postgres.clone()))
}

pub(crate) fn run(location: AccountsLocation<'_>, command: &cli::Accounts) -> Result<(), Failure> {
    let cli::Accounts::Copy { to } = command;
    let source = location.open_existing()?;
    let copied = source.copy_to(&accounts_in(&connect(to)?)?)?;
    let rows =
        copied.tables.iter().map(|tally| format!("  {}: {} rows\n", tally.table, tally.rows));
    let outcome =
        if copied.is_new { "copied, and every row compared" } else { "already the same there" };
    print(&format!("{}: {outcome}\n{}", location.name(), rows.collect::<String>()))
}
