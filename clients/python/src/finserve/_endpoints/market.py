"""Interest rates, inflation, exchange rates and other series of the central bank."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

from .._arguments import (
    Aggregate,
    Day,
    Frequency,
    Side,
    Units,
    first_day,
    is_set,
    joined,
    last_day,
    text_of_flag,
)
from .._exchange import answer, listing
from .._surface import Answer, Tabular
from .._tables import Column, Table, plain, table_of
from ..errors import BadRequest
from ..records import (
    CurrentFxRate,
    CurrentRate,
    Decision,
    FxObservation,
    FxPair,
    Observation,
    Overview,
    Revision,
    Series,
    Summary,
    attributes,
)
from .base import MARKET_PAGE, PAGE, Group

if TYPE_CHECKING:
    from typing import TypeGuard

    from .._wire import Plan


class Market(Group):
    """Market data."""

    @Tabular
    def series(
        self,
        ids: str | int | Sequence[str | int],
        *,
        start: Day | None = None,
        end: Day | None = None,
        frequency: Frequency | None = None,
        aggregate: Aggregate | None = None,
        units: Units | None = None,
        base: Day | None = None,
        only: Literal["changes"] | None = None,
        partial: bool | None = None,
        as_of: Day | None = None,
        first_release: bool | None = None,
        limit: int | None = None,
    ) -> Plan[Table[Observation]]:
        """The history of a series, or of up to ten side by side, oldest first, one column a series.

        Series are named as the server names them (`ipca`, `igp-m`, `cdi`) or by their number in SGS; `list_series`
        finds them. `units="accumulated_12m"` and the like transform the figures, `frequency="month"` gives a row a
        month, `as_of` what was known on a day. `limit` keeps the newest rows. Histories of more than 12 months need
        the Gold plan.
        """
        names = [str(one) for one in ids] if is_several(ids) else [str(ids)]
        if not names:
            raise BadRequest("no series is named")
        query = {
            "from_": first_day(start),
            "to": last_day(end),
            "frequency": frequency,
            "aggregate": aggregate,
            "units": units,
            "base": first_day(base),
            "only": only,
            "partial": text_of_flag(partial),
            "as_of": last_day(as_of),
            "first_release": text_of_flag(first_release),
        }
        path = ["market", "series"]
        if len(names) == 1:
            path.append(names[0])
        else:
            query["ids"] = joined(names)
        found = yield from listing(self.server, *path, page=MARKET_PAGE, limit=limit, **query)
        rows = [{names[0]: row["value"], **row} if len(names) == 1 else row for row in reversed(found.rows)]
        return observations(names, rows, found.meta, with_partial=is_set(partial))

    @Answer
    def current(self, series: str | int, *, as_of: Day | None = None) -> Plan[CurrentRate]:
        """The newest figure of a series."""
        path = ["market", "series", str(series), "current"]
        return CurrentRate.parse((yield from answer(self.server, *path, as_of=last_day(as_of))))

    @Answer
    def overview(self, *, as_of: Day | None = None) -> Plan[Overview]:
        """The newest Selic, CDI, IPCA and dollar."""
        return Overview.parse((yield from answer(self.server, "market", "overview", as_of=last_day(as_of))))

    @Answer
    def summary(
        self,
        series: str | int,
        *,
        start: Day | None = None,
        end: Day | None = None,
        as_of: Day | None = None,
    ) -> Plan[Summary]:
        """The count, extremes, mean and standard deviation of a series."""
        path = ["market", "series", str(series), "summary"]
        days = {"from_": first_day(start), "to": last_day(end), "as_of": last_day(as_of)}
        return Summary.parse((yield from answer(self.server, *path, **days)))

    @Tabular
    def revisions(
        self,
        series: str | int,
        *,
        start: Day | None = None,
        end: Day | None = None,
        limit: int | None = None,
    ) -> Plan[Table[Revision]]:
        """The days of a series that had more than one value, each value with when it was known; oldest first."""
        path = ["market", "series", str(series), "revisions"]
        days = {"from_": first_day(start), "to": last_day(end)}
        found = yield from listing(self.server, *path, page=MARKET_PAGE, limit=limit, **days)
        return table_of(Revision, found.rows[::-1], found.meta, index="date")

    @Tabular
    def decisions(
        self, *, start: Day | None = None, end: Day | None = None, limit: int | None = None
    ) -> Plan[Table[Decision]]:
        """What the Copom decided on the Selic target, oldest first, by the first day on which it is in force.

        `upcoming` in the attributes of the table lists the meetings to come.
        """
        path = ["market", "selic", "decisions"]
        days = {"from_": first_day(start), "to": last_day(end)}
        found = yield from listing(self.server, *path, page=MARKET_PAGE, limit=limit, **days)
        meta = {**found.meta, "upcoming": found.first.get("upcoming", [])}
        return table_of(Decision, found.rows[::-1], meta, index="effective_from")

    @Tabular
    def fx(
        self,
        pair: str = "USD/BRL",
        *,
        start: Day | None = None,
        end: Day | None = None,
        side: Side | None = None,
        frequency: Frequency | None = None,
        aggregate: Aggregate | None = None,
        units: Units | None = None,
        base: Day | None = None,
        only: Literal["changes"] | None = None,
        partial: bool | None = None,
        as_of: Day | None = None,
        first_release: bool | None = None,
        limit: int | None = None,
    ) -> Plan[Table[FxObservation]]:
        """The history of an exchange rate (PTAX, closing), oldest first: `buy` and `sell` in reais per unit.

        A transformed history, such as `frequency="month"`, is of one `side` (`sell` by default), in the column
        `value`.
        """
        query = {
            "pair": pair,
            "from_": first_day(start),
            "to": last_day(end),
            "side": side,
            "frequency": frequency,
            "aggregate": aggregate,
            "units": units,
            "base": first_day(base),
            "only": only,
            "partial": text_of_flag(partial),
            "as_of": last_day(as_of),
            "first_release": text_of_flag(first_release),
        }
        found = yield from listing(self.server, "market", "fx", page=MARKET_PAGE, limit=limit, **query)
        rows = [{"pair": pair, **row} for row in reversed(found.rows)]
        transformed = "transformation" in found.meta
        absent = {"pair", "partial", "value"} if not transformed else {"pair", "buy", "sell"}
        if transformed and not is_set(partial):
            absent.add("partial")
        for row in rows if transformed and is_set(partial) else []:
            row.setdefault("partial", False)
        return table_of(FxObservation, rows, {**found.meta, "pair": pair}, index="date", leave_out=absent)

    @Answer
    def current_fx(self, pair: str = "USD/BRL", *, as_of: Day | None = None) -> Plan[CurrentFxRate]:
        """The newest exchange rate of a currency."""
        query = {"pair": pair, "as_of": last_day(as_of)}
        return CurrentFxRate.parse((yield from answer(self.server, "market", "fx", "current", **query)))

    @Tabular
    def pairs(self, *, limit: int | None = None) -> Plan[Table[FxPair]]:
        """The currencies that have exchange rates, with their days."""
        found = yield from listing(self.server, "market", "fx", "pairs", page=PAGE, limit=limit)
        return table_of(FxPair, found.rows, found.meta)

    @Tabular
    def list_series(self, query: str | None = None, *, limit: int | None = None) -> Plan[Table[Series]]:
        """The series that the server holds; with words, also well-known ones that it could fetch."""
        found = yield from listing(self.server, "market", "series", page=PAGE, limit=limit, q=query)
        return table_of(Series, found.rows, found.meta)


def is_several(ids: str | int | Sequence[str | int]) -> TypeGuard[Sequence[str | int]]:
    """Whether names of series are a list of them; single ones may be integers of numpy."""
    return isinstance(ids, Iterable) and not isinstance(ids, str | bytes)


def observations(
    names: list[str], rows: list[dict[str, Any]], meta: dict[str, Any], *, with_partial: bool
) -> Table[Observation]:
    """The table of series side by side."""
    day = next(attribute for attribute in attributes(Observation) if attribute.name == "date")
    columns = [Column("date", "date", [day.read(row["date"]) for row in rows])]
    for name in names:
        values = [None if row.get(name) is None else Decimal(row[name]) for row in rows]
        columns.append(Column(name, "number", values))
    if with_partial:
        columns.append(Column("partial", "flag", [bool(row.get("partial")) for row in rows]))

    def objects() -> list[Observation]:
        return [Observation.parse({**row, "values": {name: row.get(name) for name in names}}) for row in rows]

    return Table(columns, objects, plain(meta), index="date")
