//! Where answers come from: a catalogue in this program, or a server.
use std::time::SystemTime;

use fincore::{
    Catalogue, Date, Snapshot,
    market::{KnownAt, Release},
};
use serde::{Serialize, de::DeserializeOwned};
use tokio::task;

use crate::{
    client::Client,
    error::{Error, Result},
    target::Target,
};

/// Where answers come from: a [`Catalogue`] in this program, or a server over HTTP. Every query takes it, so that a program
/// changes from one to the other by this value.
///
/// ```
/// use finserve_client::{Client, Settings, Source};
///
/// # let dir = tempfile::tempdir()?;
/// # let file = dir.path().join("catalogue.db");
/// let source: Source = match std::env::var("FINSERVE_URL") {
///     Ok(address) => Client::new(&address, Settings::default())?.into(),
///     Err(_) => fincore::Catalogue::open(&file)?.into(),
/// };
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Source {
    origin: Origin,
    known_at: KnownAt,
}

#[derive(Clone, Debug)]
enum Origin {
    Embedded { catalogue: Catalogue, today: Option<Date> },
    Server(Client),
}

impl From<Catalogue> for Source {
    /// The catalogue, read as of the day that it is in Brasília with each query. Queries run on the threads that `tokio` has
    /// for blocking work.
    fn from(catalogue: Catalogue) -> Source {
        Source::of(Origin::Embedded { catalogue, today: None })
    }
}

impl From<Client> for Source {
    fn from(client: Client) -> Source {
        Source::of(Origin::Server(client))
    }
}

impl Source {
    /// The catalogue as of a day, as in [`Catalogue::snapshot`].
    #[must_use]
    pub fn embedded_on(catalogue: Catalogue, today: Date) -> Source {
        Source::of(Origin::Embedded { catalogue, today: Some(today) })
    }

    /// Reads market data as it was known at the end of a day, as in [`fincore::market::as_of`]: of two days, the
    /// earlier counts. Other queries than those of market data and calculators then fail with [`Error::Invalid`].
    #[must_use]
    pub fn as_of(self, day: Date) -> Source {
        let day = self.known_at.as_of.map_or(day, |known| known.min(day));
        Source { known_at: KnownAt { as_of: Some(day), ..self.known_at }, ..self }
    }

    /// Reads the first values of figures that were replaced later, as in [`fincore::market::first_releases`]. Only
    /// histories have them; other queries fail with [`Error::Invalid`].
    #[must_use]
    pub fn first_releases(self) -> Source {
        let known_at = KnownAt { first_release: Release::First, ..self.known_at };
        Source { known_at, ..self }
    }

    fn of(origin: Origin) -> Source {
        Source { origin, known_at: KnownAt::default() }
    }

    /// The answer of either.
    pub(crate) async fn ask<L: Serialize, A: DeserializeOwned + Send + 'static>(
        &self,
        (target, past): (Target, Past),
        query: impl FnOnce(&Snapshot) -> fincore::Result<L> + Send + 'static,
    ) -> Result<A> {
        let known_at = self.known_at;
        past.check(known_at)?;
        match &self.origin {
            Origin::Server(client) if known_at == KnownAt::default() => client.ask(&target).await,
            Origin::Server(client) => client.ask(&target.with(&known_at)?).await,
            Origin::Embedded { catalogue, today } => {
                let (catalogue, today) =
                    (catalogue.clone(), today.unwrap_or_else(today_in_brasilia));
                let work = move || {
                    let present = catalogue.snapshot(today)?;
                    let past = known_at.snapshot(&present)?;
                    read_back(&query(past.as_ref().unwrap_or(&present))?)
                };
                let done = task::spawn_blocking(work).await;
                done.map_err(|err| Error::Failed { message: err.to_string() })?
            }
        }
    }
}

/// The library's answer as a server's: written as JSON and read back.
fn read_back<A: DeserializeOwned>(answer: &impl Serialize) -> Result<A> {
    let json = serde_json::to_string(answer);
    let read = json.and_then(|json| serde_json::from_str(&json));
    read.map_err(|err| Error::Failed { message: format!("the answer cannot be read back: {err}") })
}

fn today_in_brasilia() -> Date {
    Date::in_brasilia(SystemTime::now().into())
}

/// The point in time that a query reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Past {
    /// None: it is not about market data.
    None,
    /// As it was known at the end of a day.
    AsOf,
    /// That, or the first values.
    AsOfOrFirst,
}

impl Past {
    /// Fails if the query cannot be answered from this.
    fn check(self, known_at: KnownAt) -> Result<()> {
        let KnownAt { as_of, first_release } = known_at;
        let wrong = |parameter: &str, message: &str| {
            let (parameter, message) = (Some(parameter.to_owned()), message.to_owned());
            Err(Error::Invalid { parameter, message })
        };
        if as_of.is_some() && self == Past::None {
            return wrong("as_of", "only market data and calculations are known as of a day");
        }
        if first_release == Release::First && self != Past::AsOfOrFirst {
            return wrong("first_release", "only histories have first releases");
        }
        Ok(())
    }
}
