//! Financial statements: every line of the annual (DFP) and quarterly (ITR) forms.

mod account;
mod capital;

pub use account::{Account, Period, Scope, StatementKind, StatementOrigin};
