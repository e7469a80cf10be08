//! Companies: [`fincore::companies`].
use fincore::{
    CompanyRef, Page, PageQuery, Sourced,
    companies::{self, Company, List, Search, Sector},
};

use super::{NONE, queries};

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
