"""The endpoints of the API, by subject. Each is written once, as a plan; `_surface` makes methods of them."""

from __future__ import annotations

from .calculators import Calculators
from .companies import Companies
from .exports import Exports
from .market import Market
from .service import Service
from .statements import Statements

__all__ = ["Endpoints"]


class Endpoints(Market, Calculators, Companies, Statements, Exports, Service):
    """All of them."""
