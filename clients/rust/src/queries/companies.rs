//! Companies: [`fincore::companies`].
use fincore::{
    CompanyRef, PageQuery,
    companies::{self, List, Search},
};

use super::{NONE, queries};
pub use crate::answers::companies::*;
use crate::answers::{Page, Sourced};

queries! { "companies":
    /// Companies by words.
    search(query: Search) -> Page<Company> = companies::search, "/api/v1/companies/search", NONE;
    /// The sectors.
    sectors(query: PageQuery) -> Page<Sector> = companies::sectors, "/api/v1/companies/sectors", NONE;
    /// One company.
    find(company: CompanyRef) -> Sourced<Company> = companies::find, "/api/v1/companies/{id}", NONE;
    /// Companies, by code.
    list(query: List) -> Page<Company> = companies::list, "/api/v1/companies", NONE;
}
