"""Errors carry what the server said, and what may pass is retried."""

import json
import time

import pytest
from faulty_proxy import FaultyProxy

from finserve import (
    BadRequest,
    Client,
    ConnectionFailed,
    FinserveError,
    InvalidKey,
    NotFound,
    PlanRequired,
    RateLimited,
    ServerError,
    UnexpectedAnswer,
)
from finserve._wire import Reply
from finserve.errors import error_of, retry_after


def test_a_plan_that_does_not_include_something(server):
    with pytest.raises(PlanRequired) as error:
        Client(server.url, server.key("free")).series("selic", start=2000)
    given = error.value
    assert (given.code, given.status, given.plan) == ("plan_required", 403, "free")
    assert (given.feature, given.current_plan, given.required_plan) == ("historical_data", "free", "gold")
    assert given.upgrade_url == "/pricing"
    assert given.request_id
    with pytest.raises(PlanRequired, match="Bronze"):
        Client(server.url).companies("petrobras")


def test_a_wrong_parameter_is_named(fin):
    cases = [
        (lambda: fin.series("selic", start="soon"), "from"),
        (lambda: fin.series("selic", limit=0), "limit"),
        (lambda: fin.fx("reais"), "pair"),
        (lambda: fin.correct("x", "ipca", "2020"), "amount"),
        (lambda: fin.series("selic", start="2020-13"), "from"),
        (lambda: fin.export("ipca", start="2020-02-31"), "from"),
    ]
    for call, parameter in cases:
        with pytest.raises(BadRequest) as error:
            call()
        assert (error.value.parameter, error.value.code, error.value.plan) == (parameter, "bad_request", "platinum")


def test_what_is_not_there(fin):
    for call in (lambda: fin.series("nope"), lambda: fin.company("999999"), lambda: fin.export("nope")):
        with pytest.raises(NotFound):
            call()


def test_a_wrong_key_is_not_repeated_in_messages(server):
    client = Client(server.url, "fin_" + "x" * 40)
    with pytest.raises(InvalidKey) as error:
        client.current("selic")
    assert "xxx" not in str(error.value) + repr(client)


def test_a_key_with_a_line_end_around_it_works(server, monkeypatch):
    key = server.key("gold")
    assert Client(server.url, f" {key}\n").usage().plan == "gold"
    monkeypatch.setenv("FINSERVE_KEY", f"{key}\r\n")
    assert Client(server.url).usage().plan == "gold"


@pytest.mark.parametrize("key", ["fin_…", "fin_secret\nfin_secret", "fin_secret x", b"fin_secret", "fin_secreté"])
def test_what_cannot_be_a_key_is_refused_without_repeating_it(key):
    with pytest.raises(InvalidKey) as error:
        Client("http://127.0.0.1:9", key)
    assert "secret" not in f"{error.value!r} {error.value} {error.value.__cause__}"
    assert "…" not in str(error.value)


def test_arguments_that_no_client_has():
    with pytest.raises(TypeError, match="no option cash"):
        Client(cash=True)
    with pytest.raises(ValueError, match="none of auto"):
        Client(tables="excel")
    with pytest.raises(ValueError, match="http://"):
        Client("localhost:8080")
    for url in ("http://[bad", "http://", "http://a:b", "http://x:99999", "ftp://x", "http://a\nb"):
        with pytest.raises(BadRequest, match="is not an address"):
            Client(url)
    assert Client("http://localhost:8080/\n").server.url == "http://localhost:8080"


def test_a_limit_beyond_the_patience_is_an_error(server):
    client = Client(server.url, server.key("free"), patience=1)
    for _ in range(30):
        client.current("selic")
    began = time.monotonic()
    with pytest.raises(RateLimited) as error:
        client.current("selic")
    assert error.value.retry_after > 1
    assert error.value.code == "rate_limited"
    assert time.monotonic() - began < 1


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7),
        ({"retry-after": "Wed, 21 Oct 2026 07:28:30 GMT", "date": "Wed, 21 Oct 2026 07:28:00 GMT"}, 30),
        ({"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT", "date": "Wed, 21 Oct 2026 07:28:30 GMT"}, 0),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({}, None),
    ],
)
def test_retry_after_is_a_number_of_seconds_or_a_time(headers, seconds):
    assert retry_after(Reply(503, headers, b"")) == seconds


def test_a_refusal_that_no_plan_lifts_asks_for_no_plan():
    refused = error_of(Reply(403, {}, b'{"error": "other_site", "message": "Another site sent this."}'))
    assert (type(refused), refused.code, refused.status) == (FinserveError, "other_site", 403)


def test_waits_for_retry_after(waiting):
    """A client that ran beside the other tests sent 31 requests where 30 a minute are allowed."""
    waiting.join(120)
    assert len(waiting.answers) == 31
    assert len(set(waiting.answers)) == 1
    # The thirty were quick; the last had to wait for the first to be a minute old.
    assert waiting.seconds[-1] > 20
    assert sum(waiting.seconds) < 100


def test_broken_connections_are_retried(server, key):
    with FaultyProxy(server.url, ["reset", "cut", "503"]) as proxy:
        assert Client(proxy.url, key, tables="rows").series("ipca", limit=2)
        assert proxy.connections == 4


def test_an_export_that_breaks_off_is_fetched_again(server, key, rows):
    with FaultyProxy(server.url, ["", "cut"]) as proxy:
        assert Client(proxy.url, key, tables="rows").export("ipca") == rows.export("ipca")
        assert proxy.connections >= 3


def test_retries_end(server, key):
    with FaultyProxy(server.url, ["reset"] * 9) as proxy:
        with pytest.raises(ConnectionFailed):
            Client(proxy.url, key, retries=2).current("selic")
        assert proxy.connections == 3
    with FaultyProxy(server.url, ["503"] * 9) as proxy:
        with pytest.raises(ServerError) as error:
            Client(proxy.url, key, retries=2).current("selic")
        assert (proxy.connections, error.value.status) == (3, 503)
    with pytest.raises(ConnectionFailed):
        Client("http://127.0.0.1:9", retries=0).current("selic")


def test_what_would_fail_again_is_not_retried(server, key):
    with FaultyProxy(server.url, ["500"] * 9) as proxy:
        with pytest.raises(ServerError):
            Client(proxy.url, key).current("selic")
        assert proxy.connections == 1


def test_the_key_stays_with_the_server(server, key):
    """A page that leads to another host is refused, and redirects are not followed."""
    page = {"data": [], "total": 9, "limit": 1, "offset": 0, "meta": {}, "next": "http://127.0.0.1:9/api/v1/filings"}
    with FaultyProxy(server.url, [json.dumps(page), "302"]) as proxy:
        client = Client(proxy.url, key, retries=0)
        with pytest.raises(UnexpectedAnswer, match="another"):
            client.filings()
        with pytest.raises(UnexpectedAnswer):
            client.filings()


def test_next_of_the_body_leads_on(server, key, rows):
    """Servers that name the next page in the body, too, are followed there."""
    first = server.raw("market/ipca", key, limit=2).json()
    first["next"] = "/api/v1/market/series/ipca?limit=2&offset=2"
    with FaultyProxy(server.url, [json.dumps(first)]) as proxy:
        given = Client(proxy.url, key, tables="rows").series("ipca")
        assert given == rows.series("ipca")
    first["next"] = None
    with FaultyProxy(server.url, [json.dumps(first)]) as proxy:
        assert len(Client(proxy.url, key, tables="rows").series("ipca")) == 2


def test_other_programs_are_noticed(server, key):
    with FaultyProxy(server.url, ["<html>hello</html>"]) as proxy:
        client = Client(proxy.url, key)
        with pytest.raises(UnexpectedAnswer, match="not JSON"):
            client.current("selic")


def test_answers_of_other_programs_are_unexpected(server, key, tmp_path):
    calls = [
        (lambda fin: fin.current("selic"), "{}"),
        (lambda fin: fin.current("selic"), '{"date": 5, "value": "x", "meta": {}}'),
        (lambda fin: fin.current("selic"), '{"date": 5, "value": 1, "meta": {"source": "x", "licence": "x"}}'),
        (lambda fin: fin.current("selic"), '{"date": "2026", "value": [], "meta": []}'),
        (lambda fin: fin.current("selic"), "[" * 100_000),
        (lambda fin: fin.series("ipca"), '{"status": "ok"}'),
        (lambda fin: fin.series("ipca"), '{"data": 5}'),
        (lambda fin: fin.series("ipca"), '{"data": [5]}'),
        (lambda fin: fin.series("ipca"), '{"data": {"date": 1}, "meta": {}}'),
        (lambda fin: fin.series("ipca"), '{"data": [{"date": "x", "value": 1}], "meta": {}}'),
        (lambda fin: fin.series("ipca"), '{"data": [], "meta": null}'),
        (lambda fin: fin.series("ipca"), '{"data": [], "meta": {}, "next": "http://[bad"}'),
        (lambda fin: fin.series("ipca"), '{"data": [], "meta": {}, "next": 5}'),
        (lambda fin: fin.business_days(), '{"data": ["soon"]}'),
        (lambda fin: fin.plans(), '{"plans": [{}]}'),
        (lambda fin: fin.status(), '{"stale": false, "today": "x", "data": []}'),
        (lambda fin: fin.correct(1, "ipca", 2020, steps=True), '{"steps": []}'),
        (lambda fin: fin.update([], dataset="ipca", since=1), '{"data": []}'),
        (lambda fin: fin.download("ipca", tmp_path / "never"), '{"data": []}'),
        (lambda fin: fin.export("ipca"), '{"data": 5}'),
    ]
    with FaultyProxy(server.url, [body for _, body in calls]) as proxy:
        for number, (call, body) in enumerate(calls):
            with pytest.raises(UnexpectedAnswer):
                pytest.fail(f"{body} gives {call(Client(proxy.url, key, tables='rows', retries=0))}")
            assert number < proxy.connections < len(calls) + 2
    assert list(tmp_path.iterdir()) == []
