#!/usr/bin/env python3
"""Serves everything at once for a long time, and looks whether memory and descriptors stay what they are.

Lists, searches, exports, pages, wrong requests, registrations, webhooks, slow peers, peers that go away, and an import
now and then. After the first third the memory must be flat, the descriptors constant and every answer one that is
allowed. Needs Python 3 alone.

    tests/soak.py target/release/finserve [MINUTES]
"""

import contextlib
import http.client
import itertools
import json
import random
import sys
import threading
import time

import figures
import trial
from fault_rows.work import WORDS
from trial import MIB

KEYS, CLIENTS = 40, 6
# By how much memory may differ between the second and the last third: the allocator keeps what it had once.
GROWTH = 16 * MIB
# Connections come and go while descriptors are counted, and some readers of the data are kept.
SPREAD = 32


def paths(chance):
    """A request of any kind: method, path, headers, body and the statuses that are right."""
    word, other, day = (
        chance.choice(WORDS),
        chance.choice(WORDS),
        f"20{chance.randint(10, 25)}-0{chance.randint(1, 9)}-11",
    )
    offset = chance.randint(0, 5000)
    encoding = {"Accept-Encoding": chance.choice(["identity", "gzip", "zstd", "gzip, zstd"])}
    reads = [
        "/health", trial.CURRENT, "/api/v1/market/overview", "/api/v1/status", "/", "/?lang=pt", "/pricing", "/usage", "/docs",
        "/docs/openapi.yaml", "/docs/openapi.json", "/api/v1/market/series", "/api/v1/market/fx/pairs", "/api/v1/plans",
        f"/api/v1/market/selic?from={day}&limit=300", f"/api/v1/market/fx?pair=EURBRL&offset={offset % 200}",
        f"/api/v1/market/series/igp-m?limit=30&offset={offset % 90}", f"/api/v1/calendar/{day}",
        f"/api/v1/calendar/business-days?from={day}", f"/api/v1/companies?limit=100&offset={offset % 2000}",
        f"/api/v1/companies/search?q={word}", f"/api/v1/companies/search?q={word}x+{other[:3]}",
        f"/api/v1/filings?limit=100&offset={offset * 10}", f"/api/v1/filings?company=VALE3&from={day}",
        f"/api/v1/filings/search?q={word}+{other}&limit=50", f"/api/v1/filings/search?q={other}&order=relevance",
        f"/api/v1/search?q={word}", f"/api/v1/search/suggest?q={word[:3]}", "/api/v1/filings/categories",
        "/api/v1/plans/usage", "/api/v1/export", "/api/v1/events?limit=20", "/api/v1/webhooks",
        f"/api/v1/market/selic?limit=100&offset={offset}&format=csv",
    ]  # fmt: skip
    exports = ["ipca", "selic", "fx?format=csv", "companies?format=parquet", f"filings?from={2024 + offset % 2}-01-01"]
    wrong = [
        "/nothing",
        "/api/v1/market/selic?limit=ten",
        "/%zz",
        f"/api/v1/companies/{offset}x",
        "/api/v1/filings?offset=1000000000000000000",
    ]
    kind = chance.random()
    if kind < 0.85:
        return "GET", chance.choice(reads), encoding, None, {200, 429}
    if kind < 0.90:
        return "GET", f"/api/v1/export/{chance.choice(exports)}", encoding, None, {200, 429, 503}
    if kind < 0.97:
        return chance.choice(["GET", "DELETE"]), chance.choice(wrong), encoding, None, {400, 404, 405, 429}
    return (
        "POST",
        trial.REGISTER,
        {"Content-Type": "application/json"},
        '{"name":"Ana","email":"ana@example.com"}',
        {201, 429},
    )


class Client(threading.Thread):
    """Sends requests of all kinds, some on a connection that is used again."""

    def __init__(self, address, keys, number, over):
        super().__init__()
        self.address, self.keys, self.over = address, keys, over
        self.chance, self.source = random.Random(number), f"127.0.9.{1 + number}"
        self.statuses, self.wrong = {}, []

    def run(self):
        connection = None
        while not self.over.wait(0.004):
            method, path, headers, body, right = paths(self.chance)
            headers = {**headers, "X-API-Key": self.chance.choice(self.keys)}
            connection = connection or http.client.HTTPConnection(
                *self.address, timeout=30, source_address=(self.source, 0)
            )
            try:
                connection.request(method, path, body, headers)
                response = connection.getresponse()
                response.read()
                status = response.status
            except (OSError, http.client.HTTPException) as error:
                status, response = repr(error)[:60], None
            self.statuses[status] = self.statuses.get(status, 0) + 1
            if status not in right:
                self.wrong.append((method, path, status))
            if not response or response.will_close or self.chance.random() < 0.1:
                connection.close()
                connection = None


def bad_peers(address, keys, over):
    """Peers that are slow, silent, do not read or go away in the middle, all the time."""
    chance, held = random.Random(1), []
    script = trial.script_path(address)
    sent = [
        b"", b"GET /hea", b"GET /health HTTP/1.1\r\nHost: a\r\nX: ", b"POST /pricing HTTP/1.1\r\nHost: a\r\nContent-Length: 90\r\n\r\nna",
        f"GET {script} HTTP/1.1\r\nHost: a\r\n\r\n".encode(), b"\x00\xff\n\n", b"GET / HTTP/9.9\r\n\r\n",
    ]  # fmt: skip
    while not over.wait(0.2):
        with contextlib.suppress(OSError):
            peer = trial.connect(address, "127.0.9.99", receive=4096, timeout=5)
            held.append(peer)
            export = (
                f"GET /api/v1/export/filings HTTP/1.1\r\nHost: a\r\nX-API-Key: {chance.choice(keys)}\r\n\r\n".encode()
            )
            peer.sendall(chance.choice([*sent, export]))
        while len(held) > 20:
            held.pop(chance.randrange(len(held))).close()
    for peer in held:
        peer.close()


def imports(program, data, place, over, counts):
    """Imports a figure or some filings every twenty seconds."""
    for turn in itertools.count():
        file = place / "bcdata.sgs.433.json"
        file.write_text(json.dumps([{"data": "01/09/2026", "valor": f"0.{10 + turn % 80}"}]))
        done = trial.run(program, data, "import", file)
        counts[done.returncode] = counts.get(done.returncode, 0) + 1
        if over.wait(20):
            return


def middle(values):
    return sorted(values)[len(values) // 2]


def slope(samples):
    """The memory that is added in an hour, by least squares, in bytes."""
    times, sizes = [at for at, *_ in samples], [size for _, size, _ in samples]
    mean, centre = sum(times) / len(times), sum(sizes) / len(sizes)
    spread = sum((at - mean) ** 2 for at in times)
    return 3600 * sum((at - mean) * (size - centre) for at, size in zip(times, sizes)) / spread if spread else 0


def main():
    program, minutes = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 60
    with trial.folder() as place:
        data = place / "data"
        keys = [trial.new_key(program, data) for _ in range(KEYS)]
        with trial.Server(program, data, "--registrations-per-hour", "1000") as server:
            return soak(program, server, data, place, keys, minutes * 60)


def soak(program, server, data, place, keys, seconds):
    over, imported = threading.Event(), {}
    rest = figures.resident(server.pid)
    clients = [Client(server.address, keys, turn, over) for turn in range(CLIENTS)]
    others = [
        threading.Thread(target=bad_peers, args=(server.address, keys[:10], over)),
        threading.Thread(target=imports, args=(program, data, place, over, imported)),
    ]
    for thread in [*clients, *others]:
        thread.start()
    began, samples, shown = time.monotonic(), [], 0
    while (at := time.monotonic() - began) < seconds and server.child.poll() is None:
        samples.append((at, figures.resident(server.pid), figures.descriptors(server.pid)))
        if at >= shown:
            print(f"{at / 60:5.1f} min: {samples[-1][1] / MIB:.1f} MiB, {samples[-1][2]} descriptors", flush=True)
            shown += max(seconds / 12, 10)
        time.sleep(1)
    over.set()
    for thread in [*clients, *others]:
        thread.join()
    # Peers that are gone are noticed within half a minute.
    few = trial.until(lambda: figures.descriptors(server.pid) <= samples[0][2] + SPREAD, 45)
    left = figures.descriptors(server.pid)
    return report(clients, imported, samples, rest, left, few) and server.child.poll() is None


def report(clients, imported, samples, rest, left, few):
    """Prints all figures. Returns whether they are as wanted."""
    third = len(samples) // 3
    second, last = samples[third : 2 * third], samples[2 * third :]
    memory = [middle([size for _, size, _ in part]) for part in (second, last)]
    open_files = [middle([count for *_, count in part]) for part in (second, last)]
    statuses = {}
    for client in clients:
        for status, count in client.statuses.items():
            statuses[status] = statuses.get(status, 0) + count
    wrong = [one for client in clients for one in client.wrong]
    print(f"answers: {dict(sorted(statuses.items(), key=str))}; imports by exit code: {imported}")
    print(f"{len(wrong)} wrong answers {wrong[:5]}")
    print(
        f"memory: {rest / MIB:.1f} MiB at rest, median {memory[0] / MIB:.1f} in the second third, {memory[1] / MIB:.1f} in the last"
    )
    print(f"slope after the first third: {slope(samples[third:]) / MIB:+.1f} MiB an hour")
    print(f"descriptors: median {open_files[0]} in the second third, {open_files[1]} in the last, {left} at the end")
    flat = memory[1] - memory[0] <= GROWTH and abs(open_files[1] - open_files[0]) <= SPREAD
    return flat and few and not wrong and set(imported) == {0}


if __name__ == "__main__":
    if not main():
        sys.exit("the server is not the same after a while")
