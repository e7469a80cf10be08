"""The state of the server, plans, usage of a key, and events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._arguments import Day, first_day, last_day, text_of_whole
from .._exchange import answer
from .._surface import Answer
from ..records import EventPage, Offer, Status, Usage
from .base import Group

if TYPE_CHECKING:
    from .._wire import Plan


class Service(Group):
    """What is said of the service itself."""

    @Answer
    def status(self) -> Plan[Status]:
        """How fresh each dataset is. This is not counted against the limit."""
        return Status.parse((yield from answer(self.server, "status")))

    @Answer
    def plans(self) -> Plan[tuple[Offer, ...]]:
        """The plans, with their prices and limits."""
        found = yield from answer(self.server, "plans")
        return tuple(Offer.parse(plan) for plan in found["plans"])

    @Answer
    def usage(self, *, start: Day | None = None, end: Day | None = None) -> Plan[Usage]:
        """The requests of the key by day and endpoint, and its plan."""
        query = {"from_": first_day(start), "to": last_day(end)}
        return Usage.parse((yield from answer(self.server, "plans", "usage", **query)))

    @Answer
    def events(self, *, since: str | None = None, limit: int | None = None) -> Plan[EventPage]:
        """What was published after the event `since`; without it, only where to go on from. Needs Platinum."""
        size = text_of_whole(limit, "limit")
        return EventPage.parse((yield from answer(self.server, "events", since=since, limit=size)))
