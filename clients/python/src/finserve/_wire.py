"""Requests and answers, and the steps between them that a client performs: sending and waiting.

Everything the package knows about the API is written as plans: generators that yield steps and receive what came of
them. A plan never touches a socket, so the same plan serves `Client`, which blocks, and `AsyncClient`, which awaits.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Protocol, TypeVar

from .errors import UnexpectedAnswer

T = TypeVar("T")


@dataclass(frozen=True)
class Request:
    """A GET of an address."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Reply:
    """An answer. The names of its headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """The body as JSON; numbers with a decimal point keep their digits as `Decimal`."""
        try:
            return json.loads(self.body, parse_float=Decimal)
        except (ValueError, RecursionError):
            raise UnexpectedAnswer("the answer is not JSON: is this the address of a finserve server?") from None


class Sink(Protocol):
    """Where the body of a large answer goes as it arrives."""

    def begin(self, headers: Mapping[str, str]) -> None:
        """Forgets what an earlier attempt wrote."""

    def write(self, chunk: bytes, /) -> None:
        """Takes the next part of the body."""


@dataclass(frozen=True)
class Send:
    """A step: send the request. Its outcome is a `Reply`, or an `httpx.HTTPError` thrown into the plan.

    With a sink, the body of a success goes there, and that of the reply is empty.
    """

    request: Request
    sink: Sink | None = None


@dataclass(frozen=True)
class Wait:
    """A step: wait for so many seconds."""

    seconds: float


Step = Send | Wait
Plan = Generator[Step, Reply | None, T]
