//! CVM's registry of companies, `cad_cia_aberta.csv`.
use std::io::Read;

use crate::{
    companies::{Absence, RegistryEntry},
    import::{
        FileScan, ImportError, Imported, Refusal, StoreRows,
        cvm::{
            columns::{DroppedFields, Field},
            table::Table,
        },
        row_store::ParsedRows,
    },
    values::Error,
};

/// Reads a registry that was scanned before.
pub(crate) fn read(
    scan: &FileScan,
    source: impl Read,
    store: &mut StoreRows<'_>,
) -> Result<Imported, ImportError> {
    scan.check_fits_in_memory()?;
    let mut table = Table::open(scan, source, "registry")?;
    let companies = table.read_all(parse_row, |entry| (entry.id, entry.newest_event()))?;
    let mut imported = table.report("CVM registry")?;
    if companies.is_empty() {
        return Err(Refusal::whole("it has no rows").into());
    }
    let rows = companies.into_iter().map(|row| row.value).collect();
    let absent = if table.has_left_out_rows() { Absence::Unsure } else { Absence::Gone };
    let missing = table.missing_columns();
    store(ParsedRows::Companies { rows, absent, missing }, &mut imported)?;
    Ok(imported)
}

/// The company of a row. A company that trades in several markets has several rows.
fn parse_row(fields: [Field<'_>; 9], dropped: &mut DroppedFields) -> Result<RegistryEntry, Error> {
    let [cnpj, name, trade_name, registered, cancelled, status, since, code, sector] = fields;
    let trade_name = trade_name.name().into_owned();
    Ok(RegistryEntry {
        id: code.value()?,
        cnpj: cnpj.value()?,
        name: name.required_name("the name of a company")?.into_owned(),
        trade_name: Some(trade_name).filter(|name| !name.trim().is_empty()),
        status: status.required_name("a status of registration")?.into_owned(),
        status_since: dropped.date(since),
        sector: sector.name().into_owned(),
        registered_on: dropped.date(registered),
        cancelled_on: dropped.date(cancelled),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::cvm::columns::column_names;
    /// A registry of these rows, given up to the sector; every column after it has personal data.
    fn registry(rows: &[&str]) -> Vec<u8> {
        let row = |row: &&str| {
            let given = row.split(';').count();
            format!("{row}{}\r\n", ";private".repeat(column_names("registry").len() - given))
        };
        let text =
            column_names("registry").join(";") + "\r\n" + &rows.iter().map(row).collect::<String>();
        encoding_rs::WINDOWS_1252.encode(&text).0.into_owned()
    }

    fn parse(bytes: &[u8]) -> Result<(Vec<RegistryEntry>, Imported), ImportError> {
        let mut companies = Vec::new();
        let imported = read(&FileScan::of(bytes)?, bytes, &mut |rows, _| {
            let ParsedRows::Companies { rows, .. } = rows else { panic!("{rows:?}") };
            companies = rows;
            Ok(())
        })?;
        Ok((companies, imported))
    }

    const PETROBRAS: &str = "33.000.167/0001-01;PETRÓLEO BRASILEIRO  S.A.  - PETROBRAS;PETROBRAS;1977-07-20;1953-10-03;;;ATIVO;1977-07-20;009512;Petróleo e Gás";

    #[test]
    fn reads_a_company_once_and_never_its_people() {
        let bytes = registry(&[
            &format!("{PETROBRAS};BOLSA"),
            &format!("{PETROBRAS};BALCÃO ORGANIZADO"),
            "11.396.633/0001-87;3A COMPANHIA SECURITIZADORA;;2010-03-08;;2015-12-18;X;CANCELADA;2015-12-18;21954;",
        ]);
        let (companies, _) = parse(&bytes).unwrap();
        let show = |entry: &RegistryEntry| {
            format!("{} {} {:?} {}", entry.id, entry.name, entry.trade_name, entry.sector)
        };
        assert_eq!(
            companies.iter().map(show).collect::<Vec<_>>(),
            [
                "9512 PETRÓLEO BRASILEIRO  S.A.  - PETROBRAS Some(\"PETROBRAS\") Petróleo e Gás",
                "21954 3A COMPANHIA SECURITIZADORA None "
            ]
        );
        assert_eq!(companies[1].newest_event().unwrap().to_string(), "2015-12-18");
        assert!(!format!("{companies:?}").contains("private"));
    }

    #[test]
    fn leaves_out_a_row_that_cannot_be_read() {
        let wrong = [
            (PETROBRAS.replace("33.000.167/0001-01", ""), "is not a CNPJ"),
            (PETROBRAS.replace("01-01", "01-02"), "is not a CNPJ"),
            (PETROBRAS.replace("009512", "9512x"), "is not a CVM code"),
            (PETROBRAS.replace("ATIVO", ""), "is not a status"),
            (PETROBRAS.replace("PETRÓLEO BRASILEIRO  S.A.  - PETROBRAS", " "), "is not the name"),
        ];
        for (row, reason) in wrong {
            let (companies, imported) = parse(&registry(&[PETROBRAS, &row])).unwrap();
            assert_eq!(companies.len(), 1, "{row}");
            let (rows, reasons) = &imported.left_out[0];
            assert!(
                *rows == 1 && reasons.contains(reason) && reasons.contains("line 3: "),
                "{reasons}"
            );
        }
    }

    #[test]
    fn an_impossible_date_is_left_out_and_no_contradiction() {
        let odd = PETROBRAS.replacen("1977-07-20", "1977-02-31", 1);
        for rows in [[PETROBRAS, &odd], [&odd, PETROBRAS]] {
            let (companies, imported) = parse(&registry(&rows)).unwrap();
            assert_eq!(companies.len(), 1);
            assert_eq!(companies[0].registered_on.unwrap().to_string(), "1977-07-20");
            assert_eq!(imported.left_out[0].0, 1);
        }
    }

    #[test]
    fn of_contradicting_rows_the_one_with_the_newest_event_counts() {
        let newer = PETROBRAS.replace("ATIVO;1977-07-20", "CANCELADA;2020-01-02");
        for rows in [[PETROBRAS, &newer], [&newer, PETROBRAS]] {
            let (companies, imported) = parse(&registry(&rows)).unwrap();
            assert_eq!((companies.len(), &*companies[0].status), (1, "CANCELADA"));
            assert!(imported.notes[0].contains("the newest version is kept (line 3)"));
        }
    }
}
