"""What must be served of statements, made from CVM's files alone: a reader of its own, and the rules of the periods.

A `Book` holds the files that were read. `Book.rows` are the rows of a question, the newest first.
"""

import csv
import datetime
import io
import pathlib
import re
import unicodedata
import zipfile
from decimal import Decimal

DAY = datetime.timedelta(days=1)
KINDS = {
    "balance-sheet": ["BPA", "BPP"],
    "income": ["DRE"],
    "comprehensive-income": ["DRA"],
    "cash-flow": ["DFC_MD", "DFC_MI"],
    "value-added": ["DVA"],
    "equity-changes": ["DMPL"],
}
SCOPES = {"con": "consolidated", "ind": "individual"}
PERIODS = ["annual", "quarter", "ytd", "ttm"]
NAME = re.compile(r"(dfp|itr)_cia_aberta_(?:(BPA|BPP|DRE|DRA|DFC_MD|DFC_MI|DVA|DMPL)_(con|ind)_)?(\d{4})")
OTHER_NAMES = {"CODIGO_CVM": "CD_CVM", "DATA_REFERENCIA": "DT_REFER", "CNPJ_COMPANHIA": "CNPJ_CIA"}
# The letters that Windows-1252 has and Latin-1 has not. Five bytes mean nothing in either.
WINDOWS = {byte: bytes([byte]).decode("windows-1252", "ignore") or " " for byte in range(0x80, 0xA0)}
CAPITAL = re.compile(r"(dfp|itr)_cia_aberta_composicao_capital_\d{4}")
CAPITAL_COLUMNS = [f"QT_ACAO_{part}_{of}" for of in ("CAP_INTEGR", "TESOURO") for part in ("ORDIN", "PREF", "TOTAL")]
NUMBER = re.compile(r"-?\d+(\.\d+)?")


class Form:
    """A version of a form. `columns`: by scope and member, then by order and period, then by account."""

    def __init__(self, key):
        self.kind, self.code, self.end, self.version = key
        self.received = self.document = self.capital = None
        self.columns = {}

    def merged(self, scope, kind):
        """The columns of a kind of statement, which for balance sheets are in two members."""
        merged = {}
        for member in KINDS[kind]:
            for period, accounts in self.columns.get((scope, member), {}).items():
                merged.setdefault(period, {}).update(accounts)
        return merged

    def plan(self, scope):
        """The plan of accounts, by the names in the statement of income; unknown without one."""
        income = self.merged(scope, "income")
        names = {code: name for (order, *_), column in income.items() if order == "ÚLTIMO" for _, code, name in column}
        revenue = names.get("3.01", "").lower()
        if not revenue:
            return None
        # Banks have two sets of codes, before and since 2020, with names that tell them apart.
        if "intermediação" in revenue:
            return "bank"
        return "insurer" if "3.13" in names else "general"

    def codes(self, scope):
        """The plan, of banks with the codes that it has: before and since 2020 they are others."""
        plan = self.plan(scope)
        since = any(code == "3.11" and "Lucro" in name for (order, *_), column in self.merged(scope, "income").items()
                    if order == "ÚLTIMO" for _, code, name in column)
        return f"{plan} since 2020" if plan == "bank" and since else plan


class Source:
    """A form as one kind of statement in one scope: its own column and that of the quarter, and what it compares with."""

    def __init__(self, form, columns, plan):
        self.form, self.columns, self.plan = form, columns, plan
        # One form states two beginnings of one year: the longer period counts.
        own = sorted(period[1:] for period in columns if period[0] == "ÚLTIMO" and period[2] == form.end)
        self.start = own[0][0] if own else None
        self.is_there = bool(own)
        self.quarter = next((start for start, end in own if start and months(start, end) == 3), None)

    def accounts(self, start):
        return self.columns["ÚLTIMO", start, self.form.end]

    def row(self, start):
        return Row(self, start, "filed", self.accounts(start))


class Row:
    def __init__(self, source, start, origin, accounts, parts=None, quarters=()):
        # The accounts that it was made of, each added (1) or subtracted (-1).
        self.parts = parts or [(1, source, start)]
        # The quarters that were added up, the newest first.
        self.quarters = quarters
        self.source, self.start, self.end, self.origin, self.accounts = source, start, source.form.end, origin, accounts
        self.form = source.form

    def part_accounts(self):
        return [(sign, source.accounts(start)) for sign, source, start in self.parts]


def months(start, end):
    """The months of a period, or nothing if it is not made of whole ones. Companies mistake its first or last day by some."""
    days, month = (end - start).days + 1, 365.25 / 12
    whole = round(days / month)
    return whole if abs(days - whole * month) <= 10 else None


class Book:
    """The statements of all files that were read."""

    def __init__(self):
        self.forms, self.left_out, self.numbers = {}, set(), {}

    def form(self, key):
        return self.forms.setdefault(key, Form(key))

    def read(self, path):
        """An archive, or a table of one."""
        path = pathlib.Path(path)
        if path.suffix != ".zip":
            return self.member(path.name, path.read_bytes(), None)
        with zipfile.ZipFile(path) as archive:
            is_index = lambda name: re.fullmatch(r"(dfp|itr)_cia_aberta_\d{4}\.csv", name)
            # The index decides which forms count; the shares of a form are stored with it.
            names = sorted(archive.namelist(), key=lambda name: (not is_index(name), bool(CAPITAL.match(name))))
            listed = set()
            for name in names:
                self.member(name, archive.read(name), listed)

    def member(self, name, content, listed):
        """A table; with a set of the forms that the index lists, other forms are left out."""
        if CAPITAL.match(name):
            return self.shares(name[:3].upper(), content)
        found = NAME.match(name)
        if not found:
            return
        kind, member, scope = found[1].upper(), found[2], found[3]
        fresh = {}
        for row in table(content):
            try:
                key = kind, int(row["CD_CVM"]), date(row["DT_REFER"]), int(row["VERSAO"])
                self.numbers.setdefault(row.get("CNPJ_CIA"), set()).add(key[1])
                if not member:
                    form = self.form(key)
                    form.received, form.document = date(row["DT_RECEB"]), int(row["ID_DOC"])
                    if listed is not None:
                        listed.add(key)
                    continue
                if listed is not None and key not in listed:
                    self.left_out.add(key)
                    continue
                start = date(row["DT_INI_EXERC"]) if "DT_INI_EXERC" in row else None
                period = row["ORDEM_EXERC"], start, date(row["DT_FIM_EXERC"])
                account = clean(row.get("COLUNA_DF")), row["CD_CONTA"], clean(row["DS_CONTA"])
                value = amount(row["VL_CONTA"], row["ESCALA_MOEDA"], row["CD_CONTA"])
            except (ValueError, KeyError, TypeError):
                continue
            # Of rows that contradict each other the last counts.
            column = fresh.setdefault(key, {}).setdefault(period, {})
            fixed = row["ST_CONTA_FIXA"] == "S"
            # An account of the plan has one name.
            for other in [other for other in column if other[:2] == account[:2] and other != account]:
                if fixed and column[other][1]:
                    del column[other]
            column[account] = value, fixed
        for key, columns in fresh.items():
            self.form(key).columns[scope, member] = columns

    def shares(self, kind, content):
        """Shares are told by the number of a company, which may stand for two codes."""
        for row in table(content):
            for code in self.numbers.get(row["CNPJ_CIA"], ()):
                form = self.forms.get((kind, code, date(row["DT_REFER"]), int(row["VERSAO"])))
                if form and form.columns:
                    form.capital = [int(row[name]) for name in CAPITAL_COLUMNS]

    def capital(self, code, end):
        """The shares of the newest form of a period that has any; of an annual one first."""
        forms = [form for form in self.of(code) if form.end == end and form.capital]
        return min(forms, key=lambda form: (form.kind, -form.version)).capital if forms else None

    def companies(self):
        return sorted({form.code for form in self.forms.values() if form.columns})

    def sources(self, code, kind, scope, as_of):
        """Of each form and period the newest version that has the statement and was received by the day."""
        newest = {}
        for form in self.of(code):
            if as_of and not (form.received and form.received <= as_of):
                continue
            source = Source(form, form.merged(scope, kind), form.codes(scope))
            known = newest.get((form.kind, form.end))
            if source.is_there and (not known or known.form.version < form.version):
                newest[form.kind, form.end] = source
        return newest

    def of(self, code):
        return [form for form in self.forms.values() if form.code == code]

    def scope(self, code, kind, as_of=None):
        """The scope of an answer to a question that names none."""
        return "con" if self.sources(code, kind, "con", as_of) else "ind"

    def rows(self, code, kind, period, scope=None, as_of=None, restated=False):
        """The rows of an answer, the newest first; nothing where the question must be refused."""
        if kind == "equity-changes" and period in ("quarter", "ttm"):
            return None
        scope = scope or self.scope(code, kind, as_of)
        sources = self.sources(code, kind, scope, as_of)
        if kind == "balance-sheet":
            found = (annual if period == "annual" else to_date)(sources)
        else:
            make = {"annual": annual, "quarter": quarters, "ytd": to_date, "ttm": trailing}[period]
            found = make(sources)
        found.sort(key=lambda row: row.end, reverse=True)
        if kind == "balance-sheet" and period == "ttm":
            found = found[:1]
        return [restate(row, sources, kind) for row in found] if restated else found


def table(content):
    """The rows of a table by the names of its columns; those with too few or too many fields are left out."""
    text = content.decode("latin-1").translate(WINDOWS)
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=";", quoting=csv.QUOTE_NONE)
    names = [name.upper() for name in next(lines, [])]
    names = [OTHER_NAMES.get(name, name) for name in names]
    return [dict(zip(names, line)) for line in lines if len(line) == len(names)]


def clean(name):
    """A name as it is served: with spaces for tabs, hard spaces and the like."""
    return name and "".join(" " if unicodedata.category(letter) == "Cc" or letter == "\xa0" else letter for letter in name)


def date(text):
    return datetime.date.fromisoformat(text)


def amount(text, scale, code):
    """A value in reais. Earnings per share have no scale."""
    if not NUMBER.fullmatch(text) or scale not in ("MIL", "UNIDADE"):
        raise ValueError(text)
    return Decimal(text) * (1000 if scale == "MIL" and not is_per_share(code) else 1)


def is_per_share(code):
    return code == "3.99" or code.startswith("3.99.")


def annual(sources):
    return [source.row(source.start) for source in sources.values() if source.form.kind == "DFP"]


def to_date(sources):
    return [source.row(source.start) for source in sources.values()]


def combined(first, rest, make):
    """The accounts that all have, by code and name; none per share."""
    return {
        account: (make([value, *(others[account][0] for others in rest)]), fixed)
        for account, (value, fixed) in first.items()
        if not is_per_share(account[1]) and all(account in others for others in rest)
    }


def quarters(sources):
    """The quarter of an ITR, else the difference of two years to date; the fourth is the year less nine months."""
    made = []
    for source in sources.values():
        if source.form.kind == "ITR" and source.quarter:
            made.append(source.row(source.quarter))
            continue
        length = months(source.start, source.form.end)
        if source.form.kind == "DFP" and length != 12 or not length or length < 6:
            continue
        for other in sources.values():
            same = other.form.kind == "ITR" and other.start == source.start
            if same and months(other.form.end + DAY, source.form.end) == 3 and same_plan([source, other]):
                rest = [other.accounts(other.start)]
                accounts = combined(source.accounts(source.start), rest, lambda values: values[0] - values[1])
                parts = [(1, source, source.start), (-1, other, other.start)]
                made.append(Row(source, other.form.end + DAY, "computed", accounts, parts))
    return made


def same_plan(sources):
    return len({source.plan for source in sources if source.plan}) < 2


def trailing(sources):
    """The sum of four quarters that follow each other, else the year itself."""
    found, made = quarters(sources), []
    for end in sorted({source.form.end for source in sources.values()}):
        chain = [row for row in found if row.end == end]
        while chain and len(chain) < 4:
            before = [row for row in found if row.end < chain[-1].end and months(row.end + DAY, chain[-1].end) == 3]
            if not before:
                break
            chain += before
        annual = sources.get(("DFP", end))
        if len(chain) == 4 and same_plan([source for row in chain for _, source, _ in row.parts]):
            accounts = combined(chain[0].accounts, [row.accounts for row in chain[1:]], sum)
            made.append(Row(chain[0].source, chain[-1].start, "computed", accounts, cancelled(chain), chain))
        elif annual and months(annual.start, end) == 12:
            made.append(annual.row(annual.start))
    return made


def cancelled(chain):
    """The parts of four quarters, without what is both added and subtracted."""
    parts = []
    for sign, source, start in (part for row in chain for part in row.parts):
        if (-sign, source, start) in parts:
            parts.remove((-sign, source, start))
        else:
            parts.append((sign, source, start))
    return parts


def restate(row, sources, kind):
    """The row as following forms compare with it, if that differs: made of their columns alone."""
    if kind == "balance-sheet" and row.form.kind == "ITR":
        return row
    told = on_other_basis(row, sources)
    return told if told and values(told.accounts) != values(row.accounts) else row


def on_other_basis(row, sources):
    """The row of the columns for comparison, or nothing where one of them is not there."""
    if row.quarters:
        quarters = [on_other_basis(quarter, sources) for quarter in row.quarters]
        if None in quarters:
            return None
        source, accounts = quarters[0].source, combined(quarters[0].accounts, [one.accounts for one in quarters[1:]], sum)
    else:
        told = [comparative(source, start, sources) for _, source, start in row.parts]
        if None in told:
            return None
        (source, accounts), *rest = told
        if rest:
            accounts = combined(accounts, [rest[0][1]], lambda values: values[0] - values[1])
    made = Row(source, row.start, "restated", accounts)
    made.end = row.end
    return made


def comparative(own, start, sources):
    """The following form of its kind that has this column for comparison, and its accounts."""
    period = "PENÚLTIMO", start, own.form.end
    later = [source for source in sources.values() if source.form.kind == own.form.kind and source.form.end > own.form.end]
    told = [source for source in later if period in source.columns]
    first = min(told, key=lambda source: source.form.end, default=None)
    return first and (first, first.columns[period])


def values(accounts):
    """What differs if it is restated: not names. An account that is not there is zero."""
    return sorted((part or "", code, value) for (part, code, _), (value, _) in accounts.items() if value)
