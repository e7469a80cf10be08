//! Limits over all replicas, which a build without the feature `cluster` does not have.
use std::{convert::Infallible, sync::Arc, time::Instant};

use fincore::{
    Caller,
    limits::{Limiter, Limits, Standing},
};

use super::unsupported;

/// Nothing: there is no such address in this build.
#[derive(Clone, Debug)]
pub(crate) struct Address(Infallible);

impl Address {
    pub(crate) fn parse(_: &str) -> Result<Address, String> {
        Err(unsupported("limits in Valkey"))
    }
}

/// Nothing.
#[derive(Clone)]
pub(crate) struct SharedLimits(Infallible);

impl SharedLimits {
    pub(crate) fn start(address: Address, _: Arc<Limits>) -> Result<SharedLimits, String> {
        match address.0 {}
    }

    pub(crate) fn new_batcher(&self) -> Batcher {
        match self.0 {}
    }

    pub(crate) fn peek(&self, _: &Caller, _: Instant) -> Standing {
        match self.0 {}
    }

    pub(crate) fn admit(&self, _: &Caller, _: Instant) -> Result<Standing, Standing> {
        match self.0 {}
    }

    pub(crate) fn is_away(&self) -> bool {
        match self.0 {}
    }

    pub(crate) fn decided_alone(&self) -> u64 {
        match self.0 {}
    }
}

/// Nothing.
#[derive(Clone)]
pub(crate) struct Batcher(Infallible);

impl Batcher {
    pub(crate) async fn run(self) {
        match self.0 {}
    }
}

impl Limiter for Batcher {
    async fn admit(&self, _: &Caller, _: Instant) -> Result<Standing, Standing> {
        match self.0 {}
    }

    async fn peek(&self, _: &Caller, _: Instant) -> Standing {
        match self.0 {}
    }
}
