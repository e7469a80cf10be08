//! What a handler works with.
use fincore::{Caller, Catalogue, datasets::Watch};

use super::{access::Access, request::Request};

/// A request on its way: who sent it, and what it can be answered from.
pub(crate) struct Context<'r> {
    pub(crate) catalogue: &'r Catalogue,
    pub(crate) access: &'r Access,
    pub(crate) watch: &'r Watch,
    pub(crate) request: &'r Request,
    pub(crate) caller: Caller,
}
