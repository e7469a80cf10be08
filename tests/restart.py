#!/usr/bin/env python3
"""Restarts a server ten times under load, with a socket that outlives it, as systemd hands one over.

Clients dial for each request, or use a connection again. No connection may be refused and no answer broken. A request
on a connection that was used before and is closed without a byte is sent once more, as every HTTP client does; how
often that happens is printed. Needs Python 3 alone.

    tests/restart.py target/release/finserve [RESTARTS]
"""

import http.client
import os
import signal
import socket
import subprocess
import sys
import threading
import time

import trial

DIALLING, KEEPING = 8, 4
FIRST_DESCRIPTOR = 3
PATHS = [
    trial.CURRENT,
    "/health",
    "/api/v1/filings/search?q=ata+conselho&limit=20",
    "/api/v1/market/fx?limit=500",
    "/pricing",
]


class Client(threading.Thread):
    """Asks again and again, and counts what goes wrong."""

    def __init__(self, address, keys, number, keeps, over):
        super().__init__()
        self.address, self.keys, self.number, self.keeps, self.over = address, keys, number, keeps, over
        self.answered, self.refused, self.broken, self.sent_again, self.slowest = 0, 0, [], 0, 0

    def run(self):
        connection, turn = None, self.number
        while not self.over.is_set():
            turn += 1
            path, began = PATHS[turn % len(PATHS)], time.monotonic()
            used_before = connection is not None
            connection = connection or http.client.HTTPConnection(*self.address, timeout=30)
            try:
                connection.request("GET", path, headers={"X-API-Key": self.keys[turn % len(self.keys)]})
                response = connection.getresponse()
                response.read()
                self.answered += response.status == 200
                if response.status != 200:
                    self.broken.append(f"{path}: {response.status}")
                self.slowest = max(self.slowest, time.monotonic() - began)
                keeps = self.keeps and not response.will_close
            except ConnectionRefusedError:
                self.refused += 1
                keeps = False
            except (http.client.HTTPException, OSError) as error:
                is_old = used_before and isinstance(
                    error, (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError)
                )
                self.sent_again += is_old
                if not is_old:
                    self.broken.append(f"{path}: {error!r}")
                keeps = False
            if not keeps:
                connection.close()
                connection = None


def start(program, data):
    """A server that takes the socket, as systemd would start it; returns once it says that it listens."""
    command = 'LISTEN_PID=$$; export LISTEN_PID; exec "$@"'
    child = subprocess.Popen(
        ["sh", "-c", command, "sh", program, "serve", "--listen", "127.0.0.1:0", "--data", str(data)],
        env={**os.environ, "LISTEN_FDS": "1", "LISTEN_FDNAMES": "finserve.socket"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        pass_fds=(FIRST_DESCRIPTOR,),
        text=True,
    )
    return child, trial.first_line(child, 30)


def stop(child):
    """Stops a server. Returns its exit code and how long that took."""
    began = time.monotonic()
    child.send_signal(signal.SIGTERM)
    try:
        code = child.wait(20)
    except subprocess.TimeoutExpired:
        child.kill()
        code = child.wait()
    child.stdout.close()
    return code, time.monotonic() - began


def main():
    program, restarts = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10
    listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
    os.dup2(listener.fileno(), FIRST_DESCRIPTOR)
    address = listener.getsockname()
    with trial.folder() as place:
        data = place / "data"
        keys = [trial.new_key(program, data) for _ in range(60)]
        with trial.Server(program, data):
            pass  # It fills the directory.
        child, line = start(program, data)
        if f":{address[1]}" not in line:
            stop(child)
            sys.exit(f"the server does not take the socket that it is given: {line!r}")
        return run(program, data, address, keys, child, restarts)


def run(program, data, address, keys, child, restarts):
    over, codes, stops, starts = threading.Event(), [], [], []
    clients = [Client(address, keys, turn, turn >= DIALLING, over) for turn in range(DIALLING + KEEPING)]
    for client in clients:
        client.start()
    for _ in range(restarts):
        time.sleep(1.5)
        code, seconds = stop(child)
        codes.append(code)
        stops.append(seconds)
        began = time.monotonic()
        child, _ = start(program, data)
        starts.append(time.monotonic() - began)
    time.sleep(1)
    over.set()
    for client in clients:
        client.join()
    codes.append(stop(child)[0])
    answered, refused, again = (
        sum(getattr(one, name) for one in clients) for name in ("answered", "refused", "sent_again")
    )
    broken = [one for client in clients for one in client.broken]
    print(
        f"{restarts} restarts: {answered} answers, {refused} connections refused, {len(broken)} answers broken {broken[:5]}"
    )
    print(f"{again} requests on connections that were closed meanwhile were sent again")
    print(f"exit codes {sorted(set(codes))}; a stop took {max(stops):.2f} s at most, a start {max(starts):.2f} s")
    print(f"the slowest answer took {max(client.slowest for client in clients):.2f} s")
    return not refused and not broken and set(codes) == {0} and answered > restarts


if __name__ == "__main__":
    if not main():
        sys.exit("a restart is noticed")
