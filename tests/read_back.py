#!/usr/bin/env python3
"""Reads back what is exported: every dataset in every format must equal what the API answers, row for row.

The bundled data is extended by made-up rows with names that quoting must survive: quotes, semicolons, line breaks, and
beginnings that a spreadsheet takes for formulas. Each dataset is exported as NDJSON, as CSV in both dialects and as
Parquet, over HTTP and by the command, and compared with the pages of its list: digits exactly in text, by value
in Parquet. pandas reads all three formats in one line each, DuckDB sees typed columns, and LibreOffice, if it is
installed, opens the Brazilian dialect with numbers as numbers and dates as dates.

    tests/read_back.py target/release/finserve

Needs Python 3 with venv, and LibreOffice Calc; installs pandas, pyarrow and DuckDB below target/.
"""

import csv
import datetime
import decimal
import io
import json
import math
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request

TESTS = pathlib.Path(__file__).resolve().parent
PACKAGES = ["pandas==3.1.1", "pyarrow==26.0.1", "duckdb==2.0.0"]
TOOL = TESTS.parent / "target" / ("read-back-" + "-".join(PACKAGES).replace("==", "-"))

if pathlib.Path(sys.prefix) != TOOL:
    if not (TOOL / "complete").exists():
        subprocess.run([sys.executable, "-m", "venv", TOOL], check=True)
        quiet = ["--quiet", "--disable-pip-version-check"]
        subprocess.run([TOOL / "bin/pip", "install", *quiet, *PACKAGES], check=True)
        (TOOL / "complete").touch()
    os.execv(TOOL / "bin/python", [TOOL / "bin/python", "-B", *sys.argv])

import duckdb
import pandas
import pyarrow
import pyarrow.parquet

import made_filings
import spreadsheet

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
# What begins names, and what is inside of them.
BEGINNINGS = ["=1+1", "+55 11", "-x", "@SUM(A1)", "-5", "+5.5", "-5,5", "=", "'quoted", " =space", "\t=tab"]
INSIDE = ['a "b" c', "a;b,c", "a\nb", "a\r\nb", "a\rb", '"', "ção", "€", "", "1;2\n3\"4"]
# A number as it is written.
NUMBER = {"standard": re.compile(r"[+-]?[0-9]+(\.[0-9]+)?"), "br": re.compile(r"[+-]?[0-9]+(,[0-9]+)?")}
DAYS = {"date", "reference_date", "registered_on", "cancelled_on"}


class Digits(str):
    """A number of JSON, with the digits that were sent."""


def rows_of(text):
    return json.loads(text, parse_float=Digits, parse_int=Digits)


class Server:
    """A running server, and a key that reaches everything."""

    def __init__(self, data):
        who = ["--plan", "platinum", "--name", "Ana", "--email", "ana@example.com"]
        self.data = data
        self.key = run("keys", "create", "--data", data, *who).decode().strip()
        command = [PROGRAM, "serve", "--data", data, "--listen", "127.0.0.1:0"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        self.address = re.search(r"http://\S+", line)[0]
        self.requests = 0

    def url(self, path):
        return self.address + "/api/v1/" + path

    def open(self, path):
        # A key passes 2,000 requests a minute.
        self.requests += 1
        if self.requests % 1800 == 0:
            time.sleep(61)
        request = urllib.request.Request(self.url(path), headers={"X-API-Key": self.key})
        return urllib.request.urlopen(request, timeout=120)

    def get(self, path):
        with self.open(path) as answer:
            return answer.read()

    def pages(self, path, limit):
        """All rows of a list, page by page."""
        rows, total = [], None
        while total is None or len(rows) < total:
            mark = "&" if "?" in path else "?"
            page = rows_of(self.get(f"{path}{mark}limit={limit}&offset={len(rows)}"))
            assert page["data"] or not int(page["total"]), f"{path} ends after {len(rows)} of {total}"
            rows, total = rows + page["data"], int(page["total"])
        return rows

    def stop(self):
        self.process.terminate()
        self.process.wait()


def run(*arguments):
    done = subprocess.run([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 0, f"{arguments}: {done.stderr.decode()}"
    return done.stdout


def import_made_up(data, folder):
    """Filings with odd names and subjects, and a series with the longest numbers."""
    rows = []
    for n, text in enumerate(BEGINNINGS + [part for part in INSIDE if "\n" not in part and "\r" not in part and ";" not in part]):
        number = 95_000_000 + n
        rows.append(
            f"33.000.167/0001-01;{text};9512;2026-01-02;Fato Relevante;;;{text} assunto;2026-01-02;AP;;1;"
            + made_filings.link(number)
        )
    filings = folder / "ipe_cia_aberta_2026.csv"
    filings.write_text("\r\n".join([made_filings.COLUMNS, *rows]) + "\r\n", encoding="windows-1252", newline="")
    values = ["0.000000000000000001", "-0.5", "999999999999999999", "1234567890.12345678", "0", "-0.10", "7.000"]
    figures = [{"data": f"{n + 1:02}/01/2020", "valor": value} for n, value in enumerate(values)]
    series = folder / "bcdata.sgs.99999.json"
    series.write_text(json.dumps(figures))
    run("import", "--data", data, filings, series)
    return len(rows), len(figures)


def tamper(data):
    """Puts what no file can bring into the tables: line breaks and separators."""
    catalogue = sqlite3.connect(data / "catalogue.db", timeout=60)
    with catalogue:
        companies = [id for (id,) in catalogue.execute("SELECT id FROM company ORDER BY id LIMIT 40")]
        texts = [(text, INSIDE[-n % len(INSIDE)]) for n, text in enumerate(BEGINNINGS + INSIDE)]
        for id, (name, sector) in zip(companies, texts):
            change = "UPDATE company SET name = ?, trade_name = ?, sector = ? WHERE id = ?"
            catalogue.execute(change, (name, sector or None, sector, id))
        keys = [key for (key,) in catalogue.execute("SELECT key FROM filing ORDER BY key DESC LIMIT 30")]
        for key, (subject, _) in zip(keys, texts):
            catalogue.execute("UPDATE filing SET subject = ? WHERE key = ?", (subject, key))
    catalogue.close()


def of_the_api(server, dataset):
    """The rows of a dataset as its list endpoints give them."""
    if dataset in ("selic", "cdi", "ipca"):
        return server.pages(f"market/{dataset}", 10_000)
    if dataset == "fx":
        pairs = [row["pair"] for row in server.pages("market/fx/pairs", 1000)]
        return [row for pair in pairs for row in server.pages(f"market/fx?pair={pair}", 10_000)]
    if dataset == "series":
        known = server.pages("market/series", 1000)
        return [
            {"series": one["number"], "name": one["name"], **row}
            for one in sorted(known, key=lambda one: int(one["number"]))
            for row in server.pages(f"market/series/{one['number']}", 10_000)
        ]
    if dataset in ("companies", "filings"):
        return server.pages(dataset, 1000)
    return server.pages(f"market/series/{dataset}", 10_000)


def cell(name, value, dialect):
    """A value as CSV writes it."""
    if value is None:
        return ""
    if isinstance(value, Digits):
        return value.replace(".", ",") if dialect == "br" else str(value)
    if name in DAYS:
        year, month, day = value[:10].split("-")
        return f"{day}/{month}/{year}" if dialect == "br" else value
    text = " ".join(value) if isinstance(value, list) else value
    risky = text[:1] in ("=", "+", "-", "@") and not NUMBER[dialect].fullmatch(text)
    return "'" + text if risky else text


def check_csv(content, wanted, dialect):
    if dialect == "br":
        assert content.startswith(b"\xef\xbb\xbf"), "there is no byte order mark"
    text = content.decode("utf-8-sig" if dialect == "br" else "utf-8")
    assert text.endswith("\r\n"), "the last line does not end"
    delimiter = ";" if dialect == "br" else ","
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    names = list(wanted[0])
    assert rows[0] == names, f"{rows[0]} are not {names}"
    same(rows[1:], [[cell(name, value, dialect) for name, value in row.items()] for row in wanted])


def typed(name, value):
    """A value as Parquet has it."""
    if isinstance(value, Digits):
        return decimal.Decimal(value) if name in ("value", "buy", "sell") else int(value)
    if value is not None and name in DAYS:
        if len(value) > 10:
            return datetime.datetime.fromisoformat(value).astimezone(datetime.timezone.utc)
        return datetime.date.fromisoformat(value)
    return value


def check_parquet(file, wanted):
    table = pyarrow.parquet.read_table(file)
    same(table.to_pylist(), [{name: typed(name, value) for name, value in row.items()} for row in wanted])
    for field in table.schema:
        if field.name in ("value", "buy", "sell"):
            assert pyarrow.types.is_decimal(field.type), field
        elif field.name in DAYS:
            is_time = field.name == "date" and "id" in table.schema.names
            fits = pyarrow.types.is_timestamp if is_time else pyarrow.types.is_date32
            assert fits(field.type), field
        elif field.name in ("series", "version"):
            assert pyarrow.types.is_integer(field.type), field
        elif field.name == "tickers":
            assert pyarrow.types.is_list(field.type), field
        else:
            assert pyarrow.types.is_string(field.type), field


def check_duckdb(file, rows):
    described = duckdb.sql(f"DESCRIBE SELECT * FROM '{file}'").fetchall()
    types = {name: kind for name, kind, *_ in described}
    [[count]] = duckdb.sql(f"SELECT count(*) FROM '{file}'").fetchall()
    assert count == rows, f"DuckDB sees {count} rows of {rows}"
    for name, kind in types.items():
        wanted = {"value": "DECIMAL(38,18)", "buy": "DECIMAL(38,18)", "sell": "DECIMAL(38,18)", "tickers": "VARCHAR[]"}
        if name in wanted:
            assert kind == wanted[name], f"{name} is {kind}"
        elif name in DAYS:
            assert kind in ("DATE", "TIMESTAMP WITH TIME ZONE"), f"{name} is {kind}"


def check_pandas(server, dataset, rows):
    """The three lines of the README."""
    url, key = server.url(f"export/{dataset}"), {"X-API-Key": server.key}
    for frame in (
        pandas.read_json(url, lines=True, storage_options=key),
        pandas.read_csv(f"{url}?format=csv", storage_options=key),
        pandas.read_parquet(f"{url}?format=parquet", storage_options=key),
    ):
        assert len(frame) == len(rows), f"pandas sees {len(frame)} rows of {len(rows)}"
        assert list(frame.columns) == list(rows[0]), list(frame.columns)
        if "value" in frame:
            for value, row in zip(frame["value"], rows):
                # Its reader of JSON is not exact in the last of sixteen digits.
                close = math.isclose(float(value), float(row["value"]), rel_tol=1e-14, abs_tol=1e-15)
                assert close, f"pandas reads {value!r} instead of {row['value']}"


def same(given, wanted):
    if given == wanted:
        return
    for n, (one, other) in enumerate(zip(given, wanted)):
        assert one == other, f"row {n} is {one!r}, not {other!r}"
    raise AssertionError(f"there are {len(given)} rows, not {len(wanted)}")


def check(server, folder, dataset):
    wanted = of_the_api(server, dataset)
    assert wanted, f"{dataset} is empty"
    with server.open(f"export/{dataset}") as answer:
        lines, total = answer.read(), answer.headers["X-Total-Count"]
    given = [rows_of(line) for line in lines.decode().splitlines()] if b"\r" not in lines else None
    same([list(row.items()) for row in given], [list(row.items()) for row in wanted])
    assert int(total) == len(wanted), total
    assert run("export", dataset, "--data", server.data) == lines, "the command writes other lines"
    for dialect in "standard", "br":
        content = server.get(f"export/{dataset}?format=csv&dialect={dialect}")
        check_csv(content, wanted, dialect)
        flags = ["--dialect", "br"] if dialect == "br" else []
        file = folder / f"{dataset}.{dialect}.csv"
        command = ["export", dataset, "--data", server.data, "--format", "csv", *flags]
        run(*command, "--out", file)
        assert file.read_bytes() == content, f"the command writes other CSV ({dialect})"
        # In a pipe, lines end as other programs there expect.
        piped = run(*command)
        assert piped.endswith(b"\r\n") == (dialect == "br"), "lines end in another way"
        rows = [list(csv.reader(io.StringIO(text.decode(), newline=""))) for text in (piped, content)]
        assert rows[0] == rows[1], f"the command pipes other CSV ({dialect})"
    by_http, by_command = folder / f"{dataset}.parquet", folder / f"{dataset}.command.parquet"
    by_http.write_bytes(server.get(f"export/{dataset}?format=parquet"))
    run("export", dataset, "--data", server.data, "--format", "parquet", "--out", by_command)
    for file in by_http, by_command:
        check_parquet(file, wanted)
    check_duckdb(by_http, len(wanted))
    check_pandas(server, dataset, wanted)
    print(f"{dataset}: {len(wanted)} rows, {len(lines)} bytes as NDJSON", flush=True)
    return wanted


def check_delta(server, version, filings, figures):
    """What was imported meanwhile, and nothing else."""
    for dataset, count in ("filings", filings), ("99999", figures), ("companies", 0):
        rows = [rows_of(line) for line in server.get(f"export/{dataset}?since={version}").splitlines()]
        assert [row["change"] for row in rows] == ["added"] * count, f"{dataset}: {rows}"


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        data = folder / "data"
        server = Server(data)
        try:
            version = json.loads(server.get("export"))["data_version"]
            filings, figures = import_made_up(data, folder)
            check_delta(server, version, filings, figures)
            tamper(data)
            datasets = [one["dataset"] for one in json.loads(server.get("export"))["data"]]
            assert {"selic", "cdi", "ipca", "fx", "series", "companies", "filings", "99999"} <= set(datasets)
            rows = {dataset: check(server, folder, dataset) for dataset in datasets}
            for dataset in "selic", "fx", "companies", "filings":
                # A spreadsheet need not hold all filings; the odd ones are among the newest.
                chosen = rows[dataset][:5000]
                file = folder / f"{dataset}.br.csv"
                spreadsheet.cut(file, len(chosen))
                spreadsheet.check(file, chosen, DAYS, {"value", "buy", "sell", "version"})
                print(f"{dataset}: {len(chosen)} rows in LibreOffice", flush=True)
        finally:
            server.stop()
    print("everything that is exported reads back as it is")


main()
