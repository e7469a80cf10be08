"""Compares the screener, `/api/v1/financials`, with the figures of each company."""

import unicodedata

from statement_figures import METRICS

FIELDS = ["company_id", "name", "period_end", "scope", "plan"]


def compare_screen(client, tally, served, chance):
    """`served`: by company, scope and period the rows of its own figures, which were compared before."""
    companies = sorted({code for code, _, _ in served})
    registered = {code: client.get(f"companies/{code}") for code in companies}
    sectors = {code: answer["sector"] for code, (status, answer) in registered.items() if status == 200}
    for period in ("annual", "quarter", "ttm"):
        ends = sorted({row["period_end"] for (_, _, of), rows in served.items() for row in rows if of == period})
        for year in (None, *sorted({int(end[:4]) for end in ends})):
            wanted = newest(served, period, year)
            order = chance.choice(["name", *METRICS, *(f"-{name}" for name in METRICS)])
            metrics = chance.sample(METRICS, chance.randint(1, 4)) if chance.random() < 0.5 else METRICS
            query = f"financials?period={period}&order={order}" + (f"&year={year}" if year else "")
            query += f"&metric={','.join(metrics)}" if metrics is not METRICS else ""
            compare_rows(client, tally, query, wanted, (metrics, order))
    wanted = newest(served, "annual", None)
    for sector in sorted({sector for sector in sectors.values() if sector}):
        of_sector = {code: row for code, row in wanted.items() if sectors.get(code) == sector}
        for spelling in (sector, fold(sector).upper()):
            query = "financials?order=-revenue&sector=" + "".join(f"%{byte:02X}" for byte in spelling.encode())
            compare_rows(client, tally, query, of_sector, (METRICS, "-revenue"))
    compare_rows(client, tally, "financials?sector=nada", {}, (METRICS, "name"))
    for wrong in ("metric=lucro", "order=lucro", "period=ytd", "year=24", "limit=0", "sectors=x"):
        status, _ = client.get(f"financials?{wrong}")
        tally.questions += 1
        if status != 400:
            tally.differ(f"financials?{wrong}", status, 400)


def newest(served, period, year):
    """Of each company the newest row that ends in the year, if any; consolidated, else individual."""
    rows = {}
    for (code, _, of), listed in served.items():
        for row in listed:
            if of == period and (year is None or row["period_end"].startswith(str(year))):
                rows.setdefault(code, []).append(row)
    return {code: min(listed, key=lambda row: (-int(row["period_end"].replace("-", "")), row["scope"]))
            for code, listed in rows.items()}


def compare_rows(client, tally, query, wanted, asked):
    """All pages of an answer."""
    metrics, order = asked
    rows, total, limit = [], None, 5
    while total is None or len(rows) < total:
        status, page = client.get(f"{query}&limit={limit}&offset={len(rows)}")
        tally.questions += 1
        if status != 200 or page["total"] != len(wanted) or total and not page["data"]:
            tally.differ(query, f"{status}, total {page.get('total')}", f"a total of {len(wanted)}")
            return
        rows, total = rows + page["data"], page["total"]
    if sorted(row["company_id"] for row in rows) != sorted(map(str, wanted)):
        tally.differ(query, [row["company_id"] for row in rows], sorted(wanted))
        return
    for row in rows:
        right = wanted[int(row["company_id"])]
        tally.values += len(metrics)
        if list(row) != FIELDS + list(metrics):
            tally.differ(f"{query}: {row['company_id']}: fields", list(row), FIELDS + list(metrics))
        differing = [name for name in row if name not in ("company_id", "name") and row[name] != right[name]]
        for name in differing:
            tally.differ(f"{query}: {row['company_id']}: {name}", row[name], right[name])
    name = order.lstrip("-")
    values = [fold(row["name"]) if name == "name" else wanted[int(row["company_id"])][name] for row in rows]
    there = [value for value in values if value is not None]
    if values != sorted(there, reverse=order.startswith("-")) + [None] * (len(values) - len(there)):
        tally.differ(f"{query}: order", values, "sorted, with those that have none at the end")


def fold(text):
    return "".join(letter for letter in unicodedata.normalize("NFD", text.lower()) if not unicodedata.combining(letter))
