#!/usr/bin/env python3
"""Kills `finserve sync` at random moments and looks at what it left.

A server plays the central bank and CVM in one of two states, whose figures all differ. After each kill every
file is in the catalogue as it was before or as it is at the server now, never a mix; what is remembered of a
file is what is stored of it; the catalogue passes SQLite's own check, no temporary file is left, and the next
sync works. Needs Python 3 alone.

    tests/kill_sync.py target/release/finserve [ROUNDS]
"""

import datetime
import http.server
import io
import pathlib
import random
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import zipfile

import made_filings

FILINGS = 3_000
FIRST_FILING = 90_000_000
# The newest bundled figures are near these, and both are plausible.
SELIC = {"A": "13.75", "B": "13.50"}
DOLLAR = {"A": "5.1000", "B": "5.1004"}
BUY = {"A": "5.0994", "B": "5.0998"}
SOURCES = {"sgs": "sgs", "olinda": "olinda", "ptax": "ptax", "bcb": "bcb", "cvm": "cvm"}


def days(query):
    """The days that a request for a series asks for, of the last eight weeks."""
    first, last = re.findall(r"=(\d\d)/(\d\d)/(\d{4})", query)
    first, last = (datetime.date(int(y), int(m), int(d)) for d, m, y in (first, last))
    first = max(first, last - datetime.timedelta(56))
    return [first + datetime.timedelta(n) for n in range((last - first).days + 1)]


def series(number, state, query):
    """An answer of SGS: the Selic, and the dollar on business days."""
    values = {"432": SELIC[state], "1": DOLLAR[state], "10813": BUY[state]}
    if number not in values:
        return None
    wanted = [day for day in days(query) if number == "432" or day.weekday() < 5]
    rows = ",".join(f'{{"data":"{day:%d/%m/%Y}","valor":"{values[number]}"}}' for day in wanted)
    return f"[{rows}]".encode() if rows else None


def filings(state, year):
    """A year of filings whose every subject has the state."""
    rows = [
        f"33.000.167/0001-01;PETROBRAS;9512;{year}-01-02;Fato Relevante;;;Estado {state} {n};{year}-01-02;AP;;1;"
        + made_filings.link(FIRST_FILING + n)
        + "\r\n"
        for n in range(FILINGS)
    ]
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        member = zipfile.ZipInfo(f"ipe_cia_aberta_{year}.csv", (2026, 1, 1, 0, 0, 0))
        file.writestr(member, made_filings.COLUMNS + "\r\n" + "".join(rows))
    return archive.getvalue()


class Publisher(http.server.BaseHTTPRequestHandler):
    """Everything has the state as its tag."""

    state, year, archives = "A", datetime.date.today().year, {}

    def do_GET(self):
        path, _, query = self.path.partition("?")
        body = None
        if found := re.search(r"bcdata\.sgs\.(\d+)/dados", path):
            body = series(found[1], self.state, query)
        elif path.endswith(f"ipe_cia_aberta_{self.year}.zip"):
            body = self.archives[self.state]
        tag = f'"{self.state}"'
        if body is None:
            return self.reply(404, b'{"error":"Value(s) not found"}')
        if self.headers.get("If-None-Match") == tag:
            return self.reply(304, b"", ETag=tag)
        return self.reply(200, body, ETag=tag)

    def reply(self, status, body, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            pass  # The client was killed.

    def log_message(self, *_):
        pass


def stored(data):
    """The state of each file by its rows, and by what is remembered of it."""
    with sqlite3.connect(data / "catalogue.db") as db:
        sound = db.execute("PRAGMA integrity_check").fetchone()[0]
        if sound != "ok":
            sys.exit(f"the catalogue is broken: {sound}")
        since = str(datetime.date.today() - datetime.timedelta(50))
        selic = "SELECT DISTINCT value FROM rate WHERE series = 432 AND date BETWEEN ? AND date('now', '-1 day')"
        dollar = "SELECT DISTINCT sell FROM fx WHERE currency = 'USD' AND date BETWEEN ? AND date('now', '-1 day')"
        subject = "SELECT DISTINCT substr(subject, 8, 1) FROM filing WHERE subject LIKE 'Estado %'"
        states = {
            "selic": {name for (value,) in db.execute(selic, [since]) for name in "AB" if SELIC[name] == value},
            "dollar": {name for (value,) in db.execute(dollar, [since]) for name in "AB" if DOLLAR[name] == value},
            "filings": {value for (value,) in db.execute(subject)},
        }
        tags = dict(db.execute("SELECT url, etag FROM download"))
        count = db.execute("SELECT COUNT(*) FROM filing WHERE subject LIKE 'Estado %'").fetchone()[0]
    parts = {"selic": ".sgs.432/", "dollar": ".sgs.1/", "filings": "/ipe_"}
    remembered = {name: {tag.strip('"') for url, tag in tags.items() if part in url} for name, part in parts.items()}
    return states, remembered, count


def check(data):
    """Ends the program unless every file is there whole and as remembered."""
    states, remembered, count = stored(data)
    for name, found in states.items():
        if len(found) != 1 or remembered[name] != found:
            sys.exit(f"a mix of {name}: stored {found}, remembered {remembered[name]}")
    if count != FILINGS:
        sys.exit(f"{count} filings instead of {FILINGS}")
    left = {path.name for path in data.iterdir()} - {"catalogue.db", "catalogue.db-wal", "catalogue.db-shm", "sync.lock"}
    if left:
        sys.exit(f"left behind: {left}")
    return states


def main():
    program, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100
    random.seed(9)
    Publisher.archives = {state: filings(state, Publisher.year) for state in "AB"}
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Publisher)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as place:
        data = pathlib.Path(place) / "data"
        command = [program, "sync", "--data", str(data), "--only", "selic,usd-sell,usd-buy,filings"]
        for name, path in SOURCES.items():
            command += [f"--{name}-url", f"http://127.0.0.1:{server.server_port}/{path}"]

        def sync():
            started = time.monotonic()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            return time.monotonic() - started

        # The first one also fills the directory with the bundled data.
        sync()
        Publisher.state = "B"
        length = sync()
        happened = {"nothing": 0, "everything": 0, "some files": 0}
        for _ in range(rounds):
            before = check(data)
            # What the slowest file does not have yet.
            Publisher.state = "B" if before["filings"] == {"A"} else "A"
            child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(random.uniform(0, length * 1.3))
            child.send_signal(signal.SIGKILL)
            child.wait()
            after = check(data)
            if all(state == {Publisher.state} for state in after.values()):
                happened["everything"] += 1
            elif after == before:
                happened["nothing"] += 1
            else:
                happened["some files"] += 1
        sync()
        if any(state != {Publisher.state} for state in check(data).values()):
            sys.exit("a sync after all the kills did not bring everything")
        print(f"{rounds} syncs killed: {happened}, no file in part")


main()
