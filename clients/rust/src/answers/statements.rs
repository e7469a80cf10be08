//! Answers about financial statements.
use std::collections::BTreeMap;

use fincore::{
    CvmCode, Date, Decimal, FilingId, Form,
    statements::{AccountPlan, Metric, Reason, Scope, StatementKind, StatementOrigin},
};
use serde::{Deserialize, Deserializer, de::Error};
use serde_json::value::RawValue;

use super::Flat;

/// As [`fincore::statements::StatementForm`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct StatementForm {
    #[serde(deserialize_with = "form")]
    pub form: Form,
    pub period_start: Option<Date>,
    pub period_end: Date,
    pub scope: Scope,
    pub version: u32,
    pub received: Option<Date>,
    pub kinds: Vec<StatementKind>,
    pub filing_id: Option<FilingId>,
}

/// A form by its name in capital letters.
fn form<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Form, D::Error> {
    let name = String::deserialize(deserializer)?;
    let form = Form::ALL.into_iter().find(|form| form.name().eq_ignore_ascii_case(&name));
    form.ok_or_else(|| D::Error::custom(format_args!("there is no form {name:?}")))
}

/// As [`fincore::statements::Statement`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Statement {
    pub period_start: Option<Date>,
    pub period_end: Date,
    pub scope: Scope,
    #[serde(deserialize_with = "form")]
    pub form: Form,
    pub version: u32,
    pub received: Option<Date>,
    pub currency: String,
    pub origin: StatementOrigin,
    pub filing_ids: Vec<FilingId>,
    pub accounts: Vec<Account>,
}

/// As [`fincore::statements::Account`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Account {
    pub code: String,
    pub name: String,
    pub column: Option<String>,
    pub value: Decimal,
    pub fixed: bool,
}

/// As [`fincore::statements::CompanyFinancials`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(from = "Flat<Period, Figures>")]
#[non_exhaustive]
pub struct CompanyFinancials {
    pub period_start: Option<Date>,
    pub period_end: Date,
    pub scope: Scope,
    pub plan: Option<AccountPlan>,
    /// Each figure of the answer: a screen has only those that were asked for.
    pub figures: BTreeMap<Metric, FigureValue>,
}

/// The fields beside the figures of a company.
#[derive(Deserialize)]
struct Period {
    period_start: Option<Date>,
    period_end: Date,
    scope: Scope,
    plan: Option<AccountPlan>,
}

/// The members of an object that are figures.
struct Figures(BTreeMap<Metric, FigureValue>);

impl From<Flat<Period, Figures>> for CompanyFinancials {
    fn from(Flat(period, Figures(figures)): Flat<Period, Figures>) -> CompanyFinancials {
        let Period { period_start, period_end, scope, plan } = period;
        CompanyFinancials { period_start, period_end, scope, plan, figures }
    }
}

impl<'de> Deserialize<'de> for Figures {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Figures, D::Error> {
        let members = BTreeMap::<String, Box<RawValue>>::deserialize(deserializer)?;
        let figures = members.iter().filter_map(|(name, json)| Some((name.parse().ok()?, json)));
        let figures = figures.map(|(metric, json)| Ok((metric, figure(json.get())?)));
        figures.collect::<serde_json::Result<_>>().map(Figures).map_err(D::Error::custom)
    }
}

/// A figure, which is a number unless the query asked for what it was made of.
fn figure(json: &str) -> serde_json::Result<FigureValue> {
    if json.starts_with('{') {
        return serde_json::from_str(json);
    }
    Ok(FigureValue { value: serde_json::from_str(json)?, ..FigureValue::default() })
}

/// As [`fincore::statements::FigureValue`].
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct FigureValue {
    pub value: Option<Decimal>,
    pub from: Vec<String>,
    pub reason: Option<Reason>,
}

/// As [`fincore::statements::ScreenedCompany`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(from = "Flat<Name, CompanyFinancials>")]
#[non_exhaustive]
pub struct ScreenedCompany {
    pub company_id: CvmCode,
    pub name: String,
    pub financials: CompanyFinancials,
}

/// The fields beside the figures of a screened company.
#[derive(Deserialize)]
struct Name {
    company_id: CvmCode,
    name: String,
}

impl From<Flat<Name, CompanyFinancials>> for ScreenedCompany {
    fn from(Flat(name, financials): Flat<Name, CompanyFinancials>) -> ScreenedCompany {
        let Name { company_id, name } = name;
        ScreenedCompany { company_id, name, financials }
    }
}
