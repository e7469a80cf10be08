"""What endpoints need of the client that they belong to."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .._exchange import Server
    from .._shapes import Shape

# The most rows of a page that the API gives of market histories, of other lists, and of statements.
MARKET_PAGE = 10_000
PAGE = 1_000
STATEMENT_PAGE = 200


class Group:
    """A group of endpoints."""

    server: Server
    shape: Shape
    progress: bool | None
