#!/usr/bin/env python3
"""Kills `finserve import` at random moments and looks at what it left.

An import that is killed has happened as a whole or not at all: after each kill the catalogue is either as
before or as after, passes SQLite's own check, and the next import works. Series are imported first; then archives of
statements, of which every list, figure and export must be as before or as after, and `finserve check` finds nothing
wrong. Needs Python 3 alone.

    tests/kill_import.py target/release/finserve [ROUNDS]
"""

import datetime
import hashlib
import json
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

import statement_files
from statement_faults import renewed

DAYS = 20_000
YEARS = range(2016, 2021)


def series(path, value):
    """An SGS file whose every figure differs from that of the other value."""
    first = datetime.date(1970, 1, 1)
    rows = [
        {"data": (first + datetime.timedelta(n)).strftime("%d/%m/%Y"), "valor": f"{value}.{n % 100:02}"}
        for n in range(DAYS)
    ]
    path.write_text(json.dumps(rows, separators=(",", ":")))


def state(data):
    """What the catalogue holds, and whether it is sound."""
    with sqlite3.connect(data / "catalogue.db") as db:
        sound = db.execute("PRAGMA integrity_check").fetchone()[0]
        if sound != "ok":
            sys.exit(f"the catalogue is broken: {sound}")
        query = "SELECT CAST(value AS INTEGER), COUNT(*) FROM rate WHERE series IN (7777, 7778) GROUP BY 1"
        version = db.execute("SELECT value FROM meta WHERE name = 'data_version'").fetchone()[0]
        return dict(db.execute(query).fetchall()), int(version)


def kill_series(program, rounds):
    """Two series, of which every figure changes with each import."""
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        data = place / "data"
        commands = {}
        for value in (1, 2):
            files = []
            for number in (7777, 7778):
                file = place / f"{value}" / f"bcdata.sgs.{number}.json"
                file.parent.mkdir(exist_ok=True)
                series(file, value)
                files.append(str(file))
            commands[value] = [program, "import", "--data", str(data), *files]

        # The first one also fills the directory with the bundled data.
        subprocess.run(commands[1], check=True, stdout=subprocess.DEVNULL)
        length = run(commands[2])
        now, survived = 2, 0
        for _ in range(rounds):
            before, target = state(data), 3 - now
            kill(commands[target], random.uniform(0, length * 1.8))
            after = state(data)
            whole = ({target: 2 * DAYS}, before[1] + 1)
            if after not in (before, whole):
                sys.exit(f"a mix: {before} became {after}")
            if after == whole:
                now, survived = target, survived + 1
    report("imports of series", rounds, survived)


def kill_statements(program, rounds):
    """Archives of statements in which every form has a new version."""
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        made = statement_files.Archives(place, 1)
        files = [file for file in made.files if file.parent.name == "now" and int(file.stem[-4:]) in YEARS]
        newer = [place / "newer" / file.name for file in files]
        (place / "newer").mkdir()
        for file, target in zip(files, newer):
            members = statement_files.read_archive(file)
            # In reais instead of thousands, so that every figure differs too.
            members = {name: renewed(content).replace(b";MIL;", b";UNIDADE;") for name, content in members.items()}
            statement_files.write_archive(target, members)
        data, kept, last = place / "data", place / "kept", place / "last"
        run([program, "import", "--data", str(kept), *map(str, files)])
        shutil.copytree(kept, last)
        command = [program, "import", "--data", str(last), *map(str, newer)]
        length = run(command)
        company = str(made.companies[0].code)
        before, whole = seen(program, kept, company), seen(program, last, company)
        same = [question for question in before if before[question] == whole[question]]
        if same:
            sys.exit(f"the newer archives do not change {same}")
        shutil.copytree(kept, data)
        command[3], survived = str(data), 0
        for _ in range(rounds):
            kill(command, random.uniform(0, length * 1.3))
            checked = subprocess.run([program, "check", "--data", str(data)], capture_output=True, text=True)
            if checked.returncode:
                sys.exit(f"the check finds: {checked.stdout}{checked.stderr}")
            after = seen(program, data, company)
            if after not in (before, whole):
                changed = [name for name in before if after[name] != before[name]]
                sys.exit(f"a mix: {changed} changed, all of it or nothing is right")
            # An older version never replaces a newer one: the next import needs the data from before.
            if after == whole:
                survived += 1
                shutil.rmtree(data)
                shutil.copytree(kept, data)
    report(f"imports of {len(files)} archives of statements", rounds, survived)


def seen(program, data, company):
    """What is served of statements, by question; that of exports as a hash."""
    questions = [["export", "statements"], ["export", "financials"], ["export", "filings"]]
    questions += [["get", "statements", company], ["get", "financials", company], ["get", "statements", company, "income"]]
    answers = {}
    for question in questions:
        done = subprocess.run([program, *question, "--data", str(data)], capture_output=True)
        if done.returncode:
            sys.exit(f"{' '.join(question)}: {done.stderr.decode()}")
        answers[" ".join(question)] = hashlib.sha256(done.stdout).hexdigest()
    return answers


def run(command):
    """Runs a command that must succeed. Returns how long it took."""
    started = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - started


def kill(command, seconds):
    """Starts a command, and kills it after this time."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(seconds)
    child.send_signal(signal.SIGKILL)
    child.wait()


def report(what, rounds, survived):
    print(f"{rounds} {what} killed: {survived} had happened, {rounds - survived} had not, none in part", flush=True)


def main():
    program, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 12
    random.seed(7)
    kill_series(program, rounds)
    kill_statements(program, rounds)


main()
