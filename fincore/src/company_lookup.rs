//! Resolves a CVM code, a CNPJ or a ticker to a company.
use crate::{
    catalogue::Snapshot,
    error::Result,
    names::Names,
    sqlite::code,
    types::{CompanyId, CompanyRef, CvmCode},
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
pub(crate) fn find_registered(snapshot: &Snapshot, id: CompanyId) -> Result<Option<CvmCode>> {
    const BY_CODE: &str = "SELECT id FROM company WHERE id = ?1";
    const BY_CNPJ: &str = concat!(
        "SELECT id FROM company WHERE cnpj = ?1 ORDER BY ",
        best_company_first!(),
        " LIMIT 1"
    );
    // What all branches share.
    const OF_BRANCH: &str = concat!(
        "SELECT id FROM company WHERE cnpj > ?1 || '/' AND cnpj < ?1 || '0' ORDER BY ",
        best_company_first!(),
        " LIMIT 1"
    );
    let mut found = match id {
        CompanyId::Cvm(number) => snapshot.rows(BY_CODE, [number.get()], |row| code(row, 0))?,
        CompanyId::Cnpj(cnpj) => snapshot.rows(BY_CNPJ, [cnpj.to_string()], |row| code(row, 0))?,
    };
    if let (true, CompanyId::Cnpj(cnpj)) = (found.is_empty(), id) {
        found = snapshot.rows(OF_BRANCH, [cnpj.root()], |row| code(row, 0))?;
    }
    Ok(found.into_iter().next())
}

/// The CVM code of the company that a reference stands for, if there is one. A company that files without being registered counts
/// too.
pub(crate) fn resolve(snapshot: &Snapshot, company: &CompanyRef) -> Result<Option<CvmCode>> {
    const FILES: &str = "SELECT 1 FROM filer WHERE company = ?1 LIMIT 1";
    match company {
        CompanyRef::Id(id) => {
            let found = find_registered(snapshot, *id)?;
            Ok(match (found, id) {
                (None, CompanyId::Cvm(code)) if snapshot.count(FILES, [code.get()])? > 0 => {
                    Some(*code)
                }
                (found, CompanyId::Cvm(_) | CompanyId::Cnpj(_)) => found,
            })
        }
        CompanyRef::Ticker(ticker) => {
            let code = snapshot.memo(Names::read)?.code_of_ticker(&ticker.to_ascii_lowercase());
            Ok(code.and_then(|code| CvmCode::new(code).ok()))
        }
    }
}
