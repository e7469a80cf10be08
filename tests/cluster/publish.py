#!/usr/bin/env python3
"""Publishes again and again while three servers follow, under load; then kills the one that synchronises.

Every round imports one more day of a series and publishes it to a directory. No request may fail; the body and the tag
of an answer always belong to one version; no connection ever gets an older version than before; all servers have the
new tag within five seconds. Afterwards memory, descriptors and threads are what they were after a few rounds. Then two
servers with --sync follow another directory: the one that synchronises is killed, and the other goes on from what it
published. Needs Python 3 alone.

    tests/cluster/publish.py target/release/finserve [ROUNDS]
"""

import datetime
import http.client
import http.server
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

REPLICAS, CLIENTS = 3, 3
SERIES = 99999
LONGEST = 5.0
# Rounds after which a server has used all that it needs.
WARM = 5
MOST_GROWTH = 48 * 1024


# What other scripts may share.


class Replica:
    """A server with a data directory of its own."""

    def __init__(self, program, place, name, *arguments):
        self.data, self.program = pathlib.Path(place) / name, program
        self.data.mkdir()
        self.log_path = self.data / "log.txt"
        with open(self.log_path, "wb") as log:
            command = [program, "serve", "--listen", "127.0.0.1:0", "--no-access-log", "--data", str(self.data)]
            self.process = subprocess.Popen([*command, *arguments], stdout=subprocess.PIPE, stderr=log)

    def wait(self):
        """Waits until it listens."""
        line = self.process.stdout.readline().decode()
        found = re.search(r"http://([\d.]+):(\d+)", line)
        if not found:
            sys.exit(f"{self.data.name} does not listen: {line} {self.log()}")
        self.address = (found[1], int(found[2]))
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def key(self):
        command = [self.program, "keys", "create", "--plan", "platinum", "--name", "A", "--email", "a@example.com"]
        said = subprocess.run([*command, "--data", str(self.data)], check=True, capture_output=True).stdout.decode()
        return re.search(r"\S{20,}", said)[0]

    def log(self):
        return self.log_path.read_text()

    def get(self, path, key):
        connection = http.client.HTTPConnection(*self.address, timeout=10)
        connection.request("GET", path, headers={"X-API-Key": key})
        response = connection.getresponse()
        body = response.read()
        connection.close()
        return response, body

    def costs(self):
        """Memory in KiB, descriptors, threads."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        number = lambda name: int(re.search(rf"{name}:\s+(\d+)", status)[1])
        return number("VmRSS"), len(os.listdir(f"/proc/{self.process.pid}/fd")), number("Threads")

    def stop(self):
        self.process.kill()
        self.process.wait()


def data_tag(response):
    """The tag of the data in that of an answer."""
    return re.match(r'W/"([^-]+)-', response.getheader("ETag"))[1]


# Publications under load.


class Client(threading.Thread):
    """Asks one server over one connection, and looks whether each answer is of one version."""

    def __init__(self, replica, key, versions, over):
        super().__init__(daemon=True)
        self.replica, self.key, self.versions, self.over = replica, key, versions, over
        self.answers, self.unchanged, self.wrong, self.last, self.tag = 0, 0, [], 0, None

    def run(self):
        connection = http.client.HTTPConnection(*self.replica.address, timeout=10)
        while not self.over.is_set():
            for kind in ("json", "csv"):
                try:
                    self.ask(connection, kind)
                except (OSError, http.client.HTTPException) as error:
                    self.wrong.append(repr(error))
                    connection.close()
            time.sleep(0.1)

    def ask(self, connection, kind):
        headers = {"X-API-Key": self.key}
        if kind == "json" and self.tag:
            headers["If-None-Match"] = self.tag
        connection.request("GET", f"/api/v1/market/series/{SERIES}?limit=2&format={kind}", headers=headers)
        response = connection.getresponse()
        body = response.read()
        self.answers += 1
        if response.status == 304:
            self.unchanged += 1
            body = None
        elif response.status != 200:
            self.wrong.append(f"{response.status}: {body[:200]}")
            return
        tag = data_tag(response)
        # The manifest may not have been read by this script yet.
        version = self.versions.get(tag) or time.sleep(1) or self.versions.get(tag)
        if body is not None:
            total = json.loads(body)["total"] if kind == "json" else int(response.getheader("X-Total-Count"))
            if total != version:
                self.wrong.append(f"{total} rows under the tag of version {version}")
        if kind == "json":
            self.tag = response.getheader("ETag")
        if version is not None and version < self.last:
            self.wrong.append(f"version {version} after {self.last}")
        self.last = version or self.last


class Origin:
    """Where data comes in and is published from."""

    def __init__(self, program, place, target):
        self.program, self.data, self.target = program, pathlib.Path(place) / "origin", pathlib.Path(target)
        self.file = pathlib.Path(place) / f"bcdata.sgs.{SERIES}.json"
        self.versions = {}

    def publish(self, number):
        """Imports so many days, and publishes. Returns the tag, and when it was published."""
        first = datetime.date(2020, 1, 1)
        days = [first + datetime.timedelta(n) for n in range(number)]
        self.file.write_text(json.dumps([{"data": f"{day:%d/%m/%Y}", "valor": f"{n}.5"} for n, day in enumerate(days)]))
        self.run("import", str(self.file))
        self.run("publish", str(self.target))
        published = time.monotonic()
        tag = json.loads((self.target / "manifest.json").read_text())["tag"]
        self.versions[tag] = number
        return tag, published

    def run(self, *arguments):
        subprocess.run([self.program, *arguments, "--data", str(self.data)], check=True, stdout=subprocess.DEVNULL)


def wait_for(tag, replicas, published):
    """How long it takes until all servers have a tag."""
    for replica, key in replicas:
        while True:
            response, body = replica.get(f"/api/v1/market/series/{SERIES}/current", key)
            if response.status == 200 and data_tag(response) == tag:
                break
            if time.monotonic() - published > 30:
                sys.exit(f"{replica.data.name} has not got {tag}: {body} {replica.log()}")
            time.sleep(0.05)
    return time.monotonic() - published


def has_grown(before, after):
    """Whether a server needs more than before; nothing is known of short runs."""
    pairs = zip(before or after, after)
    return any(
        memory > old_memory + MOST_GROWTH or files > old_files + 20 or threads > old_threads
        for (old_memory, old_files, old_threads), (memory, files, threads) in pairs
    )


def publications(program, place, rounds):
    target = pathlib.Path(place) / "target"
    target.mkdir()
    origin = Origin(program, place, target)
    replicas = [Replica(program, place, f"replica{n}", "--catalogue-from", str(target)) for n in range(REPLICAS)]
    over = threading.Event()
    try:
        # All of them wait for the first publication.
        origin.publish(1)
        for replica in replicas:
            replica.wait()
        watched = [(replica, replica.key()) for replica in replicas]
        clients = [Client(replica, replica.key(), origin.versions, over) for replica in replicas for _ in range(CLIENTS)]
        for client in clients:
            client.start()
        longest, warm = 0.0, None
        for number in range(2, rounds + 2):
            longest = max(longest, wait_for(*(lambda tag, at: (tag, watched, at))(*origin.publish(number))))
            if number == WARM + 1:
                warm = [replica.costs() for replica in replicas]
        # Everybody asks once more.
        time.sleep(2)
        over.set()
        for client in clients:
            client.join()
        wrong = [words for client in clients for words in client.wrong]
        if wrong:
            sys.exit(f"{len(wrong)} wrong answers: {wrong[:5]}")
        if any(client.last != rounds + 1 for client in clients):
            sys.exit(f"clients ended with versions {[client.last for client in clients]}")
        if longest > LONGEST:
            sys.exit(f"a publication took {longest:.1f} s to reach all servers")
        files = sorted(path.name for path in target.iterdir() if path.name.endswith(".zst"))
        kept = [len(list((replica.data / "published").glob("catalogue-*.db"))) for replica in replicas]
        if len(files) != 2 or kept != [2] * REPLICAS:
            sys.exit(f"old versions are left: {files}, {kept}")
        # The threads of a file's connections end within half a minute after the file.
        began = time.monotonic()
        while has_grown(warm, after := [replica.costs() for replica in replicas]):
            if time.monotonic() - began > 45:
                sys.exit(f"servers have grown: {warm} became {after}")
            time.sleep(1)
        answers, unchanged = sum(c.answers for c in clients), sum(c.unchanged for c in clients)
        print(
            f"{rounds} publications to {REPLICAS} servers under {answers} requests ({unchanged} of them 304): none failed, "
            f"none mixed, all on the new tag within {longest:.2f} s; KiB, descriptors, threads: {warm} became {after}"
        )
    finally:
        over.set()
        for replica in replicas:
            replica.stop()


# Taking over.


class Upstream(http.server.BaseHTTPRequestHandler):
    """The central bank, with the Selic of the last weeks."""

    value = "13.75"

    def do_GET(self):
        path, _, query = self.path.partition("?")
        days = re.findall(r"=(\d\d)/(\d\d)/(\d{4})", query)
        if "bcdata.sgs.432/" not in path or len(days) != 2:
            self.send_error(404)
            return
        first, last = (datetime.date(int(y), int(m), int(d)) for d, m, y in days)
        first = max(first, last - datetime.timedelta(28))
        wanted = [first + datetime.timedelta(n) for n in range((last - first).days + 1)]
        body = json.dumps([{"data": f"{day:%d/%m/%Y}", "valor": self.value} for day in wanted]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def takeover(program, place):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    target = pathlib.Path(place) / "led"
    flags = ["--sync", "--only", "selic", "--retry-delay", "1", "--catalogue-from", str(target)]
    for name in ("sgs", "olinda", "ptax", "bcb", "cvm"):
        flags += [f"--{name}-url", f"http://127.0.0.1:{server.server_port}/{name}"]
    replicas = [Replica(program, place, f"leader{n}", *flags) for n in range(2)]
    keys = {}

    def wait_until(what, happened, longest=60):
        began = time.monotonic()
        while not happened():
            if time.monotonic() - began > longest:
                sys.exit(f"not within {longest} s: {what} {[replica.log() for replica in replicas]}")
            time.sleep(0.05)
        return time.monotonic() - began

    def serves(replica, value):
        response, body = replica.get("/api/v1/market/selic/current", keys[replica])
        found = json.loads(body)
        return response.status == 200 and found["date"] == today and str(found["value"]) == value

    try:
        for replica in replicas:
            replica.wait()
            keys[replica] = replica.key()
        # The day in Brasília.
        today = str((datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(hours=3)).date())
        for replica in replicas:
            wait_until("both have the newest data", lambda: serves(replica, "13.75"))
        [leader] = [replica for replica in replicas if "this server synchronises" in replica.log()]
        [other] = [replica for replica in replicas if replica is not leader]
        version = json.loads((target / "manifest.json").read_text())["data_version"]
        Upstream.value = "13.5"
        leader.process.send_signal(signal.SIGKILL)
        leader.process.wait()
        taken = wait_until("another takes over", lambda: "this server synchronises" in other.log(), 10)
        fresh = taken + wait_until("the new data is published and served", lambda: serves(other, "13.5"), 30)
        now = json.loads((target / "manifest.json").read_text())["data_version"]
        if now <= version:
            sys.exit(f"data version {now} was published after {version}")
        print(f"the server that synchronised was killed: another did after {taken:.2f} s, and served newer data after {fresh:.2f} s")
    finally:
        for replica in replicas:
            replica.stop()


def main():
    program, rounds = str(pathlib.Path(sys.argv[1]).resolve()), int(sys.argv[2]) if len(sys.argv) > 2 else 50
    with tempfile.TemporaryDirectory() as place:
        publications(program, place, rounds)
        takeover(program, place)


main()
