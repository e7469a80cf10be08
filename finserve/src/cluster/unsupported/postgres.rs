//! Accounts in PostgreSQL, which a build without the feature `cluster` does not have.
use std::{convert::Infallible, time::Duration};

use fincore::{
    Checkup, Result,
    accounts::{Store, Work as Statements},
};

use super::unsupported;
use crate::coordination::{directory_lock::ExclusiveTask, leader_election::Election};

/// There is none.
#[derive(Clone, Debug)]
pub(crate) struct Postgres(Infallible);

/// Why there is none.
#[derive(Debug)]
pub(crate) enum OpenError {
    #[expect(dead_code, reason = "only a build with the feature looks for one")]
    Away(String),
    Refused(String),
}

impl Postgres {
    pub(crate) fn open(_address: &str) -> Result<Postgres, OpenError> {
        Err(OpenError::Refused(unsupported("accounts in PostgreSQL")))
    }

    pub(crate) fn listen(&self, _on_change: impl Fn() + Send + Sync + 'static) {
        match self.0 {}
    }

    pub(crate) fn election(&self, _task: ExclusiveTask) -> Election {
        match self.0 {}
    }
}

impl Store for Postgres {
    fn read(&self, _wait: Duration, _work: Statements<'_>) -> Result<()> {
        match self.0 {}
    }

    fn read_at_once(&self, _wait: Duration, _work: Statements<'_>) -> Result<()> {
        match self.0 {}
    }

    fn write(&self, _wait: Duration, _work: Statements<'_>) -> Result<()> {
        match self.0 {}
    }

    fn verify(&self) -> Result<()> {
        match self.0 {}
    }

    fn quick_check(&self) -> Result<Vec<String>> {
        match self.0 {}
    }

    fn check(&self) -> Result<Checkup> {
        match self.0 {}
    }
}
