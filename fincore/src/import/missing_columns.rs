//! Keeps what is stored of the columns that a table lacks.
use crate::{
    catalogue::Writer,
    companies::store::{RegistryEntry, stored_registry},
    error::Result,
    filings::{
        new_filing::NewFiling,
        store::{known_filer_name, stored_filing},
    },
};

/// Completes the entries of a registry that lacks these columns.
pub(super) fn complete_companies(
    writer: &Writer,
    rows: &mut [RegistryEntry],
    missing: &[&str],
) -> Result<()> {
    if missing.is_empty() {
        return Ok(());
    }
    let stored = stored_registry(writer)?;
    for row in rows {
        let Some(known) = stored.get(&row.id) else { continue };
        for column in missing {
            match *column {
                "DENOM_COMERC" => row.trade_name.clone_from(&known.trade_name),
                "DT_REG" => row.registered_on = known.registered_on,
                "DT_CANCEL" => row.cancelled_on = known.cancelled_on,
                "DT_INI_SIT" => row.status_since = known.status_since,
                "SETOR_ATIV" => row.sector.clone_from(&known.sector),
                _ => (),
            }
        }
    }
    Ok(())
}

/// Completes filings of a table that lacks these columns.
pub(super) fn complete_filings(
    writer: &Writer,
    filings: &mut [NewFiling<'_>],
    missing: &[&str],
) -> Result<()> {
    if missing.is_empty() {
        return Ok(());
    }
    for filing in filings {
        let known = stored_filing(writer, filing.id)?;
        if filing.company_name.is_empty() {
            let name = match &known {
                Some(known) => Some(known.company_name.clone()),
                None => known_filer_name(writer, filing.company)?,
            };
            filing.company_name = name.unwrap_or_default().into();
        }
        let Some(known) = known else { continue };
        for column in missing {
            match *column {
                "Data_Referencia" | "DT_REFER" => filing.reference_date = known.reference_date,
                "Tipo" => filing.kind = known.r#type.clone().into(),
                "Especie" => filing.species = known.species.clone().into(),
                "Assunto" => filing.subject = known.subject.clone().unwrap_or_default().into(),
                "VERSAO" => filing.version = known.version,
                _ => (),
            }
        }
    }
    Ok(())
}
