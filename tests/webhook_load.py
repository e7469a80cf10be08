#!/usr/bin/env python3
"""Publishes many filings to many webhooks, and looks at memory and at what other requests notice.

Needs Python 3 and Linux. Ends with 1 if memory or the time of other requests leaves its bounds.

    tests/webhook_load.py target/release/finserve [FILINGS] [WEBHOOKS] [SECONDS]
"""

import http.client
import http.server
import json
import pathlib
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import made_filings

MOST_MEMORY = 64  # MiB above what the server had before
MOST_TIME = 250  # milliseconds that 99 of 100 requests may take
A_KEY = 10
READ, WRITE = "/api/v1/market/selic/current", "/api/v1/webhooks"


class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version, calls = "HTTP/1.1", 0

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        Receiver.calls += 1
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


class Server:
    def __init__(self, program, data):
        arguments = ["serve", "--listen", "127.0.0.1:0", "--data", data, "--webhook-allow-private",
                     "--event-window", "0"]  # fmt: skip
        self.child = subprocess.Popen([program, *arguments], stdout=subprocess.PIPE, text=True)
        address = self.child.stdout.readline().strip().rsplit("//", 1)[1].split(":")
        self.connection = http.client.HTTPConnection(address[0], int(address[1]), timeout=60)

    def ask(self, key, method, path, body=None):
        started = time.monotonic()
        headers = {"X-API-Key": key, "Content-Type": "application/json"}
        self.connection.request(method, path, body and json.dumps(body), headers)
        response = self.connection.getresponse()
        answer = response.read()
        if response.status not in (200, 201, 204):
            sys.exit(f"{method} {path}: {response.status} {answer}")
        return (time.monotonic() - started) * 1000, answer

    def memory(self):
        """Resident, in MiB."""
        status = pathlib.Path(f"/proc/{self.child.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024


def measure(server, keys, seconds, watch):
    """Milliseconds of requests that read and that write, while time passes."""
    reads, writes, end, turn = [], [], time.monotonic() + seconds, 0
    while time.monotonic() < end and watch():
        key = keys[turn % len(keys)]
        reads.append(server.ask(key, "GET", READ)[0])
        if turn % 20 == 0:
            wanted = {"url": "http://127.0.0.1:9/", "events": ["company.created"]}
            took, created = server.ask(keys[-1], "POST", WRITE, wanted)
            writes.append(took)
            server.ask(keys[-1], "DELETE", f"{WRITE}/{json.loads(created)['id']}")
        turn += 1
        time.sleep(0.01)
    return reads, writes


def words(times):
    ranked = sorted(times)
    return f"{statistics.median(ranked):.1f} ms, 99 %: {ranked[len(ranked) * 99 // 100]:.1f} ms, most: {ranked[-1]:.1f} ms"


def main():
    program = sys.argv[1]
    filings, webhooks, seconds = (int(given) for given in (sys.argv[2:] + ["10000", "1000", "600"][len(sys.argv) - 2 :]))
    receiver = http.server.ThreadingHTTPServer(("0.0.0.0", 0), Receiver)
    receiver.daemon_threads = True
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as place:
        data = place + "/data"
        who = ["--plan", "platinum", "--name", "Ana", "--email", "ana@example.com", "--data", data]
        create = [program, "keys", "create", *who]
        keys = [subprocess.check_output(create, text=True).strip() for _ in range(webhooks // A_KEY + 1)]
        server = Server(program, data)
        for number in range(webhooks):
            # Every key has a host of its own.
            url = f"http://127.0.1.{number // A_KEY % 250 + 1}:{receiver.server_port}/{number}"
            server.ask(keys[number // A_KEY], "POST", WRITE, {"url": url, "events": ["filing.published"]})
        idle = measure(server, keys, 5, lambda: True)
        before = server.memory()
        most = [before]
        table = pathlib.Path(place) / "ipe_cia_aberta_2026.csv"
        made_filings.table(table, [2026], filings)
        subprocess.run([program, "import", str(table), "--data", data], check=True, stdout=subprocess.DEVNULL)
        wanted, started = filings * webhooks, time.monotonic()

        def told():
            # The highest number is how many there are, as none is ever removed here.
            with sqlite3.connect(f"file:{data}/accounts.db?mode=ro", uri=True) as db:
                return db.execute("SELECT COALESCE(MAX(id), 0) FROM delivery").fetchone()[0]

        def watch():
            most.append(server.memory())
            return told() < wanted

        reads, writes = measure(server, keys, seconds, watch)
        took, outbox = time.monotonic() - started, told()
        server.child.kill()
        server.child.wait()
    print(f"{outbox} of {wanted} deliveries in the outbox after {took:.0f} s, {Receiver.calls} of them made")
    print(f"memory: {before:.0f} MiB before, {max(most):.0f} MiB at most")
    print(f"reading: {words(reads)}; before: {words(idle[0])}")
    print(f"writing: {words(writes)}; before: {words(idle[1])}")
    if max(most) - before > MOST_MEMORY or sorted(reads)[len(reads) * 99 // 100] > MOST_TIME:
        sys.exit("out of bounds")


main()
