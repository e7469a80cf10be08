#!/usr/bin/env python3
"""Measures replicas with shared accounts and limits beside a single server with everything embedded.

`wrk` asks all replicas at once, with 32 connections in all and 4,000 Platinum keys. Setups take turns in every round;
printed are medians, as a Markdown table with ratios to the embedded server, and what a call of Valkey and a commit of
PostgreSQL cost. All share this machine's processors: the processor time of a request tells more than requests a second.
Needs wrk, PostgreSQL and Redis or Valkey.

    cargo build --release --features cluster && benches/cluster.py target/release/finserve [ROUNDS] [SECONDS] [PATH]
"""

import contextlib
import pathlib
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests" / "cluster"))
import stage  # noqa: E402

KEYS, CONNECTIONS = 4000, 32
UNITS = {"us": 0.001, "ms": 1, "s": 1000}


class Run:
    """What one run of a setup gave."""

    def __init__(self, outputs, seconds, processors):
        found = [re.search(r"measured (\d+) (\d+) \d+ (\d+) (\d+)", output) for output in outputs]
        requests = sum(int(one[1]) for one in found)
        self.rate = sum(int(one[1]) / int(one[2]) * 1e6 for one in found)
        self.errors = sum(int(one[3]) + int(one[4]) for one in found)
        self.p50, self.p99 = (max(latency(output, part) for output in outputs) for part in (50, 99))
        # Microseconds of processor time a request: of the replicas, of Valkey, of PostgreSQL.
        self.costs = [spent / requests * 1e6 for spent in processors]


def latency(output, part):
    """A percentile that wrk prints, in milliseconds."""
    found = re.search(rf"^\s+{part}%\s+([\d.]+)(us|ms|s)$", output, re.M)
    return float(found[1]) * UNITS[found[2]]


def make_keys(program, data):
    """Keys of the Platinum plan in a new data directory: registered, then upgraded all at once."""
    new_address, keys = stage.Addresses(), []
    with stage.Replica(program, data, "--registrations-per-hour", "1000000") as single:
        with stage.Client(single) as client:
            for _ in range(KEYS):
                headers = {"Content-Type": "application/json", "X-Forwarded-For": new_address()}
                body = '{"name":"Ana","email":"ana@example.com"}'
                keys.append(client.request("POST", stage.REGISTER, body, headers).json()["api_key"])
        single.stop()
    with contextlib.closing(sqlite3.connect(data / "accounts.db")) as db, db:
        db.execute("UPDATE key SET plan = 'platinum'")
    return keys


class Setup:
    """Some servers that are asked at once, and the engines behind them."""

    def __init__(self, name, servers, redis=None, postgres=None):
        self.name, self.servers, self.engines, self.runs = name, servers, [redis, postgres], []

    def spent(self):
        """The processor seconds so far: of the servers, and of each engine."""
        engines = [sum(map(stage.processor_seconds, engine.processes())) if engine else 0 for engine in self.engines]
        return [sum(stage.processor_seconds(server.pid) for server in self.servers), *engines]

    def run(self, place, path, seconds):
        outputs, before = {}, self.spent()

        def drive(server):
            url = f"http://127.0.0.1:{server.port}"
            load = ["-t1", f"-c{CONNECTIONS // len(self.servers)}", f"-d{seconds}s", "--latency"]
            lua = ["-s", str(HERE / "http" / "load.lua"), url, "--", str(place / "targets"), "", str(place / "keys")]
            done = subprocess.run(["wrk", *load, *lua, "X-API-Key"], check=True, capture_output=True, text=True)
            outputs[server] = done.stdout

        threads = [threading.Thread(target=drive, args=(server,)) for server in self.servers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        spent = [after - earlier for after, earlier in zip(self.spent(), before)]
        return Run(list(outputs.values()), seconds, spent)

    def median(self, value):
        return statistics.median(map(value, self.runs))


def table(setups):
    """The table of all setups; the first is what the others are compared with."""
    print("| setup | requests/s | ratio | p50 ms | p99 ms | µs a request: replicas | Valkey | PostgreSQL |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    base = setups[0].median(lambda run: run.rate)
    for setup in setups:
        rate = setup.median(lambda run: run.rate)
        p50, p99 = setup.median(lambda run: run.p50), setup.median(lambda run: run.p99)
        costs = [setup.median(lambda run, part=part: run.costs[part]) for part in range(3)]
        shown = [f"{cost:.1f}" if part == 0 or setup.engines[part - 1] else "–" for part, cost in enumerate(costs)]
        print(f"| {setup.name} | {rate:.0f} | {rate / base:.2f} | {p50:.2f} | {p99:.1f} | {' | '.join(shown)} |")
    errors = {setup.name: sum(run.errors for run in setup.runs) for setup in setups}
    print(f"\nanswers other than 2xx and 3xx, and broken connections: {errors}")
    return not any(errors.values())


def engine_figures(redis, postgres, spent):
    """What calls and commits have cost since the start of the measurement."""
    print("\nValkey, by command, in its own microseconds:")
    for name, calls, each in re.findall(
        r"^cmdstat_(\S+?):calls=(\d+).*?usec_per_call=([\d.]+)", redis.command("INFO", "commandstats"), re.M
    ):
        if int(calls) > 1000:
            print(f"    {name}: {calls} calls, {each} µs each")
    commits, rows = map(
        int,
        postgres.query(
            "SELECT xact_commit, tup_inserted + tup_updated FROM pg_stat_database WHERE datname = current_database()"
        ).split("|"),
    )
    print(
        f"PostgreSQL: {commits} commits, {rows} rows written, {spent / max(commits, 1) * 1e6:.0f} µs of processor time a commit"
    )


def main():
    given = [*sys.argv[1:], *[None] * 4]
    program, rounds, seconds = given[0] or sys.exit(__doc__), int(given[1] or 5), int(given[2] or 3)
    path = given[3] or stage.CURRENT
    if not shutil.which("wrk"):
        sys.exit("there is no wrk; on Debian: apt-get install wrk")
    with contextlib.ExitStack() as stack:
        place = stack.enter_context(stage.trial.folder())
        keys = make_keys(program, place / "single")
        (place / "keys").write_text("\n".join(keys) + "\n")
        (place / "targets").write_text(path + "\n")
        postgres = stack.enter_context(stage.Postgres(durable=True))
        redis = stack.enter_context(stage.Redis())
        copied = stage.trial.run(program, place / "single", "accounts", "copy", "--to", postgres.url())
        if copied.returncode:
            sys.exit(f"the accounts are not copied: {copied.stderr}")
        single = stack.enter_context(stage.Replica(program, place / "single"))
        accounts = {"FINSERVE_ACCOUNTS": postgres.url()}
        shared = {**accounts, "FINSERVE_LIMITS": redis.url()}
        single_engine = stack.enter_context(stage.replicas(program, 1, environment=accounts))
        both = stack.enter_context(stage.replicas(program, 3, environment=shared))
        setups = [Setup("embedded", [single]), Setup("1 replica, `--accounts`", single_engine, postgres=postgres)]
        for number in (1, 2, 3):
            name = f"{number} replica{'s' if number > 1 else ''}, `--accounts`, `--limits`"
            setups.append(Setup(name, both[:number], redis, postgres))
        for setup in setups:
            setup.run(place, path, 1)
        redis.command("CONFIG", "RESETSTAT")
        postgres.query("SELECT pg_stat_reset()")
        before, before_alone = setups[-1].spent()[2], sum(replica.alone() for replica in both)
        for number in range(rounds):
            for setup in setups:
                print(f"round {number + 1} of {rounds}: {setup.name}", file=sys.stderr, flush=True)
                setup.runs.append(setup.run(place, path, seconds))
        alone = sum(replica.alone() for replica in both) - before_alone
        print(f"{path}, medians of {rounds} rounds of {seconds} s\n")
        good = table(setups)
        print(f"requests that replicas have decided without Valkey: {alone:.0f}")
        engine_figures(redis, postgres, setups[-1].spent()[2] - before)
    return good


if __name__ == "__main__":
    if not main():
        sys.exit("not every request was answered")
