"""What changes, applied over twenty imports, equals a whole export."""

import datetime
import sys
from decimal import Decimal

import pytest
from real_server import ROOT, RealServer, made_statements

from finserve import BadRequest, Client, meta_of

KEYS = {
    "ipca": ["date"],
    "fx": ["pair", "date"],
    "companies": ["id"],
    "series": ["series", "name", "date"],
    "filings": ["id"],
    "statements": ["company_id", "form", "period_end", "version", "scope", "kind", "code", "column", "start", "end"],
    "financials": ["company_id", "period", "period_end", "scope"],
}
# The large ones skip imports: a delta may span several.
SOMETIMES = ("series", "filings")


@pytest.fixture(scope="module")
def changing(program, filled, tmp_path_factory):
    server = RealServer(program, tmp_path_factory.mktemp("changing"), filled)
    yield server
    server.stop()


def imports(server, folder):
    """Imports that add, change and remove rows of every dataset; yields after each of twenty steps."""
    sys.path.insert(0, str(ROOT / "tests"))
    import made_filings

    archives = [file for file in made_statements(folder / "made") if file.name.endswith(("_2023.zip", "_2024.zip"))]
    filings = folder / "ipe_cia_aberta_2023.csv"
    made_filings.table(filings, [2023], 400)
    lines = filings.read_bytes().splitlines(keepends=True)
    tickers = folder / "tickers.csv"
    for step in range(5):
        server.import_series(433, d2026_08_01=f"0.1{step}", **{f"d2026_{9 + step // 2:02}_01": f"0.2{step}"})
        yield step * 4
        sold = {"d2026_09_02": f"5.1{step}", f"d2026_10_0{step + 1}": f"5.3{step}"}
        bought = {day: value.replace("5.", "5.0") for day, value in sold.items()}
        server.import_files(server.series_file(1, **sold), server.series_file(10813, **bought))
        yield step * 4 + 1
        server.import_files(archives[step])
        yield step * 4 + 2
        # A newer table lacks some rows, which were withdrawn; a newer list has other tickers.
        filings.write_bytes(b"".join(lines[: len(lines) - step]))
        tickers.write_text(f"company;tickers\n9512;PETR3 PETR{step + 4}\n" + "4170;VALE3\n" * (step % 2))
        server.import_files(filings, tickers)
        yield step * 4 + 3


def test_changes_over_twenty_imports_equal_a_whole_export(changing, tmp_path):
    key = changing.key("platinum")
    fin = Client(changing.url, key)
    held = {name: fin.export(name) for name in KEYS}
    lists = Client(changing.url, key, tables="rows")
    objects = {name: lists.export(name) for name in ("ipca", "fx", "companies", "financials")}
    before = {name: len(table) for name, table in held.items()}
    first = meta_of(held["ipca"])["data_version"]
    for number in imports(changing, tmp_path):
        for name in KEYS:
            if name not in SOMETIMES or number % 10 == 9:
                held[name] = fin.update(held[name])
        for name in objects:
            objects[name] = lists.update(objects[name])
    newest = meta_of(fin.datasets())["data_version"]
    assert newest >= first + 20
    for name, keys in KEYS.items():
        whole = fin.export(name)
        assert meta_of(held[name]) == meta_of(whole)
        assert meta_of(whole)["data_version"] == newest
        same_rows(held[name], whole, keys)
        assert len(whole) != before[name] or name == "companies", name
    for name, rows in objects.items():
        order = lambda row: tuple(getattr(row, column) for column in KEYS[name])  # noqa: B023, E731
        assert sorted(rows, key=order) == sorted(lists.export(name), key=order), name


def same_rows(held, whole, keys):
    if isinstance(held, list):
        order = lambda row: [str(getattr(row, key)) for key in keys]  # noqa: E731
        assert sorted(held, key=order) == sorted(whole, key=order)
        return
    import pandas

    flat = [
        table.reset_index(drop=table.index.name is None).sort_values(keys, ignore_index=True) for table in (held, whole)
    ]
    pandas.testing.assert_frame_equal(*flat)


@pytest.mark.parametrize("tables", ["pandas", "polars", "arrow", "rows"])
def test_each_form_is_updated(changing, tables):
    pytest.importorskip("pyarrow" if tables == "arrow" else tables if tables != "rows" else "finserve")
    key = changing.key("platinum")
    fin = Client(changing.url, key, tables=tables)
    held = {name: fin.export(name) for name in ("inpc", "companies")}
    values = {"pandas": "0.61", "polars": "0.62", "arrow": "0.63", "rows": "0.64"}
    changing.import_series(188, d2026_07_01=values[tables])
    for name, table in held.items():
        updated, whole = fin.update(table), fin.export(name)
        assert type(updated) is type(whole)
        assert meta_of(updated) == meta_of(whole)
        assert meta_of(updated)["data_version"] > meta_of(table)["data_version"]
        if hasattr(updated, "equals"):
            assert updated.equals(whole)
        else:
            assert updated == whole
    # Nothing changed since: the same again.
    again = fin.update(fin.export("inpc"))
    assert meta_of(again) == meta_of(fin.export("inpc"))
    assert len(again) == len(fin.export("inpc"))


def test_a_version_that_the_log_does_not_reach_gives_a_whole_export(changing):
    fin = Client(changing.url, changing.key("gold"), tables="rows")
    table = fin.export("ipca")
    # As after a restore of the server from an older backup.
    assert fin.update(table[:3], dataset="ipca", since=9999) == fin.export("ipca")


def test_a_transformed_export_is_made_again(changing):
    fin = Client(changing.url, changing.key("gold"), tables="rows")
    table = fin.export("ipca", units="accumulated_12m", start="2026")
    changing.import_series(433, d2026_08_01="0.99")
    assert fin.update(table) == fin.export("ipca", units="accumulated_12m", start="2026") != table


def test_a_table_without_attributes_must_be_named(changing):
    fin = Client(changing.url, changing.key("gold"), tables="rows")
    with pytest.raises(ValueError, match="name its dataset and since"):
        fin.update([])


def test_a_frame_with_another_index_keeps_it(changing):
    pandas = pytest.importorskip("pandas")
    fin = Client(changing.url, changing.key("gold"))
    held = {name: fin.export(name) for name in ("companies", "ipca", "fx")}
    transformed = fin.export("ipca", units="accumulated_12m", start="2026")
    changing.import_series(433, d2026_08_01="0.77")
    tickers = changing.folder / "tickers.csv"
    tickers.write_text("company;tickers\n9512;PETR3 PETR9\n")
    changing.import_files(tickers)
    same = pandas.testing.assert_frame_equal
    given = fin.update(held["companies"].set_index("id"), since=1, dataset="companies")
    assert given.index.name == "id"
    assert given.loc["9512", "tickers"] == ["PETR3", "PETR9"]
    same(given.sort_index(), fin.export("companies").set_index("id").sort_index())
    same(fin.update(held["ipca"].reset_index(), since=1), fin.export("ipca").reset_index())
    pairs = fin.update(held["fx"].set_index(["pair", "date"]))
    same(pairs.sort_index(), fin.export("fx").set_index(["pair", "date"]).sort_index())
    doubled = fin.update(held["companies"].set_index("id", drop=False))
    assert doubled.index.tolist() == doubled["id"].tolist()
    turned = held["ipca"][["origin", "value"]]
    same(fin.update(turned), fin.export("ipca")[["origin", "value"]])
    # Also where all of it is fetched again.
    again = fin.export("ipca", units="accumulated_12m", start="2026").reset_index()
    same(fin.update(transformed.reset_index()), again)
    same(fin.update(held["ipca"].reset_index(), since=9999), fin.export("ipca").reset_index())


def test_a_table_that_is_not_as_exported_is_refused(changing):
    pytest.importorskip("pandas")
    fin = Client(changing.url, changing.key("gold"))
    companies, ipca = fin.export("companies"), fin.export("ipca")
    cases = [
        (companies.drop(columns="id"), "lacks id"),
        (companies[["id", "name"]], "lacks cancelled_on, cnpj"),
        (companies.assign(note="x"), "has note besides"),
        (companies.rename_axis("row"), "has row besides"),
        (companies.set_axis(companies["id"].tolist()), "index of this table has no name"),
        (companies.astype({"id": int}), "column id of this table holds int"),
        (ipca.reset_index(drop=True), "lacks date"),
        (ipca.set_axis(ipca.index.date).rename_axis("date"), "column date is object"),
        (ipca.tz_localize("UTC"), "column date is datetime64"),
        (ipca["value"], "a Series is no DataFrame"),
    ]
    for table, message in cases:
        with pytest.raises(BadRequest, match=message):
            fin.update(table, dataset=None if table.attrs else "ipca", since=1)
    lists = Client(changing.url, changing.key("gold"), tables="rows")
    with pytest.raises(BadRequest, match="holds ExportedRate instead of Company"):
        lists.update(lists.export("ipca"), dataset="companies")
    with pytest.raises(BadRequest, match="holds str instead of Company"):
        lists.update(["x"], dataset="companies", since=1)
    with pytest.raises(BadRequest, match="it is NoneType"):
        lists.update(None, dataset="companies", since=1)
    polars = pytest.importorskip("polars")
    frames = Client(changing.url, changing.key("gold"), tables="polars")
    with pytest.raises(BadRequest, match="lacks cancelled_on"):
        frames.update(frames.export("companies").select("id"), dataset="companies", since=1)
    with pytest.raises(BadRequest, match="LazyFrame is no DataFrame"):
        frames.update(frames.export("ipca").lazy(), dataset="ipca", since=1)
    with pytest.raises(BadRequest, match="column date of this table holds str"):
        frames.update(
            frames.export("ipca").with_columns(polars.col("date").cast(polars.String)), dataset="ipca", since=1
        )


@pytest.mark.parametrize("tables", ["pandas", "polars", "arrow"])
@pytest.mark.parametrize("numbers", [float, Decimal])
def test_an_update_keeps_the_types_of_columns(changing, tables, numbers):
    pytest.importorskip("pyarrow" if tables == "arrow" else tables)
    key = changing.key("gold")
    fin = Client(changing.url, key, tables=tables, numbers=numbers)
    other = Client(changing.url, key, tables=tables, numbers=float if numbers is Decimal else Decimal)
    for name in ("cdi", "fx", "companies", "financials"):
        table = fin.export(name)
        for client in (fin, other):
            assert types_of(client.update(table)) == types_of(table), name
    # And where a row changed.
    day = datetime.date(2026, 7, 1)
    table = fin.export("igp-m")
    changing.import_series(189, d2026_07_01="0.7" if numbers is float else "0.8")
    for client in (fin, other):
        updated = client.update(table)
        assert types_of(updated) == types_of(table)
        assert values_of(updated)[day] == numbers("0.7" if numbers is float else "0.8")
        assert updated.equals(fin.export("igp-m"))


def types_of(table):
    if hasattr(table, "dtypes"):
        return list(table.dtypes)
    return [field.type for field in table.schema]


def values_of(table):
    if hasattr(table, "reset_index"):
        return {day.date(): value for day, value in table["value"].items()}
    columns = table.to_pydict() if hasattr(table, "to_pydict") else table.to_dict(as_series=False)
    return dict(zip(columns["date"], columns["value"], strict=True))
