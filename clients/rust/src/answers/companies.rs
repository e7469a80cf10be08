//! Answers about companies.
use fincore::{Cnpj, CvmCode, Date};
use serde::Deserialize;

/// As [`fincore::companies::Company`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Company {
    pub id: CvmCode,
    pub name: String,
    pub trade_name: Option<String>,
    pub cnpj: Option<Cnpj>,
    pub status: Option<String>,
    pub sector: String,
    pub tickers: Vec<String>,
    pub registered_on: Option<Date>,
    pub cancelled_on: Option<Date>,
}

/// As [`fincore::companies::Sector`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Sector {
    pub sector: String,
    pub companies: u64,
    pub active: u64,
    pub listed: u64,
}
