//! Plans: [`fincore::plans`].
use fincore::{Snapshot, plans};

use super::{NONE, queries};
pub use crate::answers::plans::*;

queries! { "plans":
    /// All plans, with what each includes.
    list() -> Plans = all, "/api/v1/plans", NONE;
}

/// They need no data.
#[expect(clippy::unnecessary_wraps, reason = "a query like the others")]
fn all(_: &Snapshot) -> fincore::Result<plans::Plans> {
    Ok(plans::list())
}
