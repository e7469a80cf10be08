#!/usr/bin/env python3
"""Stops a server with 450 requests under way, many of them in a queue, and slow peers attached.

Every request that was sent as a whole gets a whole answer, the server ends with exit code 0 within five seconds, and the
usage of the keys is what was answered. Needs Python 3 alone.

    tests/stop.py target/release/finserve [ROUNDS]
"""

import contextlib
import http.client
import json
import signal
import sys
import threading
import time

import trial

# How long after the requests were sent the signal comes, in seconds: some are then not read yet, some are answered.
DELAYS = [0, 0.002, 0.01, 0.05, 0.2]
LIMIT = 5
KEYS = 40


def request(path, key, body=None):
    head = f"{'POST' if body else 'GET'} {path} HTTP/1.1\r\nHost: a\r\nAccept-Encoding: identity\r\n"
    head += f"X-API-Key: {key}\r\n" if key else ""
    head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n" if body else ""
    return f"{head}\r\n{body or ''}".encode()


def requests(keys):
    """Requests of all kinds: name, bytes, source and key."""
    person = json.dumps({"name": "Ana", "email": "ana@example.com"})
    for turn in range(200):
        key, kind = keys[turn % len(keys)], turn % 10
        if kind < 4:
            path = f"/api/v1/filings/search?q=ata+conselho+{turn}&order=relevance&limit=1000"
            yield "search", request(path, key), trial.OTHER, key
        elif kind < 6:
            path = "/api/v1/export/companies" if turn < 120 else "/api/v1/export/ipca"
            yield "export", request(path, key), trial.OTHER, key
        elif kind < 8:
            # Every registration comes from an address of its own, so that no limit is in the way.
            yield "register", request(trial.REGISTER, None, person), f"127.0.7.{1 + turn}", None
        else:
            path = trial.CURRENT if kind == 8 else f"/api/v1/filings?limit=1000&offset={turn}"
            yield "list", request(path, key), trial.OTHER, key


    # Without a host none of them is kept, and one thread makes them all: most wait for it.
    for turn in range(250):
        yield "page", b"GET /sitemap.xml HTTP/1.0\r\n\r\n", f"127.0.9.{1 + turn}", None


class Client:
    """A connection that was used before, and one request on it."""

    def __init__(self, address, name, content, source, key):
        self.name, self.content, self.key = name, content, key
        self.status, self.error = 0, None
        self.socket = trial.connect(address, source)
        self.socket.sendall(b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n")
        self.read()

    def send(self):
        self.socket.sendall(self.content)

    def read(self):
        try:
            response = http.client.HTTPResponse(self.socket)
            response.begin()
            response.read()
            self.status = response.status
        except (OSError, http.client.HTTPException) as error:
            self.status, self.error = 0, repr(error)


def slow_peers(address, key):
    """Peers that say nothing, send slowly or do not read; none of them has sent a request that it waits for."""
    script = trial.script_path(address)
    starts = [b"", b"GET /health HT", b"POST /pricing HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nname="]
    # Those that do not read cannot get a whole answer, and must not keep the server.
    starts += [
        request(script, None),
        request("/api/v1/export/filings", key),
        request("/api/v1/market/selic?limit=10000", key),
    ]
    peers = []
    for turn in range(90):
        peer = trial.connect(address, f"127.0.8.{1 + turn}", receive=4096)
        peer.sendall(starts[turn % len(starts)])
        peers.append(peer)
    return peers


def stop_once(program, data, keys, slow_key, delay):
    """One life of a server. Returns clients, its exit code and the seconds that its end took."""
    with trial.Server(program, data) as server:
        peers = slow_peers(server.address, slow_key)
        clients = [Client(server.address, *one) for one in requests(keys)]
        time.sleep(0.3)
        for client in clients:
            client.send()
        time.sleep(delay)
        began = time.monotonic()
        server.signal(signal.SIGTERM)
        readers = [threading.Thread(target=client.read) for client in clients]
        for reader in readers:
            reader.start()
        code = server.exit(20)
        seconds = time.monotonic() - began
        for reader in readers:
            reader.join()
        for peer in [*peers, *(client.socket for client in clients)]:
            with contextlib.suppress(OSError):
                peer.close()
    return clients, code, seconds


def counted(program, data, key):
    """How many requests of a key the accounts know of."""
    total = json.loads(trial.run(program, data, "usage", key[:12], "--json").stdout)["total"]
    return total["requests"] + total["rate_limited"]


def main():
    program, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else len(DELAYS)
    good, answered = True, {}
    with trial.folder() as place:
        data = place / "data"
        keys = [trial.new_key(program, data) for _ in range(KEYS)]
        slow_key = trial.new_key(program, data)
        with trial.Server(program, data):
            pass  # It fills the directory.
        for turn in range(rounds):
            delay = DELAYS[turn % len(DELAYS)]
            clients, code, seconds = stop_once(program, data, keys, slow_key, delay)
            broken = [client for client in clients if not client.status]
            kinds = {
                name: sum(client.name == name for client in broken) for name in sorted({one.name for one in broken})
            }
            statuses = sorted({client.status for client in clients})
            print(
                f"SIGTERM {delay * 1000:.0f} ms after {len(clients)} requests: {len(clients) - len(broken)} answered {statuses}, {len(broken)} broken {kinds}"
            )
            print(f"    exit code {code} after {seconds:.2f} s; {sorted({client.error for client in broken})[:3]}")
            good &= not broken and code == 0 and seconds <= LIMIT
            for client in clients:
                if client.key and client.status:
                    answered[client.key] = answered.get(client.key, 0) + 1
        known = {key: counted(program, data, key) for key in keys}
    wrong = {key: (answered.get(key, 0), known[key]) for key in keys if answered.get(key, 0) != known[key]}
    print(
        f"{sum(answered.values())} requests with keys answered, {sum(known.values())} counted; {len(wrong)} keys differ"
    )
    return good and not wrong


if __name__ == "__main__":
    if not main():
        sys.exit("a stop is not clean")
