"""What callers may write as an argument, and how the API wants it."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterable
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from .errors import BadRequest

if TYPE_CHECKING:
    from typing import TypeGuard


class Period(Protocol):
    """A `Period` of pandas, as far as days are concerned."""

    @property
    def start_time(self) -> datetime: ...
    @property
    def end_time(self) -> datetime: ...


Day: TypeAlias = date | str | int | Period
"""A day as `date`, `datetime` or text; a month (`"2024-03"`) or year (`"2024"`, `2024`) stands for its first day
where a range begins and for its last day where it ends. So do a `Period` of pandas and a `datetime64` of numpy."""
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
    if (period := ends_of_period(day)) is not None:
        return period[0]
    year, month = year_and_month(day)
    if year is None:
        return text_of_day(day)
    return f"{year:04}-{month or 1:02}-01"


def last_day(day: Day | None) -> str | None:
    """The day, or the last one of the month or year."""
    if (period := ends_of_period(day)) is not None:
        return period[1]
    year, month = year_and_month(day)
    if year is None:
        return text_of_day(day)
    month = month or 12
    # A month that does not exist is left for the server to refuse.
    days = calendar.monthrange(year, month)[1] if 1 <= month <= 12 and 1 <= year <= 9999 else 31
    return f"{year:04}-{month:02}-{days:02}"


def ends_of_period(day: Any) -> tuple[str, str] | None:
    """The first and the last day of a `Period` of pandas."""
    try:
        return day.start_time.date().isoformat(), day.end_time.date().isoformat()
    except (AttributeError, ValueError):
        return None


def year_and_month(day: Day | None) -> tuple[int, int | None] | tuple[None, None]:
    """The parts of a month or year; nothing of what is a day."""
    if is_whole(day):
        return int(day), None
    text = str(day) if is_numpy_day(day) else day
    found = PERIOD.fullmatch(text.strip()) if isinstance(text, str) else None
    if found is None:
        return None, None
    return int(found[1]), int(found[2]) if found[2] else None


def text_of_day(day: Day | None) -> str | None:
    """A day as the API writes it."""
    if day is None or isinstance(day, str):
        return day
    # A missing time of pandas is a `datetime` too, and numpy has one of its own.
    if str(day) == "NaT":
        raise BadRequest("NaT is not a day")
    if isinstance(day, datetime):
        return day.date().isoformat()
    if isinstance(day, date):
        return day.isoformat()
    if is_numpy_day(day):
        return str(day).partition("T")[0]
    if is_whole(day):
        return str(int(day))
    if (period := ends_of_period(day)) is not None and period[0] == period[1]:
        return period[0]
    raise BadRequest(f"{day!r} is not a day: give a date, a text such as 2024-03-31, or a year")


def is_whole(value: Any) -> TypeGuard[int]:
    """Whether a value is an integer of Python or of numpy; flags are none."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_numpy_day(value: Any) -> bool:
    """Whether a value is a `datetime64`."""
    return type(value).__name__ == "datetime64"


def text_of_number(number: Amount | None) -> str | None:
    """A number without exponent. Numbers of Python mean one thing; texts are left as they are.

    The API refuses amounts such as 1.500, which is 1500 to Brazilians and 1.5 to others; a fourth decimal settles it.
    """
    if number is None or isinstance(number, str):
        return number
    try:
        text = format(Decimal(str(number)), "f")
    except InvalidOperation:
        raise BadRequest(f"{number!r} is not a number") from None
    return text + "0" if re.fullmatch(r"-?\d{1,3}\.\d{3}", text) else text


def text_of_flag(flag: bool | None) -> str | None:
    """A flag as the API writes it; its own texts are known too."""
    if flag is None:
        return None
    text = str(flag).lower()
    if text not in ("true", "false"):
        raise BadRequest(f"{flag!r} is neither True nor False")
    return text


def is_set(flag: bool | None) -> bool:
    """Whether a flag is given and true."""
    return text_of_flag(flag) == "true"


def whole(number: int | None, name: str) -> int | None:
    """A whole number, such as a limit, also of numpy or as text."""
    if number is None:
        return None
    if is_whole(number):
        return int(number)
    if isinstance(number, str) and re.fullmatch(r"\s*-?\d{1,18}\s*", number, re.ASCII):
        return int(number)
    error = BadRequest(f"{name}={number!r} is not a whole number")
    error.parameter = name
    raise error


def text_of_whole(number: int | None, name: str) -> str | None:
    """A whole number as the API writes it."""
    number = whole(number, name)
    return None if number is None else str(number)


def joined(names: str | Iterable[str] | None) -> str | None:
    """Names separated by commas."""
    return names if names is None or isinstance(names, str) else ",".join(str(name) for name in names)
