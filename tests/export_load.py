#!/usr/bin/env python3
"""Measures what exports cost a server: memory, and the time of other requests.

Fills a data directory with made-up filings, exports all of them in every format, and then lets 300 clients ask for
an export and stop reading. Fails if an export needs more than 32 MiB above the idle server, if a client that
stopped reading is not cut within a minute, or if it disturbs other requests. Needs Python 3 alone.

    tests/export_load.py target/release/finserve [--rows 1500000]
"""

import argparse
import concurrent.futures
import http.client
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time

import made_filings
from figures import Peak, resident

MIB = 1 << 20
# What an export may need above an idle server.
MEMORY = 32 * MIB
# What 32 exports under way may need above an idle server: each has its own snapshot, with a page cache of 2 MiB.
MEMORY_OF_ALL = 32 * 12 * MIB
CLIENTS = 300
KEYS = 150
# A client that does not read is cut after 30 seconds; the rest is for a busy machine.
CUT = 60
# The 99th percentile of other requests while exports are stuck.
SLOW = 0.1


def fill(binary, data, folder, rows):
    """A data directory with so many filings."""
    table = folder / "ipe_cia_aberta_2023.csv"
    made_filings.table(table, range(2003, 2024), rows)
    subprocess.run([binary, "import", "--data", data, table], check=True, stdout=subprocess.DEVNULL)
    table.unlink()


def new_key(binary, data):
    """A key on Platinum."""
    command = [binary, "keys", "create", "--data", data, "--plan", "platinum", "--name", "Ana"]
    text = subprocess.run([*command, "--email", "ana@example.com"], check=True, capture_output=True, text=True).stdout
    return re.search(r"fin_[0-9A-Za-z]{38}", text)[0]


def start(binary, data):
    """A running server and its address."""
    command = [binary, "serve", "--listen", "127.0.0.1:0", "--data", data]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    host, port = re.search(r"http://([\d.]+):(\d+)", server.stdout.readline()).groups()
    return server, (host, int(port))


def export(address, key, query, encoding):
    """Reads an export to its end. Returns the rows that were announced and the bytes that came."""
    connection = http.client.HTTPConnection(*address, timeout=120)
    headers = {"X-API-Key": key, "Accept-Encoding": encoding}
    connection.request("GET", f"/api/v1/export/filings{query}", headers=headers)
    response = connection.getresponse()
    if response.status != 200:
        sys.exit(f"{query}: {response.status} {response.read()[:300]}")
    length = 0
    while part := response.read(MIB):
        length += len(part)
    connection.close()
    return int(response.headers["X-Total-Count"]), length


def at_rest(server):
    """The memory of a server once it has done what it does at leisure after its start."""
    while True:
        before = resident(server.pid)
        time.sleep(3)
        if resident(server.pid) == before:
            return before


def measure_memory(server, address, key):
    """One export after the other; whether each stays within its bound."""
    idle, within = at_rest(server), True
    print(f"idle: {idle / MIB:.1f} MiB")
    for name, query, encoding in [
        ("NDJSON", "", "identity"),
        ("CSV", "?format=csv", "identity"),
        ("Parquet", "?format=parquet", "identity"),
        ("NDJSON by zstd", "", "zstd"),
        ("NDJSON by gzip", "", "gzip"),
    ]:
        began = time.monotonic()
        with Peak(server.pid) as peak:
            rows, length = export(address, key, query, encoding)
        above, seconds = peak.highest - idle, time.monotonic() - began
        print(f"{name}: {rows} rows, {length / MIB:.0f} MiB in {seconds:.1f} s, {above / MIB:.1f} MiB above idle")
        within &= above <= MEMORY
    return within


def ask(address, key):
    """Asks for an export with little room to receive it, and reads no more than its head."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.settimeout(60)
    client.connect(address)
    client.sendall(f"GET /api/v1/export/filings HTTP/1.1\r\nHost: a\r\nX-API-Key: {key}\r\n\r\n".encode())
    return client, client.recv(100).split(b" ")[1].decode()


def overview(address, key):
    """The seconds that another request takes."""
    began = time.monotonic()
    connection = http.client.HTTPConnection(*address, timeout=60)
    connection.request("GET", "/api/v1/market/overview", headers={"X-API-Key": key})
    connection.getresponse().read()
    connection.close()
    return time.monotonic() - began


def latencies(address, keys, seconds):
    """Median and 99th percentile of other requests over so many seconds."""
    until, times, turn = time.monotonic() + seconds, [], 0
    while time.monotonic() < until:
        times.append(overview(address, keys[turn % len(keys)]))
        turn += 1
        time.sleep(0.005)
    times.sort()
    return times[len(times) // 2], times[len(times) * 99 // 100]


def shown(pair):
    return f"median {pair[0] * 1000:.1f} ms, 99th percentile {pair[1] * 1000:.1f} ms"


def open_sockets(server):
    """How many sockets the server has open, the listening one included."""
    count = 0
    for name in os.listdir(f"/proc/{server.pid}/fd"):
        try:
            count += os.readlink(f"/proc/{server.pid}/fd/{name}").startswith("socket:")
        except FileNotFoundError:
            pass  # It was closed just now.
    return count


def measure_stalled(server, address, keys):
    """300 clients that stop reading; whether they are bounded, cut, and disturb nobody."""
    idle, few = resident(server.pid), open_sockets(server)
    others = keys[-4:]
    before = latencies(address, others, 3)
    print(f"other requests before: {shown(before)}")
    with Peak(server.pid) as peak:
        began = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(50) as pool:
            clients = list(pool.map(lambda turn: ask(address, keys[turn % KEYS]), range(CLIENTS)))
        statuses = [status for _, status in clients]
        counts = {status: statuses.count(status) for status in sorted(set(statuses))}
        print(f"{CLIENTS} clients with {KEYS} keys: {counts}")
        meanwhile = latencies(address, others, 10)
        print(f"other requests meanwhile: {shown(meanwhile)}")
        while open_sockets(server) > few and time.monotonic() - began < CUT:
            time.sleep(0.2)
        left, seconds = max(open_sockets(server) - few, 0), time.monotonic() - began
    above = peak.highest - idle
    print(f"{left} connections left after {seconds:.0f} s; at most {above / MIB:.1f} MiB above idle")
    freed = ask(address, keys[0])[1]
    print(f"the next export is answered with {freed}")
    broken = truncated(clients)
    print(f"{broken} of {counts.get('200', 0)} admitted streams are broken off")
    for client, _ in clients:
        client.close()
    admitted = counts.get("200", 0)
    return (
        set(counts) <= {"200", "429", "503"}
        and 0 < admitted <= 32
        and broken == admitted
        and left == 0
        and freed == "200"
        and above <= MEMORY_OF_ALL
        and meanwhile[1] <= max(SLOW, 3 * before[1])
    )


def truncated(clients):
    """How many admitted streams do not end with the last chunk, once all that was sent is read."""
    count = 0
    for client, status in clients:
        if status != "200":
            continue
        end = b""
        try:
            while part := client.recv(MIB):
                end = (end + part)[-5:]
        except OSError:
            end = b""
        count += end != b"0\r\n\r\n"
    return count


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("binary")
    arguments.add_argument("--rows", type=int, default=300_000)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        data = folder / "data"
        fill(given.binary, data, folder, given.rows)
        keys = [new_key(given.binary, data) for _ in range(KEYS)]
        server, address = start(given.binary, data)
        try:
            # Whatever is made once is made now.
            overview(address, keys[0])
            within = measure_memory(server, address, keys[0])
            undisturbed = measure_stalled(server, address, keys)
        finally:
            server.terminate()
            server.wait()
    if not (within and undisturbed):
        sys.exit("a bound is broken")


if __name__ == "__main__":
    main()
