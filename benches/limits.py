#!/usr/bin/env python3
"""Measures what limits in Valkey cost: a server with --limits beside one that counts in memory, on the same machine.

Both serve the same data directory's copy, and are asked in turns, by clients from many addresses, so that requests pass.
Prints throughput and waiting times of both, the medians of their ratio and difference, and the processor time of a request
in the server and in Valkey. Needs Python 3, wrk, and valkey-server or redis-server.

    cargo build --release --features cluster && benches/limits.py target/release/finserve [ROUNDS] [SECONDS] [CONNECTIONS]
"""

import pathlib
import re
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests" / "cluster"))
import stage  # noqa: E402
from stage import processor_seconds, trial  # noqa: E402

# Each may send thirty a minute.
CALLERS = 100_000


def load(server, folder, seconds, connections):
    """Requests a second, waiting times in milliseconds (median, 99 of 100), and how many were not answered with 200."""
    host, port = server.address
    command = ["wrk", "-t", "2", "-c", str(connections), "-d", f"{seconds}s", "--latency"]
    command += ["-s", str(HERE / "http" / "load.lua"), f"http://{host}:{port}", "--"]
    command += [str(folder / "targets"), "", str(folder / "callers"), "X-Forwarded-For"]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    unit = {"us": 0.001, "ms": 1, "s": 1000}

    def wait(share):
        number, of = re.search(rf"{share}%\s+([\d.]+)(us|ms|s)\b", told).groups()
        return float(number) * unit[of]

    refused = re.search(r"Non-2xx or 3xx responses: (\d+)", told)
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", told)[1])
    return rate, wait(50), wait(99), int(refused[1]) if refused else 0


def main():
    program = sys.argv[1]
    rounds, seconds, connections = [int(given) for given in sys.argv[2:]] + [6, 5, 64][len(sys.argv) - 2 :]
    with trial.folder() as folder:
        data, _ = stage.prepared(program, folder, {})
        (folder / "targets").write_text(f"{trial.CURRENT}\n")
        (folder / "callers").write_text("".join(f"10.{n >> 16}.{n >> 8 & 255}.{n & 255}\n" for n in range(CALLERS)))
        with (
            stage.Redis() as valkey,
            stage.replicas(program, 1, template=data) as [alone],
            stage.replicas(program, 1, "--limits", valkey.url(), template=data) as [shared],
        ):
            print("server        req/s   p50 ms   p99 ms   not 200   us/request: server   Valkey")
            figures = {"memory": [], "valkey": []}
            for turn in range(2 * rounds):
                name, server = [("memory", alone), ("valkey", shared)][(turn + turn // 2) % 2]
                before = processor_seconds(server.pid), processor_seconds(valkey.child.pid)
                rate, median, tail, refused = load(server, folder, seconds, connections)
                own, engine = processor_seconds(server.pid) - before[0], processor_seconds(valkey.child.pid) - before[1]
                each = 1e6 / (rate * seconds)
                figures[name].append((rate, median, tail))
                print(
                    f"{name:8} {rate:10.0f} {median:8.2f} {tail:8.2f} {refused:9} {own * each:20.1f} {engine * each:8.1f}",
                    flush=True,
                )
            pairs = list(zip(figures["memory"], figures["valkey"]))
            ratio = statistics.median(with_it[0] / without[0] for without, with_it in pairs)
            added = statistics.median(with_it[2] - without[2] for without, with_it in pairs)
            decided = shared.alone()
            print(
                f"throughput with Valkey: {ratio:.2f} of that without; at p99 {added:+.2f} ms; {decided:.0f} decided alone"
            )


if __name__ == "__main__":
    main()
