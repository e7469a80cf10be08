"""Tables and objects: types, attributes, formats, and files."""

import datetime
import inspect
from decimal import Decimal

import pytest

from finserve import BadRequest, Client, Rows, meta_of, records
from finserve._arguments import first_day, last_day, text_of_number
from finserve._endpoints.exports import without_zeros


def test_a_frame_is_indexed_by_date_and_says_its_source(server, key):
    pandas = pytest.importorskip("pandas")
    fin = Client(server.url, key)
    frame = fin.series("ipca", start="2015", units="accumulated_12m")
    assert list(frame.columns) == ["ipca"]
    assert isinstance(frame.index, pandas.DatetimeIndex)
    assert frame.index.name == "date"
    assert frame.index.is_monotonic_increasing
    assert frame.index[0] == pandas.Timestamp("2015-01-01")
    assert frame["ipca"].dtype == "float64"
    assert frame.attrs["source"] == "BCB SGS 433"
    assert frame.attrs["licence"] == "ODbL-1.0"
    assert frame.attrs["transformation"]["units"] == "accumulated_12m"
    both = fin.series(["selic", "cdi"], frequency="month")
    assert list(both.columns) == ["selic", "cdi"]
    assert set(both.attrs["series"]) == {"selic", "cdi"}
    quotes = fin.fx("EUR/BRL", start="2024-01-01")
    assert list(quotes.columns) == ["buy", "sell"]
    assert quotes.attrs["pair"] == "EUR/BRL"


def test_types_of_columns(server, key):
    pytest.importorskip("pandas")
    filings = Client(server.url, key).filings(company="VALE3", category="fato relevante", start="2024")
    types = {name: str(kind) for name, kind in filings.dtypes.items()}
    assert types["date"] == "datetime64[us, America/Sao_Paulo]"
    assert types["reference_date"] == "datetime64[us]"
    assert types["version"] == "int64"
    companies = Client(server.url, key).companies("magalu")
    assert companies["tickers"][0] == ["MGLU3"]


def test_both_formats_of_exports_are_one_table(server, key):
    pytest.importorskip("pyarrow")
    for tables in ("pandas", "polars", "arrow", "rows"):
        for numbers in (float, Decimal):
            fin = Client(server.url, key, tables=tables, numbers=numbers)
            for dataset in ("igp-m", "companies", "financials"):
                text, parquet = fin.export(dataset), fin.export(dataset, format="parquet")
                same = text.equals(parquet) if hasattr(text, "equals") else text == parquet
                # A type may have more digits of the text, where all of the longest figures end in a zero.
                assert same or (numbers is Decimal and tables != "rows"), (tables, dataset)
                assert meta_of(text) == meta_of(parquet)


def test_parquet_has_no_digits_that_were_not_published(server, key):
    pytest.importorskip("pyarrow")
    fin = Client(server.url, key, tables="rows")
    digits = [without_zeros(one.value) for one in fin.export("cdi")]
    assert [str(one.value) for one in fin.export("cdi", format="parquet")] == [str(one) for one in digits]
    for tables in ("pandas", "polars", "arrow"):
        pytest.importorskip("pyarrow" if tables == "arrow" else tables)
        frame = Client(server.url, key, tables=tables, numbers=Decimal).export("igp-m", format="parquet")
        first = frame["value"].to_pylist()[-1] if tables == "arrow" else frame["value"].to_list()[-1]
        assert len(str(first).partition(".")[2]) <= 3, tables
    given = [
        "6.620000000000000000",
        "0E-18",
        "-1E-7",
        "120.000",
        "1E+3",
        "6365690",
        "1234567890123456789.100000000000000000",
    ]
    wanted = ["6.62", "0", "-1E-7", "120", "1E+3", "6365690", "1234567890123456789.1"]
    assert [str(without_zeros(Decimal(one))) for one in given] == wanted


def test_a_slice_of_rows_keeps_what_is_said_of_them(rows):
    history = rows.series("ipca")
    assert history[:3].meta == history[-1:].meta == history.copy().meta == history.meta != {}
    assert isinstance(history[0], records.Observation)


def test_an_export_has_the_rows_of_the_api(server, key, rows):
    for dataset, path in (("companies", "companies"), ("fx", None), ("financials", None)):
        export = rows.export(dataset)
        listed = next(one for one in rows.datasets() if one.dataset == dataset)
        assert len(export) == listed.rows
        if path:
            assert [one.id for one in export] == [row["id"] for row in server.rows(path, key, page=1000)]
        assert {"source", "licence", "dataset", "data_version"} <= set(export.meta)


def test_downloads(server, key, rows, tmp_path):
    for name, beginning in (("x.ndjson", b'{"date":'), ("x.csv", b"date,value"), ("x.parquet", b"PAR1")):
        done = rows.download("ipca", tmp_path / name, start="2020")
        assert (tmp_path / name).read_bytes().startswith(beginning)
        assert done.rows == len(rows.series("ipca", start="2020"))
        assert done.data_version >= 1
    rows.download("ipca", tmp_path / "br.csv", dialect="br")
    assert (tmp_path / "br.csv").read_bytes().startswith(b"\xef\xbb\xbfdate;value")
    rows.download("ipca", tmp_path / "UPPER.CSV", start="2020")
    assert (tmp_path / "UPPER.CSV").read_bytes() == (tmp_path / "x.csv").read_bytes()
    rows.download("ipca", tmp_path / "notes.xlsx", format="csv", start="2020")
    assert (tmp_path / "notes.xlsx").read_bytes() == (tmp_path / "x.csv").read_bytes()
    for name in ("x.jsonl", "plain"):
        rows.download("ipca", tmp_path / name, start="2020")
        assert (tmp_path / name).read_bytes() == (tmp_path / "x.ndjson").read_bytes()
    assert len(list(tmp_path.iterdir())) == 8


def test_progress_is_shown_where_it_is_wanted(server, key, capsys):
    pytest.importorskip("tqdm")
    Client(server.url, key, tables="rows").export("ipca")
    assert capsys.readouterr().err == ""
    Client(server.url, key, tables="rows", progress=True).export("ipca")
    assert "ipca: 100%" in capsys.readouterr().err


def test_statements(rows, fin):
    form = rows.statement_forms(990003)[0]
    assert isinstance(form.period_end, datetime.date)
    values = rows.statements(990003, form.kinds[0], depth=1)
    assert all(isinstance(one.value, Decimal) for one in values)
    assert values == sorted(values, key=lambda one: one.period_end)
    [account] = [one for one in rows.accounts(990003, "income", depth=2) if one.code == "3.01"]
    long = {str(one.period_end): one.value for one in rows.statements(990003, "income") if one.code == "3.01"}
    assert account.values == long
    figures = rows.financials(990003)
    assert figures[-1].revenue == account.values[str(figures[-1].period_end)]
    sourced = rows.financials(990003, sources=True)
    assert sourced[-1].revenue == figures[-1].revenue
    assert sourced[-1].made_from["revenue"] == ("3.01",)
    assert sourced[-1].reasons["ebitda"] == "not_in_plan"
    screened = rows.screen(["revenue", "roe"], order="-roe")
    known = [one.roe for one in screened if one.roe is not None]
    assert known == sorted(known, reverse=True) == [one.roe for one in screened[: len(known)]]
    changes = rows.statements(990003, "equity-changes")
    assert all(one.column for one in changes)
    if hasattr(fin.accounts(990003, "income"), "columns"):
        assert "revenue_from" in fin.financials(990003, sources=True).columns
        assert list(fin.screen("revenue").columns)[-1] == "revenue"


def test_objects_have_types(rows):
    rate = rows.current("cdi")
    assert (type(rate.date), type(rate.value), rate.origin) == (datetime.date, Decimal, "computed")
    assert rate.meta.source == "BCB SGS 12"
    assert str(rows.current("selic").value) == "13.75"
    assert rows.overview().cdi.to_dict(float)["value"] == float(rate.value)
    filing = rows.filings(company="VALE3", limit=1)[0]
    assert filing.date.utcoffset() == datetime.timedelta(hours=-3)
    assert isinstance(rows.series("ipca"), Rows)
    assert rows.company("33.000.167/0001-01") == rows.company("PETR4")
    assert rows.business_days("2026-12-24", "2026-12-28") == [datetime.date(2026, 12, 24), datetime.date(2026, 12, 28)]
    decision = rows.decisions(start="2026-03", end="2026-03")[0]
    assert (decision.before, decision.after) == (Decimal("15.00"), Decimal("14.75"))
    assert rows.decisions().meta["upcoming"]


def test_calculators(rows):
    correction = rows.correct(1000, "ipca", "2020-01", "2025-12", steps=True)
    assert correction.result == Decimal("1391.53")
    assert len(correction.steps) == correction.periods == 72
    long = rows.accumulate("cdi", 2000, 2025, steps=True)
    assert len(long.steps) == long.periods > 6000
    assert str(long.steps[-1].product)[:15] == str(long.factor)[:15]
    real = rows.real_rate("2015", "2025", steps=True)
    assert len(real.interest.steps) == real.interest.periods
    assert rows.convert(100, "EUR", "USD", date="2026-02-10").result == Decimal("119.14995867")
    assert rows.rate("13.75", "year252", "month").result == Decimal("1.07939111")
    # Which a Brazilian reads as a thousand times as much, so that the API refuses the text.
    assert rows.correct(1.125, "ipca", "2020", "2020").amount == Decimal("1.125")


class Whole(int):
    """An integer of another type, as those of numpy are."""


class Month:
    """A period as pandas has it."""

    start_time = datetime.datetime(2024, 2, 1)
    end_time = datetime.datetime(2024, 2, 29, 23, 59, 59)


@pytest.mark.parametrize(
    ("given", "first", "last"),
    [
        ("2024", "2024-01-01", "2024-12-31"),
        (2024, "2024-01-01", "2024-12-31"),
        ("2024-02", "2024-02-01", "2024-02-29"),
        ("2024-02-03", "2024-02-03", "2024-02-03"),
        (datetime.date(2024, 2, 3), "2024-02-03", "2024-02-03"),
        (datetime.datetime(2024, 2, 3, 4, 5), "2024-02-03", "2024-02-03"),
        (Whole(2024), "2024-01-01", "2024-12-31"),
        (Month(), "2024-02-01", "2024-02-29"),
        (None, None, None),
        ("soon", "soon", "soon"),
    ],
)
def test_days(given, first, last):
    assert (first_day(given), last_day(given)) == (first, last)


def test_days_of_pandas_and_numpy():
    pandas = pytest.importorskip("pandas")
    numpy = pytest.importorskip("numpy")
    cases = [
        (pandas.Period("2026-02"), "2026-02-01", "2026-02-28"),
        (pandas.Period("2026Q1"), "2026-01-01", "2026-03-31"),
        (pandas.Period("2026-02-03"), "2026-02-03", "2026-02-03"),
        (pandas.Timestamp("2026-02-03 10:00"), "2026-02-03", "2026-02-03"),
        (numpy.datetime64("2026-02-03T10:00:00.5"), "2026-02-03", "2026-02-03"),
        (numpy.datetime64("2026-02"), "2026-02-01", "2026-02-28"),
        (numpy.int64(2026), "2026-01-01", "2026-12-31"),
    ]
    for given, first, last in cases:
        assert (first_day(given), last_day(given)) == (first, last), repr(given)
    for given in (pandas.NaT, numpy.datetime64("NaT"), numpy.bool_(True)):
        with pytest.raises(BadRequest, match="is not a day"):
            first_day(given)


def test_arguments_of_numpy_are_those_of_python(rows):
    numpy = pytest.importorskip("numpy")
    assert rows.series(numpy.int64(433), start=numpy.int64(2026)) == rows.series("433", start=2026)
    both = [numpy.int64(433), numpy.int64(12)]
    assert rows.series(numpy.array([433, 12]), limit=numpy.int64(2)) == rows.series(both, limit=2)
    assert rows.company(numpy.int64(9512)) == rows.company(9512)
    assert rows.correct(numpy.float64(1.5), "ipca", 2020, 2020) == rows.correct("1.5", "ipca", 2020, 2020)


def test_texts_stand_for_numbers_and_flags(rows):
    assert rows.series("ipca", limit="5") == rows.series("ipca", limit=5)
    assert rows.recent_filings(limit=" 5 ") == rows.recent_filings(limit=5)
    assert rows.companies(listed="false", limit=3) == rows.companies(listed=False, limit=3)
    assert rows.accumulate("ipca", 2020, 2020, steps="false").steps == ()
    filing = rows.filings(limit=1, category="fato relevante")[0]
    assert rows.filing(int(filing.id)).id == filing.id


@pytest.mark.parametrize(
    "call",
    [
        lambda fin: fin.series("ipca", start=True),
        lambda fin: fin.series("ipca", start=2024.5),
        lambda fin: fin.series("ipca", limit="five"),
        lambda fin: fin.series("ipca", limit=True),
        lambda fin: fin.series("ipca", limit=5.0),
        lambda fin: fin.series("ipca", partial="perhaps"),
        lambda fin: fin.series([]),
        lambda fin: fin.series(""),
        lambda fin: fin.correct(True, "ipca", 2020),
        lambda fin: fin.correct(float("nan"), "ipca", 2020),
        lambda fin: fin.company(".."),
        lambda fin: fin.company("/"),
        lambda fin: fin.companies("\ud800"),
        lambda fin: fin.companies("x" * 100_000),
        lambda fin: fin.search("x", limit=b"1"),
        lambda fin: fin.export("ipca", format="csv"),
        lambda fin: fin.download("ipca", "a.xlsx"),
        lambda fin: fin.download("ipca", "a", format="xlsx"),
        lambda fin: fin.update([], dataset="ipca", since="first"),
    ],
)
def test_arguments_that_cannot_be_meant_are_bad_requests(rows, call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadRequest):
        call(rows)
    assert list(tmp_path.iterdir()) == []


def test_whole_figures_are_decimals_too(server, key, rows):
    """JSON has them without a point."""
    [account] = [one for one in rows.accounts(990003, "income", depth=2) if one.code == "3.01"]
    assert {type(value) for value in account.values.values()} <= {Decimal, type(None)}
    values = [one.value for one in rows.series(20539)]
    assert any("." not in str(value) for value in values)
    assert {type(value) for value in values} == {Decimal}
    for tables in ("pandas", "polars", "arrow"):
        try:
            client = Client(server.url, key, tables=tables, numbers=Decimal)
        except ImportError:
            continue
        column = client.series(20539)["20539"]
        assert list(column.to_pylist() if tables == "arrow" else column) == values


def test_days_of_usage_say_how_many_requests_came_by_links():
    day = {"date": "2026-09-01", "requests": 3, "errors": 0, "rate_limited": 0, "endpoints": {}}
    assert records.UsageDay.parse({**day, "by_links": 2}).by_links == 2
    assert records.UsageDay.parse(day).by_links == 0


def test_numbers():
    given = [1000, 1e21, 0.1, Decimal("1E+3"), Decimal("1.500"), "1.500", -0.125, None]
    wanted = ["1000", "1000000000000000000000", "0.1", "1000", "1.5000", "1.500", "-0.1250", None]
    assert [text_of_number(number) for number in given] == wanted


def test_every_record_is_described():
    # A warning while this runs adds a name to the module.
    for name, kind in list(vars(records).items()):
        if inspect.isclass(kind) and issubclass(kind, records.Record):
            assert kind.__doc__, name
            assert not kind.__doc__.startswith(name + "("), name
            assert records.attributes(kind) is records.attributes(kind)
