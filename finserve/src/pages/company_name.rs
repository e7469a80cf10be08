//! How pages name a company, and link to it.
use fincore::{CvmCode, companies::Company};

use super::{page_url::Address, view::View};

/// The link to the page of a company.
pub(crate) fn company_link(view: &View, code: CvmCode) -> String {
    Address::at(format!("/companies/{code}")).link(view)
}

/// The trade name, if it says something else than the registered name.
pub(crate) fn other_name(company: &Company) -> Option<&str> {
    company.trade_name.as_deref().filter(|name| *name != company.name)
}
