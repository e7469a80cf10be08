"""Whole datasets in one request, and what changed in them since."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal

from .._arguments import (
    Aggregate,
    Day,
    Dialect,
    ExportFormat,
    Frequency,
    Units,
    first_day,
    last_day,
    text_of_flag,
    text_of_whole,
    whole,
)
from .._exchange import answer, exchange, understood
from .._shapes import KEY_TYPES, shape_of
from .._surface import Answer, Tabular
from .._tables import Table, table_of
from ..errors import BadRequest, ConnectionFailed
from ..records import (
    Company,
    Download,
    ExportDataset,
    ExportedFigures,
    ExportedObservation,
    ExportedQuote,
    ExportedRate,
    ExportedValue,
    Filing,
    Record,
    attributes,
)
from .base import Group

if TYPE_CHECKING:
    from .._wire import Plan

# Larger exports go to a temporary file while they arrive.
IN_MEMORY = 50_000_000


@dataclass(frozen=True)
class Dataset:
    """What the rows of a dataset are, and the columns that identify one."""

    record: type[Record]
    key: tuple[str, ...]


# A form is the least that changes in statements: its rows come and go together.
DATASETS = {
    "fx": Dataset(ExportedQuote, ("pair", "date")),
    "series": Dataset(ExportedObservation, ("series", "name", "date")),
    "companies": Dataset(Company, ("id",)),
    "filings": Dataset(Filing, ("id",)),
    "statements": Dataset(ExportedValue, ("company_id", "form", "period_end", "version")),
    "financials": Dataset(ExportedFigures, ("company_id", "period", "period_end", "scope")),
}
FORMATS = {".ndjson": "ndjson", ".jsonl": "ndjson", ".csv": "csv", ".parquet": "parquet", "": "ndjson"}
PARQUET_NEEDS = "Parquet needs pyarrow or polars: pip install 'finserve[arrow]'"
# One for all lines: `json.loads` would make one for each.
DECODER = json.JSONDecoder(parse_float=Decimal)
ONE_SERIES = Dataset(ExportedRate, ("date",))


class Exports(Group):
    """Exports need the Gold plan; CSV and Parquet the Platinum plan."""

    @Tabular
    def datasets(self) -> Plan[Table[ExportDataset]]:
        """The datasets that can be exported, with their rows and sizes."""
        found = yield from answer(self.server, "export")
        return table_of(ExportDataset, found["data"], {"data_version": found["data_version"]})

    @Tabular
    def export(
        self,
        dataset: str | int,
        *,
        format: Literal["ndjson", "parquet"] = "ndjson",
        start: Day | None = None,
        end: Day | None = None,
        frequency: Frequency | None = None,
        aggregate: Aggregate | None = None,
        units: Units | None = None,
        base: Day | None = None,
        only: Literal["changes"] | None = None,
        partial: bool | None = None,
        as_of: Day | None = None,
    ) -> Plan[Table[Any]]:
        """A whole dataset: `fx`, `companies`, `filings`, `statements`, `financials`, `series`, or one series by name.

        Both formats give the same figures. Parquet is smaller on the way, and needs pyarrow or polars to be read; it
        does not say how many zeros ended a published figure, so `Decimal` has 5.149 where NDJSON gives 5.1490.
        One series is indexed by date, oldest first; the others are in the order of the server. `update` brings the
        table up to date later.
        """
        if format not in ("ndjson", "parquet"):
            raise BadRequest(f"format={format!r} is neither ndjson nor parquet; download writes files of other formats")
        if format == "parquet" and not (find_spec("pyarrow") or find_spec("polars")):
            raise ImportError(PARQUET_NEEDS)
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
        }
        return (yield from self._export(str(dataset), format, query))

    @Answer
    def download(
        self,
        dataset: str | int,
        path: str | os.PathLike[str],
        *,
        format: ExportFormat | None = None,
        dialect: Dialect | None = None,
        start: Day | None = None,
        end: Day | None = None,
        since: int | None = None,
        frequency: Frequency | None = None,
        aggregate: Aggregate | None = None,
        units: Units | None = None,
        base: Day | None = None,
        only: Literal["changes"] | None = None,
        partial: bool | None = None,
        as_of: Day | None = None,
    ) -> Plan[Download]:
        """Writes a whole dataset to a file, which appears once it is complete.

        Without `format`, the ending of the file decides: `.csv`, `.parquet`, and `.ndjson`, `.jsonl` or none for
        NDJSON. `dialect="br"` writes CSV for a Brazilian Excel; `since` only what changed after a data version.
        """
        target = Path(path)
        query = {
            "format": format or format_of(target),
            "dialect": dialect,
            "from_": first_day(start),
            "to": last_day(end),
            "since": text_of_whole(since, "since"),
            "frequency": frequency,
            "aggregate": aggregate,
            "units": units,
            "base": first_day(base),
            "only": only,
            "partial": text_of_flag(partial),
            "as_of": last_day(as_of),
        }
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}-")
        try:
            with os.fdopen(handle, "wb") as file:
                received = yield from self._receive(str(dataset), file, query)
            os.chmod(name, 0o666 & ~current_umask())
            os.replace(name, target)
        except BaseException:
            with suppress(OSError):
                os.unlink(name)
            raise
        return Download(path=str(target), rows=received.rows, data_version=received.data_version)

    def _export(self, dataset: str, format: str, query: Mapping[str, str | None]) -> Plan[Table[Any]]:
        """The table of an export; its attributes say how to get it again."""
        # An endpoint that does not count, for what exports do not say of themselves.
        sources = yield from answer(self.server, "status")
        with tempfile.SpooledTemporaryFile(IN_MEMORY) as file:
            received = yield from self._receive(dataset, file, {"format": format, **query})
            file.seek(0)
            rows = list(read_parquet(file) if format == "parquet" else map(read_line, file))
        if len(rows) != received.rows:
            raise ConnectionFailed(f"the export has {len(rows)} rows instead of {received.rows}")
        given = {name: value for name, value in query.items() if value is not None}
        meta = {
            **source_of(dataset, sources["data"]),
            "dataset": dataset,
            "data_version": received.data_version,
            **({"query": given} if given else {}),
        }
        return dataset_table(dataset, rows, meta, transformed=bool(given))

    def _changes(self, dataset: str, since: int) -> Plan[tuple[list[dict[str, Any]], int]]:
        """The rows that changed after a data version, and the newest version."""
        with tempfile.SpooledTemporaryFile(IN_MEMORY) as file:
            received = yield from self._receive(dataset, file, {"since": str(since)})
            file.seek(0)
            return [read_line(line) for line in file], received.data_version

    def _update(self, frame: Any, dataset: str | int | None, since: int | None) -> Plan[Any]:
        """The frame with what changed since it was exported; `Client.update` describes it."""
        shape = shape_of(frame, self.shape.numbers)
        meta = shape.meta(frame)
        name: str | None = meta.get("dataset") if dataset is None else str(dataset)
        since = meta.get("data_version") if since is None else whole(since, "since")
        if name is None or since is None:
            raise BadRequest(
                "this table does not say what it is an export of: name its dataset and since, its data version"
            )
        described = DATASETS.get(name, ONE_SERIES)

        def require_exported(table: Table[Any]) -> None:
            if found := shape.differences(frame, table, described.record):
                raise BadRequest(f"this table is not as {name} was exported: {found}; update wants all its columns")

        if "query" in meta:
            # Days and transformations have no changes of their own.
            table = yield from understood(self._export(name, "ndjson", meta["query"]))
            require_exported(table)
            return shape.build_like(frame, table)
        require_exported(dataset_table(name, [], {}))
        keys = shape.keys(frame, list(described.key))
        require_types(described, keys)
        try:
            changes, version = yield from understood(self._changes(name, since))
        except BadRequest:
            # The log of changes does not reach back so far, or the server was restored from an older backup.
            return shape.build_like(frame, (yield from understood(self._export(name, "ndjson", {}))))
        new = [row for row in changes if row["change"] != "removed"]
        table = dataset_table(name, new, {**meta, "dataset": name, "data_version": version})
        changed = table_of(described.record, [keyed(row, described) for row in changes], {})
        columns = {one.name: one.values for one in changed.columns}
        gone = set(zip(*(columns[column] for column in described.key), strict=True))
        keep = [key not in gone for key in keys]
        return shape.merge(frame, keep, table)

    def _receive(self, dataset: str, file: IO[bytes], query: Mapping[str, str | None]) -> Plan[Received]:
        """Writes an export to a file."""
        received = Received(file, dataset, self.progress)
        try:
            request = self.server.request("export", dataset, **query)
            reply = yield from exchange(self.server, request, received)
            received.data_version = int(reply.headers["x-data-version"])
            received.rows = int(reply.headers["x-total-count"])
        finally:
            received.finish()
        return received


def dataset_table(
    dataset: str, rows: list[dict[str, Any]], meta: dict[str, Any], *, transformed: bool = False
) -> Table[Any]:
    """The table of a dataset's rows."""
    described = DATASETS.get(dataset, ONE_SERIES)
    if described is not ONE_SERIES:
        return table_of(described.record, rows, meta)
    has_partial = transformed and any("partial" in row for row in rows)
    absent = {"origin"} if has_partial else {"partial"}
    rows = sorted(rows, key=lambda row: str(row["date"]))
    return table_of(described.record, rows, meta, index="date", leave_out=absent)


def format_of(path: Path) -> str:
    """The format of a file by the ending of its name."""
    ending = path.suffix.lower()
    if ending not in FORMATS:
        raise BadRequest(
            f"{ending} is the ending of no format: give format, or a name that ends in .ndjson, .csv or .parquet"
        )
    return FORMATS[ending]


def require_types(dataset: Dataset, keys: list[tuple[Any, ...]]) -> None:
    """Refuses keys of other types than the dataset has: no changed row would be found by them."""
    kinds = {one.name: one.kind for one in attributes(dataset.record)}
    for name, values in zip(dataset.key, zip(*keys, strict=True), strict=False):
        others = {kind.__name__ for kind in set(map(type, values)) if kind is not KEY_TYPES[kinds[name]]}
        if others:
            raise BadRequest(f"the column {name} of this table holds {', '.join(sorted(others))}: export it anew")


def keyed(row: dict[str, Any], dataset: Dataset) -> dict[str, Any]:
    """The columns of a row's key."""
    return {name: row[name] for name in dataset.key}


def source_of(dataset: str, status: list[dict[str, Any]]) -> dict[str, Any]:
    """Source and licence of a dataset, if the status lists it; its forms count for filings."""
    for one in status:
        if one["dataset"].partition(".")[0] == dataset:
            return {"source": one["source"], "licence": one["licence"]}
    publisher = "CVM" if dataset in ("statements", "financials") else "Banco Central do Brasil"
    return {"source": publisher, "licence": status[0]["licence"] if status else None}


def read_line(line: bytes) -> dict[str, Any]:
    """A row of NDJSON."""
    row: dict[str, Any] = DECODER.decode(line.decode())
    return row


def read_parquet(file: IO[bytes]) -> list[dict[str, Any]]:
    """The rows of a Parquet file. Its figures all have 18 digits behind the point; the zeros at their end are cut."""
    rows: list[dict[str, Any]]
    if find_spec("pyarrow"):
        import pyarrow
        import pyarrow.parquet

        table = pyarrow.parquet.read_table(file)
        rows, figures = table.to_pylist(), [one.name for one in table.schema if pyarrow.types.is_decimal(one.type)]
    else:
        import polars

        frame = polars.read_parquet(file.read())
        rows, figures = frame.to_dicts(), [name for name, kind in frame.schema.items() if kind == polars.Decimal]
    for row in rows:
        for name in figures:
            if row[name] is not None:
                row[name] = without_zeros(row[name])
    return rows


def without_zeros(figure: Decimal) -> Decimal:
    """A figure without the zeros that end its decimals. `normalize` would round long figures, and write 1E+3."""
    text = format(figure, "f")
    return Decimal(text.rstrip("0").rstrip(".")) if "." in text else figure


def current_umask() -> int:
    """The permissions that new files of this process lack; files of `tempfile` are private."""
    umask = os.umask(0o022)
    os.umask(umask)
    return umask


@dataclass
class Received:
    """An export as it arrives: in a file, and in a progress bar where somebody looks at one."""

    file: IO[bytes]
    name: str
    progress: bool | None
    rows: int = 0
    data_version: int = 0
    bar: Any = field(default=None)

    def begin(self, headers: Mapping[str, str]) -> None:
        """Forgets an earlier attempt."""
        self.file.seek(0)
        self.file.truncate()
        self.finish()
        if shows_progress(self.progress):
            from tqdm.auto import tqdm

            # Lines of text are rows; how long Parquet will be is not known.
            is_text = "parquet" not in headers.get("content-type", "")
            total = int(headers.get("x-total-count", 0)) if is_text else None
            unit: dict[str, Any] = {"unit": "rows"} if is_text else {"unit": "B", "unit_scale": True}
            self.bar = tqdm(desc=self.name, total=total, **unit)

    def write(self, chunk: bytes, /) -> None:
        """Takes the next part."""
        self.file.write(chunk)
        if self.bar is not None:
            self.bar.update(chunk.count(b"\n") if self.bar.unit == "rows" else len(chunk))

    def finish(self) -> None:
        """Closes the progress bar."""
        if self.bar is not None:
            self.bar.close()
            self.bar = None


def shows_progress(wanted: bool | None) -> bool:
    """Whether to show a bar: where tqdm is installed and the output is a terminal, unless the caller decides."""
    if wanted is False or not find_spec("tqdm"):
        return False
    return wanted is True or sys.stderr.isatty()
