#!/usr/bin/env python3
"""Does to a server what must not harm it, and looks at what it does then.

Each row is a function under `fault_rows/`, and prints its figures and `ok`, `WRONG` or `SKIPPED`. Rows that mostly wait
run beside the others; those that measure run one after the other. A row that is wrong is tried once more, alone: what it
measured beside others may be theirs. Needs Python 3, for some rows root (a small disk) and libfaketime (a clock before
1970).

    tests/faults.py target/release/finserve [ROW…]
"""

import concurrent.futures
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import trial
from fault_rows import connections, disk, files, operator, protocol, readers, work
from fault_rows.case import Case

ROWS = {
    name: row
    for part in (connections, readers, work, files, disk, operator, protocol)
    for name, row in part.ROWS.items()
}
# These do little, or wait a lot.
WAITING = [
    "slow_readers",
    "slow_body",
    "files_that_are_not_ours",
    "random_pages_of_accounts",
    "random_pages_of_the_catalogue",
    "accounts_deleted_or_replaced",
    "accounts_readable_by_others",
    "two_servers_on_one_directory",
    "sighup",
    "cross_site_form",
    "http_1_0_without_host",
    "wrong_key_everywhere",
    "long_targets_and_many_headers",
    "csp_of_docs",
    "key_as_a_wrong_argument",
    "clock_before_1970",
]
KEYS = 60
# The longest that a row may take, in seconds.
MOST = 150
# The processes of rows under way.
RUNNING = set()


def stop(*_):
    """Ends rows under way, each of which ends its servers and removes its folders, and then this program."""
    for child in RUNNING:
        child.terminate()
    sys.exit("stopped")


def prepare(program, place):
    """A data directory with the bundled data and some keys, to be copied."""
    data = place / "template"
    keys = [trial.new_key(program, data) for _ in range(KEYS)]
    with trial.Server(program, data) as server:
        trial.ask(server.address, "/api/v1/search?q=vale", headers={"X-API-Key": keys[0]})
    (place / "keys.json").write_text(json.dumps(keys))
    return data


def try_row(program, place, name):
    """Runs a row in a process of its own. Returns its exit code and what it printed."""
    began = time.monotonic()
    command = [sys.executable, __file__, program, "--row", name, str(place)]
    child = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    RUNNING.add(child)
    try:
        output, _ = child.communicate(timeout=MOST)
        code = child.returncode
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        output, code = child.communicate()[0] + f"    NOT AS WANTED: took over {MOST} s\n", 1
    RUNNING.discard(child)
    verdict = {0: "ok", 77: "SKIPPED"}.get(code, "WRONG")
    print(f"{verdict} {name} ({time.monotonic() - began:.0f} s)\n{output}", end="", flush=True)
    return verdict


def run_row(program, name, place):
    """A row, in the process that is for it alone."""
    keys = json.loads((place / "keys.json").read_text())
    case = Case(program, place / "template", keys)
    ROWS[name](case)
    case.end()


def main():
    signal.signal(signal.SIGTERM, stop)
    program, names = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2:] or list(ROWS)
    if names[0] == "--row":
        return run_row(program, names[1], pathlib.Path(names[2]))
    if unknown := [name for name in names if name not in ROWS]:
        sys.exit(f"unknown: {unknown}; there are {list(ROWS)}")
    with trial.folder() as place, concurrent.futures.ThreadPoolExecutor(2) as beside:
        prepare(program, place)
        waiting = {name: beside.submit(try_row, program, place, name) for name in WAITING if name in names}
        verdicts = {name: try_row(program, place, name) for name in names if name not in WAITING}
        verdicts |= {name: row.result() for name, row in waiting.items()}
        for name in [name for name, verdict in verdicts.items() if verdict == "WRONG"]:
            print(f"{name} once more, alone", flush=True)
            verdicts[name] = try_row(program, place, name)
    wrong = [name for name, verdict in verdicts.items() if verdict == "WRONG"]
    skipped = [name for name, verdict in verdicts.items() if verdict == "SKIPPED"]
    print(f"{len(verdicts)} rows, wrong: {wrong or 'none'}, skipped: {skipped or 'none'}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
