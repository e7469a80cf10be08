#!/usr/bin/env python3
"""Kills `finserve import` at random moments and looks at what it left.

An import that is killed has happened as a whole or not at all: after each kill the catalogue is either as
before or as after, passes SQLite's own check, and the next import works. Needs Python 3 alone.

    tests/kill_import.py target/release/finserve [ROUNDS]
"""

import datetime
import json
import pathlib
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

DAYS = 20_000


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


def main():
    program, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 60
    random.seed(7)
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
        started = time.monotonic()
        subprocess.run(commands[2], check=True, stdout=subprocess.DEVNULL)
        length = time.monotonic() - started

        now, survived = 2, 0
        for _ in range(rounds):
            before, target = state(data), 3 - now
            child = subprocess.Popen(commands[target], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(random.uniform(0, length * 1.8))
            child.send_signal(signal.SIGKILL)
            child.wait()
            after = state(data)
            whole = ({target: 2 * DAYS}, before[1] + 1)
            if after not in (before, whole):
                sys.exit(f"a mix: {before} became {after}")
            if after == whole:
                now, survived = target, survived + 1
        print(f"{rounds} imports killed: {survived} had happened, {rounds - survived} had not, none in part")


main()
