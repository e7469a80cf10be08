//! What a handler works with.
use std::sync::Arc;

use fincore::{Caller, Catalogue, datasets::Watch, export::Shelf, webhooks::Targets};

use super::{access::Access, pool::Pool, request::Request, slots::Slots};
use crate::{base_path::BasePath, offer::Offer};

/// A request on its way: who sent it, and what it can be answered from.
pub(crate) struct Context<'r> {
    pub(crate) catalogue: &'r Catalogue,
    pub(crate) access: &'r Access,
    pub(crate) watch: &'r Watch,
    pub(crate) shelf: &'r Shelf,
    /// How many exports may be under way.
    pub(crate) exports: &'r Slots,
    /// Where streams are made.
    pub(crate) streams: &'r Arc<Pool>,
    /// Whom webhooks may call.
    pub(crate) targets: Targets,
    /// What all links begin with.
    pub(crate) base: BasePath,
    /// Where customers ask for more.
    pub(crate) offer: Offer,
    /// The paths of all pages that can be read.
    pub(crate) pages: &'r [&'static str],
    pub(crate) request: &'r Request,
    pub(crate) caller: Caller,
}
