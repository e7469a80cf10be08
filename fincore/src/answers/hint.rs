//! Why a list is empty, as values. `Display` is the English of the API.
use std::fmt;

use serde::{Serialize, Serializer};

use crate::{truncate::truncate, types::Key};

/// Why a list has no rows. JSON has it as a sentence; programs that speak another language match on the values.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hint {
    /// No row has the value of a filter.
    UnknownValue {
        /// What is listed: `filing` or `company`.
        row: &'static str,
        /// The filter: `category`, `type`, `status` or `sector`.
        field: &'static str,
        /// The value that was given.
        given: String,
        /// The values that come nearest.
        nearest: Vec<String>,
        /// What helps if none does.
        otherwise: String,
    },
    /// There is no such company.
    UnknownCompany {
        /// The company that was given.
        company: String,
    },
    /// No company has an identifier that a search names.
    UnknownIdentifier {
        /// `ticker`, `ISIN`, `CNPJ` or `CVM code`.
        kind: &'static str,
        /// The identifier that was given, in capital letters.
        given: String,
        /// Tickers that come nearest.
        nearest: Vec<String>,
    },
    /// A search names a well-known company that does not file with CVM.
    NotRegistered {
        /// Its name.
        name: &'static str,
        /// The ticker of its receipts that trade in São Paulo.
        receipts: Option<&'static str>,
    },
    /// The period lies outside the days that are held.
    Held {
        /// The first of them.
        from: String,
        /// The last of them.
        to: String,
    },
    /// Rows have the value of each filter, but none has all of them.
    NoneHasAll {
        /// The filters.
        fields: Vec<&'static str>,
    },
    /// Anything else.
    Other(String),
}

/// What was given, cut if it is long, without what may be a key.
fn shown(given: &str) -> String {
    Key::redact(&truncate(given))
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Hint::UnknownValue { row, field, given, nearest, otherwise } => {
                write!(f, "no {row} has the {field} \"{}\"; ", shown(given))?;
                match &nearest[..] {
                    [] => f.write_str(otherwise),
                    nearest => write!(f, "nearest: {}", nearest.join("; ")),
                }
            }
            Hint::UnknownCompany { company } => {
                write!(f, "there is no company \"{company}\"; see /api/v1/companies/search")
            }
            Hint::UnknownIdentifier { kind, given, nearest } => {
                write!(f, "no company has the {kind} \"{}\"", shown(given))?;
                match &nearest[..] {
                    [] if *kind == "ticker" => f.write_str(
                        "; funds and foreign companies are not in CVM's registry of companies",
                    ),
                    [] => Ok(()),
                    nearest => write!(f, "; nearest: {}", nearest.join("; ")),
                }
            }
            Hint::NotRegistered { name, receipts } => {
                write!(f, "{name} does not file with CVM as a company")?;
                match receipts {
                    Some(ticker) => write!(f, "; its receipts trade as {ticker}"),
                    None => Ok(()),
                }
            }
            Hint::Held { from, to } => write!(f, "filings are held from {from} to {to}"),
            Hint::NoneHasAll { fields } => {
                write!(f, "no filing has all of these: {}", fields.join(", "))
            }
            Hint::Other(text) => f.write_str(text),
        }
    }
}

impl Serialize for Hint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl From<String> for Hint {
    fn from(text: String) -> Hint {
        Hint::Other(text)
    }
}
