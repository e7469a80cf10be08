//! The shares of companies: the tables `dfp_` and `itr_cia_aberta_composicao_capital_YYYY.csv`.
use std::io::Read;

use crate::{
    import::{
        FileScan, ImportError, Imported, Refusal, StoreRows,
        cvm::{
            bad_rows::FewBad,
            columns::Field,
            statements::{form_of, parse_version},
            table::Table,
        },
        row_store::{NewCapital, ParsedRows},
    },
    statements::Capital,
    values::{Cnpj, Error, Form, whole_number},
};

/// Reads a table of shares that was scanned before, by the name of its file.
pub(crate) fn read(
    name: &str,
    scan: &FileScan,
    source: impl Read,
    store: &mut StoreRows<'_>,
) -> Result<Imported, ImportError> {
    let Some(form) = form_of(name) else {
        let reason = "shares of an unknown form: keep the name of the file as CVM publishes it";
        return Err(Refusal::whole(format!(
            "{reason} (dfp_cia_aberta_composicao_capital_2024.csv)"
        ))
        .into());
    };
    let mut table = Table::open(scan, source, "capital")?;
    let mut rows = Vec::new();
    table.visit_batches(|_, fields| {
        rows.push(parse_row(form, fields)?);
        Ok(())
    })?;
    let mut imported = table.report_with(FewBad::Five, "shares")?;
    store(ParsedRows::Capital(rows), &mut imported)?;
    Ok(imported)
}

fn parse_row(form: Form, fields: [Field<'_>; 9]) -> Result<NewCapital, Error> {
    let [
        cnpj,
        reference,
        version,
        common,
        preferred,
        total,
        treasury_common,
        treasury_preferred,
        treasury_total,
    ] = fields;
    Ok(NewCapital {
        cnpj: cnpj.value::<Cnpj>()?,
        form,
        period_end: reference.value()?,
        version: parse_version(version)?,
        capital: Capital {
            common: count(common)?,
            preferred: count(preferred)?,
            total: count(total)?,
            treasury_common: count(treasury_common)?,
            treasury_preferred: count(treasury_preferred)?,
            treasury_total: count(treasury_total)?,
        },
    })
}

/// A number of shares; some have decimals, all of them zero.
fn count(field: Field<'_>) -> Result<u64, Error> {
    let text = field.text();
    let (whole, decimals) = text.trim().split_once('.').unwrap_or((text.trim(), ""));
    let is_whole = decimals.bytes().all(|byte| byte == b'0');
    let is_stored = |count: &u64| i64::try_from(*count).is_ok();
    let count = whole_number::<u64>(whole).filter(|count| is_whole && is_stored(count));
    count.ok_or_else(|| Error::in_file(&text, "a number of shares"))
}
