//! The queries of statements as a server answers them.
use fincore::{
    Page,
    statements::{
        self, CompanyFinancials, FinancialsQuery, FormsQuery, ScreenPage, ScreenQuery,
        StatementForm, StatementPage, StatementQuery,
    },
};

use crate::queries::{NONE, queries};

queries! { "statements":
    /// A statement of a company.
    statement(query: StatementQuery) -> StatementPage =
        statements::statement, "/api/v1/companies/{id}/statements/{kind}", NONE;
    /// The forms with statements of a company.
    list(query: FormsQuery) -> Page<StatementForm> =
        statements::list, "/api/v1/companies/{id}/statements", NONE;
    /// The figures of a company that compare companies.
    financials(query: FinancialsQuery) -> Page<CompanyFinancials> =
        statements::financials, "/api/v1/companies/{id}/financials", NONE;
    /// Companies side by side.
    screen(query: ScreenQuery) -> ScreenPage = statements::screen, "/api/v1/financials", NONE;
}
