//! Where the accounts are, and `finserve accounts`, which copies them.
use std::{path::Path, thread, time::Duration};

use fincore::Accounts;

use super::{
    Failure,
    data::{ACCOUNTS, create, existing},
    terminal::print,
};
use crate::{
    cli,
    cluster::postgres::{Postgres, Unopened},
    ready::{About, Readiness},
    typed::TypedAddress,
};

/// How long a server waits before it looks again for a database that is away.
const PAUSE: Duration = Duration::from_secs(1);

/// Where the accounts are: in the data directory, or in PostgreSQL.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    pub(crate) data: &'a Path,
    pub(crate) address: Option<&'a TypedAddress>,
}

impl Place<'_> {
    /// Opens them; where there are none yet, that is what they begin with.
    pub(crate) fn open(self) -> Result<Accounts, Failure> {
        if let Some(accounts) = self.in_postgres()? {
            return Ok(accounts);
        }
        create(self.data)?;
        Ok(Accounts::open(self.data.join(ACCOUNTS))?)
    }

    /// Opens those that are there. A look at them must not create them.
    pub(crate) fn existing(self) -> Result<Accounts, Failure> {
        if let Some(accounts) = self.in_postgres()? {
            return Ok(accounts);
        }
        Ok(Accounts::open(existing(self.data, ACCOUNTS)?)?)
    }

    /// The same, or nothing where there never was a key.
    pub(crate) fn if_any(self) -> Result<Option<Accounts>, Failure> {
        if self.are_in_directory() && existing(self.data, ACCOUNTS).is_err() {
            return Ok(None);
        }
        self.existing().map(Some)
    }

    pub(crate) fn are_in_directory(self) -> bool {
        self.address.is_none()
    }

    /// What they are called.
    pub(crate) fn name(self) -> &'static str {
        if self.are_in_directory() { ACCOUNTS } else { "accounts in PostgreSQL" }
    }

    fn in_postgres(self) -> Result<Option<Accounts>, Failure> {
        self.address.map(|address| Ok(over(&open(address)?)?)).transpose()
    }
}

/// Connects to the PostgreSQL of an address.
pub(crate) fn open(address: &TypedAddress) -> Result<Postgres, Failure> {
    Postgres::open(address.as_str()).map_err(|err| match err {
        Unopened::Away(words) | Unopened::Refused(words) => Failure::Said(words),
    })
}

/// The same for a server, which waits for one that is away: after a power cut, nobody is there first.
pub(crate) fn wait_for(address: &TypedAddress, ready: &Readiness) -> Result<Postgres, Failure> {
    loop {
        match Postgres::open(address.as_str()) {
            Ok(postgres) => {
                ready.report(About::Accounts, None);
                return Ok(postgres);
            }
            Err(Unopened::Refused(words)) => return Err(Failure::Said(words)),
            Err(Unopened::Away(words)) => ready.report(About::Accounts, Some(words)),
        }
        thread::sleep(PAUSE);
    }
}

/// The accounts in a PostgreSQL.
pub(crate) fn over(postgres: &Postgres) -> fincore::Result<Accounts> {
    Accounts::over(Box::new(postgres.clone()))
}

pub(crate) fn run(place: Place<'_>, command: &cli::Accounts) -> Result<(), Failure> {
    let cli::Accounts::Copy { to } = command;
    let source = place.existing()?;
    let copied = source.copy_to(&over(&open(to)?)?)?;
    let rows =
        copied.tables.iter().map(|tally| format!("  {}: {} rows\n", tally.table, tally.rows));
    let what =
        if copied.is_new { "copied, and every row compared" } else { "the same there already" };
    print(&format!("{}: {what}\n{}", place.name(), rows.collect::<String>()))
}
