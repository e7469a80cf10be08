#!/usr/bin/env python3
"""Kills `finserve serve` and `finserve import` at random moments and looks at what webhooks were called with.

A receiver subscribes to everything, to the filings of one company and to rates; now and then it answers with an
error. Imports of made-up filings and rates run in another process while the server delivers, and both are killed
again and again. In the end every change in the log has arrived at least once at everyone who wants it, under the
id that polling gives it and with a right signature, and nothing else has. Needs Python 3 alone.

    tests/kill_webhooks.py target/release/finserve [ROUNDS]
"""

import base64
import datetime
import hashlib
import hmac
import http.client
import http.server
import json
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

import made_filings

FILINGS = 30
FIRST_FILING = 90_000_000
SERIES = 99_999
COMPANIES = ["9512", "4170", "19348"]
HOOKS = {
    "/all": {"events": ["filing.published", "rate.published", "fx.published", "company.created", "company.updated"]},
    "/petrobras": {"events": ["filing.published"], "company": "9512"},
    "/rates": {"events": ["rate.published"]},
}
# How long the last calls may take: a call that failed is made again after five seconds, and after five minutes.
PATIENCE = 420


class Receiver(http.server.BaseHTTPRequestHandler):
    """Notes every call that it answers with 200."""

    protocol_version = "HTTP/1.1"
    secrets, calls, wrong, faults = {}, {path: {} for path in HOOKS}, [], 0
    lock, chance = threading.Lock(), random.Random(3)

    def do_POST(self):
        length = int(self.headers["Content-Length"])
        body = self.rfile.read(length)
        if len(body) < length:
            self.close_connection = True
            return  # The server was killed while it sent.
        event, moment = self.headers["webhook-id"], self.headers["webhook-timestamp"]
        secret = base64.b64decode(self.secrets[self.path].removeprefix("whsec_"))
        tag = hmac.new(secret, f"{event}.{moment}.".encode() + body, hashlib.sha256).digest()
        with self.lock:
            if self.headers["webhook-signature"] != "v1," + base64.b64encode(tag).decode():
                self.wrong.append(event)
            fails = self.chance.random() < 0.02
            if fails:
                Receiver.faults += 1
            else:
                self.calls[self.path].setdefault(event, []).append(body)
        self.send_response(500 if fails else 200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Connections(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(*_)  # All others are servers that were killed.


class Server:
    def __init__(self, program, data):
        arguments = ["serve", "--listen", "127.0.0.1:0", "--data", data, "--webhook-allow-private",
                     "--event-window", "0"]  # fmt: skip
        self.child = subprocess.Popen([program, *arguments], stdout=subprocess.PIPE, text=True)
        self.host, self.port = self.child.stdout.readline().strip().rsplit("//", 1)[1].split(":")

    def ask(self, key, method, path, body=None):
        connection = http.client.HTTPConnection(self.host, int(self.port), timeout=20)
        headers = {"X-API-Key": key, "Content-Type": "application/json"}
        connection.request(method, path, body and json.dumps(body), headers)
        response = connection.getresponse()
        answer = json.loads(response.read())
        if response.status not in (200, 201):
            sys.exit(f"{method} {path}: {response.status} {answer}")
        return answer

    def kill(self):
        self.child.send_signal(signal.SIGKILL)
        self.child.wait()
        self.child.stdout.close()


def news(folder, number):
    """Files with filings and rates that were never there before."""
    day = datetime.date(2000, 1, 1) + datetime.timedelta(number)
    rates = folder / f"bcdata.sgs.{SERIES}.json"
    rates.write_text(f'[{{"data":"{day:%d/%m/%Y}","valor":"1.{number}1"}}]')
    first = FIRST_FILING + number * FILINGS
    rows = [
        f"33.000.167/0001-01;COMPANHIA;{random.choice(COMPANIES)};2026-01-02;Fato Relevante;;;Assunto {n};2026-01-02;AP;;1;"
        + made_filings.link(n)
        for n in range(first, first + FILINGS)
    ]
    filings = folder / "ipe_cia_aberta_2026.csv"
    filings.write_text("\r\n".join([made_filings.COLUMNS, *rows, ""]), encoding="windows-1252", newline="")
    return [str(rates), str(filings)]


def published(server, key, place):
    """All events after a place, by polling."""
    events = {}
    while True:
        page = server.ask(key, "GET", f"/api/v1/events?since={place}&limit=1000")
        events.update({event["id"]: event for event in page["data"]})
        if place == page["next"]:
            return events
        place = page["next"]


def wants(path, event):
    """Whether a webhook wants an event."""
    hook = HOOKS[path]
    company = str(event["data"].get("company_id", ""))
    return event["type"] in hook["events"] and hook.get("company", company) == company


def missing(events):
    """The events that have not arrived, by webhook."""
    found = {}
    for path in HOOKS:
        wanted = {name for name, event in events.items() if wants(path, event)}
        with Receiver.lock:
            found[path] = wanted - Receiver.calls[path].keys()
    return found


def judge(events, log):
    """Ends the program if an event was lost, invented, changed or wrongly signed."""
    late = {path: len(names) for path, names in missing(events).items() if names}
    if late:
        sys.exit(f"lost: {late} of {len(events)} events")
    if len(events) != len(log):
        sys.exit(f"{len(log)} changes in the log, but {len(events)} events")
    if Receiver.wrong:
        sys.exit(f"{len(Receiver.wrong)} calls with a wrong signature")
    for path, calls in Receiver.calls.items():
        for name, bodies in calls.items():
            if name not in events or not wants(path, events[name]):
                sys.exit(f"{path} was called with {name}, which nobody published for it: {bodies[0]}")
            said = {key: value for key, value in events[name].items() if key != "id"}
            if any(json.loads(body) != said for body in bodies):
                sys.exit(f"{path}: {name} is {said}, but was called as {bodies}")


def run(program, rounds, place):
    data = str(place / "data")
    who = ["--plan", "platinum", "--name", "Ana", "--email", "ana@example.com"]
    create = [program, "keys", "create", *who, "--data", data]
    key = subprocess.run(create, check=True, capture_output=True, text=True).stdout.strip()
    receiver = Connections(("127.0.0.1", 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    server = Server(program, data)
    for path, hook in HOOKS.items():
        wanted = {"url": f"http://127.0.0.1:{receiver.server_port}{path}", **hook}
        Receiver.secrets[path] = server.ask(key, "POST", "/api/v1/webhooks", wanted)["secret"]
    start = server.ask(key, "GET", "/api/v1/events")["next"]
    started = time.monotonic()
    importing = [program, "import", "--data", data]
    subprocess.run([*importing, *news(place, 0)], check=True, stdout=subprocess.DEVNULL)
    length = time.monotonic() - started
    killed = {"importer": 0, "server": 0}
    for number in range(1, rounds + 1):
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        importer = subprocess.Popen([*importing, *news(place, number)], **quiet)
        time.sleep(random.uniform(0, length))
        if random.random() < 0.7:
            killed["importer"] += importer.poll() is None
            importer.send_signal(signal.SIGKILL)
        importer.wait()
        time.sleep(random.uniform(0, 0.7))
        server.kill()
        killed["server"] += 1
        server = Server(program, data)
    deadline = time.monotonic() + PATIENCE
    events = published(server, key, start)
    while any(missing(events).values()) and time.monotonic() < deadline:
        time.sleep(0.2)
    # Nothing is called that is not wanted, also not a little later.
    time.sleep(2)
    log = json.loads(subprocess.run([program, "log", "--json", "--data", data], check=True, capture_output=True).stdout)
    judge(events, log)
    server.kill()
    calls = sum(len(bodies) for hook in Receiver.calls.values() for bodies in hook.values())
    wanted = sum(len(hook) for hook in Receiver.calls.values())
    print(
        f"{killed['server']} servers and {killed['importer']} imports killed: {len(events)} events, "
        f"{wanted} wanted calls, {calls - wanted} of them repeated, {Receiver.faults} answered with 500; "
        "none lost, none invented, all signed"
    )


def main():
    program, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100
    random.seed(10)
    with tempfile.TemporaryDirectory() as place:
        run(program, rounds, pathlib.Path(place))


main()
