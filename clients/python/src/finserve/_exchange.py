"""Plans that every endpoint uses: one request with its retries and its cache, and all pages of a list."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar
from urllib.parse import quote, urlencode, urljoin, urlsplit

import httpx

from ._arguments import whole
from ._cache import Cache
from ._wire import Plan, Reply, Request, Send, Sink, Step, Wait
from .errors import BadRequest, ConnectionFailed, FinserveError, RateLimited, UnexpectedAnswer, error_of, retry_after

T = TypeVar("T")

# What a busy server or a proxy in front of one answers. A 500 is a bug, which a second request meets again.
WORTH_RETRYING = (429, 502, 503, 504)
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0
# An import between two pages shifts the rows of the second.
ATTEMPTS_AT_A_LIST = 3
NEXT_LINK = re.compile(r'<([^>]*)>\s*;\s*rel="?next"?')


@dataclass(frozen=True)
class Server:
    """The server that is asked, the key that is shown to it, and how patiently."""

    url: str
    key: str | None
    retries: int
    patience: float
    cache: Cache | None
    user_agent: str

    def request(self, *path: str, **query: str | None) -> Request:
        """The request for an endpoint: the parts of its path below `/api/v1`, and its parameters.

        A parameter whose name is a word of Python has an underscore behind it, and is left out if it is None.
        """
        for part in path:
            # These would be another path.
            if part.strip() in ("", ".", ".."):
                raise BadRequest(f"{part!r} is no identifier")
        given = [(name.rstrip("_"), value) for name, value in query.items() if value is not None]
        try:
            address = "/".join([self.url, "api", "v1", *(quote(part, safe="") for part in path)])
            address += "?" + urlencode(given) if given else ""
            httpx.URL(address)
        except (UnicodeEncodeError, httpx.InvalidURL) as error:
            raise BadRequest(f"the arguments make no address: {error}") from None
        return self._to(address)

    def follow(self, link: str) -> Request:
        """The request for an address that the server named; it never leaves the server, and the key with it."""
        try:
            url = urljoin(self.url + "/", link)
            is_own = urlsplit(url)[:2] == urlsplit(self.url)[:2]
            httpx.URL(url)
        except (ValueError, httpx.InvalidURL):
            raise UnexpectedAnswer(f"the server leads to what is no address: {link!r}") from None
        if not is_own:
            raise UnexpectedAnswer(f"the server leads to another one: {link}")
        return self._to(url)

    def _to(self, url: str) -> Request:
        headers = {"User-Agent": self.user_agent}
        if self.key:
            headers["X-API-Key"] = self.key
        return Request(url, headers)


def exchange(server: Server, request: Request, sink: Sink | None = None) -> Plan[Reply]:
    """Sends a request until it succeeds or must not be repeated. Bodies for a sink are not cached."""
    cache, owner = (server.cache if sink is None else None), server.key or ""
    stored = cache.find(owner, request.url) if cache else None
    if stored:
        request = replace(request, headers={**request.headers, "If-None-Match": stored[0]})
    waited, attempt = 0.0, 0
    while True:
        attempt += 1
        failure: FinserveError
        try:
            reply = yield Send(request, sink)
        except httpx.HTTPError as error:
            failure = ConnectionFailed(f"{urlsplit(request.url).netloc}: {error or type(error).__name__}")
            pause = pause_before(attempt) if may_pass(error) else None
        else:
            assert reply is not None, "sending gives a reply"  # noqa: S101
            if stored and reply.status == 304:
                return stored[1]
            if reply.status == 200:
                if cache:
                    cache.store(owner, request.url, reply)
                return reply
            failure = error_of(reply)
            pause = retry_after(reply)
            if pause is None:
                pause = pause_before(attempt)
            if reply.status not in WORTH_RETRYING:
                pause = None
        if pause is None or attempt > server.retries or waited + pause > server.patience:
            if isinstance(failure, RateLimited):
                failure.retry_after = pause
            raise failure
        yield Wait(pause)
        waited += pause


def may_pass(error: httpx.HTTPError) -> bool:
    """Whether an error of the connection may be gone at the next attempt."""
    lasting = (httpx.UnsupportedProtocol, httpx.LocalProtocolError)
    return isinstance(error, httpx.TransportError) and not isinstance(error, lasting)


def pause_before(attempt: int) -> float:
    """Seconds before the attempt that follows this one: doubled each time, and varied by up to a quarter."""
    pause: float = min(FIRST_PAUSE * 2 ** (attempt - 1), LONGEST_PAUSE)
    return pause * random.uniform(0.75, 1.25)  # noqa: S311


def understood(plan: Plan[T]) -> Plan[T]:
    """The same plan, in which an answer that cannot be read is an `UnexpectedAnswer`."""
    was_answered = False
    try:
        step: Step = next(plan)
        while True:
            try:
                reply = yield step
            except httpx.HTTPError as error:
                step = plan.throw(error)
            else:
                was_answered = was_answered or reply is not None
                step = plan.send(reply)
    except StopIteration as end:
        result: T = end.value
        return result
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        # A refused argument is a ValueError too.
        if isinstance(error, FinserveError) or not was_answered:
            raise
        text = f"the answer cannot be read ({type(error).__name__}: {error}): is this the address of a finserve server?"
        raise UnexpectedAnswer(text) from error
    finally:
        plan.close()


@dataclass(frozen=True)
class Listing:
    """The rows of all pages as they came, and the first page, which has what is said of the whole."""

    rows: list[dict[str, Any]]
    first: dict[str, Any]

    @property
    def meta(self) -> dict[str, Any]:
        """Source, licence and what else the server says of the rows."""
        meta: dict[str, Any] = self.first.get("meta", {})
        return meta


def answer(server: Server, *path: str, **query: str | None) -> Plan[dict[str, Any]]:
    """The JSON object that an endpoint answers with."""
    reply = yield from exchange(server, server.request(*path, **query))
    return json_object(reply)


def listing(
    server: Server,
    *path: str,
    page: int,
    limit: int | None,
    **query: str | None,
) -> Plan[Listing]:
    """All rows of a list, or the first `limit` of them, in pages of `page` rows.

    If the data changes between two pages, the list is read again from the beginning.
    """
    limit = whole(limit, "limit")
    size = page if limit is None else min(limit, page)

    def first_request() -> Request:
        return server.request(*path, **query, limit=str(size))

    for _ in range(ATTEMPTS_AT_A_LIST):
        found = yield from attempt_at_list(server, first_request, limit)
        if found is not None:
            return found
    raise UnexpectedAnswer("the data changed while its pages were read, several times")


def attempt_at_list(server: Server, first_request: Callable[[], Request], limit: int | None) -> Plan[Listing | None]:
    """The pages of a list; None if they are not of one state of the data."""
    request: Request | None = first_request()
    rows: list[dict[str, Any]] = []
    first: dict[str, Any] | None = None
    while request is not None:
        reply = yield from exchange(server, request)
        body = json_object(reply)
        if not isinstance(body.get("data"), list) or not isinstance(body.get("meta", {}), dict):
            raise UnexpectedAnswer("the answer is not a list of finserve: is this the address of a finserve server?")
        if first is None:
            first = body
        elif state(body) != state(first):
            return None
        rows += body["data"]
        link = next_page(reply, body) if limit is None or len(rows) < limit else None
        request = server.follow(link) if link else None
    assert first is not None, "there is a first page"  # noqa: S101
    return Listing(rows[:limit], first)


def state(body: Mapping[str, Any]) -> object:
    """What differs between pages only if the data changed."""
    return body.get("total"), body.get("meta", {}).get("updated_at")


def next_page(reply: Reply, body: Mapping[str, Any]) -> str | None:
    """The address of the next page: `next` of the body, or else of the header `Link`."""
    if "next" in body:
        return body["next"] or None
    found = NEXT_LINK.search(reply.headers.get("link", ""))
    return found[1] if found else None


def json_object(reply: Reply) -> dict[str, Any]:
    """The body, if it is a JSON object."""
    body = reply.json()
    if not isinstance(body, dict):
        raise UnexpectedAnswer("the answer is not a JSON object")
    return body
