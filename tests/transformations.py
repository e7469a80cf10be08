#!/usr/bin/env python3
"""Compares every transformed history with one that is computed here, from the plain history, in exact fractions.

    tests/transformations.py BINARY [DATA]

Every series and some currencies, each frequency, aggregate and unit; what must be refused is asked for too. Prints how many
rows were compared, and every difference.
"""
import datetime
import itertools
import json
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from decimal import Decimal
from fractions import Fraction

FREQUENCIES = [None, "week", "month", "quarter", "year"]
AGGREGATES = [None, "mean", "first", "last", "min", "max", "sum", "compound"]
UNITS = [
    "value", "change", "percent_change", "year_ago", "percent_year_ago", "accumulated_12m", "index",
]
CURRENCIES = ["USD/BRL", "EUR/BRL", "JPY/BRL"]
DAY = datetime.timedelta(days=1)


class Service:
    """The program under test, with a key of the highest plan."""

    def __init__(self, binary, data):
        self.process = subprocess.Popen(
            [binary, "serve", "--data", data, "--listen", "127.0.0.1:0", "--no-access-log"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )
        for line in self.process.stdout:
            if "http://" in line:
                self.base = line[line.index("http://"):].strip()
                break
        self.keys = itertools.cycle([self.key(binary, data) for _ in range(8)])

    def key(self, binary, data):
        made = subprocess.run(
            [binary, "keys", "create", "--data", data, "--plan", "platinum", "--name", "test",
             "--email", "test@example.com"], capture_output=True, text=True, check=True)
        return next(word for word in made.stdout.split() if word.startswith("fin_"))

    def get(self, path):
        """Status and answer; figures are decimals."""
        request = urllib.request.Request(self.base + path, headers={"X-API-Key": next(self.keys)})
        try:
            with urllib.request.urlopen(request, timeout=60) as reply:
                return 200, json.loads(reply.read(), parse_float=Decimal, parse_int=Decimal)
        except urllib.error.HTTPError as err:
            return err.code, json.loads(err.read())

    def rows(self, path):
        """All rows, the oldest first, or the status of a refusal."""
        rows, total = [], 1
        while len(rows) < total:
            mark = "&" if "?" in path else "?"
            status, answer = self.get(f"{path}{mark}limit=10000&offset={len(rows)}")
            if status != 200:
                return status
            rows, total = rows + answer["data"], int(answer["total"])
            if not answer["data"]:
                break
        return rows[::-1]


def date(text):
    return datetime.date.fromisoformat(text)


def start(day, frequency):
    if frequency == "week":
        return day - day.weekday() * DAY
    month = {"month": day.month, "quarter": (day.month - 1) // 3 * 3 + 1, "year": 1}[frequency]
    return datetime.date(day.year, month, 1)


def after(begin, frequency):
    if frequency == "week":
        return begin + 7 * DAY
    months = begin.year * 12 + begin.month - 1 + {"month": 1, "quarter": 3, "year": 12}[frequency]
    return datetime.date(months // 12, months % 12 + 1, 1)


def year_before(day, frequency):
    if frequency == "week":
        return day - 364 * DAY
    try:
        return day.replace(year=day.year - 1)
    except ValueError:
        return None


def rounded(number, decimals):
    """Half up, away from zero."""
    scaled = abs(number) * 10**decimals
    whole = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
    return Fraction(whole if number >= 0 else -whole, 10**decimals)


def compounded(rates):
    product = Fraction(1)
    for rate in rates:
        product *= 1 + rate / 100
    return (product - 1) * 100


class Series:
    """A series as it is, and what can be made of it."""

    def __init__(self, rows, unit, rhythm, holidays):
        self.rows = [(date(row["date"]), Fraction(row["value"])) for row in rows]
        places = lambda row: max(0, -row["value"].as_tuple().exponent)
        self.decimals = max(map(places, rows))
        self.rhythm = rhythm
        self.holidays = holidays
        self.is_percent = unit.startswith("percent")
        self.is_rate = unit == "percent per day" or unit == "percent per month" and rhythm == "monthly"

    def ended(self, begin, frequency):
        last = after(begin, frequency) - DAY
        if self.rhythm == "monthly":
            last = last.replace(day=1)
        elif self.rhythm == "business days":
            while last.weekday() > 4 or last in self.holidays:
                last -= DAY
        return self.rows[-1][0] >= last

    def transformed(self, frequency, aggregate, units):
        """The rows, or nothing where they must be refused."""
        if aggregate and not frequency:
            return None
        if units == "accumulated_12m":
            if not self.is_rate or frequency not in (None, "month"):
                return None
            frequency = "month"
        if frequency == "week" and self.rhythm == "monthly":
            return None
        if frequency:
            aggregate = aggregate or ("compound" if self.is_rate else "mean")
            if aggregate == "compound" and not self.is_rate or aggregate == "sum" and self.is_percent:
                return None
            if units == "accumulated_12m" or units == "index" and self.is_rate:
                if aggregate != "compound":
                    return None
            make = {
                "mean": lambda values: sum(values) / len(values),
                "first": lambda values: values[0],
                "last": lambda values: values[-1],
                "min": min, "max": max, "sum": sum, "compound": compounded,
            }[aggregate]
            groups = itertools.groupby(self.rows, lambda row: start(row[0], frequency))
            rows = [(begin, make([value for _, value in days])) for begin, days in groups]
            rows = [row for row in rows if self.ended(row[0], frequency)]
        else:
            rows = self.rows
        exact = {"mean": self.decimals + 2, "compound": 4}.get(aggregate if frequency else None)
        finish = lambda number: number if exact is None else rounded(number, exact)
        if not rows:
            return []
        if units == "value":
            return [(day, finish(value)) for day, value in rows]
        if units in ("change", "percent_change"):
            pairs = [(day, value, before) for (_, before), (day, value) in zip(rows, rows[1:])]
        elif units in ("year_ago", "percent_year_ago"):
            known = dict(rows)
            earlier = lambda day: known.get(year_before(day, frequency))
            pairs = [(day, value, earlier(day)) for day, value in rows if earlier(day) is not None]
        elif units == "accumulated_12m":
            windows = [rows[at:at + 12] for at in range(len(rows) - 11)]
            span = lambda months: (months[-1][0].year - months[0][0].year) * 12 \
                + months[-1][0].month - months[0][0].month
            return [(months[-1][0], rounded(compounded([rate for _, rate in months]), 4))
                    for months in windows if span(months) == 11]
        else:
            if not self.is_rate:
                base = rows[0][1]
                return [(day, rounded(100 * value / base, 4)) for day, value in rows] if base else None
            # Whole fractions of ten thousand days would take hours; eighty decimals decide every rounding here.
            told, index = [], Fraction(100)
            for place, (day, value) in enumerate(rows):
                if place:
                    index = rounded(index * (1 + value / 100), 80)
                told.append((day, rounded(index, 4)))
            return told
        if units.startswith("percent"):
            return [(day, rounded((value / old - 1) * 100, 4)) for day, value, old in pairs if old]
        return [(day, finish(value - old)) for day, value, old in pairs]


def main():
    binary, *rest = sys.argv[1:]
    with tempfile.TemporaryDirectory() as made:
        service = Service(binary, rest[0] if rest else made)
        try:
            sys.exit(compare(service))
        finally:
            service.process.terminate()


def compare(service):
    status, listed = service.get("/api/v1/market/series?limit=1000")
    assert status == 200, listed
    business = set()
    for year in range(1979, 2027):
        business |= set(service.get(f"/api/v1/calendar/business-days?from={year}-01-01&to={year}-12-31")[1]["data"])
    days = (datetime.date(1979, 1, 1) + at * DAY for at in range(365 * 48))
    holidays = {day for day in days if day.weekday() < 5 and day.isoformat() not in business}
    subjects = [(f"series/{one['name']}?", one["unit"] or "", one["rhythm"]) for one in listed["data"]]
    subjects += [(f"fx?side={side}&pair={pair}&", "BRL", "business days")
                 for pair in CURRENCIES for side in ("buy", "sell")]
    compared = refused = wrong = 0
    for path, unit, rhythm in subjects:
        series = Series(service.rows(f"/api/v1/market/{path}"), unit, rhythm, holidays)
        for frequency, aggregate, units in itertools.product(FREQUENCIES, AGGREGATES, UNITS):
            named = [("frequency", frequency), ("aggregate", aggregate), ("units", units)]
            query = "&".join(f"{name}={value}" for name, value in named if value)
            wanted = series.transformed(frequency, aggregate, units)
            given = service.rows(f"/api/v1/market/{path}{query}")
            if isinstance(given, list):
                given = [(date(row["date"]), Fraction(row["value"])) for row in given]
                compared += len(given)
            else:
                refused += 1
            if given != (400 if wanted is None else wanted):
                wrong += 1
                print(f"{path}{query}: {difference(given, wanted)}")
    print(f"{compared} rows compared, {refused} questions refused, {wrong} answers wrong")
    return 1 if wrong or not compared else 0


def difference(given, wanted):
    if not isinstance(given, list) or wanted is None:
        return f"{given if isinstance(given, int) else 'rows'} where {'400' if wanted is None else 'rows'} is right"
    for one, other in itertools.zip_longest(given, wanted):
        if one != other:
            show = lambda row: row and f"{row[0]} {float(row[1])}"
            return f"{show(one)} where {show(other)} is right"


if __name__ == "__main__":
    main()
