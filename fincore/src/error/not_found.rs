//! What a look-up did not find.
use crate::truncate::truncate;

/// What was not found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// A company, by CVM code or CNPJ.
    Company,
    /// A filing, by its id.
    Filing,
    /// Quotes of a currency pair.
    CurrencyPair,
    /// Observations of a series, by its name or number.
    Series,
    /// A series, by a name that none has.
    UnknownSeries,
    /// Returns of savings deposits of this day, by the series that has every day of deposit.
    SavingsOfDay,
    /// Returns of savings deposits of this day, by the rule of before 4 May 2012.
    SavingsUntil2012,
    /// A key, by its prefix.
    Key,
    /// A link, by its id.
    Link,
    /// A dataset, by its name.
    Dataset,
    /// A webhook, by its id.
    Webhook,
    /// A delivery, by its id.
    Delivery,
}

impl Resource {
    /// The message that there is nothing under `id`.
    #[must_use]
    pub fn not_found(self, id: &str) -> String {
        match self {
            Resource::Company => format!("there is no company {id:?}"),
            Resource::Filing => format!("there is no filing {id:?}"),
            Resource::CurrencyPair => format!("there are no quotes for {id}"),
            Resource::Series => format!("there are no observations of series {id} yet"),
            Resource::UnknownSeries => {
                let series = format!("a series {id:?}");
                format!("there are no observations of {} yet", truncate(&series))
            }
            Resource::SavingsOfDay => format!(
                "a savings deposit of {id} needs series 195 (savings), which has no observations yet; held are deposits of the first of a month, which stand for those of the 29th to 31st before it too"
            ),
            Resource::SavingsUntil2012 => format!(
                "a savings deposit of {id} follows the rule of before 2012-05-04 and needs series 25 (savings-until-2012), which has no observations yet"
            ),
            Resource::Key => format!("no key starts with {id}"),
            Resource::Link => format!("there is no link {id:?}"),
            Resource::Dataset => format!(
                "there is no dataset {id:?} (fx, companies, filings, statements, financials, series, or one series by name or number)"
            ),
            Resource::Webhook => format!("there is no webhook {id:?}"),
            Resource::Delivery => format!("there is no delivery {id:?}"),
        }
    }
}
