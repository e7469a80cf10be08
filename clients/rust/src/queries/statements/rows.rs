//! The queries of statements as a server answers them.
use fincore::statements::{self, FinancialsQuery, FormsQuery, ScreenQuery, StatementQuery};

use crate::{
    answers::{
        Page,
        statements::{CompanyFinancials, ScreenedCompany, Statement, StatementForm},
    },
    queries::{NONE, queries},
};

queries! { "statements":
    /// A statement of a company.
    statement(query: StatementQuery) -> Page<Statement> =
        statements::statement, "/api/v1/companies/{id}/statements/{kind}", NONE;
    /// The forms with statements of a company.
    list(query: FormsQuery) -> Page<StatementForm> =
        statements::list, "/api/v1/companies/{id}/statements", NONE;
    /// The figures of a company that compare companies.
    financials(query: FinancialsQuery) -> Page<CompanyFinancials> =
        statements::financials, "/api/v1/companies/{id}/financials", NONE;
    /// Companies side by side. A company has only the figures that were asked for, and no first day of the period.
    screen(query: ScreenQuery) -> Page<ScreenedCompany> = statements::screen, "/api/v1/financials", NONE;
}
