//! Filings: [`fincore::filings`].
use fincore::{
    FilingId, PageQuery,
    filings::{self, List, OfCompany, Recent, Search},
};

use super::{NONE, queries};
pub use crate::answers::filings::*;
use crate::answers::{Page, Sourced};

queries! { "filings":
    /// The filings of a company.
    of_company(query: OfCompany) -> Page<Filing> = filings::of_company, "/api/v1/companies/{id}/filings", NONE;
    /// Filings by words.
    search(query: Search) -> Page<Filing> = filings::search, "/api/v1/filings/search", NONE;
    /// Categories and types.
    categories(query: PageQuery) -> Page<Category> = filings::categories, "/api/v1/filings/categories", NONE;
    /// The latest filings.
    recent(query: Recent) -> Page<Filing> = filings::recent, "/api/v1/filings/recent", NONE;
    /// One filing.
    find(id: FilingId) -> Sourced<Filing> = filings::find, "/api/v1/filings/{id}", NONE;
    /// Filings, newest first.
    list(query: List) -> Page<Filing> = filings::list, "/api/v1/filings", NONE;
}
