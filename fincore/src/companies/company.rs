//! A company, the columns of its rows, and how it is read from the data file.
use rusqlite::Row;

use crate::{
    names,
    sqlite::{code, parsed, parsed_if_any},
    table::{self, Cell, Column, ColumnKind, serialize_by_columns},
    types::{Cnpj, CvmCode, Date},
};

/// The name of the dataset, in the change log and for callers.
pub(crate) const DATASET: &str = "companies";

/// The source of companies.
pub(crate) const SOURCE: &str = "CVM, cadastro de companhias abertas";

/// A company that is or was registered with CVM, or files with it without being in its registry.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Company {
    /// Its CVM code.
    pub id: CvmCode,
    /// The legal name, as published; outside the registry, the last one that it filed under.
    pub name: String,
    /// The trade name, if one is registered.
    pub trade_name: Option<String>,
    /// Its tax number. A company that registered again has two CVM codes with the same CNPJ. `None` outside the registry.
    pub cnpj: Option<Cnpj>,
    /// The status of its registration: `ATIVO`, `CANCELADA` or `SUSPENSO(A) - DECISÃO ADM`. `None` for a company that
    /// files without being in the registry, as foreign issuers do.
    pub status: Option<String>,
    /// Its sector; empty for a few companies.
    pub sector: String,
    /// The codes that its securities trade under.
    pub tickers: Vec<String>,
    /// The date of its registration.
    pub registered_on: Option<Date>,
    /// The date its registration ended.
    pub cancelled_on: Option<Date>,
}

impl table::Row for Company {
    const COLUMNS: &'static [Column<Company>] = &[
        Column { name: "id", kind: ColumnKind::Text, cell: |company| Cell::display(company.id) },
        Column {
            name: "name",
            kind: ColumnKind::Text,
            cell: |company| company.name.as_str().into(),
        },
        Column {
            name: "trade_name",
            kind: ColumnKind::Text,
            cell: |company| company.trade_name.as_deref().into(),
        },
        Column {
            name: "cnpj",
            kind: ColumnKind::Text,
            cell: |company| company.cnpj.map_or(Cell::Empty, Cell::display),
        },
        Column {
            name: "status",
            kind: ColumnKind::Text,
            cell: |company| company.status.as_deref().into(),
        },
        Column {
            name: "sector",
            kind: ColumnKind::Text,
            cell: |company| company.sector.as_str().into(),
        },
        Column {
            name: "tickers",
            kind: ColumnKind::List,
            cell: |company| Cell::List(&company.tickers),
        },
        Column {
            name: "registered_on",
            kind: ColumnKind::Day,
            cell: |company| company.registered_on.into(),
        },
        Column {
            name: "cancelled_on",
            kind: ColumnKind::Day,
            cell: |company| company.cancelled_on.into(),
        },
    ];
}

serialize_by_columns!(Company);

/// The columns that [`read`] expects.
macro_rules! select_company {
    () => {
        "SELECT id, name, trade_name, cnpj, status, sector, tickers, registered_on, cancelled_on
        FROM company "
    };
}
pub(super) use select_company;

/// Reads the columns of `select_company`.
pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<Company> {
    Ok(Company {
        id: code(row, 0)?,
        name: row.get(1)?,
        trade_name: row.get(2)?,
        cnpj: Some(parsed(row, 3)?),
        status: Some(row.get(4)?),
        sector: row.get(5)?,
        tickers: row.get_ref(6)?.as_str()?.split_whitespace().map(str::to_owned).collect(),
        registered_on: parsed_if_any(row, 7)?,
        cancelled_on: parsed_if_any(row, 8)?,
    })
}

/// A company that files without being in the registry, from its code and a name that it filed under.
pub(super) fn read_filer(row: &Row<'_>) -> rusqlite::Result<Company> {
    let id: CvmCode = code(row, 0)?;
    Ok(Company {
        id,
        name: row.get(1)?,
        trade_name: None,
        cnpj: None,
        status: None,
        sector: String::new(),
        tickers: names::current_tickers(id.get()).map(str::to_ascii_uppercase).collect(),
        registered_on: None,
        cancelled_on: None,
    })
}
