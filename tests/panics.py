#!/usr/bin/env python3
"""Forces panics inside requests: 100 among 10,000 leave 9,900 right answers.

Needs a binary with the feature `faults`, in which a request with the header `X-Force-Panic: 1` panics.

    tests/panics.py target/debug/finserve
"""

import http.client
import random
import sys
import threading
import time

import trial

REQUESTS, PANICS, CLIENTS, KEYS = 10_000, 100, 16, 20
PATHS = [
    "/health",
    trial.CURRENT,
    "/api/v1/market/overview",
    "/api/v1/market/fx?limit=50&offset=100",
    "/api/v1/companies/search?q=petr4",
    "/api/v1/filings/search?q=ata+conselho&limit=5",
    "/api/v1/filings?company=VALE3&limit=3",
    "/api/v1/export/ipca",
    "/pricing",
    "/api/v1/market/selic?limit=ten",
    "/nothing",
]


def ask(connection, path, key, force):
    """Status, body and request id of an answer, on a connection that is used again."""
    headers = {"X-API-Key": key, **({"X-Force-Panic": "1"} if force else {})}
    connection.request("GET", path, headers=headers)
    response = connection.getresponse()
    return response.status, response.read(), response.headers.get("X-Request-Id")


def is_right(path, got, wanted):
    # An export of a key that runs two already is refused, which is right too.
    return got[:2] == wanted[:2] or "/export/" in path and got[0] == 429


class Client(threading.Thread):
    """Sends its share of the requests on one connection, and dials again only if that is closed."""

    def __init__(self, address, work, keys, wanted):
        super().__init__()
        self.address, self.work, self.keys, self.wanted = address, work, keys, wanted
        self.right, self.failed, self.wrong, self.dialled = 0, 0, [], 0

    def run(self):
        connection = http.client.HTTPConnection(*self.address, timeout=30)
        for number, path, force in self.work:
            try:
                if connection.sock is None:
                    self.dialled += 1
                got = ask(connection, path, self.keys[number % len(self.keys)], force)
            except (OSError, http.client.HTTPException) as error:
                connection.close()
                got = (0, repr(error).encode(), None)
            if force:
                told = got[2] and got[2].encode() in got[1]
                self.failed += got[0] == 500 and bool(got[2])
                if got[0] != 500 or not told:
                    self.wrong.append((path, "forced", got[0], got[1][:150]))
            elif is_right(path, got, self.wanted[path]):
                self.right += 1
            else:
                self.wrong.append((path, got[0], got[1][:150]))
        connection.close()


def main():
    program = sys.argv[1]
    random.seed(13)
    with trial.folder() as place:
        data = place / "data"
        keys = [trial.new_key(program, data) for _ in range(KEYS)]
        with trial.Server(program, data, admin=True) as server:
            forced = trial.ask(server.address, trial.CURRENT, headers={"X-Force-Panic": "1", "X-API-Key": keys[0]})
            if forced.status == 200:
                sys.exit("this binary cannot be forced to panic: build it with --features faults")
            return run(server, keys)


def run(server, keys):
    first = http.client.HTTPConnection(*server.address, timeout=30)
    wanted = {path: ask(first, path, keys[0], False) for path in PATHS}
    first.close()
    before = len(server.log().splitlines())
    forced = set(random.sample(range(REQUESTS), PANICS))
    # A path that leads nowhere has no handler that could panic.
    work = [
        (turn, PATHS[turn % (len(PATHS) - 1 if turn in forced else len(PATHS))], turn in forced)
        for turn in range(REQUESTS)
    ]
    clients = [Client(server.address, work[turn::CLIENTS], keys, wanted) for turn in range(CLIENTS)]
    began = time.monotonic()
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    right, failed = sum(client.right for client in clients), sum(client.failed for client in clients)
    wrong = [one for client in clients for one in client.wrong]
    dialled = sum(client.dialled for client in clients)
    print(f"{REQUESTS} requests in {time.monotonic() - began:.1f} s on {dialled} connections")
    print(f"{right} of {REQUESTS - PANICS} right, {failed} of {PANICS} forced panics answered with 500 and an id")
    for one in wrong[:5]:
        print(f"wrong: {one}")
    time.sleep(0.5)
    lines = [line for line in server.log().splitlines()[before:] if "panic" in line.lower()]
    routes = [line for line in lines if "(/" in line]
    print(f"{len(lines)} lines about panics, {len(routes)} with their route, such as {lines[:1]}")
    told = metric(server, "finserve_panics_total")
    print(f"/metrics counts {told} panics")
    after = trial.ask(server.address, trial.CURRENT, headers={"X-API-Key": keys[1]}).status
    print(f"afterwards a request is answered with {after}")
    # The one that looked whether panics can be forced counts too.
    counted = told is None or told == PANICS + 1
    return (
        right == REQUESTS - PANICS and failed == PANICS and not wrong and after == 200 and counted and len(routes) == PANICS
    )


def metric(server, name):
    """The sum of a metric, or `None` where there are none."""
    if not server.admin:
        return None
    lines = trial.ask(server.admin, "/metrics").body.decode().splitlines()
    return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith((f"{name} ", f"{name}{{")))


if __name__ == "__main__":
    if not main():
        sys.exit("panics did harm")
