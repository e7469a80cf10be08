#!/usr/bin/env python3
"""Kills `finserve serve` at random moments and looks at what it left.

No key that was answered with 201 is lost, no request is counted twice, and of those that were answered more
than a second before the kill every one is counted. Needs Python 3 alone.

    tests/kill_server.py target/release/finserve [ROUNDS]
"""

import hashlib
import http.client
import itertools
import json
import os
import pathlib
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

CALL = "/api/v1/market/selic/current"
REGISTER = "/api/v1/plans/register"
addresses = itertools.count(0x0A000001)


class Server:
    def __init__(self, program, data):
        arguments = ["serve", "--listen", "127.0.0.1:0", "--data", data, "--trusted-proxy", "127.0.0.1"]
        self.child = subprocess.Popen([program, *arguments], stdout=subprocess.PIPE, text=True)
        self.host, self.port = self.child.stdout.readline().strip().rsplit("//", 1)[1].split(":")
        self.data = data

    def connect(self):
        return http.client.HTTPConnection(self.host, int(self.port), timeout=20)

    def kill(self):
        self.child.send_signal(signal.SIGKILL)
        self.child.wait()
        self.child.stdout.close()


def until_killed(work):
    """Repeats `work` on a connection until the server is gone."""
    try:
        while work():
            pass
    except (OSError, http.client.HTTPException):
        pass


class Stalls(threading.Thread):
    """Writes to the same disk all the time, and notes how long that took at most: no program is quicker than its machine."""

    def __init__(self, folder):
        super().__init__()
        self.folder, self.ended, self.longest = folder, threading.Event(), 0

    def run(self):
        with tempfile.TemporaryFile(dir=self.folder) as file:
            while not self.ended.is_set():
                began = time.monotonic()
                file.write(b".")
                file.flush()
                os.fsync(file.fileno())
                time.sleep(0.05)
                self.longest = max(self.longest, time.monotonic() - began)

    def stop(self):
        self.ended.set()
        self.join()
        return self.longest


class Round:
    """What clients saw of one life of the server."""

    def __init__(self, server, key):
        self.server, self.key = server, key
        self.keys, self.sent, self.answered = [], [], []

    def call(self):
        connection = self.server.connect()

        def once():
            self.sent.append(1)
            connection.request("GET", CALL, headers={"X-API-Key": self.key})
            connection.getresponse().read()
            self.answered.append(time.monotonic())
            return True

        until_killed(once)

    def register(self):
        connection = self.server.connect()

        def once():
            # Every registration comes from an address of its own, so that no limit is in the way.
            address = ".".join(str(byte) for byte in next(addresses).to_bytes(4, "big"))
            body = json.dumps({"name": "Ana", "email": "ana@example.com"})
            headers = {"Content-Type": "application/json", "X-Forwarded-For": address}
            connection.request("POST", REGISTER, body, headers)
            response = connection.getresponse()
            answer = json.loads(response.read())
            if response.status != 201:
                sys.exit(f"no registration: {answer}")
            self.keys.append(answer["api_key"])
            return True

        until_killed(once)

    def run(self, seconds):
        """Serves for so long. Returns how many calls were answered so early that they must be counted."""
        stalls = Stalls(self.server.data)
        stalls.start()
        work = [self.call, self.call, self.register, self.register]
        threads = [threading.Thread(target=target) for target in work]
        for thread in threads:
            thread.start()
        time.sleep(seconds)
        killed = time.monotonic()
        self.server.kill()
        for thread in threads:
            thread.join()
        # Counts are written within a second, by a machine that is not held up itself.
        late = 1 + 2 * stalls.stop()
        return sum(moment < killed - late for moment in self.answered)


def counted(program, data, prefix):
    """How many requests the accounts know of."""
    command = [program, "usage", prefix, "--json", "--data", data]
    total = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["total"]
    return total["requests"] + total["rate_limited"]


def stored(data):
    """The hashes of all keys, from a file that must be sound."""
    with sqlite3.connect(pathlib.Path(data) / "accounts.db") as db:
        sound = db.execute("PRAGMA integrity_check").fetchone()[0]
        if sound != "ok":
            sys.exit(f"the accounts are broken: {sound}")
        return {row[0] for row in db.execute("SELECT hash FROM key WHERE revoked IS NULL")}


def main():
    program, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100
    random.seed(7)
    with tempfile.TemporaryDirectory() as data:
        who = ["--plan", "platinum", "--name", "Ana", "--email", "ana@example.com"]
        create = [program, "keys", "create", *who, "--data", data]
        key = subprocess.run(create, check=True, capture_output=True, text=True).stdout.strip()
        Server(program, data).kill()
        keys, calls, lost = [], 0, 0
        for number in range(rounds):
            before = counted(program, data, key[:12])
            life = Round(Server(program, data), key)
            certain = life.run(random.uniform(0, 1.6))
            more = counted(program, data, key[:12]) - before
            if more > len(life.sent):
                sys.exit(f"round {number}: {more} counted, only {len(life.sent)} sent")
            if more < certain:
                sys.exit(f"round {number}: {more} counted, {certain} were answered a second before")
            keys += life.keys
            calls += len(life.answered)
            lost += max(0, len(life.answered) - more)
            known = stored(data)
            gone = [key for key in life.keys if hashlib.sha256(key.encode()).digest() not in known]
            if gone:
                sys.exit(f"round {number}: {len(gone)} keys answered with 201 are lost")
        server = Server(program, data)
        connection = server.connect()
        for key in keys:
            connection.request("GET", "/health", headers={"X-API-Key": key})
            response = connection.getresponse()
            response.read()
            if response.status != 200:
                sys.exit("a key answered with 201 is refused")
        server.kill()
    print(
        f"{rounds} servers killed: {len(keys)} registrations, none lost; {calls} calls answered, "
        f"none counted twice, {lost} of the last second not counted"
    )


main()
