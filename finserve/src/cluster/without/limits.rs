//! Limits over all replicas, which this build has not.
use std::{convert::Infallible, sync::Arc, time::Instant};

use fincore::{
    Caller,
    limits::{Limiter, Limits, Standing},
};

/// Nothing: there is no such address in this build.
#[derive(Clone, Debug)]
pub(crate) struct Address(Infallible);

impl Address {
    pub(crate) fn parse(_: &str) -> Result<Address, String> {
        Err("this build has no support for limits in Valkey (feature `cluster`)".into())
    }
}

/// Nothing.
#[derive(Clone)]
pub(crate) struct SharedLimits(Infallible);

impl SharedLimits {
    pub(crate) fn start(address: Address, _: Arc<Limits>) -> Result<SharedLimits, String> {
        match address.0 {}
    }

    pub(crate) fn lane(&self) -> Lane {
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

    pub(crate) fn alone(&self) -> u64 {
        match self.0 {}
    }
}

/// Nothing.
#[derive(Clone)]
pub(crate) struct Lane(Infallible);

impl Lane {
    pub(crate) async fn run(self) {
        match self.0 {}
    }
}

impl Limiter for Lane {
    async fn admit(&self, _: &Caller, _: Instant) -> Result<Standing, Standing> {
        match self.0 {}
    }

    async fn peek(&self, _: &Caller, _: Instant) -> Standing {
        match self.0 {}
    }
}
