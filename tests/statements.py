#!/usr/bin/env python3
"""Compares every statement that is served with one that is made here, from CVM's files alone.

    tests/statements.py target/release/finserve [--long] [--seed NUMBER]
    tests/statements.py --self-test

Archives of made-up companies are imported (`statement_files.py`), then every statement is asked for, in every period and
scope and as of several days, and compared with what the rules make of the files (`statement_oracle.py`); so are figures
and what they say they were made of (`statement_figures.py`), the screener (`statement_screen.py`) and exports, whole and
as deltas of each import (`statement_exports.py`). Malformed archives must be refused and change nothing. The same is done with the real files where they are at hand, in
../shared/upstream, and with the bundled statements, which are made of them. Prints how many values were compared, and the first differences. Needs Python 3 alone.
"""

import argparse
import contextlib
import datetime
import http.client
import itertools
import json
import pathlib
import random
import sqlite3
import subprocess
import sys
import time
from decimal import Decimal

import statement_cases
import trial
from statement_exports import Copies, compare_financials, compare_statements
from statement_faults import faults, renewed
from statement_figures import compare_figures, figures
from statement_files import Archives, read_archive, write_archive
from statement_oracle import KINDS, PERIODS, SCOPES, Book
from statement_screen import compare_screen

UPSTREAM = pathlib.Path(__file__).resolve().parent.parent.parent / "shared/upstream/cvm"
SHOWN = 20
# More periods than any company here has.
ALL = 100
# How many imports the archives come in.
PARTS = 4


class Client:
    """Asks a server with keys of the plan Gold, in turn: each passes 500 requests a minute."""

    def __init__(self, program, data, server):
        self.keys = itertools.cycle([trial.new_key(program, data, "gold") for _ in range(32)])
        self.connection = http.client.HTTPConnection(*server.address, timeout=60)

    def get(self, path):
        """Status and answer, with figures as exact decimals."""
        while True:
            headers = {"X-API-Key": next(self.keys)}
            try:
                self.connection.request("GET", f"/api/v1/{path}", headers=headers)
                response = self.connection.getresponse()
            except http.client.RemoteDisconnected:
                # It was idle for too long. If the server is gone, connecting again fails.
                self.connection.close()
                continue
            body = response.read()
            if response.status != 429:
                break
            time.sleep(1)
        try:
            return response.status, json.loads(body, parse_float=Decimal)
        except ValueError:
            return response.status, {}

    def data(self, path):
        status, answer = self.get(path)
        if status != 200:
            sys.exit(f"{path}: {status} {answer}")
        return answer["data"]


class Tally:
    """What was compared and what differs."""

    def __init__(self):
        self.questions = self.values = self.balanced = self.net_incomes = 0
        self.differences = []

    def differ(self, where, given, wanted):
        self.differences.append(f"{where}: {given} where {wanted} is right")

    def summary(self, what):
        for line in self.differences[:SHOWN]:
            print(line)
        print(f"{what}: {self.values} values of {self.questions} answers compared, {len(self.differences)} differences; "
              f"{self.balanced} balance sheets have two equal sides, {self.net_incomes} net incomes agree")
        return len(self.differences)


def ask(client, book, tally, code, kind, period, scope=None, as_of=None, restated=False):
    """Asks for all rows of a statement, and compares them."""
    given = {"period": period, "scope": scope and SCOPES[scope], "as_of": as_of, "restated": restated and "true"}
    query = "&".join(f"{name}={value}" for name, value in given.items() if value)
    path = f"companies/{code}/statements/{kind}?{query}&limit={ALL}"
    wanted = book.rows(code, kind, period, scope, as_of, restated)
    status, answer = client.get(path)
    tally.questions += 1
    if status != (400 if wanted is None else 200):
        tally.differ(path, status, 400 if wanted is None else 200)
    elif wanted is not None:
        scope = scope or book.scope(code, kind, as_of)
        compare(path, answer["data"], wanted, scope, kind, tally)


def compare(path, given, wanted, scope, kind, tally):
    """Compares the rows of an answer."""
    ends, right = [row["period_end"] for row in given], [row.end.isoformat() for row in wanted]
    if ends != right:
        extra, missing = [end for end in ends if end not in right], [end for end in right if end not in ends]
        tally.differ(f"{path}: periods", f"{extra} too many, {missing} missing", "as many in order")
        return
    for one, row in zip(given, wanted):
        where = f"{path}: {row.end}"
        right = {"scope": SCOPES[scope], "currency": "BRL", "origin": row.origin}
        right |= {"form": row.form.kind, "version": row.form.version}
        if kind != "balance-sheet":
            right["period_start"] = row.start.isoformat()
        if row.form.received:
            right["received"] = row.form.received.isoformat()
            one = {**one, "received": (one.get("received") or "")[:10]}
        for name, value in right.items():
            if one.get(name) != value:
                tally.differ(f"{where}: {name}", one.get(name), value)
        compare_accounts(where, one["accounts"], row.accounts, tally)
        sides = [value for (_, code, _), (value, _) in row.accounts.items() if code in ("1", "2")]
        tally.balanced += kind == "balance-sheet" and len(sides) == 2 and sides[0] == sides[1]


def compare_accounts(where, given, wanted, tally):
    codes = [one["code"] for one in given]
    if codes != sorted(codes, key=lambda code: [int(number) for number in code.split(".")]):
        tally.differ(f"{where}: order", codes, "by code")
    served = {(one.get("column"), one["code"], one["name"]): (one["value"], one["fixed"]) for one in given}
    if len(served) != len(given):
        tally.differ(f"{where}: accounts", len(given), len(served))
    for account in sorted(served.keys() | wanted.keys(), key=str):
        tally.values += 1
        if served.get(account) != wanted.get(account):
            tally.differ(f"{where}: {account}", served.get(account), wanted.get(account))


def compare_list(client, book, tally, code):
    """The list of statements: the newest version of each form and scope, and no version that is not in a file."""
    path = f"companies/{code}/statements"
    listed = client.data(f"{path}?limit={ALL * 4}")
    ends = [row["period_end"] for row in listed]
    if ends != sorted(ends, reverse=True):
        tally.differ(path, ends, "the newest first")
    held = {}
    for form in book.of(code):
        for scope in SCOPES:
            kinds = [kind for kind in KINDS if any((scope, member) in form.columns for member in KINDS[kind])]
            if kinds:
                held[form.kind, form.end.isoformat(), SCOPES[scope], form.version] = form, kinds
    seen = {(row["form"], row["period_end"], row["scope"], row["version"]): row for row in listed}
    newest = {key[:3]: key for key in sorted(held)}
    for key in [key for key in newest.values() if key not in seen] + [key for key in seen if key not in held]:
        tally.differ(f"{path}: {key}", "listed" if key in seen else "not listed", "the opposite")
    for key in held.keys() & seen.keys():
        (form, kinds), row = held[key], seen[key]
        tally.values += 1
        if sorted(row["kinds"]) != sorted(kinds):
            tally.differ(f"{path}: {key}: kinds", row["kinds"], kinds)
        if form.document and row["filing_id"] != f"{form.kind.lower()}-{form.document}":
            tally.differ(f"{path}: {key}: filing_id", row["filing_id"], form.document)
        if form.received and (row["received"] or "")[:10] != form.received.isoformat():
            tally.differ(f"{path}: {key}: received", row["received"], form.received)


def compare_cuts(client, book, tally, code, kind, period, chance):
    """The same statement with fewer periods, between two days, with fewer accounts, and with a column a period."""
    path = f"companies/{code}/statements/{kind}?period={period}"
    rows, scope = book.rows(code, kind, period), book.scope(code, kind)
    if not rows:
        return
    compare(path, client.data(path), rows[:5], scope, kind, tally)
    limit = chance.randint(1, 12)
    first, last = sorted(chance.choice(rows).end for _ in range(2))
    cut = f"{path}&from={first}&to={last}&limit={limit}"
    compare(cut, client.data(cut), [row for row in rows if first <= row.end <= last][:limit], scope, kind, tally)
    depth = chance.randint(1, 4)
    for row in rows:
        row.accounts = {key: value for key, value in row.accounts.items() if len(key[1].split(".")) <= depth}
    compare(f"{path}&depth={depth}", client.data(f"{path}&depth={depth}&limit={ALL}"), rows, scope, kind, tally)
    if kind != "equity-changes":
        wide = f"{path}&depth={depth}&layout=wide&limit={ALL}"
        served = {(row["code"], row["name"]): row for row in client.data(wide)}
        for row in rows:
            for (_, code_, name), (value, _) in row.accounts.items():
                tally.values += 1
                given = served.get((code_, name), {}).get(row.end.isoformat())
                if given != value:
                    tally.differ(f"{wide}: {code_} {name} {row.end}", given, value)


def compare_net_income(client, book, tally, code):
    """Net income in the figures that compare companies, and in the statement of comprehensive income, if the file agrees."""
    own = {scope: figures(book, code, "annual", scope) for scope in SCOPES}
    for row in client.data(f"companies/{code}/financials?period=annual&limit={ALL}"):
        scope = next(short for short, long in SCOPES.items() if long == row["scope"])
        for filed in book.rows(code, "comprehensive-income", "annual", scope):
            told = [value for (_, account, _), (value, _) in filed.accounts.items() if account == "4.01"]
            if filed.end.isoformat() != row["period_end"] or not told:
                continue
            made = own[scope].get(row["period_end"])
            if not made or made.known.get("net_income", told[0]) == told[0]:
                tally.net_incomes += 1
                if row["net_income"] != told[0]:
                    where = f"companies/{code}/financials: net income of {row['period_end']}"
                    tally.differ(where, row["net_income"], told[0])


def run_import(program, data, files):
    command = [program, "import", "--data", str(data), *map(str, files)]
    return subprocess.run(command, capture_output=True, text=True, timeout=1500)


def must_import(program, data, files):
    done = run_import(program, data, files)
    if done.returncode:
        sys.exit(f"the import failed: {done.stderr or done.stdout}")
    return done.stdout + done.stderr


def registered(client, chance):
    """Codes and numbers of companies that were public no more when the first of such archives appeared."""
    listed = client.data("companies?status=CANCELADA&limit=100")
    idle = [one for one in listed if one["cnpj"] and (one["cancelled_on"] or "9") < "2009"]
    return [(int(one["id"]), one["cnpj"]) for one in chance.sample(idle, 4)]


def made_up(program, seed):
    """Made-up companies: everything that can be asked for, then malformed archives."""
    chance, tally = random.Random(f"questions {seed}"), Tally()
    with trial.directory() as data, trial.folder() as place:
        with trial.Server(program, data) as server:
            known = registered(Client(program, data, server), chance)
        forget_statements(data)
        archives = Archives(place, seed, known)
        book, said, part = Book(), "", len(archives.files) // PARTS + 1
        copies = Copies(program, data)
        for first in range(0, len(archives.files), part):
            files = archives.files[first:first + part]
            said += must_import(program, data, files)
            for file in files:
                book.read(file)
            copies.update(tally, f"after {first + len(files)} archives")
        compare_statements(copies, book, tally)
        if archives.unlisted and "index" not in said:
            tally.differ("import", said[-2000:], f"a report of {len(archives.unlisted)} forms that are not in the index")
        with trial.Server(program, data) as server:
            client = Client(program, data, server)
            served = {}
            for code in book.companies():
                compare_company(client, book, tally, code, chance, served)
            compare_financials(copies, served, tally)
            compare_screen(client, tally, served, chance)
            malformed(program, data, client, book, tally, archives, place / "malformed", chance)
        copies.update(tally, "after malformed archives")
        compare_statements(copies, book, tally)
    return tally.summary(f"seed {seed}, {len(archives.files)} archives of {len(archives.companies)} made-up companies")


def compare_company(client, book, tally, code, chance, served):
    """Everything about a company. Its figures are added to those that were served."""
    compare_list(client, book, tally, code)
    compare_net_income(client, book, tally, code)
    for scope, period in itertools.product(SCOPES.values(), ["annual", "quarter", "ttm"]):
        served[code, scope, period] = compare_figures(client, book, tally, code, scope, period)
    received = sorted({form.received for form in book.of(code) if form.received})
    for kind in KINDS:
        for period in PERIODS:
            ask(client, book, tally, code, kind, period)
            days = [chance.choice(received) - datetime.timedelta(days=chance.randint(0, 1)) for _ in range(2)]
            cases = [(False, None), (True, None), (False, days[0]), (True, days[1])]
            for scope, (restated, day) in itertools.product(SCOPES, cases):
                ask(client, book, tally, code, kind, period, scope, day, restated)
        compare_cuts(client, book, tally, code, kind, chance.choice(["annual", "ytd"]), chance)


def malformed(program, data, client, book, tally, archives, place, chance):
    """Archives that must be refused, with versions that nothing served may have; then the same one unharmed."""
    place.mkdir()
    current = [file for file in archives.files if file.parent.name == "now" and file.name.startswith("dfp")]
    path = chance.choice(current)
    members = {name: renewed(content) for name, content in read_archive(path).items()}
    rest = ("", "/income", "/balance-sheet")
    questions = [f"companies/{code}/statements{end}" for code in book.companies() for end in rest]
    before = [client.get(question) for question in questions]
    whole = place / path.name
    write_archive(whole, members)
    content = whole.read_bytes()
    for what, spoil in faults(members, chance):
        whole.write_bytes(content)
        spoil(whole, dict(members))
        done = run_import(program, data, [whole])
        tally.questions += 1
        said = (done.stderr or done.stdout).strip()
        if done.returncode != 1 or path.name not in said or "panicked" in said:
            given = f"exit code {done.returncode}: {said[-300:]}"
            tally.differ(f"an archive with {what}", given, "a refusal that names the file")
    if before != [client.get(question) for question in questions]:
        tally.differ("after malformed archives", "other answers", "what was served before")
    whole.write_bytes(content)
    must_import(program, data, [whole])
    book.read(whole)
    for code in book.companies():
        compare_list(client, book, tally, code)
        ask(client, book, tally, code, "income", "annual")


def forget_statements(data):
    """Removes the bundled statements of a filled data directory: the rules here are those of the files that a test imports."""
    with contextlib.closing(sqlite3.connect(data / "catalogue.db")) as file, file:
        for table in ("statement", "statement_form", "account", "financial"):
            file.execute(f"DELETE FROM {table}")


def real(program):
    """The real files: imported, and as far as they are bundled without an import."""
    if not UPSTREAM.is_dir():
        print(f"no real files: {UPSTREAM} is not there")
        return 0
    statements = UPSTREAM / "statements"
    whole = sorted(UPSTREAM.glob("dfp_cia_aberta_20??.csv")) + [UPSTREAM / "dfp_cia_aberta_2025.zip"]
    whole += sorted(UPSTREAM.glob("dfp_cia_aberta_???_con_2023.csv"))
    whole += sorted(statements.glob("dfp_cia_aberta_D*.csv"))
    whole += sorted(UPSTREAM.glob("dfp_cia_aberta_composicao_capital_20??.csv"))
    partial = [statements / "itr-2026/itr_cia_aberta_2026.zip", *sorted(statements.glob("itr-2026/dfp_*.csv"))]
    with trial.folder() as place:
        files, more = ([renamed(file, place) for file in some] for some in (whole, partial))
        return real_files(program, files, []) + real_files(program, files + more, files + more)


def real_files(program, files, imported):
    """Some of them are imported; without any, the bundled statements must be those of all files."""
    tally, book = Tally(), Book()
    with trial.directory() as data:
        with trial.Server(program, data):
            pass
        if imported:
            forget_statements(data)
            must_import(program, data, imported[:5])
        copies = Copies(program, data)
        if imported:
            must_import(program, data, imported[5:])
        for file in files:
            book.read(file)
        with trial.Server(program, data) as server:
            client = Client(program, data, server)
            served = {}
            for code in book.companies():
                compare_real(client, book, tally, code, served)
            compare_screen(client, tally, served, random.Random(1))
        copies.update(tally, "after the real files")
        compare_statements(copies, book, tally)
        compare_financials(copies, served, tally)
    what = "imported" if imported else "bundled"
    return tally.summary(f"{len(files)} real files of {len(book.companies())} companies, {what}")


def renamed(file, place):
    """Partial tables have names that say so; they are imported under those that CVM gives them."""
    parts = file.name.split(".")
    if len(parts) == 2:
        return file
    folder = place / parts[1]
    folder.mkdir(exist_ok=True)
    target = folder / f"{parts[0]}.{parts[-1]}"
    target.write_bytes(file.read_bytes())
    return target


def compare_real(client, book, tally, code, served):
    compare_list(client, book, tally, code)
    compare_net_income(client, book, tally, code)
    for scope, period in itertools.product(SCOPES.values(), ["annual", "quarter", "ttm"]):
        served[code, scope, period] = compare_figures(client, book, tally, code, scope, period)
    has_quarters = any(form.kind == "ITR" for form in book.of(code))
    for kind in KINDS:
        if not any(book.sources(code, kind, scope, None) for scope in SCOPES):
            continue
        ask(client, book, tally, code, kind, "annual")
        for scope, restated in itertools.product(SCOPES, [False, True]):
            for period in PERIODS if has_quarters else ["annual", "ttm"]:
                ask(client, book, tally, code, kind, period, scope, None, restated)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", nargs="?")
    parser.add_argument("--self-test", action="store_true", help="only check the rules against cases computed by hand")
    parser.add_argument("--long", action="store_true", help="ten seeds")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    statement_cases.check()
    if options.self_test:
        return
    if not options.program:
        parser.error("PROGRAM is missing")
    program = str(pathlib.Path(options.program).resolve())
    seeds = range(options.seed, options.seed + (10 if options.long else 1))
    if sum(made_up(program, seed) for seed in seeds) + real(program):
        sys.exit(1)


if __name__ == "__main__":
    main()
