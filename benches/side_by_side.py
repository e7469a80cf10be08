#!/usr/bin/env python3
"""Runs finserve and a yardstick side by side over the same data, and prints how they compare.

The yardstick is Datasette, which serves any SQLite file as JSON: what a developer would reach for instead.
Both get the same catalogue, the same questions and the same load, in turns within one run, because absolute
numbers mean nothing on a machine that others share. Needs Python 3, wrk, and the package index once.

    cargo build --release && benches/side_by_side.py target/release/finserve [SECONDS]
"""

import pathlib
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
import venv

YARDSTICK = "datasette==0.65.5"
ROUNDS = 3

# Each caller may ask a limited number of times a minute, so the load comes from ever new callers. The
# server is told to believe the header by which a proxy names them.
CALLERS = """
local n = 0
function request()
  n = n + 1
  wrk.headers["X-Forwarded-For"] = string.format("10.%d.%d.%d", n / 65536 % 256, n / 256 % 256, n % 256)
  return wrk.format()
end
"""

ROWS = "/catalogue/rate.json?series__exact=432&_sort_desc=date&_shape=array&_nofacet=1&_nocount=1&_col=date&_col=value"
QUESTIONS = [
    ("newest figure", "/api/v1/market/selic/current", ROWS + "&_size=1"),
    ("20 rows", "/api/v1/market/selic", ROWS + "&_size=20"),
    ("300 rows", "/api/v1/market/selic?limit=300", ROWS + "&_size=300"),
]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(url):
    for _ in range(200):
        try:
            with urllib.request.urlopen(url) as answer:
                return answer.read()
        except OSError:
            time.sleep(0.1)
    sys.exit(f"{url} does not answer")


def rate(url, seconds, script):
    """Requests a second; every one of them must have been answered with 200."""
    command = ["wrk", "-t1", "-c8", f"-d{seconds}s", "-s", str(script), url]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    if "Non-2xx" in output or "Socket errors" in output:
        sys.exit(f"not every request to {url} was answered:\n{output}")
    return float(re.search(r"Requests/sec:\s*([\d.]+)", output).group(1))


def main():
    if not shutil.which("wrk"):
        sys.exit("wrk is missing: install it (on Debian: apt-get install wrk)")
    program, seconds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        script = place / "callers.lua"
        script.write_text(CALLERS)
        venv.create(place / "venv", with_pip=True)
        pip = [place / "venv/bin/pip", "install", "--quiet", YARDSTICK]
        subprocess.run(pip, check=True)

        ours, theirs = free_port(), free_port()
        servers = [
            subprocess.Popen(
                [program, "--listen", f"127.0.0.1:{ours}", "--data", place / "data", "--trusted-proxy", "127.0.0.1/32"],
                stdout=subprocess.DEVNULL,
            )
        ]
        try:
            wait_for(f"http://127.0.0.1:{ours}/health")
            servers.append(
                subprocess.Popen(
                    [place / "venv/bin/datasette", "serve", place / "data/catalogue.db", "-p", str(theirs)],
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
            )
            wait_for(f"http://127.0.0.1:{theirs}/-/versions.json")
            print(f"{'question':<16}{'finserve/s':>12}{'datasette/s':>13}{'ratio':>9}")
            for name, our_path, their_path in QUESTIONS:
                pairs = [
                    (
                        rate(f"http://127.0.0.1:{ours}{our_path}", seconds, script),
                        rate(f"http://127.0.0.1:{theirs}{their_path}", seconds, script),
                    )
                    for _ in range(ROUNDS)
                ]
                ratio = statistics.median(one / other for one, other in pairs)
                one, other = (statistics.median(side) for side in zip(*pairs))
                print(f"{name:<16}{one:>12.0f}{other:>13.0f}{ratio:>8.0f}×")
        finally:
            for server in servers:
                server.terminate()
                server.wait()


main()
