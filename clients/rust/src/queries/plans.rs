//! Plans: [`fincore::plans`].
use fincore::{
    Snapshot,
    plans::{self, Plans},
};

use super::{NONE, queries};

queries! { "plans":
    /// All plans, with what each includes.
    list() -> Plans = all, "/api/v1/plans", NONE;
}

/// They need no data.
#[expect(clippy::unnecessary_wraps, reason = "a query like the others")]
fn all(_: &Snapshot) -> fincore::Result<Plans> {
    Ok(plans::list())
}
