//! Resolves an id to a company.
use crate::{
    catalogue::Snapshot,
    error::Result,
    sqlite::code,
    types::{CompanyId, CvmCode},
};

/// The order of companies that share a CNPJ, best first: the active one, then the one registered last.
macro_rules! best_company_first {
    () => {
        "standing, id DESC"
    };
}
#[cfg(any(feature = "bundle", feature = "import"))]
pub(crate) use best_company_first;

/// The CVM code of the registered company with this id, if there is one.
pub(crate) fn registered(snapshot: &Snapshot, id: CompanyId) -> Result<Option<CvmCode>> {
    const BY_CODE: &str = "SELECT id FROM company WHERE id = ?1";
    const BY_CNPJ: &str = concat!(
        "SELECT id FROM company WHERE cnpj = ?1 ORDER BY ",
        best_company_first!(),
        " LIMIT 1"
    );
    let found = match id {
        CompanyId::Cvm(number) => snapshot.rows(BY_CODE, [number.get()], |row| code(row, 0))?,
        CompanyId::Cnpj(cnpj) => snapshot.rows(BY_CNPJ, [cnpj.to_string()], |row| code(row, 0))?,
    };
    Ok(found.into_iter().next())
}
