//! Pages for people, in English and Portuguese: markup and nothing else.
pub(crate) mod assets;
mod calculators;
mod chart;
mod companies;
mod company_name;
mod data_age;
mod error_page;
mod errors;
mod filings;
mod filter_fields;
mod guide;
mod home;
mod language;
mod layout;
mod legal;
mod market;
mod page_url;
mod pricing;
mod reference;
mod result_list;
mod sign_in;
mod spreadsheet;
mod status;
mod structured_data;
mod suggestions;
mod upgrade_prompt;
mod usage;
mod view;

pub(crate) use calculators::{
    Calculator, Given, Outcome, calculator, calculators, compound_link, convert_form, first_day,
};
pub(crate) use companies::company::{CompanyShown, Filed, NEWEST, company};
pub(crate) use companies::comparison::{CompaniesCompared, ComparedCompany, compared_companies};
pub(crate) use companies::five_years::YearsShown;
pub(crate) use companies::screen::{
    CompaniesScreened, ScreenSought, USUAL_ORDER, screened_companies,
};
pub(crate) use companies::statement::{
    PERIODS, StatementShown, StatementSought, StatementsOf, statement,
};
pub(crate) use companies::{CompaniesSought, companies};
pub(crate) use company_name::company_link;
pub(crate) use error_page::{Notice, not_found, refused};
pub(crate) use filings::filing::{FilingShown, filing};
pub(crate) use filings::{FilingsSought, category_link, filings};
pub(crate) use guide::{GuidePage, guide};
pub(crate) use home::home;
pub(crate) use language::Language;
pub(crate) use legal::legal;
pub(crate) use market::{
    Asked, ComparisonAsked, ComparisonForm, HistoryForm, Subject, Transformed, compare_links,
    comparison, decisions, decisions_link, has_few_days, history, market, wrong_comparison,
    wrong_history,
};
pub(crate) use pricing::{
    key_form::{Field, FieldFault, KeyForm},
    pricing,
};
pub(crate) use reference::{interactive::interactive, reference};
pub(crate) use result_list::{Found, PAGE_ROWS, PREVIEW_ROWS};
pub(crate) use sign_in::{SignInForm, sign_in};
pub(crate) use spreadsheet::Shows;
pub(crate) use status::status;
pub(crate) use suggestions::{company_filings_link, filings_of, why_suggested};
pub(crate) use usage::links::{LinkFault, LinkForm, link_made, link_not_made};
pub(crate) use usage::own_key::{exchanged, revoked, unconfirmed};
pub(crate) use usage::webhook_list::Subscription;
pub(crate) use usage::{KnownKey, UsageForm, usage};
pub(crate) use view::View;
