"""Tables between the API and the libraries that show them: columns of Python values, built of rows of JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Generic, TypeVar

from .records import Kind, Record, attributes

R = TypeVar("R")
P = TypeVar("P", bound=Record)


@dataclass(frozen=True)
class Column:
    """A column: values of one kind, None where there is none."""

    name: str
    kind: Kind
    values: list[Any]


@dataclass(frozen=True)
class Table(Generic[R]):
    """Rows as columns, with what is said of all of them, and the objects that the same rows are.

    `index` names the column by which rows are looked up, and by which they are sorted.
    """

    columns: list[Column]
    objects: Callable[[], list[R]]
    meta: dict[str, Any]
    index: str | None = None


def table_of(
    record: type[P],
    rows: list[dict[str, Any]],
    meta: Mapping[str, Any],
    index: str | None = None,
    leave_out: Iterable[str] = (),
) -> Table[P]:
    """The table of rows that are records of one type. Columns that no row may have can be left out."""
    columns = []
    for attribute in attributes(record):
        if attribute.kind != "other" and attribute.name not in leave_out:
            read, name = attribute.read, attribute.json
            values = [None if row.get(name) is None else read(row[name]) for row in rows]
            columns.append(Column(attribute.name, attribute.kind, values))
    return Table(columns, lambda: [record.parse(row) for row in rows], plain(meta), index)


def plain(value: Any) -> Any:
    """JSON whose figures are floats, so that whatever stores the attributes of a frame can write them."""
    if isinstance(value, Mapping):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return float(value) if isinstance(value, Decimal) else value
