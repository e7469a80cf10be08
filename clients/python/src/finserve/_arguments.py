"""What callers may write as an argument, and how the API wants it."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterable
from datetime import date, datetime
from decimal import Decimal
from typing import Literal, TypeAlias

Day: TypeAlias = date | str | int
"""A day as `date`, `datetime` or text; a month (`"2024-03"`) or year (`"2024"`, `2024`) stands for its first day
where a range begins and for its last day where it ends."""
Amount: TypeAlias = Decimal | int | float | str

Frequency: TypeAlias = Literal["week", "month", "quarter", "year"]
Aggregate: TypeAlias = Literal["mean", "first", "last", "min", "max", "sum", "compound"]
Units: TypeAlias = Literal[
    "value", "change", "percent_change", "year_ago", "percent_year_ago", "accumulated_12m", "index"
]
Side: TypeAlias = Literal["buy", "sell"]
Months: TypeAlias = Literal["inclusive", "contract"]
RatePeriod: TypeAlias = Literal["day", "month", "year252", "year360", "year365"]
Order: TypeAlias = Literal["newest", "relevance"]
Scope: TypeAlias = Literal["consolidated", "individual"]
StatementPeriod: TypeAlias = Literal["annual", "quarter", "ytd", "ttm"]
FiguresPeriod: TypeAlias = Literal["annual", "quarter", "ttm"]
StatementKind: TypeAlias = Literal[
    "balance-sheet", "income", "comprehensive-income", "cash-flow", "value-added", "equity-changes"
]
ExportFormat: TypeAlias = Literal["ndjson", "csv", "parquet"]
Dialect: TypeAlias = Literal["standard", "br"]

PERIOD = re.compile(r"(\d{4})(?:-(\d{1,2}))?")


def first_day(day: Day | None) -> str | None:
    """The day, or the first one of the month or year."""
    year, month = year_and_month(day)
    if year is None:
        return text_of_day(day)
    return f"{year:04}-{month or 1:02}-01"


def last_day(day: Day | None) -> str | None:
    """The day, or the last one of the month or year."""
    year, month = year_and_month(day)
    if year is None:
        return text_of_day(day)
    month = month or 12
    # A month that does not exist is left for the server to refuse.
    days = calendar.monthrange(year, month)[1] if 1 <= month <= 12 and year else 31
    return f"{year:04}-{month:02}-{days:02}"


def year_and_month(day: Day | None) -> tuple[int, int | None] | tuple[None, None]:
    """The parts of a month or year; nothing of what is a day."""
    if isinstance(day, int):
        return day, None
    found = PERIOD.fullmatch(day.strip()) if isinstance(day, str) else None
    if found is None:
        return None, None
    return int(found[1]), int(found[2]) if found[2] else None


def text_of_day(day: Day | None) -> str | None:
    """A day as the API writes it."""
    if isinstance(day, datetime):
        day = day.date()
    return None if day is None else str(day)


def text_of_number(number: Amount | None) -> str | None:
    """A number without exponent. Numbers of Python mean one thing; texts are left as they are.

    The API refuses amounts such as 1.500, which is 1500 to Brazilians and 1.5 to others; a fourth decimal settles it.
    """
    if number is None or isinstance(number, str):
        return number
    text = format(Decimal(str(number)), "f")
    return text + "0" if re.fullmatch(r"-?\d{1,3}\.\d{3}", text) else text


def text_of_flag(flag: bool | None) -> str | None:
    """A flag as the API writes it."""
    return None if flag is None else str(bool(flag)).lower()


def joined(names: str | Iterable[str] | None) -> str | None:
    """Names separated by commas."""
    return names if names is None or isinstance(names, str) else ",".join(str(name) for name in names)
