//! Resolves an id or a ticker to a company.
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

/// The CVM code of the company that a text means, if there is one: by CVM code, CNPJ or ticker. A company that files
/// without being registered counts too.
pub(crate) fn meant(snapshot: &Snapshot, text: &str) -> Result<Option<CvmCode>> {
    const FILES: &str = "SELECT 1 FROM filing WHERE company = ?1 LIMIT 1";
    const BY_TICKER: &str = concat!(
        "SELECT id FROM company WHERE instr(' ' || tickers || ' ', ' ' || ?1 || ' ') > 0 ORDER BY ",
        best_company_first!(),
        " LIMIT 1"
    );
    let text = text.trim();
    if let Ok(id) = text.parse() {
        let found = registered(snapshot, id)?;
        return Ok(match (found, id) {
            (None, CompanyId::Cvm(code)) if snapshot.count(FILES, [code.get()])? > 0 => Some(code),
            (found, CompanyId::Cvm(_) | CompanyId::Cnpj(_)) => found,
        });
    }
    // No ticker has other characters, and a blank would match two of them.
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Ok(None);
    }
    snapshot.first(BY_TICKER, [text.to_ascii_uppercase()], |row| code(row, 0))
}
