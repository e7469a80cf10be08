#!/usr/bin/env python3
"""Counts the instructions of requests and of an import, and compares them with `tests/instructions.tsv`.

Times differ from run to run; instructions hardly do, so a change that makes something dearer is seen at once. More than
5 % above the file is a failure. Needs Python 3 and valgrind. Names choose rows; --update writes what was counted.

    tests/instructions.py target/release/finserve [--update] [NAME…]
"""

import contextlib
import http.client
import itertools
import pathlib
import re
import subprocess
import sys
import tempfile
import time
from urllib.parse import quote

import made_filings
import trial

FILE = pathlib.Path(__file__).with_name("instructions.tsv")
MORE = 1.05
# What happens every second whether or not there are requests is measured first, and taken off. What else belongs to none,
# such as storing usage, is spread over so many; and the least of so many rounds is taken.
CACHED, MADE, ROUNDS = 1000, 30, 2
IDLE = 2_000_000


def same(path, **headers):
    """A cached answer."""
    return CACHED, itertools.repeat((path, headers))


def each(paths):
    """Answers that have to be made: no address comes twice."""
    return MADE, ((path, {}) for path in paths)


def pages(path):
    return each(f"{path}&offset={number}" for number in itertools.count())


def searches(*words):
    """Searches for words that the generated filings have; each list goes with the others."""
    return each("/api/v1/filings/search?q=" + "+".join(map(quote, some)) for some in zip(*words))


def words(numbers):
    return map(made_filings.word, numbers)


REQUESTS = {
    "health": same("/health"),
    "current rate": same(trial.CURRENT),
    "current rate, not changed": same(trial.CURRENT, **{"If-None-Match": "*"}),
    "company as a page": same("/companies/9512"),
    "20 rows of a series": pages("/api/v1/market/selic?limit=20"),
    "1,000 rows of a series": pages("/api/v1/market/selic?limit=1000"),
    "companies of a sector": pages("/api/v1/companies?sector=Bancos&limit=20"),
    "company search": each(f"/api/v1/companies/search?q={a}{b}" for a in "bcdfghlmnprstv" for b in "aeiou" for _ in "xx"),
    "statement": pages("/api/v1/companies/9512/statements/income?limit=5"),
    "filings of a company": pages("/api/v1/companies/9512/filings?limit=20"),
    "search, a rare word": searches(words(range(5_000, 6_000))),
    "search, a frequent word": searches(words(range(30, 1_000))),
    "search, two words": searches(words(range(30, 1_000)), words(range(200, 2_000))),
    "search, three words": searches(words(range(30, 1_000)), words(range(100, 2_000)), words(range(300, 3_000))),
    "search with a filter": each(f"/api/v1/filings/search?company=9512&q={quote(word)}" for word in words(range(30, 1_000))),
    "suggestions": each(f"/api/v1/search/suggest?q={quote(word)}" for word in words(range(30, 1_000))),
}


def main():
    program, *names = sys.argv[1:]
    update = "--update" in names
    names = [name for name in names if name != "--update"]
    expected = dict(read())
    counted = {}
    with trial.directory() as data:
        with tempfile.TemporaryDirectory() as place:
            big, small = (pathlib.Path(place) / name for name in ("ipe_cia_aberta_2019.csv", "ipe_cia_aberta_2018.csv"))
            made_filings.table(big, [2019], 150_000, made_filings.lifelike)
            made_filings.table(small, [2018], 3_000, made_filings.lifelike)
            done = trial.run(program, data, "import", big)
            assert done.returncode == 0, done.stderr
            if wanted("import of 3,000 filings", names):
                counted["import of 3,000 filings"] = of_import(program, data, small)
        keys = [trial.new_key(program, data) for _ in range(20)]
        with Counted(program, data, keys) as server:
            print(f"{server.idle:,} a second without requests")
            for name, (number, requests) in REQUESTS.items():
                if wanted(name, names):
                    counts = [server.count(number, requests) for _ in range(ROUNDS)]
                    # Beside other work a round may hold more of what belongs to no request; what is dearer stays dearer.
                    if min(counts) > MORE * expected.get(name, 0):
                        counts += [server.count(number, requests) for _ in range(2 * ROUNDS)]
                    counted[name] = min(counts)
    dearer = [name for name, number in counted.items() if number > MORE * expected.get(name, 0)]
    for name, number in counted.items():
        before = expected.get(name)
        change = f"{100 * number / before - 100:+.1f} %" if before else "new"
        print(f"{number:>14,}  {name}: {change}")
    if update:
        lines = [f"{name}\t{number}\n" for name, number in (expected | counted).items()]
        FILE.write_text("".join(lines))
    elif dearer:
        sys.exit(
            f"dearer by more than 5 %: {', '.join(dearer)}. If that is worth it, run\n"
            f"    tests/instructions.py {program} --update\nand say in the commit why."
        )


def read():
    for line in FILE.read_text().splitlines() if FILE.exists() else []:
        name, number = line.split("\t")
        yield name, int(number)


def wanted(name, names):
    return not names or name in names


def of_import(program, data, file):
    """The instructions of a whole import."""
    with tempfile.TemporaryDirectory() as place:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={place}/out", program]
        done = trial.run(command[0], data, *command[1:], "import", file)
        assert done.returncode == 0, done.stderr
        return total(pathlib.Path(place) / "out")


def total(file):
    found = re.search(r"^(?:totals|summary): (\d+)", file.read_text(), re.MULTILINE)
    return int(found[1])


class Counted:
    """A server whose instructions are counted."""

    def __init__(self, program, data, keys):
        self.place = tempfile.TemporaryDirectory()
        wrapper = pathlib.Path(self.place.name) / "counted"
        out = f"--callgrind-out-file={self.place.name}/out"
        wrapper.write_text(f'#!/bin/sh\nexec valgrind -q --tool=callgrind {out} "{program}" "$@"\n')
        wrapper.chmod(0o755)
        self.server = trial.Server(str(wrapper), data)
        self.keys, self.dumps = itertools.cycle(keys), 0

    def __enter__(self):
        self.server.__enter__()
        self.connection = http.client.HTTPConnection(*self.server.address, timeout=60)
        # What a start leaves to be done later is no request's.
        self.dump()
        while self.during(1) > IDLE:
            pass
        self.idle = self.during(5) // 5
        return self

    def during(self, seconds):
        """The instructions of so many seconds without a request."""
        time.sleep(seconds)
        return self.dump()

    def __exit__(self, *_):
        self.server.end()
        self.place.cleanup()

    def count(self, number, requests):
        """The instructions of a request, as the mean of so many."""
        for request in itertools.islice(requests, 3):
            self.ask(*request)
        self.dump()
        began = time.monotonic()
        for request in itertools.islice(requests, number):
            self.ask(*request)
        without_requests = int(self.idle * (time.monotonic() - began))
        return (self.dump() - without_requests) // number

    def ask(self, path, headers):
        self.connection.request("GET", path, headers={"X-API-Key": next(self.keys), **headers})
        reply = self.connection.getresponse()
        reply.read()
        assert reply.status in (200, 304), (path, reply.status)

    def dump(self):
        """The instructions since the last dump."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(["callgrind_control", "-d", str(self.server.pid)], capture_output=True, timeout=30, check=True)
        self.dumps += 1
        return total(pathlib.Path(f"{self.place.name}/out.{self.dumps}"))


if __name__ == "__main__":
    main()
