//! Stores statements and shares, as far as the index of their file lists the forms.
use std::collections::BTreeSet;

use foldhash::HashMap;

use super::{Import, import_error::ImportError, imported::Imported, parsed_rows::NewCapital};
use crate::{
    catalogue::{OnConflict, Tally},
    companies::store::companies_of_cnpj,
    filings::new_filing::NewFiling,
    statements::{
        capital::Capital,
        form::FormKey,
        store::{FormIndex, NewTable},
    },
    types::{Cnpj, CvmCode, Form},
};

/// The number of forms that a sentence names.
const EXAMPLES: usize = 3;

/// What a file says of forms: those of its index, and the companies of each CNPJ.
#[derive(Debug, Default)]
pub(super) struct FileForms {
    index: FormIndex,
    companies: HashMap<Cnpj, Vec<CvmCode>>,
    /// Forms whose statements were left out, because the index does not list them.
    unlisted: BTreeSet<FormKey>,
    /// Forms whose statements were left out, because their period is not over.
    early: BTreeSet<FormKey>,
}

impl FileForms {
    /// Adds a row of the index.
    pub(super) fn list(&mut self, filing: &NewFiling<'_>) {
        let form = filing.id.form();
        if let (Form::Dfp | Form::Itr, Some(period_end)) = (form, filing.reference_date) {
            let (company, version) = (filing.company, filing.version);
            let key = FormKey { company, form, period_end, version };
            self.index.add(key, filing.id, filing.date);
        }
    }

    /// Notes that the file has an index, even one without a row.
    pub(super) fn end_index(&mut self) {
        self.index.decide();
    }
}

/// Counts forms as left out.
fn leave_out(forms: Vec<FormKey>, reason: &str, imported: &mut Imported) {
    if forms.is_empty() {
        return;
    }
    let named = forms.iter().take(EXAMPLES).map(FormKey::to_string);
    let named = named.collect::<Vec<_>>().join(", ");
    let more = if forms.len() > EXAMPLES { " …" } else { "" };
    imported.left_out.push((forms.len(), format!("{reason} ({named}{more})")));
}

impl Import {
    pub(super) fn store_statements(
        &mut self,
        mut table: NewTable,
        companies: HashMap<Cnpj, Vec<CvmCode>>,
        imported: &mut Imported,
    ) -> Result<Tally, ImportError> {
        self.forms.index.add_stored(&self.writer, table.form)?;
        self.forms.companies.extend(companies);
        // Nobody knows figures of a period that is not over. The clock of a publisher may be a little ahead.
        let today = self.today().day_number();
        let is_over = |key: &FormKey| key.period_end.day_number() <= today + 1;
        let early = table.statements.iter().map(|(key, _)| *key).filter(|key| !is_over(key));
        let early = early.filter(|key| self.forms.early.insert(*key)).collect();
        leave_out(early, "forms of a period that ends after tomorrow", imported);
        table.statements.retain(|(key, _)| is_over(key));
        let stored =
            self.statements.store(&self.writer, &table, &self.forms.index, OnConflict::Replace)?;
        let new: Vec<FormKey> =
            stored.unlisted.into_iter().filter(|key| self.forms.unlisted.insert(*key)).collect();
        leave_out(new, "forms with statements that the index does not list", imported);
        Ok(stored.tally)
    }

    pub(super) fn store_capital(&mut self, rows: &[NewCapital]) -> Result<Tally, ImportError> {
        let mut of_forms: Vec<(FormKey, Capital)> = Vec::with_capacity(rows.len());
        for NewCapital { cnpj, form, period_end, version, capital } in rows {
            let companies = match self.forms.companies.get(cnpj) {
                Some(companies) => companies.clone(),
                None => companies_of_cnpj(&self.writer, *cnpj)?,
            };
            of_forms.extend(companies.into_iter().map(|company| {
                let (form, period_end, version) = (*form, *period_end, *version);
                (FormKey { company, form, period_end, version }, *capital)
            }));
        }
        Ok(self.statements.store_capital(&self.writer, &of_forms, OnConflict::Replace)?)
    }
}
