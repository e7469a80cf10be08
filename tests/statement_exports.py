"""Compares exports of statements and figures: whole ones with what was read, and deltas applied to a copy with whole ones."""

import json
import re
import subprocess
from decimal import Decimal

from statement_figures import METRICS
from statement_oracle import KINDS, SCOPES

# What identifies the rows that change together: a form, and the figures of a period.
KEYS = {
    "statements": ["company_id", "form", "period_end", "version"],
    "financials": ["company_id", "period", "period_end", "scope"],
}


class Copies:
    """Copies of both datasets, which are kept up to date by deltas: by key the rows as they were sent."""

    def __init__(self, program, data):
        self.program, self.data = program, data
        self.copies, self.versions, self.deltas = {}, {}, 0
        for name in KEYS:
            lines, self.versions[name] = self.export(name)
            self.copies[name] = whole(name, lines)

    def export(self, name, *flags):
        """The lines of an export, and its data version."""
        command = [self.program, "export", name, "--data", str(self.data), *map(str, flags)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
        return done.stdout.splitlines(), int(re.search(r"data version (\d+)", done.stderr)[1])

    def update(self, tally, when):
        """Applies what changed, and compares with a whole export."""
        for name, copy in self.copies.items():
            lines, version = self.export(name, "--since", self.versions[name])
            self.deltas += len(lines)
            tally.questions += 1
            for line in lines:
                apply(name, copy, line, tally)
            lines, now = self.export(name)
            right = whole(name, lines)
            tally.values += len(lines)
            if now != version:
                tally.differ(f"{when}: version of a delta of {name}", version, now)
            for key in copy.keys() | right.keys():
                if copy.get(key) != right.get(key):
                    rows = len(copy.get(key, ())), len(right.get(key, ()))
                    tally.differ(f"{when}: {name}: {key}", f"a copy with {rows[0]} rows", f"{rows[1]} rows of a whole export")
            self.copies[name], self.versions[name] = right, version


def whole(name, lines):
    """The lines of a whole export, by key."""
    copy = {}
    for line in lines:
        row = json.loads(line, parse_float=Decimal)
        copy.setdefault(key_of(name, row), set()).add(line)
    return copy


def key_of(name, row):
    return tuple(row[field] for field in KEYS[name])


def apply(name, copy, line, tally):
    """A row of a delta begins with what it does; the rest is as in a whole export."""
    row = json.loads(line, parse_float=Decimal)
    key, change = key_of(name, row), row["change"]
    row_line = "{" + line.split(",", 1)[1]
    if change == "removed":
        copy.pop(key, None)
    elif name == "financials":
        if (change == "changed") != (key in copy):
            tally.differ(f"a delta of {name}: {key}", change, "added if it is new, else changed")
        copy[key] = {row_line}
    else:
        copy.setdefault(key, set()).add(row_line)


def compare_statements(copies, book, tally):
    """Every value of every version of every form that was read."""
    wanted, kinds = {}, {member: kind for kind, members in KINDS.items() for member in members}
    for form in book.forms.values():
        head = str(form.code), form.kind, form.end.isoformat(), form.version
        for (scope, member), columns in form.columns.items():
            for (order, start, end), accounts in columns.items():
                for (part, code, name), (value, fixed) in accounts.items():
                    about = SCOPES[scope], kinds[member], order != "ÚLTIMO"
                    days = start.isoformat() if start else None, end.isoformat()
                    told = value, fixed, form.received, form.document
                    wanted[head + about + days + (code, name, part)] = told
    served, rows = {}, 0
    for lines in copies.copies["statements"].values():
        for line in lines:
            row, rows = json.loads(line, parse_float=Decimal), rows + 1
            fields = KEYS["statements"] + ["scope", "kind", "comparative", "start", "end", "code", "name", "column"]
            served[tuple(row[field] for field in fields)] = row
    tally.values += len(wanted)
    if rows != len(served):
        tally.differ("export of statements", f"{rows} rows", f"{len(served)} values")
    for key in served.keys() ^ wanted.keys():
        tally.differ(f"export of statements: {key}", "there" if key in served else "not there", "the opposite")
    for key in served.keys() & wanted.keys():
        row, (value, fixed, received, document) = served[key], wanted[key]
        filing = f"{key[1].lower()}-{document}" if document else None
        right = value, fixed, received and received.isoformat(), filing
        given = row["value"], row["fixed"], row["received"], row["filing_id"]
        if given != right:
            tally.differ(f"export of statements: {key}", given, right)


def compare_financials(copies, figures, tally):
    """Every row of the figures of all companies. `figures`: by company, scope and period."""
    wanted = {(str(code), period, row["period_end"], scope): row
              for (code, scope, period), rows in figures.items() for row in rows}
    served = {key: json.loads(line, parse_float=Decimal)
              for key, lines in copies.copies["financials"].items() for line in lines}
    for key in served.keys() ^ wanted.keys():
        tally.differ(f"export of financials: {key}", "there" if key in served else "not there", "the opposite")
    for key in served.keys() & wanted.keys():
        tally.values += len(METRICS)
        for name in ["period_start", "plan", *METRICS]:
            if served[key][name] != wanted[key][name]:
                tally.differ(f"export of financials: {key}: {name}", served[key][name], wanted[key][name])
