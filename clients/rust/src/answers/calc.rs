//! Answers of calculators.
use std::ops::Deref;

use fincore::{
    Currency, Date, Decimal, Figure, Pair,
    calc::{Amount, Convention, Percent, QuotedRate, Spread},
    market::Side,
};
use serde::Deserialize;

use super::{Flat, market::Rate};

/// As [`fincore::calc::CorrectedAmount`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(from = "Flat<Derivation, Correction>")]
#[non_exhaustive]
pub struct CorrectedAmount {
    pub amount: Amount,
    pub result: Figure,
    pub reais: Option<Reais>,
    pub percent: Option<Percent>,
    pub spread: Option<SpreadFactor>,
    pub derivation: Derivation,
    pub rule: String,
    pub rule_pt: String,
}

/// The fields beside the derivation of a corrected amount.
#[derive(Deserialize)]
struct Correction {
    amount: Amount,
    result: Figure,
    reais: Option<Reais>,
    percent: Option<Percent>,
    spread: Option<SpreadFactor>,
    rule: String,
    rule_pt: String,
}

impl From<Flat<Derivation, Correction>> for CorrectedAmount {
    fn from(Flat(derivation, rest): Flat<Derivation, Correction>) -> CorrectedAmount {
        let Correction { amount, result, reais, percent, spread, rule, rule_pt } = rest;
        CorrectedAmount { amount, result, reais, percent, spread, derivation, rule, rule_pt }
    }
}

/// As [`fincore::calc::SpreadFactor`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct SpreadFactor {
    pub per_year: Spread,
    pub business_days: u32,
    pub factor: Figure,
    pub index_factor: Figure,
}

/// As [`fincore::calc::Reais`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Reais {
    pub currency: String,
    pub divisor: u64,
    pub into: String,
    pub result: Figure,
}

/// As [`fincore::calc::Growth`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(from = "Flat<Derivation, Rule>")]
#[non_exhaustive]
pub struct Growth {
    pub derivation: Derivation,
    pub rule: String,
    pub rule_pt: String,
}

/// The fields beside the derivation of a growth.
#[derive(Deserialize)]
struct Rule {
    rule: String,
    rule_pt: String,
}

impl From<Flat<Derivation, Rule>> for Growth {
    fn from(Flat(derivation, rest): Flat<Derivation, Rule>) -> Growth {
        let Rule { rule, rule_pt } = rest;
        Growth { derivation, rule, rule_pt }
    }
}

impl Deref for Growth {
    type Target = Derivation;

    fn deref(&self) -> &Derivation {
        &self.derivation
    }
}

/// As [`fincore::calc::Derivation`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Derivation {
    pub series: String,
    pub number: u32,
    pub from: Date,
    pub to: Date,
    pub factor: Figure,
    pub accumulated: Figure,
    pub periods: usize,
    pub period: String,
    pub first: Option<Rate>,
    pub last: Option<Rate>,
    pub published: Option<PublishedFigure>,
    pub steps: Option<Vec<DerivationStep>>,
}

/// As [`fincore::calc::PublishedFigure`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct PublishedFigure {
    pub series: String,
    pub number: u32,
    pub date: Date,
    pub value: Decimal,
}

/// As [`fincore::calc::DerivationStep`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct DerivationStep {
    pub date: Date,
    pub value: Decimal,
    pub factor: Figure,
    pub product: Figure,
}

/// As [`fincore::calc::ConvertedAmount`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct ConvertedAmount {
    pub amount: Amount,
    pub from: Currency,
    pub to: Currency,
    pub result: Figure,
    pub rate: Figure,
    pub side: Side,
    pub date: Option<Date>,
    pub asked: Option<Date>,
    pub quotes: Vec<Leg>,
    pub rule: String,
    pub rule_pt: String,
}

/// As [`fincore::calc::Leg`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Leg {
    pub pair: Pair,
    pub value: Decimal,
}

/// As [`fincore::calc::RealReturn`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct RealReturn {
    pub from: Date,
    pub to: Date,
    pub months: u32,
    pub factor: Figure,
    pub real: Figure,
    pub per_year: Figure,
    pub percent: Option<Percent>,
    pub interest: Derivation,
    pub inflation: Derivation,
    pub rule: String,
    pub rule_pt: String,
}

/// As [`fincore::calc::ConvertedRate`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct ConvertedRate {
    pub value: QuotedRate,
    pub from: Convention,
    pub to: Convention,
    pub result: Figure,
    pub factor: Figure,
    pub exponent: String,
    pub rule: String,
    pub rule_pt: String,
}
