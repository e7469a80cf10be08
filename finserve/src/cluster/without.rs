//! What a build without the feature `cluster` has instead of the engines: every address is refused.
pub(crate) mod limits;
pub(crate) mod postgres;
