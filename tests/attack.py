#!/usr/bin/env python3
"""Measures what is left for others under attack.

32 clients send the dearest requests there are, and 300 ask for something long and never read it, all of one address. Eight
clients of another address must keep half of their normal throughput, and the memory must stay within 128 MiB above
what the server has at rest. Needs Python 3 alone.

    tests/attack.py target/release/finserve
"""

import contextlib
import itertools
import sys
import time

import figures
import trial
from fault_rows.work import WORDS, each_costs
from trial import ATTACKER, MIB, OTHER

KEYS, CLIENTS, NEVER_READ, OTHERS = 80, 32, 300, 8
SECONDS = 12
MEMORY = 128 * MIB

pairs = itertools.cycle(itertools.permutations(WORDS, 2))


def pair():
    return next(pairs)


# Each makes requests that were not asked before, so that no answer is known.
DEAR = {
    "two words by relevance": lambda turn: "/api/v1/filings/search?q={}+{}&order=relevance&limit=1000".format(*pair()),
    "two words": lambda turn: "/api/v1/filings/search?q={}+{}&limit=1000".format(*pair()),
    "typing errors": lambda turn: "/api/v1/filings/search?q={}xq+{}zk&limit=1000".format(*pair()),
    "typing errors in companies": lambda turn: "/api/v1/companies/search?q={}xq+{}zk&limit=1000".format(*pair()),
    "everything by two letters": lambda turn: "/api/v1/search?q={}+{}&limit=1000".format(
        *(word[:2] for word in pair())
    ),
    "a deep page of filings": lambda turn: f"/api/v1/filings?limit=1000&offset={80_000 - turn}",
    "filings as CSV": lambda turn: f"/api/v1/filings?limit=1000&offset={turn}&format=csv",
    "companies": lambda turn: f"/api/v1/companies?limit=1000&offset={turn}",
    "a long history": lambda turn: f"/api/v1/market/selic?limit=10000&offset={turn}",
    "business days": lambda turn: (
        f"/api/v1/calendar/business-days?from=19{20 + turn % 70}-01-01&to=20{19 + turn % 70}-12-31&limit=1000"
    ),
    "an export": lambda turn: f"/api/v1/export/fx?format=parquet&from=20{10 + turn % 15}-01-01",
    "the start page": lambda turn: "/",
}


def dearest(server, keys):
    """The five kinds of requests that take most processor time, after what was measured."""
    costs = {}
    for number, (name, path) in enumerate(DEAR.items()):
        costs[name] = each_costs(server, [path(turn) for turn in range(30)], keys[number % 20])
    chosen = sorted(costs, key=costs.get, reverse=True)[:5]
    print(
        "processor time: "
        + ", ".join(f"{name} {costs[name] * 1000:.1f} ms" for name in sorted(costs, key=costs.get, reverse=True))
    )
    return [DEAR[name] for name in chosen]


def never_read(server, keys):
    """300 clients that ask for something long, with little room to receive it."""
    script, clients = trial.script_path(server.address), []
    for turn in range(NEVER_READ):
        path = script if turn % 3 else "/api/v1/export/filings"
        head = f"GET {path} HTTP/1.1\r\nHost: a\r\nAccept-Encoding: identity\r\nX-API-Key: {keys[turn % 20]}\r\n\r\n"
        with contextlib.suppress(OSError):
            client = trial.connect(server.address, ATTACKER, receive=4096)
            clients.append(client)
            client.sendall(head.encode())
    return clients


def throughput(server, keys, seconds):
    """How many requests of others are answered in a second, and how."""
    # Several keys, so that not their limit is measured.
    requests = [request for key in keys for request in ((trial.CURRENT, key), ("/health", None))]
    with figures.Helper(figures.load, server.address, requests, OTHERS, seconds, OTHER, nice=0) as helper:
        counts = helper.result()
    return counts.get("200", 0) / seconds, counts


def main():
    program = sys.argv[1]
    with trial.folder() as place:
        data = place / "data"
        keys = [trial.new_key(program, data) for _ in range(KEYS)]
        with trial.Server(program, data) as server:
            return attack(server, keys[:40], keys[40:])


def attack(server, keys, others):
    kinds = dearest(server, keys)
    requests = [(kinds[turn % len(kinds)](turn), keys[turn % 40]) for turn in range(20_000)]
    time.sleep(2)
    rest = figures.resident(server.pid)
    normal, counts = throughput(server, others[:20], 6)
    print(f"at rest: {rest / MIB:.0f} MiB; others: {normal:.0f} requests a second, {counts}")
    with figures.Peak(server.pid) as peak:
        silent = never_read(server, keys)
        with figures.Helper(figures.load, server.address, requests, CLIENTS, SECONDS + 3, nice=15) as helper:
            time.sleep(1.5)
            under, counts = throughput(server, others[20:], SECONDS)
            attackers = helper.result()
    print(f"attackers: {attackers}, {len(silent)} of {NEVER_READ} that never read")
    print(f"others under attack: {under:.0f} requests a second, {under / normal:.0%} of normal, {counts}")
    above = peak.highest - rest
    print(f"memory: {above / MIB:.0f} MiB above rest, {peak.highest / MIB:.0f} MiB in all")
    for client in silent:
        client.close()
    time.sleep(3)
    print(f"memory once they are gone: {(figures.resident(server.pid) - rest) / MIB:.0f} MiB above rest")
    answered = set(counts) <= {"200"} and set(attackers) <= {"200", "429", "503", "0"}
    return under >= normal / 2 and above <= MEMORY and answered


if __name__ == "__main__":
    if not main():
        sys.exit("others do not keep half of their throughput, or the memory is above its bound")
