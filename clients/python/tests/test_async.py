"""The client that is awaited does what the other one does."""

import asyncio
import inspect

import pytest
from faulty_proxy import FaultyProxy

from finserve import AsyncClient, Client, NotFound
from finserve._surface import Answer, Tabular

CALLS = [
    ("series", ("ipca",), {"start": "2020"}),
    ("series", (["selic", "cdi"],), {"frequency": "month"}),
    ("fx", ("EUR/BRL",), {}),
    ("current", ("selic",), {}),
    ("companies", ("magalu",), {}),
    ("filings", (), {"company": "VALE3", "limit": 1500}),
    ("correct", (1000, "ipca", "2020-01", "2025-12"), {"steps": True}),
    ("export", ("ipca",), {}),
    ("status", (), {}),
]


def test_both_clients_answer_alike(server, key, rows):
    async def all_at_once():
        async with AsyncClient(server.url, key, tables="rows") as fin:
            calls = [getattr(fin, name)(*arguments, **named) for name, arguments, named in CALLS]
            return await asyncio.gather(*calls)

    for (name, arguments, named), answer in zip(CALLS, asyncio.run(all_at_once()), strict=True):
        assert answer == getattr(rows, name)(*arguments, **named), name


def test_both_clients_have_the_same_methods():
    names = {name for name in dir(Client) if not name.startswith("_")}
    assert names == {name for name in dir(AsyncClient) if not name.startswith("_")}
    endpoints = [name for name in names if isinstance(getattr(Client, name), Answer | Tabular)]
    assert len(endpoints) > 30
    for name in endpoints:
        assert inspect.getdoc(getattr(Client, name)), name


def test_errors_retries_and_updates(server, key):
    async def session(url):
        async with AsyncClient(url, key, tables="rows") as fin:
            with pytest.raises(NotFound):
                await fin.series("nope")
            table = await fin.export("ipca")
            assert await fin.update(table) == table

    with FaultyProxy(server.url, ["reset", "503"]) as proxy:
        asyncio.run(session(proxy.url))


def test_a_cancelled_download_leaves_no_file(server, key, tmp_path):
    async def cancelled():
        async with AsyncClient(server.url, key) as fin:
            task = asyncio.create_task(fin.download("filings", tmp_path / "filings.ndjson"))
            await asyncio.sleep(0.2)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(cancelled())
    assert list(tmp_path.iterdir()) == []
