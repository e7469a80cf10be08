"""A hundred random histories are those of the API, in every form that tables can have."""

import random
from datetime import date
from decimal import Decimal

import pytest

from finserve import BadRequest, Client

CASES = 100
UNITS = ["value", "change", "percent_change", "year_ago", "percent_year_ago", "accumulated_12m", "index"]


def cases():
    chance = random.Random(32)
    for _ in range(CASES):
        options = {}
        if chance.random() < 0.6:
            options["start"] = f"{chance.randint(1995, 2026)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
        if chance.random() < 0.4:
            options["end"] = f"{chance.randint(2005, 2026)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
        if chance.random() < 0.4:
            options["frequency"] = chance.choice(["week", "month", "quarter", "year"])
        if chance.random() < 0.2:
            options["aggregate"] = chance.choice(["mean", "first", "last", "min", "max", "sum", "compound"])
        if chance.random() < 0.5:
            options["units"] = chance.choice(UNITS)
        if chance.random() < 0.2:
            options["only"] = "changes"
        if chance.random() < 0.2:
            options["partial"] = True
        yield chance.random(), chance.choice([1, 1, 1, 2, 3]), options


def as_api(options):
    names = {"start": "from", "end": "to"}
    return {names.get(name, name): str(value).lower() if value is True else value for name, value in options.items()}


def history_of_api(server, key, names, options):
    """The rows that the API gives, oldest first, or its refusal."""
    path, ids = ("market/series/" + names[0], {}) if len(names) == 1 else ("market/series", {"ids": ",".join(names)})
    probe = server.raw(path, key, limit=1, **ids, **as_api(options))
    if probe.status_code != 200:
        return probe.json()["message"]
    found = server.rows(path, key, **ids, **as_api(options))
    columns = ["value"] if len(names) == 1 else names
    values = [[None if row.get(name) is None else Decimal(row[name]) for name in columns] for row in found]
    return [(date.fromisoformat(row["date"]), *one) for row, one in zip(found, values, strict=True)][::-1]


def test_a_hundred_random_histories_are_those_of_the_api(server, rows, fin):
    key = server.key("platinum")
    series = [one.name for one in rows.list_series()]
    compared, refused, long = 0, 0, 0
    for draw, count, options in cases():
        names = random.Random(draw).sample(series, count)
        wanted = history_of_api(server, key, names, options)
        given = names[0] if count == 1 else names
        if isinstance(wanted, str):
            with pytest.raises(BadRequest) as error:
                rows.series(given, **options)
            assert error.value.message == wanted
            refused += 1
            continue
        objects = rows.series(given, **options)
        assert [(one.date, *one.values.values()) for one in objects] == wanted, (names, options)
        compared += 1
        long += len(wanted) > 1000
    assert compared > CASES / 2, (compared, refused)
    assert long > 10


@pytest.mark.parametrize("numbers", [float, Decimal])
@pytest.mark.parametrize("tables", ["pandas", "polars", "arrow"])
def test_frames_have_the_figures_of_the_api(server, key, rows, tables, numbers):
    pytest.importorskip("pyarrow" if tables == "arrow" else tables)
    client = Client(server.url, key, tables=tables, numbers=numbers)
    for options in ({}, {"frequency": "month", "partial": True}, {"start": "2026", "units": "change"}):
        objects = rows.series(["cdi", "igp-m"], **options)
        frame = client.series(["cdi", "igp-m"], **options)
        columns = columns_of(frame)
        assert columns["date"] == [one.date for one in objects]
        for name in ("cdi", "igp-m"):
            wanted = [None if one.values[name] is None else numbers(one.values[name]) for one in objects]
            assert columns[name] == wanted, (tables, name, options)
        assert ("partial" in columns) == ("partial" in options)
    quotes, objects = columns_of(client.fx("EUR/BRL")), rows.fx("EUR/BRL")
    assert quotes["sell"] == [numbers(one.sell) for one in objects]


def columns_of(frame):
    """The columns of any frame as lists of Python's values; gaps are None."""
    if hasattr(frame, "reset_index"):
        flat = frame.reset_index()
        flat["date"] = flat["date"].dt.date
        return {name: [None if value != value else value for value in flat[name].tolist()] for name in flat}
    return frame.to_pydict() if hasattr(frame, "to_pydict") else frame.to_dict(as_series=False)


def test_pages_follow_one_another(server, key, rows):
    """More rows than a page has: the Selic has ten thousand days and more, filings come a thousand a page."""
    assert len(rows.series("selic-effective")) > 10_000
    wanted = [row["id"] for row in server.rows("filings", key, page=1000, company="PETR4")]
    assert [one.id for one in rows.filings(company="PETR4")] == wanted
    assert len(rows.filings(limit=2500)) == 2500


def test_limit_keeps_the_newest(rows):
    assert rows.series("ipca", limit=3) == rows.series("ipca")[-3:]
    assert rows.fx(limit=1)[0].date == rows.current_fx().date
