//! The arguments of `export`.
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use fincore::{
    Date,
    export::{Dataset, Format, Query},
    table::Dialect,
};

use super::data_version;

#[derive(Debug, Args)]
pub(crate) struct Export {
    /// The dataset: fx, companies, filings, series (all of them), or one series by name or number, such as selic
    dataset: Dataset,
    /// How rows are written; by default as the name of the file says, or ndjson
    #[arg(long, value_name = "FORMAT")]
    format: Option<FileFormat>,
    /// The dialect of CSV; br is what Excel opens in Brazil
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
    /// The file to write; by default the standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FileFormat {
    /// One JSON object a line
    Ndjson,
    /// Comma-separated values
    Csv,
    /// Typed columns, compressed
    Parquet,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CsvDialect {
    /// Commas between cells, points in numbers, dates as 2026-11-15
    Standard,
    /// A byte order mark, semicolons, commas in numbers, dates as 15/11/2026
    Br,
}

impl From<CsvDialect> for Dialect {
    fn from(dialect: CsvDialect) -> Dialect {
        match dialect {
            CsvDialect::Standard => Dialect::Standard,
            CsvDialect::Br => Dialect::Brazilian,
        }
    }
}

impl Export {
    /// What to export; a dialect without CSV is refused, with a sentence that says so.
    pub(crate) fn query(&self) -> Result<Query, String> {
        let format = match (self.format.unwrap_or_else(|| self.by_name()), self.dialect) {
            (FileFormat::Csv, dialect) => {
                Format::Csv(dialect.map_or(Dialect::Standard, Dialect::from))
            }
            (FileFormat::Ndjson, None) => Format::Ndjson,
            (FileFormat::Parquet, None) => Format::Parquet,
            (FileFormat::Ndjson | FileFormat::Parquet, Some(_)) => {
                return Err("--dialect is about CSV: add --format csv".into());
            }
        };
        let Export { dataset, from, to, since, .. } = *self;
        Ok(Query { dataset, from, to, since, format })
    }

    /// The format that the name of the file ends with.
    fn by_name(&self) -> FileFormat {
        let name = self.out.as_deref().and_then(|path| path.extension()?.to_str());
        name.and_then(|end| FileFormat::from_str(end, true).ok()).unwrap_or(FileFormat::Ndjson)
    }
}
