"""The two clients. All they do themselves is to send requests and to wait."""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Generic, Literal, TypedDict, TypeVar, overload
from urllib.parse import urlsplit

import httpx

from ._cache import Cache, default_folder, folder_within
from ._endpoints import Endpoints
from ._exchange import Server
from ._shapes import Arrow, Pandas, Plain, Polars, shape_named
from ._wire import Plan, Reply, Step, Wait
from .errors import BadRequest, InvalidKey
from .version import VERSION

if TYPE_CHECKING:
    from typing_extensions import Unpack

Form = TypeVar("Form")
Frame = TypeVar("Frame")
T = TypeVar("T")

LOCAL = "http://localhost:8080"
CacheChoice = bool | str | os.PathLike[str] | None


class Options(TypedDict, total=False):
    """What a client can be told besides its server; `Client` says what it means."""

    numbers: type[float | Decimal]
    cache: CacheChoice
    retries: int
    patience: float
    timeout: float
    progress: bool | None


DESCRIPTION = """
    `url` and `key` are those of the server; without them `FINSERVE_URL` and `FINSERVE_KEY` are read, and without
    these the server is `http://localhost:8080`, on the Free plan.

    * `tables`: `pandas`, `polars`, `arrow` or `rows` (lists of typed objects); `auto` is pandas where it is
      installed, otherwise lists.
    * `numbers`: `float`, or `Decimal` for exact figures. Objects always have `Decimal`.
    * `cache`: a folder, in which the cache makes one of its own; True for the usual one of this user, or False.
      Unless given, `FINSERVE_CACHE` decides in the same way (a path, `1` or `0`); without it there is a cache.
    * `retries` and `patience`: how often a request is repeated after a refusal that may pass (3 times), and for how
      many seconds it waits in all, such as for `Retry-After` (120).
    * `timeout`: seconds for which the server may be silent (60).
    * `progress`: whether exports show a progress bar; by default if tqdm is installed and the output is a terminal.
"""


class Settings(Endpoints, Generic[Form]):
    """What both clients are made of."""

    def __init__(self, url: str | None, key: str | None, tables: str, options: Options) -> None:
        unknown = sorted(set(options) - set(Options.__annotations__))
        if unknown:
            raise TypeError(f"a client has no option {', '.join(unknown)}")
        self.server = Server(
            url=checked_address(url or os.environ.get("FINSERVE_URL") or LOCAL),
            key=checked_key(key or os.environ.get("FINSERVE_KEY") or ""),
            retries=options.get("retries", 3),
            patience=options.get("patience", 120),
            cache=chosen_cache(options.get("cache")),
            user_agent=f"finserve-python/{VERSION}",
        )
        self.shape = shape_named(tables, options.get("numbers", float))
        self.progress = options.get("progress")
        self.timeout = options.get("timeout", 60)

    def __repr__(self) -> str:
        """The client without its key."""
        return f"{type(self).__name__}({self.server.url!r})"


class Client(Settings[Form]):
    """Asks a server, and waits for its answers. Threads may share it.

    >>> from finserve import Client
    >>> fin = Client("http://localhost:8080", key="fin_…")
    >>> fin.series("ipca", start="2015", units="accumulated_12m")
    """

    __doc__ = f"{__doc__}{DESCRIPTION}"

    @overload
    def __init__(
        self: Client[Pandas],
        url: str | None = None,
        key: str | None = None,
        *,
        tables: Literal["auto", "pandas"] = "auto",
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: Client[Polars],
        url: str | None = None,
        key: str | None = None,
        *,
        tables: Literal["polars"],
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: Client[Arrow],
        url: str | None = None,
        key: str | None = None,
        *,
        tables: Literal["arrow"],
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: Client[Plain],
        url: str | None = None,
        key: str | None = None,
        *,
        tables: Literal["rows"],
        **options: Unpack[Options],
    ) -> None: ...
    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        tables: str = "auto",
        **options: Unpack[Options],
    ) -> None:
        super().__init__(url, key, tables, options)
        self._http = httpx.Client(timeout=self.timeout)

    def update(self, frame: Frame, *, dataset: str | int | None = None, since: int | None = None) -> Frame:
        """A new table: one that `export` gave, with what changed since.

        The table must have all columns that were exported, with their names and types. They may stand in another
        order, or be its index: the new table has the same columns and index. Any other table is refused.

        Rows that changed stand at the end; one series stays sorted by date. Where the log of changes does not reach
        back to the export, the whole dataset is fetched again. A table that lost its attributes needs `dataset` and
        `since`, the data version of the export.
        """
        updated: Frame = self.perform(self._update(frame, dataset, since))
        return updated

    def perform(self, plan: Plan[T]) -> T:
        """Performs the steps of a plan."""
        outcome: Outcome = None
        try:
            while not isinstance(step := advance(plan, outcome), Finished):
                try:
                    outcome = self._step(step)
                except httpx.HTTPError as error:
                    outcome = error
            return step.result
        finally:
            plan.close()

    def _step(self, step: Step) -> Reply | None:
        if isinstance(step, Wait):
            time.sleep(step.seconds)
            return None
        with self._http.stream("GET", step.request.url, headers=step.request.headers) as response:
            if step.sink is None or response.status_code != 200:
                return reply_of(response, response.read())
            step.sink.begin(response.headers)
            for chunk in response.iter_bytes():
                step.sink.write(chunk)
            return reply_of(response, b"")

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def __enter__(self) -> Client[Form]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncClient(Settings[Form]):
    """Asks a server without blocking: each method of `Client` is awaited here.

    >>> from finserve import AsyncClient
    >>> async with AsyncClient("http://localhost:8080", key="fin_…") as fin:
    ...     selic, ipca = await asyncio.gather(fin.series("selic"), fin.series("ipca"))
    """

    __doc__ = f"{__doc__}{DESCRIPTION}"

    @overload
    def __init__(
        self: AsyncClient[Pandas],
        url: str | None = None,
        key: str | None = None,
        *,
        tables: Literal["auto", "pandas"] = "auto",
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: AsyncClient[Polars],
        url: str | None = None,
        key: str | None = None,
        *,
        tables: Literal["polars"],
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: AsyncClient[Arrow],
        url: str | None = None,
        key: str | None = None,
        *,
        tables: Literal["arrow"],
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: AsyncClient[Plain],
        url: str | None = None,
        key: str | None = None,
        *,
        tables: Literal["rows"],
        **options: Unpack[Options],
    ) -> None: ...
    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        tables: str = "auto",
        **options: Unpack[Options],
    ) -> None:
        super().__init__(url, key, tables, options)
        self._http = httpx.AsyncClient(timeout=self.timeout)

    async def update(self, frame: Frame, *, dataset: str | int | None = None, since: int | None = None) -> Frame:
        """A new table: one that `export` gave, with what changed since; see `Client.update`."""
        updated: Frame = await self.perform(self._update(frame, dataset, since))
        return updated

    async def perform(self, plan: Plan[T]) -> T:
        """Performs the steps of a plan."""
        outcome: Outcome = None
        try:
            while not isinstance(step := advance(plan, outcome), Finished):
                try:
                    outcome = await self._step(step)
                except httpx.HTTPError as error:
                    outcome = error
            return step.result
        finally:
            plan.close()

    async def _step(self, step: Step) -> Reply | None:
        if isinstance(step, Wait):
            await asyncio.sleep(step.seconds)
            return None
        async with self._http.stream("GET", step.request.url, headers=step.request.headers) as response:
            if step.sink is None or response.status_code != 200:
                return reply_of(response, await response.aread())
            step.sink.begin(response.headers)
            async for chunk in response.aiter_bytes():
                step.sink.write(chunk)
            return reply_of(response, b"")

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> AsyncClient[Form]:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


Outcome = Reply | httpx.HTTPError | None


@dataclass(frozen=True)
class Finished(Generic[T]):
    """The end of a plan."""

    result: T


def advance(plan: Plan[T], outcome: Outcome) -> Step | Finished[T]:
    """Tells a plan what came of its last step, and gives the next one."""
    try:
        return plan.throw(outcome) if isinstance(outcome, httpx.HTTPError) else plan.send(outcome)
    except StopIteration as end:
        return Finished(end.value)


def reply_of(response: httpx.Response, body: bytes) -> Reply:
    """An answer of httpx as a plan wants it."""
    headers: Mapping[str, str] = {name.lower(): value for name, value in response.headers.items()}
    return Reply(response.status_code, headers, body)


def checked_address(url: str) -> str:
    """The address of a server, without a slash at its end."""
    address = str(url).strip().rstrip("/")
    wanted = f"{url!r} is not an address that begins with http:// or https://"
    try:
        parsed = httpx.URL(address)
        # What joins addresses reads them by rules of its own.
        parts = urlsplit(address)
        is_whole = bool(parts.hostname) and parts.port != 0
    except (ValueError, httpx.InvalidURL) as error:
        raise BadRequest(f"{wanted}: {error}") from None
    if parsed.scheme not in ("http", "https") or not is_whole:
        raise BadRequest(wanted)
    return address


def checked_key(key: str) -> str | None:
    """A key without blanks around it, as a file has them. The key is a secret: no message repeats it."""
    if not isinstance(key, str):
        raise InvalidKey(f"a key is a str, not {type(key).__name__}")
    stripped = key.strip()
    if not re.fullmatch(r"[!-~]*", stripped):
        raise InvalidKey("the key has characters that no key has; one begins with fin_, then come letters and digits")
    return stripped or None


def chosen_cache(choice: CacheChoice) -> Cache | None:
    """The cache that the caller or the environment chose."""
    if choice is None:
        given = os.environ.get("FINSERVE_CACHE", "1")
        choice = {"0": False, "": False, "1": True}.get(given, given)
    if isinstance(choice, bool):
        return Cache(default_folder()) if choice else None
    return Cache(folder_within(Path(choice)))
