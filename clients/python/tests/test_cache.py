"""The cache: it saves what is sent, never shows old data, and never another key's."""

import os
import time

import pytest
from faulty_proxy import FaultyProxy
from real_server import RealServer

from finserve import Client, PlanRequired
from finserve._cache import Cache
from finserve._wire import Reply


class CountingClient(Client):
    """A client that notes the status of every answer."""

    statuses: list

    def _step(self, step):
        outcome = super()._step(step)
        if outcome is not None:
            self.statuses.append(outcome.status)
        return outcome


def counting(url, key, folder):
    client = CountingClient(url, key, tables="rows", cache=folder)
    client.statuses = []
    return client


def test_what_has_not_changed_is_not_sent_again(server, key, rows, tmp_path):
    client = counting(server.url, key, tmp_path)
    first = client.filings(company="PETR4", limit=3)
    second = client.filings(company="PETR4", limit=3)
    assert client.statuses == [200, 304]
    assert first == second == rows.filings(company="PETR4", limit=3)
    assert first.meta == second.meta
    # Pages lead on from what is stored, too.
    company = client.filings(company="PETR4")
    pages = len(client.statuses)
    assert client.filings(company="PETR4") == company
    assert client.statuses[pages:] == [304] * (pages - 2)


def test_new_data_is_seen_at_once(program, filled, tmp_path):
    server = RealServer(program, tmp_path, filled)
    try:
        key = server.key("gold")
        client = counting(server.url, key, tmp_path / "cache")
        before = client.series("ipca")
        server.import_series(433, d2026_09_01="0.48")
        server.wait_for_version(2, key)
        after = client.series("ipca")
        assert str(after[-1].value) == "0.48"
        assert after[:-1] == before
        assert client.statuses == [200, 200]
    finally:
        server.stop()


def test_no_key_sees_what_another_may(server, tmp_path):
    gold, bronze = server.key("gold"), server.key("bronze")
    rich = counting(server.url, gold, tmp_path)
    assert rich.series("selic", start=2000)
    poor = counting(server.url, bronze, tmp_path)
    with pytest.raises(PlanRequired):
        poor.series("selic", start=2000)
    # Even where both may see it, each key has its own.
    rich.current("selic")
    poor.current("selic")
    assert poor.statuses == [403, 200]
    # Nor what the key itself no longer may.
    server.command("keys", "set-plan", gold[:12], "free")
    # A running server applies it within a second; usage names the plan that is stored before that.
    while server.raw("plans/usage", gold).headers["x-plan"] != "free":
        time.sleep(0.1)
    with pytest.raises(PlanRequired):
        rich.series("selic", start=2000)
    files = list((tmp_path / "finserve").iterdir())
    names = [path.name for path in files]
    contents = b"".join(path.read_bytes() for path in files)
    assert not any(key[4:] in name for key in (gold, bronze) for name in names)
    assert gold.encode() not in contents


def test_the_cache_is_bounded(tmp_path):
    cache = Cache(tmp_path / "new", max_bytes=100_000)
    for number in range(200):
        cache.store("", f"http://x/{number}", Reply(200, {"etag": f'"{number}"'}, b"x" * 4000))
    held = sum(path.stat().st_size for path in cache.folder.iterdir())
    assert 50_000 < held <= 100_000
    assert cache.find("", "http://x/199")[0] == '"199"'
    assert cache.find("", "http://x/0") is None
    # What is longer than a share of the cache is not stored.
    cache.store("", "http://x/long", Reply(200, {"etag": '"long"'}, b"x" * 6000))
    assert cache.find("", "http://x/long") is None


def test_the_cache_deletes_no_file_that_it_did_not_write(tmp_path):
    theirs = {
        tmp_path / "thesis.bin": b"x" * 90_000,
        tmp_path / "finserve" / "new-report.bin": b"x" * 90_000,
        tmp_path / "finserve" / "notes.txt": b"x" * 90_000,
    }
    for path, content in theirs.items():
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        os.utime(path, (0, 0))
    folder = Client(cache=tmp_path).server.cache.folder
    assert folder == tmp_path / "finserve"
    cache = Cache(folder, max_bytes=20_000)
    for number in range(100):
        cache.store("", f"http://x/{number}", Reply(200, {"etag": f'"{number}"'}, b"x" * 500))
    assert cache.find("", "http://x/0") is None
    assert cache.find("", "http://x/99")
    assert all(path.read_bytes() == content for path, content in theirs.items())


def test_damaged_and_unwritable_files_are_no_error(server, key, rows, tmp_path):
    client = counting(server.url, key, tmp_path / "cache")
    whole = client.series("ipca")
    for path in (tmp_path / "cache/finserve").iterdir():
        path.write_bytes(path.read_bytes()[:-10])
    assert client.series("ipca") == whole
    assert client.statuses == [200, 200]
    (tmp_path / "file").write_text("no folder")
    assert counting(server.url, key, tmp_path / "file").series("ipca") == whole


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
def test_only_the_user_reads_the_cache(server, key, tmp_path):
    counting(server.url, key, tmp_path / "cache").current("selic")
    [path] = (tmp_path / "cache/finserve").iterdir()
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_the_environment_chooses(monkeypatch, tmp_path):
    monkeypatch.setenv("FINSERVE_CACHE", "0")
    assert Client().server.cache is None
    monkeypatch.setenv("FINSERVE_CACHE", str(tmp_path))
    assert Client().server.cache.folder == tmp_path / "finserve"
    assert Client(cache=False).server.cache is None
    monkeypatch.delenv("FINSERVE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert Client().server.cache.folder == tmp_path / "finserve"


def test_an_answer_that_was_cut_is_not_stored(server, key, tmp_path):
    with FaultyProxy(server.url, ["cut"]) as proxy:
        client = counting(proxy.url, key, tmp_path)
        whole = client.series("ipca")
        assert client.series("ipca") == whole
        assert client.statuses == [200, 304]
