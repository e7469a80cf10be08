"""Brazil's financial data in Python, from a finserve server.

>>> from finserve import Client
>>> fin = Client("http://localhost:8080", key="fin_…")        # or FINSERVE_URL and FINSERVE_KEY
>>> fin.series("ipca", start="2015", units="accumulated_12m")
>>> fin.correct(1000, "ipca", "2020-01", "2025-12").result
Decimal('1391.53')

`Client` blocks, `AsyncClient` is awaited; both have the same methods. Tables are pandas frames where pandas is
installed, otherwise lists of the objects in `finserve.records`. What goes wrong is a `FinserveError`.
"""

from __future__ import annotations

from . import records
from ._shapes import Rows, meta_of
from .client import AsyncClient, Client
from .errors import (
    BadRequest,
    ConnectionFailed,
    FinserveError,
    InvalidKey,
    NotFound,
    PlanRequired,
    RateLimited,
    ServerError,
    UnexpectedAnswer,
)
from .version import VERSION as __version__

__all__ = [
    "AsyncClient",
    "BadRequest",
    "Client",
    "ConnectionFailed",
    "FinserveError",
    "InvalidKey",
    "NotFound",
    "PlanRequired",
    "RateLimited",
    "Rows",
    "ServerError",
    "UnexpectedAnswer",
    "__version__",
    "meta_of",
    "records",
]
