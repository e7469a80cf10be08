//! Pages for people, in English and Portuguese: markup and nothing else.
mod address;
mod age;
pub(crate) mod assets;
mod calc;
mod chart;
mod companies;
mod company;
mod field;
mod filing;
mod filing_rows;
mod filings;
mod found;
mod home;
mod language;
mod layout;
mod market;
mod news;
mod plain;
mod pricing;
mod refusal;
mod sign_in;
mod sparkline;
mod subscriptions;
mod timeline;
mod upgrade;
mod usage;
mod view;

pub(crate) use calc::{
    Calculator, Given, Outcome, calculator, calculators, compound_link, convert_form, first_day,
};
pub(crate) use companies::{CompaniesSought, companies};
pub(crate) use company::{CompanyShown, Filed, NEWEST, company, company_link};
pub(crate) use filing::{FilingShown, filing};
pub(crate) use filings::{FilingsSought, category_link, filings};
pub(crate) use found::{Found, PAGE_ROWS, PREVIEW_ROWS};
pub(crate) use home::home;
pub(crate) use language::Language;
pub(crate) use market::{Asked, Subject, history, market, wrong_history};
pub(crate) use plain::{Notice, docs, not_found, refused};
pub(crate) use pricing::{Field, KeyForm, pricing};
pub(crate) use sign_in::{SignInForm, sign_in};
pub(crate) use subscriptions::Subscription;
pub(crate) use usage::{KnownKey, UsageForm, usage};
pub(crate) use view::View;
