//! CVM's tables: which kind each is, and its reader.
use std::io::Read;

use crate::import::{FileScan, ImportError, Imported, Refusal, StoreRows, report::KNOWN_FILES};

mod bad_rows;
mod capital;
pub(crate) mod columns;
pub(crate) mod filings;
mod ipe;
pub(crate) mod registry;
mod statement_rows;
pub(crate) mod statements;
pub(crate) mod table;
pub(crate) mod tickers;

/// The kinds of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TableKind {
    Registry,
    Ipe,
    PeriodicForms,
    Tickers,
    Statements,
    Capital,
}

pub(crate) fn recognises(start: &[u8]) -> bool {
    start.starts_with(b"CNPJ_C") || kind_of(start).is_some()
}

/// Reads a table that was scanned before; its file has this name.
pub(crate) fn read_table(
    name: &str,
    scan: &FileScan,
    source: impl Read,
    store: &mut StoreRows<'_>,
) -> Result<Imported, ImportError> {
    scan.check_undamaged()?;
    // A table of statements is also known by its name, whatever its columns are called.
    let by_name = || statements::table_of(name).map(|_| TableKind::Statements);
    let Some(kind) = kind_of(&scan.head).or_else(by_name) else {
        let reason = "a table of CVM, but of an unknown kind; the known kinds are";
        return Err(Refusal::whole(format!("{reason} {KNOWN_FILES}")).into());
    };
    match kind {
        TableKind::Registry => registry::read(scan, source, store),
        TableKind::Ipe => ipe::read(scan, source, store),
        TableKind::PeriodicForms => filings::read(scan, source, store),
        TableKind::Tickers => tickers::read(scan, source, store),
        TableKind::Statements => statements::read(name, scan, source, store),
        TableKind::Capital => capital::read(name, scan, source, store),
    }
}

/// The kind of a table, from columns that no other kind has.
fn kind_of(start: &[u8]) -> Option<TableKind> {
    let header = start.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let own: [(TableKind, &[&str]); 6] = [
        (TableKind::Registry, &["DENOM_SOCIAL", "DT_INI_SIT", "SETOR_ATIV"]),
        (TableKind::Ipe, &["Link_Download", "Data_Entrega", "Assunto"]),
        (TableKind::PeriodicForms, &["LINK_DOC", "CATEG_DOC", "DT_RECEB"]),
        (TableKind::Tickers, &["Codigo_Negociacao", "Mercado", "Data_Fim_Negociacao"]),
        (TableKind::Statements, &["CD_CONTA", "VL_CONTA", "DS_CONTA", "GRUPO_DFP"]),
        (TableKind::Capital, &["QT_ACAO_TOTAL_CAP_INTEGR", "QT_ACAO_TOTAL_TESOURO"]),
    ];
    // Any separator will do here: a table with other separators is refused later, with that reason.
    let columns = || header.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
    let has = |own: &[&str]| columns().any(|column| own.iter().any(|own| own.as_bytes() == column));
    own.into_iter().find_map(|(kind, own)| has(own).then_some(kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_a_table_by_a_column_of_its_own() {
        let headers: [(&[u8], Option<TableKind>); 6] = [
            (b"CNPJ_CIA;X;SETOR_ATIV\n1", Some(TableKind::Registry)),
            (b"Data_Entrega;CNPJ_Companhia\n", Some(TableKind::Ipe)),
            (b"CATEG_DOC|X", Some(TableKind::PeriodicForms)),
            (b"Codigo_Negociacao,X", Some(TableKind::Tickers)),
            (b"CNPJ_CIA;DT_REFER;VERSAO;DENOM_CIA\nLINK_DOC", None),
            (b"", None),
        ];
        for (header, kind) in headers {
            assert_eq!(kind_of(header), kind);
        }
    }
}
