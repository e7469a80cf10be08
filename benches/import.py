#!/usr/bin/env python3
"""Measures what importing filings costs, beside a bare import of the same files by the `sqlite3` shell.

Makes twenty yearly tables with subjects like CVM's, then imports them in turns: with `finserve import` into a new data
directory, and with `.import` into one table of text columns without an index. Prints the processor time of both, the median of their ratio and
the peak of the memory; then what importing the newest table once more costs. Needs Python 3 and `sqlite3`. How requests
fare meanwhile is measured by `busy_import.py`.

    cargo build --release && benches/import.py target/release/finserve [ROWS A YEAR] [ROUNDS]
"""

import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tests"))
import made_filings  # noqa: E402

YEARS = range(2004, 2024)


def run(command):
    """Returns the processor time in seconds, and the peak of the memory in MiB."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"{command[0]} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss >> 10


def bare(place, files):
    """Imports into a bare table; the first file names its columns."""
    database = place / "bare.db"
    first, *others = [str(file) for file in files]
    commands = [".mode csv", ".separator ;", f".import {first} filing"]
    commands += [f".import --skip 1 {file} filing" for file in others]
    used = run(["sqlite3", str(database), *commands])
    database.unlink()
    return used


def main():
    program = sys.argv[1]
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 75_000
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        data = place / "data"
        files = made_filings.yearly_tables(place, YEARS, rows, made_filings.lifelike)
        ratios = []
        for _ in range(rounds):
            shutil.rmtree(data, ignore_errors=True)
            plain, _ = bare(place, files)
            ours, peak = run([program, "import", "--data", str(data), *map(str, files)])
            ratios.append(ours / plain)
            print(f"sqlite3 {plain:.1f} s, finserve {ours:.1f} s, ratio {ours / plain:.2f}, at most {peak} MiB of memory")
        again, _ = run([program, "import", "--data", str(data), str(files[-1])])
        print(f"{len(YEARS) * rows} filings: median ratio {statistics.median(ratios):.2f}")
        print(f"the newest table once more, {rows} filings: {again:.2f} s")


main()
