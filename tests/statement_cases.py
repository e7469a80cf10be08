"""Cases computed by hand for `statement_oracle.py`, and what the archives of `statement_files.py` must have."""

import datetime
import pathlib
import tempfile
from decimal import Decimal

import statement_files
import statement_oracle

CODE = 77
ITR, DFP = "itr", "dfp"
LATEST, BEFORE = "ÚLTIMO", "PENÚLTIMO"


def check():
    """Fails with the first case that does not hold."""
    with tempfile.TemporaryDirectory() as place:
        book = by_hand(pathlib.Path(place))
        quarters(book)
        days_of_knowledge(book)
        comparatives(book)
        balance_sheets(book)
        archives(pathlib.Path(place))
    print("the rules hold in all cases computed by hand")


def by_hand(place):
    """A year of a company, with the DFP in reais and in two versions, and what the next year says of it."""
    income = {
        (ITR, "2023-03-31", 1): [(LATEST, "2023-01-01", "2023-03-31", 10, "0.1")],
        (ITR, "2023-06-30", 1): [
            (LATEST, "2023-01-01", "2023-06-30", 21, "0.2"), (LATEST, "2023-04-01", "2023-06-30", 12, "0.1")],
        (ITR, "2023-09-30", 1): [(LATEST, "2023-01-01", "2023-09-30", 36, "0.3")],
        (DFP, "2023-12-31", 1): [(LATEST, "2023-01-01", "2023-12-31", 48, "0.4")],
        (DFP, "2023-12-31", 2): [(LATEST, "2023-01-01", "2023-12-31", 50, "0.5")],
        (ITR, "2024-03-31", 1): [
            (BEFORE, "2023-01-01", "2023-03-31", 9, "0.1"), (LATEST, "2024-01-01", "2024-03-31", 20, "0.6")],
        # A short year, and the one before as it was filed.
        (DFP, "2024-06-30", 1): [
            (BEFORE, "2023-01-01", "2023-12-31", 51, "0.5"), (LATEST, "2024-01-01", "2024-06-30", 33, "0.7")],
    }
    received = {
        (ITR, "2023-03-31", 1): "2023-05-10", (DFP, "2023-12-31", 1): "2024-03-01", (DFP, "2023-12-31", 2): "2024-03-20",
        (ITR, "2024-03-31", 1): "2024-05-10", (DFP, "2024-06-30", 1): "2024-09-01",
    }
    names = statement_files.columns_of("DRE")
    book = statement_oracle.Book()
    # A version a folder, because an archive has the newest one alone.
    for (form, end, version), columns in income.items():
        thousands = form == ITR
        head = ["", end, str(version), "COMPANHIA À MÃO S.A.", f"{CODE:06}"]
        rows = []
        for order, start, last, sales, per_share in columns:
            scale, sales = ("MIL", sales) if thousands else ("UNIDADE", sales * 1000)
            told = head + ["DF Individual - Demonstração do Resultado", "REAL", scale, order, start, last]
            rows.append(told + ["3.01", "Receita de Venda de Bens e/ou Serviços", f"{sales:.10f}", "S"])
            rows.append(told + ["3.99.01.01", "ON", f"{Decimal(per_share):.10f}", "N"])
        rows.append(rows[0][:-2] + ["x", "S"])
        index = [head + [form.upper(), "1", received.get((form, end, version), "2023-12-01"), ""]]
        sheet = head + ["DF Individual - Balanço Patrimonial Ativo", "REAL", "MIL", LATEST, end]
        sheet += ["1", "Ativo Total", "7.0000000000", "S"]
        stranger = ["", end, "9", *rows[0][3:]]
        path = place / f"{form}_cia_aberta_{end[:4]}.zip"
        statement_files.write_archive(path, {
            f"{form}_cia_aberta_{end[:4]}.csv": statement_files.table(statement_files.INDEX, index),
            f"{form}_cia_aberta_DRE_ind_{end[:4]}.csv": statement_files.table(names, rows + [stranger, rows[0]]),
            f"{form}_cia_aberta_BPA_ind_{end[:4]}.csv": statement_files.table(statement_files.columns_of("BPA"), [sheet]),
        })
        book.read(path)
    assert len(book.left_out) == 6, book.left_out
    return book


def told(rows):
    """The end, the origin and the sales in thousands of every row, and whether it has figures per share."""
    return [(row.end.isoformat(), row.origin,
             *(int(value / 1000) for (_, code, _), (value, _) in row.accounts.items() if code == "3.01"),
             any(code.startswith("3.99") for _, code, _ in row.accounts)) for row in rows]


def expect(book, wanted, period, **options):
    given = told(book.rows(CODE, "income", period, **options))
    assert given == wanted, f"{period} {options}: {given}"


def quarters(book):
    expect(book, [("2024-06-30", "filed", 33, True), ("2023-12-31", "filed", 50, True)], "annual")
    expect(book, [
        ("2024-03-31", "filed", 20, True), ("2023-12-31", "computed", 14, False), ("2023-09-30", "computed", 15, False),
        ("2023-06-30", "filed", 12, True), ("2023-03-31", "filed", 10, True),
    ], "quarter")
    # The quarters do not add up to the year, because forms round; a year of six months has none.
    expect(book, [("2024-03-31", "computed", 61, False), ("2023-12-31", "computed", 51, False)], "ttm")
    expect(book, [
        ("2024-06-30", "filed", 33, True), ("2024-03-31", "filed", 20, True), ("2023-12-31", "filed", 50, True),
        ("2023-09-30", "filed", 36, True), ("2023-06-30", "filed", 21, True), ("2023-03-31", "filed", 10, True),
    ], "ytd")
    starts = [str(row.start) for row in book.rows(CODE, "income", "quarter")]
    assert starts == ["2024-01-01", "2023-10-01", "2023-07-01", "2023-04-01", "2023-01-01"], starts
    assert [str(row.start) for row in book.rows(CODE, "income", "ttm")] == ["2023-04-01", "2023-01-01"]
    assert book.scope(CODE, "income") == "ind"
    assert book.rows(CODE, "equity-changes", "ttm") is None and book.rows(CODE, "equity-changes", "ytd") == []


def days_of_knowledge(book):
    day = datetime.date.fromisoformat
    expect(book, [("2023-12-31", "filed", 48, True)], "annual", as_of=day("2024-03-19"))
    expect(book, [("2023-12-31", "filed", 50, True)], "annual", as_of=day("2024-03-20"))
    expect(book, [("2023-12-31", "computed", 49, False)], "ttm", as_of=day("2024-03-19"))
    expect(book, [("2023-03-31", "filed", 10, True)], "quarter", as_of=day("2023-05-10"))
    expect(book, [], "quarter", as_of=day("2023-05-09"))


def comparatives(book):
    expect(book, [("2024-06-30", "filed", 33, True), ("2023-12-31", "restated", 51, True)], "annual", restated=True)
    changed = book.rows(CODE, "income", "annual", restated=True)[1]
    assert (changed.form.kind, changed.form.end.isoformat()) == ("DFP", "2024-06-30")
    last = told(book.rows(CODE, "income", "quarter", restated=True))[-1]
    assert last == ("2023-03-31", "restated", 9, True), last
    day = datetime.date.fromisoformat("2024-08-31")
    expect(book, [("2023-12-31", "filed", 50, True)], "annual", restated=True, as_of=day)


def balance_sheets(book):
    ends = lambda period: [row.end.isoformat() for row in book.rows(CODE, "balance-sheet", period)]
    assert ends("annual") == ["2024-06-30", "2023-12-31"] and ends("ttm") == ["2024-06-30"]
    every = ["2024-06-30", "2024-03-31", "2023-12-31", "2023-09-30", "2023-06-30", "2023-03-31"]
    assert ends("quarter") == ends("ytd") == every
    assert list(book.rows(CODE, "balance-sheet", "ttm")[0].accounts.values()) == [(7000, True)]


def archives(place):
    """What the made-up archives are for must be in them."""
    made = statement_files.Archives(place / "made", 3)
    book = statement_oracle.Book()
    for file in made.files:
        book.read(file)
    assert {(form.kind, form.company.code, form.end, form.version) for form in made.unlisted} == book.left_out
    assert book.companies() == sorted(company.code for company in made.companies)
    origins = {
        (kind, row.form.kind, row.origin)
        for code in book.companies()
        for kind in statement_oracle.KINDS
        for period in ("annual", "quarter", "ttm")
        for row in book.rows(code, kind, period, restated=True) or []
    }
    for kind in ("income", "comprehensive-income", "cash-flow", "value-added"):
        for form, origin in [("DFP", "filed"), ("DFP", "computed"), ("DFP", "restated"), ("ITR", "computed")]:
            assert (kind, form, origin) in origins, (kind, form, origin)
    versions = {}
    for form in book.forms.values():
        if form.columns:
            versions.setdefault((form.kind, form.code, form.end), set()).add(form.version)
    assert any(len(held) > 1 for held in versions.values()) and any(min(held) > 1 for held in versions.values())
    sides = [[value for (_, account, _), (value, _) in row.accounts.items() if account in ("1", "2")]
             for code in book.companies() for row in book.rows(code, "balance-sheet", "annual")]
    # Contradicting rows spoil a few.
    assert sum(one == other for one, other in sides) > 0.9 * len(sides)
