#!/usr/bin/env python3
"""Measures how long requests wait while twenty years of filings are imported, against a quiet server.

One client asks a few questions in turn, first while nothing else happens, then while `finserve import` brings in
twenty yearly tables, or the archives of statements that are given; the first of them is there before, so that there is
a statement to ask for. Prints the median and the 99th percentile of both, and their ratio. Needs Python 3 alone.

    cargo build --release && benches/busy_import.py target/release/finserve [ROWS A YEAR | ARCHIVE.zip...]
"""

import http.client
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tests"))
import made_filings  # noqa: E402

YEARS = range(2004, 2024)
QUESTIONS = [
    "/api/v1/market/overview",
    "/api/v1/market/selic?limit=20",
    "/api/v1/companies/9512",
    "/api/v1/filings?limit=20",
    "/api/v1/filings/search?q=petrobras",
]


class Client:
    """Asks the questions in turn, with keys in turn, so that no limit is in the way."""

    def __init__(self, address, keys):
        self.connection = http.client.HTTPConnection(address)
        self.keys = keys
        self.asked = 0

    def statement(self):
        """The address of an income statement."""
        self.connection.request("GET", "/api/v1/financials?limit=1", headers={"X-API-Key": self.keys[0]})
        company = json.loads(self.connection.getresponse().read())["data"][0]["company_id"]
        return f"/api/v1/companies/{company}/statements/income"

    def ask(self):
        target = QUESTIONS[self.asked % len(QUESTIONS)]
        key = self.keys[self.asked // 900 % len(self.keys)]
        self.asked += 1
        started = time.perf_counter()
        self.connection.request("GET", target, headers={"X-API-Key": key})
        answer = self.connection.getresponse()
        answer.read()
        took = time.perf_counter() - started
        if answer.status != 200:
            sys.exit(f"{target} answered {answer.status}")
        # A paced client: the waits are those of a visitor, not of a load test.
        time.sleep(0.002)
        return took


def percentiles(times):
    times = sorted(times)
    return statistics.median(times) * 1000, times[len(times) * 99 // 100] * 1000


def main():
    program, given = sys.argv[1], sys.argv[2:] or ["75000"]
    archives = [name for name in given if name.endswith(".zip")]
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        data = place / "data"
        files = archives or [str(file) for file in made_filings.yearly_tables(place, YEARS, int(given[0]))]
        if archives:
            subprocess.run([program, "import", "--data", str(data), files[0]], check=True, stdout=subprocess.DEVNULL)
        server = subprocess.Popen(
            [program, "serve", "--listen", "127.0.0.1:0", "--data", str(data)], stdout=subprocess.PIPE, text=True
        )
        try:
            address = re.search(r"http://(\S+)", server.stdout.readline())[1]
            create = [program, "keys", "create", "--data", str(data), "--plan", "platinum", "--name", "Ana"]
            create += ["--email", "ana@example.com"]
            keys = [subprocess.check_output(create, text=True).strip() for _ in range(100)]
            client = Client(address, keys)
            if archives:
                QUESTIONS.append(client.statement())
            for _ in range(200):
                client.ask()
            quiet = percentiles([client.ask() for _ in range(3000)])

            started = time.monotonic()
            importing = subprocess.Popen([program, "import", "--data", str(data), *files], stdout=subprocess.DEVNULL)
            times = []
            while importing.poll() is None:
                times.append(client.ask())
            if importing.returncode != 0:
                sys.exit("the import failed")
            busy = percentiles(times)
        finally:
            server.terminate()
            server.wait()
        seconds = time.monotonic() - started
        print(f"{len(files)} files imported in {seconds:.0f} s; {len(times)} requests meanwhile")
        for name, before, during in zip(("median", "99th percentile"), quiet, busy):
            print(f"{name}: {before:.2f} ms quiet, {during:.2f} ms importing, ratio {during / before:.2f}")


main()
