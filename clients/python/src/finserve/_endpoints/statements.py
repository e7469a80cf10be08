"""Financial statements that companies filed with CVM, and the figures that compare companies."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from .._arguments import (
    Day,
    FiguresPeriod,
    Scope,
    StatementKind,
    StatementPeriod,
    first_day,
    is_set,
    joined,
    last_day,
    text_of_flag,
    text_of_whole,
)
from .._exchange import answer, listing
from .._surface import Tabular
from .._tables import Column, Table, plain, table_of
from ..records import Account, Figures, Financials, ScreenedCompany, StatementForm, StatementValue
from .base import PAGE, STATEMENT_PAGE, Group
from .companies import identifier

if TYPE_CHECKING:
    from .._wire import Plan

FIGURES = [figure.name for figure in fields(Figures)]


class Statements(Group):
    """Statements need the Gold plan."""

    @Tabular
    def statement_forms(
        self,
        company: str | int,
        *,
        start: Day | None = None,
        end: Day | None = None,
        limit: int | None = None,
    ) -> Plan[Table[StatementForm]]:
        """The forms with statements that a company filed, newest period first."""
        path = ["companies", identifier(company), "statements"]
        days = {"from_": first_day(start), "to": last_day(end)}
        found = yield from listing(self.server, *path, page=STATEMENT_PAGE, limit=limit, **days)
        return table_of(StatementForm, found.rows, found.meta)

    @Tabular
    def statements(
        self,
        company: str | int,
        kind: StatementKind,
        *,
        period: StatementPeriod | None = None,
        scope: Scope | None = None,
        start: Day | None = None,
        end: Day | None = None,
        as_of: Day | None = None,
        restated: bool | None = None,
        depth: int | None = None,
        limit: int | None = None,
    ) -> Plan[Table[StatementValue]]:
        """One statement of a company, a row for each account and period, oldest period first.

        `period` is `annual` (the default), `quarter`, `ytd` or `ttm`; `depth=2` leaves out accounts below `3.01`;
        `as_of` gives what CVM had received by that day; `limit` keeps the newest periods. `accounts` gives the same
        with a column for each period.
        """
        path = ["companies", identifier(company), "statements", kind]
        query = statement_query(period, scope, start, end, as_of, restated, depth)
        found = yield from listing(self.server, *path, page=STATEMENT_PAGE, limit=limit, **query)
        rows = []
        for statement in reversed(found.rows):
            of_all = {name: value for name, value in statement.items() if name != "accounts"}
            rows += [{**of_all, **account} for account in statement["accounts"]]
        absent = () if kind == "equity-changes" else ("column",)
        return table_of(StatementValue, rows, found.meta, index="period_end", leave_out=absent)

    @Tabular
    def accounts(
        self,
        company: str | int,
        kind: StatementKind,
        *,
        period: StatementPeriod | None = None,
        scope: Scope | None = None,
        start: Day | None = None,
        end: Day | None = None,
        as_of: Day | None = None,
        restated: bool | None = None,
        depth: int | None = None,
        limit: int | None = None,
    ) -> Plan[Table[Account]]:
        """One statement of a company as an accountant reads it: an account a row, a period a column, newest first.

        The arguments are those of `statements`; there are at most 200 periods.
        """
        path = ["companies", identifier(company), "statements", kind]
        query = statement_query(period, scope, start, end, as_of, restated, depth)
        size = text_of_whole(limit, "limit") or str(STATEMENT_PAGE)
        found = yield from answer(self.server, *path, layout="wide", limit=size, **query)
        return accounts_table(found["data"], found["meta"])

    @Tabular
    def financials(
        self,
        company: str | int,
        *,
        period: FiguresPeriod | None = None,
        scope: Scope | None = None,
        start: Day | None = None,
        end: Day | None = None,
        sources: bool | None = None,
        limit: int | None = None,
    ) -> Plan[Table[Financials]]:
        """The figures of a company, oldest period first: revenue, EBITDA, net income, debt, margins and more.

        With `sources=True`, each figure has two columns more: `…_from`, the accounts that it was made from, and
        `…_reason`, why there is none.
        """
        path = ["companies", identifier(company), "financials"]
        query = {
            "period": period,
            "scope": scope,
            "from_": first_day(start),
            "to": last_day(end),
            "sources": text_of_flag(sources),
        }
        found = yield from listing(self.server, *path, page=STATEMENT_PAGE, limit=limit, **query)
        rows = found.rows[::-1]
        if not is_set(sources):
            return table_of(Financials, rows, found.meta, index="period_end")
        return sourced_table(rows, found.meta)

    @Tabular
    def screen(
        self,
        metrics: str | Iterable[str] | None = None,
        *,
        period: FiguresPeriod | None = None,
        year: int | None = None,
        sector: str | None = None,
        order: str | None = None,
        limit: int | None = None,
    ) -> Plan[Table[ScreenedCompany]]:
        """The figures of all companies in their newest period, or in a year; `order="-roe"` puts the highest first."""
        query = {
            "metric": joined(metrics),
            "period": period,
            "year": text_of_whole(year, "year"),
            "sector": sector,
            "order": order,
        }
        found = yield from listing(self.server, "financials", page=PAGE, limit=limit, **query)
        asked = (query["metric"] or ",".join(FIGURES)).replace(" ", "").split(",")
        absent = [figure for figure in FIGURES if figure not in asked]
        return table_of(ScreenedCompany, found.rows, found.meta, leave_out=absent)


def statement_query(
    period: StatementPeriod | None,
    scope: Scope | None,
    start: Day | None,
    end: Day | None,
    as_of: Day | None,
    restated: bool | None,
    depth: int | None,
) -> dict[str, str | None]:
    """The parameters of a statement."""
    return {
        "period": period,
        "scope": scope,
        "from_": first_day(start),
        "to": last_day(end),
        "as_of": last_day(as_of),
        "restated": text_of_flag(restated),
        "depth": text_of_whole(depth, "depth"),
    }


def accounts_table(rows: list[dict[str, Any]], meta: dict[str, Any]) -> Table[Account]:
    """The table of accounts by period."""
    names = dict.fromkeys(name for row in rows for name in row)
    periods = [name for name in names if name not in ("code", "name", "column")]
    texts = [name for name in ("code", "name", "column") if name in names or name != "column"]
    columns = [Column(name, "text", [row.get(name) for row in rows]) for name in texts]
    for period in periods:
        values = [None if row.get(period) is None else Decimal(row[period]) for row in rows]
        columns.append(Column(period, "number", values))

    def objects() -> list[Account]:
        values = ({period: row.get(period) for period in periods} for row in rows)
        return [Account.parse({**row, "values": one}) for row, one in zip(rows, values, strict=True)]

    return Table(columns, objects, plain(meta))


def sourced_table(rows: list[dict[str, Any]], meta: dict[str, Any]) -> Table[Financials]:
    """The table of figures that say of what they were made."""
    simple = []
    for row in rows:
        figures = {name: row[name] for name in FIGURES}
        simple.append(
            {
                **row,
                **{name: figure["value"] for name, figure in figures.items()},
                "made_from": {name: tuple(figure["from"]) for name, figure in figures.items()},
                "reasons": {name: figure["reason"] for name, figure in figures.items() if "reason" in figure},
            }
        )
    table = table_of(Financials, simple, meta, index="period_end")
    columns = []
    for column in table.columns:
        columns.append(column)
        if column.name in FIGURES:
            made_from = [row["made_from"][column.name] for row in simple]
            reasons = [row["reasons"].get(column.name) for row in simple]
            columns.append(Column(f"{column.name}_from", "texts", made_from))
            columns.append(Column(f"{column.name}_reason", "text", reasons))
    return Table(columns, table.objects, table.meta, table.index)
