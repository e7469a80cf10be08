//! The whole registry in memory.
use std::sync::Arc;

use rusqlite::Connection;

use super::company::{Company, read, select_company};
use crate::{answers::CachedRows, error::Result};

/// All companies, ordered by code. `None` if one of them is corrupt: then companies are read from the file, so that every
/// answer that leaves it out counts it.
#[derive(Debug)]
pub(super) struct RegistryCache(pub(super) Option<Arc<CachedRows<Company>>>);

impl RegistryCache {
    pub(super) fn read(connection: &Connection) -> Result<RegistryCache> {
        const SQL: &str = concat!(select_company!(), "ORDER BY id");
        let mut statement = connection.prepare_cached(SQL)?;
        let mut rows = statement.query([])?;
        let mut all = CachedRows::default();
        while let Some(row) = rows.next()? {
            let Ok(company) = read(row) else { return Ok(RegistryCache(None)) };
            all.push(company)?;
        }
        all.shrink();
        Ok(RegistryCache(Some(Arc::new(all))))
    }

    pub(super) fn with_code(&self, code: u32) -> Option<&Company> {
        let all = self.0.as_ref()?.all();
        all.binary_search_by_key(&code, |company| company.id.get()).ok().map(|at| &all[at])
    }
}
