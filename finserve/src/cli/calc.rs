//! The arguments of `calc`, and the question of the API that they become. Each flag is the parameter of its name.
use clap::{Args, Subcommand};
use clap_complete::engine::ArgValueCompleter;

use super::{
    complete,
    query_options::{OutputOptions, Question, RemoteOptions},
};

#[derive(Debug, Args)]
pub(crate) struct Calc {
    #[command(subcommand)]
    pub(crate) calculation: Calculation,
    #[command(flatten)]
    pub(crate) remote: RemoteOptions,
    #[command(flatten)]
    pub(crate) output: OutputOptions,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Calculation {
    /// Adjust a past amount by an index, such as ipca, igp-m, selic, cdi or savings
    Correction {
        /// The amount on the first day
        #[arg(long, allow_negative_numbers = true)]
        amount: Option<String>,
        /// The first day, YYYY-MM-DD; for a monthly series, its whole month counts
        #[arg(long, value_name = "DATE")]
        from: Option<String>,
        /// The last day, YYYY-MM-DD; by default that of the newest figure
        #[arg(long, value_name = "DATE")]
        to: Option<String>,
        /// The index: the name or number of a series
        #[arg(long, value_name = "SERIES", add = ArgValueCompleter::new(complete::series))]
        index: Option<String>,
        /// Which months of a monthly index count: inclusive (those of both days, the default) or contract (not that of the last day)
        #[arg(long, add = ArgValueCompleter::new(complete::months))]
        months: Option<String>,
        /// Percentage of the index, such as 110 for 110 % of the CDI
        #[arg(long, value_name = "PERCENT", allow_negative_numbers = true)]
        percent: Option<String>,
        /// Spread to add, in percent per year of 252 business days
        #[arg(long, value_name = "PERCENT", allow_negative_numbers = true)]
        spread: Option<String>,
        /// Show every step; in CSV, each step is a row that repeats the columns of the result
        #[arg(long)]
        steps: bool,
        #[command(flatten)]
        known: AsOf,
    },
    /// Accumulate a series over a period
    Accumulated {
        /// The series, by name or number
        #[arg(long, add = ArgValueCompleter::new(complete::series))]
        series: Option<String>,
        /// The first day, YYYY-MM-DD; for a monthly series, its whole month counts
        #[arg(long, value_name = "DATE")]
        from: Option<String>,
        /// The last day, YYYY-MM-DD; by default that of the newest figure
        #[arg(long, value_name = "DATE")]
        to: Option<String>,
        /// Which months of a monthly index count: inclusive (those of both days, the default) or contract (not that of the last day)
        #[arg(long, add = ArgValueCompleter::new(complete::months))]
        months: Option<String>,
        /// Show every step; in CSV, each step is a row that repeats the columns of the result
        #[arg(long)]
        steps: bool,
        #[command(flatten)]
        known: AsOf,
    },
    /// Convert an amount to another currency, through the real
    Convert {
        /// The amount
        #[arg(long, allow_negative_numbers = true)]
        amount: Option<String>,
        /// The currency of the amount, such as EUR
        #[arg(long, value_name = "CURRENCY", add = ArgValueCompleter::new(complete::currency))]
        from: Option<String>,
        /// The currency to convert to, such as USD
        #[arg(long, value_name = "CURRENCY", add = ArgValueCompleter::new(complete::currency))]
        to: Option<String>,
        /// The day of the exchange rates, YYYY-MM-DD
        #[arg(long)]
        date: Option<String>,
        /// The side of the exchange rates: buy or sell
        #[arg(long, add = ArgValueCompleter::new(complete::side))]
        side: Option<String>,
        #[command(flatten)]
        known: AsOf,
    },
    /// Real interest: what interest leaves after inflation
    RealRate {
        /// The first day, YYYY-MM-DD; for a monthly series, its whole month counts
        #[arg(long, value_name = "DATE")]
        from: Option<String>,
        /// The last day, YYYY-MM-DD; by default that of the newest figure
        #[arg(long, value_name = "DATE")]
        to: Option<String>,
        /// The series of interest rates, such as cdi
        #[arg(long, value_name = "SERIES", add = ArgValueCompleter::new(complete::series))]
        interest: Option<String>,
        /// The price index, such as ipca
        #[arg(long, value_name = "SERIES", add = ArgValueCompleter::new(complete::series))]
        inflation: Option<String>,
        /// Percentage of the interest, such as 110 for 110 % of the CDI
        #[arg(long, value_name = "PERCENT", allow_negative_numbers = true)]
        percent: Option<String>,
        /// Show every step; in CSV, each step is a row that repeats the columns of the result
        #[arg(long)]
        steps: bool,
        #[command(flatten)]
        known: AsOf,
    },
    /// Convert an interest rate to another period, by compound interest
    Rate {
        /// The rate, in percent
        #[arg(long, value_name = "PERCENT", allow_negative_numbers = true)]
        value: Option<String>,
        /// The period of the rate: day (business day), month, year252, year360 or year365
        #[arg(long, value_name = "PERIOD", add = ArgValueCompleter::new(complete::convention))]
        from: Option<String>,
        /// The period to convert to
        #[arg(long, value_name = "PERIOD", add = ArgValueCompleter::new(complete::convention))]
        to: Option<String>,
    },
}

/// The options of point-in-time queries.
#[derive(Debug, Args)]
pub(crate) struct AsOf {
    /// Calculate with what was known at the end of this day, YYYY-MM-DD
    #[arg(long, value_name = "DATE")]
    as_of: Option<String>,
}

impl Calculation {
    /// The question of the API that these arguments become; the API itself says what is missing.
    pub(crate) fn question(&self) -> Question {
        match self {
            Calculation::Correction {
                amount,
                from,
                to,
                index,
                months,
                percent,
                spread,
                steps,
                known,
            } => Question::at("calc/correction").with([
                ("amount", amount),
                ("from", from),
                ("to", to),
                ("index", index),
                ("months", months),
                ("percent", percent),
                ("spread", spread),
                ("steps", &flag_value(*steps)),
                ("as_of", &known.as_of),
            ]),
            Calculation::Accumulated { series, from, to, months, steps, known } => {
                Question::at("calc/accumulated").with([
                    ("series", series),
                    ("from", from),
                    ("to", to),
                    ("months", months),
                    ("steps", &flag_value(*steps)),
                    ("as_of", &known.as_of),
                ])
            }
            Calculation::Convert { amount, from, to, date, side, known } => {
                Question::at("calc/convert").with([
                    ("amount", amount),
                    ("from", from),
                    ("to", to),
                    ("date", date),
                    ("side", side),
                    ("as_of", &known.as_of),
                ])
            }
            Calculation::RealRate { from, to, interest, inflation, percent, steps, known } => {
                Question::at("calc/real-rate").with([
                    ("from", from),
                    ("to", to),
                    ("interest", interest),
                    ("inflation", inflation),
                    ("percent", percent),
                    ("steps", &flag_value(*steps)),
                    ("as_of", &known.as_of),
                ])
            }
            Calculation::Rate { value, from, to } => {
                Question::at("calc/rate").with([("value", value), ("from", from), ("to", to)])
            }
        }
    }
}

fn flag_value(flag: bool) -> Option<String> {
    flag.then(|| "true".to_owned())
}
