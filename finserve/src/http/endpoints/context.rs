//! The context of a handler.
use fincore::{Caller, Catalogue, LinkPath, events::EventWindow, webhooks::Targets};

use super::dataset_list::DatasetList;
use crate::{
    coordination::clock::Clock,
    http::{
        access::Access,
        message::{refusal::Refusal, request::Request},
        transport::{concurrency_slots::Slots, worker_pool::Lane},
    },
    observe::workers::Workers,
    site::{base_path::BasePath, upgrade_contact::UpgradeContact},
};

/// The paths that links may be bound to. The routing table knows, and it lies above the endpoints: that is why this is
/// a trait.
pub(crate) trait LinkPaths {
    /// The path of this text, which may begin with the base path. Fails where no request with a link is answered at it.
    fn link_path(&self, text: &str) -> Result<LinkPath, Refusal>;
}

/// A request on its way: who sent it, and what it can be answered from.
pub(crate) struct Context<'r> {
    pub(crate) catalogue: &'r Catalogue,
    pub(crate) access: &'r Access,
    pub(crate) dataset_list: &'r DatasetList,
    /// The threads for work in the background.
    pub(crate) workers: &'r Workers,
    /// How many exports may be under way.
    pub(crate) exports: &'r Slots,
    /// How many of them may be exports of the past.
    pub(crate) past_exports: &'r Slots,
    /// Where streams are made.
    pub(crate) streams: Lane,
    /// Whom webhooks may call.
    pub(crate) targets: Targets,
    /// How old what comes in may be and still be an event.
    pub(crate) window: EventWindow,
    /// The address of the service, or a mark in its place where the answer is kept for clients that call it differently.
    /// Nothing where it is not known.
    pub(crate) origin: Option<String>,
    /// The prefix of all links.
    pub(crate) base: BasePath,
    /// Where customers ask for more.
    pub(crate) upgrade_contact: UpgradeContact,
    /// The paths of all pages that can be read.
    pub(crate) pages: &'r [&'static str],
    /// The paths that links may be bound to.
    pub(crate) link_paths: &'r dyn LinkPaths,
    /// The names of the parameters that the endpoint reads from the query string.
    pub(crate) parameters: Vec<&'static str>,
    pub(crate) request: &'r Request,
    pub(crate) caller: Caller,
    pub(crate) clock: &'r Clock,
}
