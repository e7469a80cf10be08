"""Companies that are registered with CVM, and the documents that they file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._arguments import Day, Order, first_day, last_day, text_of_flag, text_of_whole
from .._exchange import answer, listing
from .._surface import Answer, Tabular
from .._tables import Table, table_of
from ..records import (
    Company,
    CompanyDetail,
    Filing,
    FilingCategory,
    FilingDetail,
    SearchResult,
    Sector,
    Suggestion,
)
from .base import PAGE, Group

if TYPE_CHECKING:
    from .._wire import Plan


class Companies(Group):
    """Companies need the Bronze plan, filings the Gold plan."""

    @Tabular
    def companies(
        self,
        query: str | None = None,
        *,
        status: str | None = None,
        sector: str | None = None,
        listed: bool | None = None,
        limit: int | None = None,
    ) -> Plan[Table[Company]]:
        """The companies that a name, brand, ticker, CNPJ or CVM code finds, best match first; without words, all."""
        path = ["companies"] if query is None else ["companies", "search"]
        filters = {"q": query, "status": status, "sector": sector, "listed": text_of_flag(listed)}
        found = yield from listing(self.server, *path, page=PAGE, limit=limit, **filters)
        return table_of(Company, found.rows, found.meta)

    @Answer
    def company(self, id: str | int) -> Plan[CompanyDetail]:
        """One company, by CVM code, CNPJ or ticker."""
        return CompanyDetail.parse((yield from answer(self.server, "companies", identifier(id))))

    @Tabular
    def sectors(self, *, limit: int | None = None) -> Plan[Table[Sector]]:
        """The sectors, with their numbers of companies."""
        found = yield from listing(self.server, "companies", "sectors", page=PAGE, limit=limit)
        return table_of(Sector, found.rows, found.meta)

    @Tabular
    def filings(
        self,
        query: str | None = None,
        *,
        company: str | int | None = None,
        category: str | None = None,
        type: str | None = None,
        start: Day | None = None,
        end: Day | None = None,
        order: Order | None = None,
        limit: int | None = None,
    ) -> Plan[Table[Filing]]:
        """Filings, newest first: of a company (CVM code, CNPJ or ticker), a category, a range of days.

        Words search in category, type, subject and names; `order="relevance"` puts the best match first. Without
        `limit` all of them are fetched, a thousand a request; `export("filings")` gets everything at once.
        """
        path = ["filings"] if query is None else ["filings", "search"]
        filters = {
            "q": query,
            "company": None if company is None else str(company),
            "category": category,
            "type_": type,
            "from_": first_day(start),
            "to": last_day(end),
            "order": order,
        }
        found = yield from listing(self.server, *path, page=PAGE, limit=limit, **filters)
        return table_of(Filing, found.rows, found.meta)

    @Tabular
    def recent_filings(self, *, limit: int | None = None) -> Plan[Table[Filing]]:
        """The filings that were delivered last: 20, or as many as you ask for, up to 1,000."""
        found = yield from answer(self.server, "filings", "recent", limit=text_of_whole(limit, "limit"))
        return table_of(Filing, found["data"], found["meta"])

    @Answer
    def filing(self, id: str | int) -> Plan[FilingDetail]:
        """One filing."""
        return FilingDetail.parse((yield from answer(self.server, "filings", str(id))))

    @Tabular
    def filing_categories(self, *, limit: int | None = None) -> Plan[Table[FilingCategory]]:
        """The categories and types of filings, the most frequent first."""
        found = yield from listing(self.server, "filings", "categories", page=PAGE, limit=limit)
        return table_of(FilingCategory, found.rows, found.meta)

    @Answer
    def search(self, query: str, *, limit: int | None = None, offset: int | None = None) -> Plan[SearchResult]:
        """Companies and, from the Gold plan on, filings that match; one page of both."""
        page = {"limit": text_of_whole(limit, "limit"), "offset": text_of_whole(offset, "offset")}
        return SearchResult.parse((yield from answer(self.server, "search", q=query, **page)))

    @Tabular
    def suggest(self, query: str, *, limit: int | None = None) -> Plan[Table[Suggestion]]:
        """Tickers, companies and categories that begin as typed."""
        size = text_of_whole(limit, "limit")
        found = yield from answer(self.server, "search", "suggest", q=query, limit=size)
        return table_of(Suggestion, found["data"], found["meta"])


def identifier(company: str | int) -> str:
    """What names a company in a path. A CNPJ is known by its digits, because its slash would divide the path."""
    return str(company).replace("/", "")
