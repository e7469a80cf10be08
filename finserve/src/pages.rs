//! Pages for people, in English and Portuguese: markup and nothing else.
mod age;
pub(crate) mod assets;
mod chart;
mod home;
mod language;
mod layout;
mod plain;
mod pricing;
mod sign_in;
mod subscriptions;
mod usage;
mod view;

pub(crate) use home::home;
pub(crate) use language::Language;
pub(crate) use plain::{Notice, docs, not_found, refused};
pub(crate) use pricing::{Field, KeyForm, pricing};
pub(crate) use sign_in::{SignInForm, sign_in};
pub(crate) use subscriptions::Subscription;
pub(crate) use usage::{KnownKey, UsageForm, usage};
pub(crate) use view::View;
