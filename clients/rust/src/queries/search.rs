//! One search over companies and filings: [`fincore::search`].
use fincore::{
    Search,
    search::{self, Suggest},
};

use super::{NONE, queries};
pub use crate::answers::search::*;

queries! { "search":
    /// Companies and filings that match.
    global(query: Search) -> Matches = search::global, "/api/v1/search", NONE;
    /// Completions of a text.
    suggest(query: Suggest) -> Suggestions = search::suggest, "/api/v1/search/suggest", NONE;
}
