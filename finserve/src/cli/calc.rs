//! The arguments of `calc`, and the question of the API that they become. Each flag is the parameter of its name.
use clap::{Args, Subcommand};
use clap_complete::engine::ArgValueCompleter;

use super::{
    asked::{Question, Shown, Whom},
    complete,
};

#[derive(Debug, Args)]
pub(crate) struct Calc {
    #[command(subcommand)]
    pub(crate) what: Calculation,
    #[command(flatten)]
    pub(crate) whom: Whom,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Calculation {
    /// An amount corrected by an index, such as ipca, igp-m, selic or cdi
    Correction {
        /// The amount on the first day
        #[arg(long, allow_negative_numbers = true)]
        amount: Option<String>,
        /// The first day, YYYY-MM-DD; of a monthly series its whole month counts
        #[arg(long, value_name = "DATE")]
        from: Option<String>,
        /// The last day; by default up to the newest figure
        #[arg(long, value_name = "DATE")]
        to: Option<String>,
        /// The index, by name or number of its series
        #[arg(long, value_name = "SERIES", add = ArgValueCompleter::new(complete::series))]
        index: Option<String>,
        /// Percent of the index, such as 110 of CDI
        #[arg(long, value_name = "PERCENT", allow_negative_numbers = true)]
        percent: Option<String>,
        /// Percent a year on top of it, on 252 days
        #[arg(long, value_name = "PERCENT", allow_negative_numbers = true)]
        spread: Option<String>,
        /// Show every step; each is a row of CSV, after the columns of the result
        #[arg(long)]
        steps: bool,
    },
    /// What a series accumulates over a time
    Accumulated {
        /// The series, by name or number
        #[arg(long, add = ArgValueCompleter::new(complete::series))]
        series: Option<String>,
        /// The first day, YYYY-MM-DD; of a monthly series its whole month counts
        #[arg(long, value_name = "DATE")]
        from: Option<String>,
        /// The last day; by default up to the newest figure
        #[arg(long, value_name = "DATE")]
        to: Option<String>,
        /// Show every step; each is a row of CSV, after the columns of the result
        #[arg(long)]
        steps: bool,
    },
    /// An amount in another currency, through the real
    Convert {
        /// The amount
        #[arg(long, allow_negative_numbers = true)]
        amount: Option<String>,
        /// Its currency, such as EUR
        #[arg(long, value_name = "CURRENCY", add = ArgValueCompleter::new(complete::currency))]
        from: Option<String>,
        /// The currency wanted, such as USD
        #[arg(long, value_name = "CURRENCY", add = ArgValueCompleter::new(complete::currency))]
        to: Option<String>,
        /// The day of the exchange rates, YYYY-MM-DD
        #[arg(long)]
        date: Option<String>,
        /// Which side of them: buy or sell
        #[arg(long, add = ArgValueCompleter::new(complete::side))]
        side: Option<String>,
    },
    /// Interest less inflation
    RealRate {
        /// The first day, YYYY-MM-DD; of a monthly series its whole month counts
        #[arg(long, value_name = "DATE")]
        from: Option<String>,
        /// The last day; by default up to the newest figure
        #[arg(long, value_name = "DATE")]
        to: Option<String>,
        /// The series of interest, such as cdi
        #[arg(long, value_name = "SERIES", add = ArgValueCompleter::new(complete::series))]
        interest: Option<String>,
        /// The series of inflation, such as ipca
        #[arg(long, value_name = "SERIES", add = ArgValueCompleter::new(complete::series))]
        inflation: Option<String>,
        /// Percent of the interest, such as 110 of CDI
        #[arg(long, value_name = "PERCENT", allow_negative_numbers = true)]
        percent: Option<String>,
        /// Show every step; each is a row of CSV, after the columns of the result
        #[arg(long)]
        steps: bool,
    },
}

impl Calculation {
    /// The question that this is; what it lacks, the API says.
    pub(crate) fn question(&self) -> Question {
        match self {
            Calculation::Correction { amount, from, to, index, percent, spread, steps } => {
                Question::at("calc/correction").with([
                    ("amount", amount),
                    ("from", from),
                    ("to", to),
                    ("index", index),
                    ("percent", percent),
                    ("spread", spread),
                    ("steps", &given(*steps)),
                ])
            }
            Calculation::Accumulated { series, from, to, steps } => {
                Question::at("calc/accumulated").with([
                    ("series", series),
                    ("from", from),
                    ("to", to),
                    ("steps", &given(*steps)),
                ])
            }
            Calculation::Convert { amount, from, to, date, side } => Question::at("calc/convert")
                .with([
                    ("amount", amount),
                    ("from", from),
                    ("to", to),
                    ("date", date),
                    ("side", side),
                ]),
            Calculation::RealRate { from, to, interest, inflation, percent, steps } => {
                Question::at("calc/real-rate").with([
                    ("from", from),
                    ("to", to),
                    ("interest", interest),
                    ("inflation", inflation),
                    ("percent", percent),
                    ("steps", &given(*steps)),
                ])
            }
        }
    }
}

fn given(flag: bool) -> Option<String> {
    flag.then(|| "true".to_owned())
}
