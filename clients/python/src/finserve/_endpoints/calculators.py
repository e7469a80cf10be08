"""Calculators, and the calendar of business days. All of them are on every plan."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any

from .._arguments import (
    Amount,
    Day,
    Months,
    RatePeriod,
    Side,
    first_day,
    is_set,
    last_day,
    text_of_day,
    text_of_flag,
    text_of_number,
)
from .._exchange import answer
from .._surface import Answer
from ..records import Accumulation, CalendarDay, Conversion, ConvertedRate, Correction, RealRate
from .base import PAGE, Group

if TYPE_CHECKING:
    from .._wire import Plan


class Calculators(Group):
    """Amounts adjusted by an index, accumulated rates, conversions, real rates and business days."""

    @Answer
    def correct(
        self,
        amount: Amount,
        index: str,
        start: Day,
        end: Day | None = None,
        *,
        months: Months | None = None,
        percent: Amount | None = None,
        spread: Amount | None = None,
        steps: bool | None = None,
        as_of: Day | None = None,
    ) -> Plan[Correction]:
        """An amount of the day `start`, adjusted to the day `end` by an index such as `ipca`, `selic` or `cdi`.

        Without `end` it goes up to the newest figure. `percent=110` counts 110 % of each rate, `spread` adds percent
        a year, `months="contract"` leaves the month of `end` out, `steps=True` lists every observation.
        """
        query = {
            "amount": text_of_number(amount),
            "index": index,
            "from_": first_day(start),
            "to": last_day(end),
            "months": months,
            "percent": text_of_number(percent),
            "spread": text_of_number(spread),
            "as_of": last_day(as_of),
        }
        return Correction.parse((yield from self._with_steps("correction", steps, query)))

    @Answer
    def accumulate(
        self,
        series: str | int,
        start: Day,
        end: Day | None = None,
        *,
        months: Months | None = None,
        steps: bool | None = None,
        as_of: Day | None = None,
    ) -> Plan[Accumulation]:
        """A series compounded between two days, both included: the inflation of a year, the CDI of a month."""
        query = {
            "series": str(series),
            "from_": first_day(start),
            "to": last_day(end),
            "months": months,
            "as_of": last_day(as_of),
        }
        return Accumulation.parse((yield from self._with_steps("accumulated", steps, query)))

    @Answer
    def convert(
        self,
        amount: Amount,
        source: str,
        target: str,
        *,
        date: Day | None = None,
        side: Side | None = None,
        as_of: Day | None = None,
    ) -> Plan[Conversion]:
        """An amount in another currency, at the closing rates (PTAX) of a day."""
        query = {
            "amount": text_of_number(amount),
            "from_": source,
            "to": target,
            "date": last_day(date),
            "side": side,
            "as_of": last_day(as_of),
        }
        return Conversion.parse((yield from answer(self.server, "calc", "convert", **query)))

    @Answer
    def real_rate(
        self,
        start: Day,
        end: Day | None = None,
        *,
        interest: str | None = None,
        inflation: str | None = None,
        percent: Amount | None = None,
        steps: bool | None = None,
        as_of: Day | None = None,
    ) -> Plan[RealRate]:
        """Interest (the Selic, unless you name another) less inflation (the IPCA), over whole months."""
        query = {
            "from_": first_day(start),
            "to": last_day(end),
            "interest": interest,
            "inflation": inflation,
            "percent": text_of_number(percent),
            "as_of": last_day(as_of),
        }
        return RealRate.parse((yield from self._with_steps("real-rate", steps, query)))

    @Answer
    def rate(self, value: Amount, source: RatePeriod, target: RatePeriod) -> Plan[ConvertedRate]:
        """An interest rate in percent for another period: `rate("13.75", "year252", "month")`."""
        query = {"value": text_of_number(value), "from_": source, "to": target}
        return ConvertedRate.parse((yield from answer(self.server, "calc", "rate", **query)))

    @Answer
    def calendar(self, date: Day) -> Plan[CalendarDay]:
        """Whether a day is a business day, which holiday it is, and the business days around it."""
        return CalendarDay.parse((yield from answer(self.server, "calendar", text_of_day(date) or "")))

    @Answer
    def business_days(self, start: Day | None = None, end: Day | None = None) -> Plan[list[datetime.date]]:
        """The business days of a range, both ends included; by default the next 30 days."""
        query = {"from_": first_day(start), "to": last_day(end)}
        found = yield from answer(self.server, "calendar", "business-days", **query)
        return [datetime.date.fromisoformat(day) for day in found["data"]]

    def _with_steps(self, calculator: str, steps: bool | None, query: dict[str, str | None]) -> Plan[dict[str, Any]]:
        """The answer of a calculator, with the steps of all pages."""
        path = ["calc", calculator]
        if not is_set(steps):
            return (yield from answer(self.server, *path, steps=text_of_flag(steps), **query))
        whole: dict[str, Any] | None = None
        offset = 0
        while True:
            page = {"limit": str(PAGE), "offset": str(offset)}
            found = yield from answer(self.server, *path, steps="true", **page, **query)
            whole = whole or found
            parts = [found] if "steps" in found else [found["interest"], found["inflation"]]
            if whole is not found:
                wholes = [whole] if "steps" in whole else [whole["interest"], whole["inflation"]]
                for one, part in zip(wholes, parts, strict=True):
                    one["steps"] += part["steps"]
            offset += PAGE
            if all(offset >= part["periods"] for part in parts):
                return whole
