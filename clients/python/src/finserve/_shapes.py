"""What tables are given as: frames of pandas or polars, tables of Arrow, or lists of objects.

The libraries are imported when they are first used, so that none of them is needed.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable
from datetime import date, timezone
from decimal import Decimal
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeVar, overload

from ._tables import Column, Table
from .errors import BadRequest

if TYPE_CHECKING:
    from .records import Record

R = TypeVar("R")
# The time of filings is that of Brasília.
ZONE = "America/Sao_Paulo"
# What frames without attributes of their own are given, and Arrow's metadata.
META = "finserve"


class Rows(list[R]):
    """A list of objects, with what the server says of all of them in `meta`."""

    def __init__(self, rows: Iterable[R] = (), meta: dict[str, Any] | None = None) -> None:
        super().__init__(rows)
        self.meta = meta or {}

    @overload
    def __getitem__(self, place: SupportsIndex) -> R: ...
    @overload
    def __getitem__(self, place: slice) -> Rows[R]: ...
    def __getitem__(self, place: SupportsIndex | slice) -> R | Rows[R]:
        """A row, or a part of the list, of which the server says the same."""
        if isinstance(place, slice):
            return Rows(super().__getitem__(place), self.meta)
        return super().__getitem__(place)

    def copy(self) -> Rows[R]:
        """The same rows again."""
        return self[:]


class Pandas:
    """Marks clients that give frames of pandas."""


class Polars:
    """Marks clients that give frames of polars."""


class Arrow:
    """Marks clients that give tables of Arrow."""


class Plain:
    """Marks clients that give lists of objects."""


# What Python writes the columns of keys with.
KEY_TYPES: dict[str, type] = {"text": str, "integer": int, "date": date}


class Shape(ABC):
    """One of these forms: how to build it, and how to replace some of its rows."""

    def __init__(self, numbers: type[float | Decimal]) -> None:
        self.numbers = numbers

    def differences(self, frame: Any, table: Table[Any], record: type[Record]) -> str | None:
        """How a frame differs from a table of these columns in what `merge` cannot restore."""
        held, wanted = self.columns(frame), [column.name for column in table.columns]
        if lacking := [name for name in wanted if name not in held]:
            return f"it lacks {named(lacking)}"
        if more := [name for name in held if name not in wanted]:
            return f"it has {named(more)} besides"
        return "it has a column twice" if len(held) > len(wanted) else None

    @abstractmethod
    def build(self, table: Table[Any]) -> Any:
        """The table in this form."""

    @abstractmethod
    def columns(self, frame: Any) -> list[str]:
        """The names of the frame's columns, with those of its index."""

    @abstractmethod
    def keys(self, frame: Any, names: list[str]) -> list[tuple[Any, ...]]:
        """The key of each row: its values in these columns, as Python writes them."""

    @abstractmethod
    def build_like(self, frame: Any, table: Table[Any]) -> Any:
        """The table with the columns of the frame in their order, its index, and its type of figures."""

    @abstractmethod
    def merge(self, frame: Any, keep: list[bool], new: Table[Any]) -> Any:
        """The rows to keep and the new ones, with what is said of the new ones; sorted, if the table has an index.

        Columns keep their types, except that decimals get as many digits as the new ones need.
        """

    @abstractmethod
    def meta(self, frame: Any) -> dict[str, Any]:
        """What is said of a frame; nothing, if that was lost on the way."""


class PandasShape(Shape):
    """Frames of pandas. What is said of them is in `attrs`."""

    def build(self, table: Table[Any]) -> Any:
        import pandas

        frame: Any = pandas.DataFrame({column.name: self.column(column) for column in table.columns})
        frame = frame.set_index(table.index) if table.index else frame
        frame.attrs = dict(table.meta)
        return frame

    def column(self, column: Column) -> Any:
        """A column with the type that pandas has for it."""
        import pandas

        series: Any = pandas.Series
        values, has_gaps = column.values, None in column.values
        if column.kind == "number":
            return series(values, dtype=object if self.numbers is Decimal else "float64")
        if column.kind == "integer":
            return series(values, dtype="Int64" if has_gaps else "int64")
        if column.kind == "flag":
            return series(values, dtype="boolean" if has_gaps else "bool")
        if column.kind == "date":
            return series(moments(values))
        if column.kind == "time":
            naive = [
                value if value is None else value.astimezone(timezone.utc).replace(tzinfo=None) for value in values
            ]
            return series(moments(naive)).dt.tz_localize("UTC").dt.tz_convert(ZONE)
        if column.kind == "text":
            # Version 3 has a type for text.
            return series(values, dtype="str" if int(pandas.__version__.split(".")[0]) >= 3 else object)
        return series([value if value is None else list(value) for value in values], dtype=object)

    def differences(self, frame: Any, table: Table[Any], record: type[Record]) -> str | None:
        found = super().differences(frame, table, record)
        level = flat(frame)
        for one in table.columns if found is None else []:
            held = level[one.name].dtype
            # Days and times of two types make a column of neither.
            zone = getattr(held, "tz", None)
            is_same = str(zone) == ZONE if one.kind == "time" else zone is None
            if one.kind in ("date", "time") and not (held.kind == "M" and is_same):
                return f"its column {one.name} is {held}"
        return found

    def columns(self, frame: Any) -> list[str]:
        return list(flat(frame).columns)

    def keys(self, frame: Any, names: list[str]) -> list[tuple[Any, ...]]:
        level = flat(frame)
        columns = [level[name] for name in names]
        lists = [column.dt.date if str(column.dtype).startswith("datetime") else column for column in columns]
        return list(zip(*(column.tolist() for column in lists), strict=True))

    def build_like(self, frame: Any, table: Table[Any]) -> Any:
        level = flat(frame)
        figures = [level[column.name].dtype for column in table.columns if column.kind == "number"]
        numbers = self.numbers if not figures else Decimal if object in figures else float
        built = flat(PandasShape(numbers).build(table))[list(level.columns)]
        return indexed_like(frame, built, table)

    def merge(self, frame: Any, keep: list[bool], new: Table[Any]) -> Any:
        import numpy
        import pandas

        old = flat(frame).loc[numpy.array(keep, dtype=bool)]
        parts = [old, flat(self.build_like(frame, new))]
        # An empty frame would change the types of the columns.
        filled = [part for part in parts if len(part)] or parts[:1]
        merged = pandas.concat(filled, ignore_index=True)
        merged = merged.sort_values(new.index, kind="stable", ignore_index=True) if new.index else merged
        return indexed_like(frame, merged, new)

    def meta(self, frame: Any) -> dict[str, Any]:
        return dict(frame.attrs)


def flat(frame: Any) -> Any:
    """A frame of pandas whose index is a column too, if it has a name."""
    require_kind(frame, "DataFrame")
    names = list(frame.index.names)
    if names == [None]:
        if frame.index.inferred_type not in ("integer", "empty") and len(frame):
            raise BadRequest("the index of this table has no name: name it as its column, or use reset_index()")
        return frame.reset_index(drop=True)
    return frame.reset_index(drop=all(name in frame.columns for name in names))


def indexed_like(frame: Any, level: Any, table: Table[Any]) -> Any:
    """A flat frame with the index of another frame, and what is said of the table."""
    names = list(frame.index.names)
    if names != [None]:
        level = level.set_index(names, drop=not all(name in frame.columns for name in names))
    level.attrs = dict(table.meta)
    return level


class PolarsShape(Shape):
    """Frames of polars. They have no attributes: `meta_of` finds them as long as the frame is not changed."""

    def build(self, table: Table[Any]) -> Any:
        import polars

        return self.described(polars.DataFrame([self.column(column) for column in table.columns]), table.meta)

    def described(self, frame: Any, meta: dict[str, Any]) -> Any:
        """The frame with a note of what is said of it."""
        setattr(frame, META, dict(meta))
        return frame

    def column(self, column: Column) -> Any:
        """A column with the type that polars has for it."""
        import polars

        values = column.values
        if column.kind == "number":
            if self.numbers is Decimal:
                return polars.Series(column.name, values, dtype=polars.Decimal(38, decimals(values)))
            values = [None if value is None else float(value) for value in values]
        types: dict[str, Any] = {
            "number": polars.Float64,
            "integer": polars.Int64,
            "flag": polars.Boolean,
            "date": polars.Date,
            "time": polars.Datetime("us", ZONE),
            "text": polars.String,
            "texts": polars.List(polars.String),
        }
        return polars.Series(column.name, values, dtype=types[column.kind])

    def columns(self, frame: Any) -> list[str]:
        require_kind(frame, "DataFrame")
        return list(frame.columns)

    def keys(self, frame: Any, names: list[str]) -> list[tuple[Any, ...]]:
        return list(frame.select(names).iter_rows())

    def build_like(self, frame: Any, table: Table[Any]) -> Any:
        figures = [frame.schema[column.name] for column in table.columns if column.kind == "number"]
        is_exact = any(kind.is_decimal() for kind in figures) if figures else self.numbers is Decimal
        built = PolarsShape(Decimal if is_exact else float).build(table)
        return self.described(built.select(frame.columns), table.meta)

    def merge(self, frame: Any, keep: list[bool], new: Table[Any]) -> Any:
        import polars

        added = self.build_like(frame, new)
        types = {name: widest(kind, added.schema[name]) for name, kind in frame.schema.items()}
        old = frame.filter(polars.Series(keep, dtype=polars.Boolean))
        merged = polars.concat([old.cast(types), added.cast(types)])
        return self.described(merged.sort(new.index, maintain_order=True) if new.index else merged, new.meta)

    def meta(self, frame: Any) -> dict[str, Any]:
        return dict(getattr(frame, META, {}))


class ArrowShape(Shape):
    """Tables of Arrow. What is said of them is in the metadata of the schema, as JSON under `finserve`."""

    def build(self, table: Table[Any]) -> Any:
        import pyarrow

        columns = {column.name: self.column(column) for column in table.columns}
        return self.described(pyarrow.table(columns), table.meta)

    def described(self, frame: Any, meta: dict[str, Any]) -> Any:
        """The table with a note of what is said of it."""
        return frame.replace_schema_metadata({META: json.dumps(meta)})

    def column(self, column: Column) -> Any:
        """A column with the type that Arrow has for it."""
        import pyarrow

        types: dict[str, Any] = {
            "number": pyarrow.float64(),
            "integer": pyarrow.int64(),
            "flag": pyarrow.bool_(),
            "date": pyarrow.date32(),
            "time": pyarrow.timestamp("us", ZONE),
            "text": pyarrow.string(),
            "texts": pyarrow.list_(pyarrow.string()),
        }
        values = column.values
        if column.kind == "number":
            if self.numbers is Decimal:
                return pyarrow.array(values, pyarrow.decimal128(38, decimals(values)))
            values = [None if value is None else float(value) for value in values]
        return pyarrow.array(values, types[column.kind])

    def columns(self, frame: Any) -> list[str]:
        require_kind(frame, "Table")
        return list(frame.column_names)

    def keys(self, frame: Any, names: list[str]) -> list[tuple[Any, ...]]:
        return list(zip(*(frame[name].to_pylist() for name in names), strict=True))

    def build_like(self, frame: Any, table: Table[Any]) -> Any:
        import pyarrow

        figures = [frame.schema.field(column.name).type for column in table.columns if column.kind == "number"]
        is_exact = any(pyarrow.types.is_decimal(kind) for kind in figures) if figures else self.numbers is Decimal
        return ArrowShape(Decimal if is_exact else float).build(table).select(frame.column_names)

    def merge(self, frame: Any, keep: list[bool], new: Table[Any]) -> Any:
        import pyarrow

        added = self.build_like(frame, new)
        types = [widest(field.type, added.schema.field(field.name).type) for field in frame.schema]
        schema = pyarrow.schema(list(zip(frame.column_names, types, strict=True)))
        old = frame.filter(pyarrow.array(keep, pyarrow.bool_())).replace_schema_metadata(None)
        merged = pyarrow.concat_tables([old.cast(schema), added.replace_schema_metadata(None).cast(schema)])
        return self.described(merged.sort_by(new.index) if new.index else merged, new.meta)

    def meta(self, frame: Any) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((frame.schema.metadata or {}).get(META.encode(), b"{}"))
        return found


class RowsShape(Shape):
    """Lists of objects, whose figures are always `Decimal`."""

    def build(self, table: Table[Any]) -> Rows[Any]:
        return Rows(table.objects(), table.meta)

    def differences(self, frame: Any, table: Table[Any], record: type[Record]) -> str | None:
        if not isinstance(frame, list):
            return f"it is {type(frame).__name__}"
        others = {type(row).__name__ for row in frame if type(row) is not record}
        return f"it holds {named(others)} instead of {record.__name__}" if others else None

    def columns(self, frame: Any) -> list[str]:
        return []

    def build_like(self, frame: Rows[Record], table: Table[Any]) -> Rows[Any]:
        return self.build(table)

    def keys(self, frame: Rows[Record], names: list[str]) -> list[tuple[Any, ...]]:
        return [tuple(getattr(row, name) for name in names) for row in frame]

    def merge(self, frame: Rows[Record], keep: list[bool], new: Table[Any]) -> Rows[Any]:
        kept = [row for row, is_kept in zip(frame, keep, strict=True) if is_kept]
        rows = kept + new.objects()
        index = new.index
        if index:
            rows.sort(key=lambda row: getattr(row, index))
        return Rows(rows, new.meta)

    def meta(self, frame: Any) -> dict[str, Any]:
        return dict(getattr(frame, "meta", {}))


SHAPES: dict[str, type[Shape]] = {
    "pandas": PandasShape,
    "polars": PolarsShape,
    "arrow": ArrowShape,
    "rows": RowsShape,
}


def shape_named(name: str, numbers: type[float | Decimal]) -> Shape:
    """The shape of a name; `auto` is pandas if it is installed, otherwise lists of objects."""
    if name == "auto":
        name = "pandas" if find_spec("pandas") else "rows"
    if name not in SHAPES:
        raise BadRequest(f"tables={name!r} is none of auto, {', '.join(SHAPES)}")
    if numbers not in (float, Decimal):
        raise BadRequest(f"numbers={numbers!r} is neither float nor Decimal")
    library = "pyarrow" if name == "arrow" else name
    if name != "rows" and not find_spec(library):
        raise ImportError(f"tables={name!r} needs {library}: pip install 'finserve[{name}]'")
    return SHAPES[name](numbers)


def shape_of(frame: Any, numbers: type[float | Decimal]) -> Shape:
    """The shape that a frame has."""
    library = type(frame).__module__.partition(".")[0]
    name = "arrow" if library == "pyarrow" else library
    return SHAPES["rows" if isinstance(frame, list) or name not in SHAPES else name](numbers)


def meta_of(frame: Any) -> dict[str, Any]:
    """What the server says of a table: source, licence, unit, data version and more.

    Frames of pandas have it in `attrs`, lists of objects in `meta`; for the others this finds it. Most operations of
    polars lose it.
    """
    return shape_of(frame, float).meta(frame)


def moments(values: list[Any]) -> Any:
    """Days or times for pandas, in microseconds: companies have filed dates in the year 3025, beyond nanoseconds."""
    import numpy

    return numpy.array(values, dtype="datetime64[us]")


def require_kind(frame: Any, kind: str) -> None:
    """Refuses what is another type of a library than its table, or one derived from that."""
    if kind not in (one.__name__ for one in type(frame).__mro__):
        raise BadRequest(f"a {type(frame).__name__} is no {kind}, which update wants")


def named(names: Iterable[object]) -> str:
    """Names in a sentence."""
    return ", ".join(sorted(map(str, names)))


def widest(old: Any, new: Any) -> Any:
    """The type of a column of polars or Arrow that gets new values: its own, with enough digits behind the point."""
    held, needed = getattr(old, "scale", None), getattr(new, "scale", None)
    return new if held is not None and needed is not None and needed > held else old


def decimals(values: list[Any]) -> int:
    """The most digits behind the point."""
    exponents = [value.as_tuple().exponent for value in values if value is not None]
    return max((-exponent for exponent in exponents if isinstance(exponent, int)), default=0)
