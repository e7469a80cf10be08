//! The arguments of `export`.
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use clap_complete::engine::ArgValueCompleter;
use fincore::{
    Date,
    export::{Dataset, Format, Query},
    market::transform::{Aggregate, Frequency, Only, Partial, Transformation, Units},
    table::Dialect,
};

use super::{complete, data_version};

#[derive(Debug, Args)]
pub(crate) struct Export {
    /// The dataset: fx, companies, filings, statements, financials, series (all of them), or one series by name or number, such as selic
    #[arg(add = ArgValueCompleter::new(complete::dataset))]
    dataset: Dataset,
    /// Format of the rows; by default the one that the file name ends with, or ndjson
    #[arg(long, value_name = "FORMAT")]
    format: Option<FileFormat>,
    /// CSV dialect; br is for Excel in Brazil
    #[arg(long, value_name = "DIALECT")]
    dialect: Option<CsvDialect>,
    /// First day, YYYY-MM-DD
    #[arg(long, value_name = "DATE")]
    from: Option<Date>,
    /// Last day, YYYY-MM-DD
    #[arg(long, value_name = "DATE")]
    to: Option<Date>,
    /// Only what changed after this data version, deletions included
    #[arg(long, value_name = "VERSION", value_parser = data_version)]
    since: Option<u64>,
    /// The dataset as it was known at the end of this day, YYYY-MM-DD
    #[arg(long, value_name = "DATE", conflicts_with = "since")]
    pub(crate) as_of: Option<Date>,
    #[command(flatten)]
    transformation: SeriesTransformation,
    /// The file to write; by default standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// How the rows of one series are transformed.
#[derive(Debug, Args)]
#[command(next_help_heading = "Transformation of one series")]
struct SeriesTransformation {
    /// One row per week, month, quarter or year
    #[arg(long)]
    frequency: Option<Frequency>,
    /// What a period makes of its values: mean, first, last, min, max, sum or compound [default: compound for rates of a day or month, otherwise mean]
    #[arg(long, requires = "frequency")]
    aggregate: Option<Aggregate>,
    /// What is told of each row: value, change, percent_change, year_ago, percent_year_ago, accumulated_12m or index
    #[arg(long)]
    units: Option<Units>,
    /// The date of the row that is 100, with --units index [default: the first]
    #[arg(long, value_name = "DATE", requires = "units")]
    base: Option<Date>,
    /// changes: only rows whose value differs from the one before
    #[arg(long, value_name = "ROWS")]
    only: Option<Only>,
    /// Show the period that has not ended too
    #[arg(long)]
    partial: bool,
}

impl SeriesTransformation {
    /// The transformation; none where no flag asks for one.
    fn read(&self) -> Option<Transformation> {
        let SeriesTransformation { frequency, aggregate, units, base, only, partial } = *self;
        let how = Transformation {
            frequency,
            aggregate,
            units: units.unwrap_or_default(),
            base,
            only,
            partial: if partial { Partial::Shown } else { Partial::Hidden },
        };
        (how != Transformation::default() || units.is_some()).then_some(how)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FileFormat {
    /// One JSON object per line
    Ndjson,
    /// Comma-separated values
    Csv,
    /// Typed columns, compressed
    #[cfg_attr(
        not(feature = "parquet"),
        value(help = "Not in this build; needs the feature `parquet`")
    )]
    Parquet,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CsvDialect {
    /// Commas between cells, points in numbers, dates as 2026-11-15
    Standard,
    /// A byte order mark, semicolons, commas in numbers, dates as 15/11/2026
    Br,
}

impl CsvDialect {
    /// The dialect of a file.
    pub(crate) fn in_file(self) -> Dialect {
        match self {
            CsvDialect::Standard => Dialect::Standard,
            CsvDialect::Br => Dialect::Brazilian,
        }
    }

    /// The dialect of the standard output, which other programs read.
    pub(crate) fn in_pipe(self) -> Dialect {
        match self {
            CsvDialect::Standard => Dialect::Unix,
            CsvDialect::Br => Dialect::Brazilian,
        }
    }
}

impl Export {
    /// A dialect without CSV is refused, with a sentence that says so, and so is Parquet in a build without it.
    pub(crate) fn query(&self) -> Result<Query, String> {
        let format = match (self.format.unwrap_or_else(|| self.by_name()), self.dialect) {
            (FileFormat::Csv, dialect) => {
                let dialect = dialect.unwrap_or(CsvDialect::Standard);
                let is_file = self.out.is_some();
                Format::Csv(if is_file { dialect.in_file() } else { dialect.in_pipe() })
            }
            (FileFormat::Ndjson, None) => Format::Ndjson,
            #[cfg(feature = "parquet")]
            (FileFormat::Parquet, None) => Format::Parquet,
            #[cfg(not(feature = "parquet"))]
            (FileFormat::Parquet, None) => {
                let words = "this build has no support for Parquet: build it with `cargo build --release --features \
                    parquet`, or write ndjson or csv";
                return Err(words.into());
            }
            (FileFormat::Ndjson | FileFormat::Parquet, Some(_)) => {
                return Err("--dialect only applies to CSV: add --format csv".into());
            }
        };
        let Export { dataset, from, to, since, .. } = *self;
        let transformation = self.transformation.read();
        Ok(Query { dataset, from, to, since, transformation, format })
    }

    /// The format that the name of the file ends with.
    fn by_name(&self) -> FileFormat {
        let name = self.out.as_deref().and_then(|path| path.extension()?.to_str());
        name.and_then(|end| FileFormat::from_str(end, true).ok()).unwrap_or(FileFormat::Ndjson)
    }
}
