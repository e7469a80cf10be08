"""What type checkers must see: mypy and pyright check this file, and nothing runs it."""

from __future__ import annotations

import datetime
from decimal import Decimal

import pandas
import polars
import pyarrow
from typing_extensions import assert_type

from finserve import AsyncClient, Client, Rows
from finserve.records import Correction, CurrentRate, Filing, Observation


def blocking() -> None:
    fin = Client("http://localhost:8080", key="fin_x")
    assert_type(fin.series("ipca", start="2015", units="accumulated_12m"), pandas.DataFrame)
    assert_type(fin.series(433, start=pandas.Period("2026-01")), pandas.DataFrame)
    assert_type(fin.current("selic"), CurrentRate)
    assert_type(fin.correct(1000, "ipca", "2020-01", datetime.date(2025, 12, 1)), Correction)
    assert_type(fin.correct(1000, "ipca", 2020).result, Decimal)
    assert_type(fin.update(fin.export("filings", format="parquet")), pandas.DataFrame)
    assert_type(Client(tables="polars").fx("EUR/BRL"), polars.DataFrame)
    assert_type(Client(tables="arrow").companies("magalu"), pyarrow.Table)
    rows = Client(tables="rows")
    assert_type(rows.series(["selic", "cdi"], frequency="month"), Rows[Observation])
    assert_type(rows.filings(company="VALE3")[0], Filing)
    assert_type(rows.filings(company="VALE3")[:5], Rows[Filing])
    with Client() as entered:
        assert_type(entered.fx(), pandas.DataFrame)


async def awaited() -> None:
    async with AsyncClient(tables="rows") as fin:
        assert_type(await fin.series("ipca"), Rows[Observation])
        assert_type(await fin.current("selic"), CurrentRate)
    async with AsyncClient() as frames:
        assert_type(await frames.series("ipca"), pandas.DataFrame)


def refused() -> None:
    fin = Client()
    # Each of these lines must be an error, or the comment on it is one.
    fin.series("ipca", units="percent")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    fin.series("ipca", begin="2015")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    Client(tables="frames")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
