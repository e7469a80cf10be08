#!/usr/bin/env python3
"""Floods a server with what it answers without counting it, and measures what a paying key waits for meanwhile.

For each kind of such requests 128 connections of one address send the dearest form that there is: the median of a cached
answer to a paying key at another address stays below 5 ms, and that of one that has to be made below 50 ms. Where the
machine is busy with other things, neither is more than three times what it is beside as many cheap 404s; where other
machines take its processors, only the answers are looked at. Needs Python 3 and wrk; names on the command line choose kinds.

    tests/fairness.py target/release/finserve [KIND…]
"""

import http.client
import itertools
import pathlib
import statistics
import subprocess
import sys
import threading
import time

import figures
import trial
from fault_rows.work import WORDS
from trial import ATTACKER, OTHER

CONNECTIONS, SECONDS = 128, 4
CACHED, MADE = 0.005, 0.05
BUSY = 3

TURN = "local n = 0\nfunction turn() n = n + 1; return n end\n"


def same(path, method="GET", headers=None, body=None):
    """The same request again and again."""
    lines = [f"wrk.method = {method!r}"]
    lines += [f"wrk.headers[{name!r}] = {value!r}" for name, value in (headers or {}).items()]
    if body is not None:
        lines.append(f"wrk.body = [=[{body}]=]")
    return path, "\n".join(lines)


def new(path, headers="{}"):
    """Requests that all differ: both are Lua, in which `turn()` is the number of the request."""
    return "/", f"{TURN}request = function() return wrk.format('GET', {path}, {headers}) end"


def json_post(body, **headers):
    return same("/mcp", "POST", {"Content-Type": "application/json", **headers}, body)


def form(path, body):
    return same(path, "POST", {"Content-Type": "application/x-www-form-urlencoded"}, body)


def call(arguments):
    return (
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_quote","arguments":{'
        + arguments
        + "}}}"
    )


def kinds(revoked_key, revoked_link, free_keys):
    """Each kind, and its dearest forms."""
    names = ", ".join(f"'{key}'" for key in free_keys)
    html = {"Accept": "text/html"}
    many = ",".join(f'"x{at}":1' for at in range(5500))
    long_accept = ",".join("text/x-%d;q=0.%d" % (at, at % 9 + 1) for at in range(1600))
    return {
        "404": CONTROL,
        "404 of an escaped path": same("/" + "%61" * 2700 + "/"),
        "404 of many segments": same("/a" * 4000),
        "404 of a path with an escape": same("/api/v1/market/series/" + "%61" * 300 + "/nothing/"),
        "404 as a page": new("'/nothing-' .. turn()", "{Accept='text/html'}"),
        "404 of the guide": new("'/docs/guide/nothing-' .. turn()", "{Accept='text/html'}"),
        "405": same("/api/v1/filings", "DELETE"),
        "400 of many empty pieces": same("/api/v1/filings?" + "&" * 8000, headers=html),
        "400 of many escaped pieces": same("/api/v1/filings?" + "%61&" * 2000, headers=html),
        "400 as a page": same("/?lang=" + "%C3%A7" * 300, headers=html),
        "401 of a mistyped key": same(trial.CURRENT, headers={"X-API-Key": "fin_" + "x" * 20_000}),
        "401 of a revoked key": same(trial.CURRENT, headers={"X-API-Key": revoked_key}),
        "401 of a revoked link": same(f"{trial.CURRENT}?token={revoked_link}"),
        "429": same(trial.CURRENT),
        "429 with a long Accept": same("/api/v1/market/selic", headers={"Accept": long_accept}),
        "429 as a page": same("/market", headers=html),
        "a refused call of an agent": json_post(call('"pair":[1]')),
        "a call of an agent with many arguments": json_post(call(many)),
        "a silent message of an agent": json_post('{"jsonrpc":"2.0","method":"x","params":{' + many + "}}"),
        "tools of an agent": json_post('{"jsonrpc":"2.0","id":1,"method":"tools/list"}'),
        "the start page": same("/"),
        "the start page under many names": new("'/'", "{Host='h' .. turn() .. '.example', ['Accept-Encoding']='gzip'}"),
        "the start page with a parameter": new("'/?x=' .. turn() .. string.rep('x', 1100)"),
        "the sitemap under many names": new("'/sitemap.xml'", "{Host='h' .. turn() .. '.example'}"),
        "the description of the API": same("/docs/openapi.yaml"),
        "the reference": same("/docs/try"),
        "usage": new("'/usage?x=' .. turn()"),
        "usage of a wrong key": form("/usage", f"key={revoked_key}"),
        "a form that is refused": form("/pricing", "name=&email="),
        "health": same("/health"),
        "status": same("/api/v1/status"),
        "a redirect": same("/pricing/?" + "a=b&" * 60),
        "pages of free keys": (
            "/",
            f"{TURN}keys = {{{names}}}\nrequest = function() local n = turn() return wrk.format('GET', "
            "'/market/fx/usd-brl?x=' .. n, {['X-API-Key']=keys[n % #keys + 1], Accept='text/html'}) end",
        ),
        "options": same("/api/v1/filings", "OPTIONS"),
    }


CONTROL = same("/nothing")


def flood(server, folder, path, script):
    """Starts the connections; they end by themselves."""
    file = pathlib.Path(folder, "flood.lua")
    file.write_text(script)
    host, port = server.address
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{SECONDS + 2}s", "-s", file, f"http://{host}:{port}{path}"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


class Paying(threading.Thread):
    """Asks with a paying key again and again on one connection, and notes how long that takes."""

    def __init__(self, server, key, paths):
        super().__init__(daemon=True)
        self.key, self.paths, self.times, self.wrong = key, paths, [], []
        self.connection = http.client.HTTPConnection(*server.address, timeout=20, source_address=(OTHER, 0))
        self.over = threading.Event()

    def run(self):
        while not self.over.wait(0.01):
            began = time.monotonic()
            try:
                self.connection.request("GET", next(self.paths), headers={"X-API-Key": self.key})
                response = self.connection.getresponse()
                response.read()
                status = response.status
            except (OSError, http.client.HTTPException) as error:
                self.connection.close()
                status = repr(error)
            self.times.append(time.monotonic() - began)
            if status != 200:
                self.wrong.append(status)


def measure(server, folder, keys, kind, searches):
    """The medians of cached answers and of those that are made, beside a flood."""
    running = flood(server, folder, *kind)
    time.sleep(1)
    clients = [Paying(server, keys[0], itertools.repeat(trial.CURRENT)), Paying(server, keys[1], searches)]
    for client in clients:
        client.start()
    time.sleep(SECONDS)
    for client in clients:
        client.over.set()
        client.join()
    told = running.communicate()[0]
    rate = next((line.split()[1] for line in told.splitlines() if line.startswith("Requests/sec")), "0")
    wrong = clients[0].wrong + clients[1].wrong
    return [statistics.median(client.times) for client in clients], float(rate), wrong


def row(server, folder, keys, name, kind, searches):
    """Whether a kind of requests leaves the paying keys their bounds, or what cheap 404s leave them."""
    stolen = figures.Stolen()
    medians, rate, wrong = measure(server, folder, keys, kind, searches)
    bounds = [CACHED, MADE]
    if any(time > most for time, most in zip(medians, bounds)):
        control, _, _ = measure(server, folder, keys, CONTROL, searches)
        bounds = [max(most, BUSY * usual) for most, usual in zip(bounds, control)]
    # Where other machines took the processors, times say nothing.
    soon = all(time <= most for time, most in zip(medians, bounds)) or stolen.is_too_much()
    fits = not wrong and soon
    print(
        f"{'ok   ' if fits else 'WRONG'} {name}: {rate:.0f} a second; cached {medians[0] * 1000:.2f} ms, "
        f"made {medians[1] * 1000:.1f} ms, at most {bounds[0] * 1000:.0f} and {bounds[1] * 1000:.0f}, "
        f"{stolen.share():.0%} of the processors taken by others {wrong[:3] or ''}",
        flush=True,
    )
    return fits


def link(server, key):
    """A link of a key, which has been revoked."""
    headers = {"X-API-Key": key, "Content-Type": "application/json"}
    made = trial.ask(server.address, "/api/v1/links", "POST", headers, '{"name":"a"}').json()
    trial.ask(server.address, f"/api/v1/links/{made['id']}", "DELETE", headers)
    return made["token"]


def main():
    program, wanted = sys.argv[1], sys.argv[2:]
    good = True
    with trial.folder() as folder:
        data = folder / "data"
        # A key passes 2,000 requests in a minute: each kind has others.
        keys = [trial.new_key(program, data) for _ in range(80)]
        free_keys = [trial.new_key(program, data, "free") for _ in range(20)]
        revoked = trial.new_key(program, data)
        trial.run(program, data, "keys", "revoke", revoked[:12])
        pairs = itertools.permutations(WORDS, 2)
        searches = (f"/api/v1/filings/search?q={one}+{two}" for one, two in itertools.cycle(pairs))
        with trial.Server(program, data) as server:
            # The address is over its limit from here on.
            for _ in range(31):
                trial.ask(server.address, trial.CURRENT, source=ATTACKER)
            rows = kinds(revoked, link(server, keys[-1]), free_keys)
            for at, (name, kind) in enumerate(rows.items()):
                if not wanted or name in wanted:
                    own = keys[2 * at : 2 * at + 2]
                    # What it measured beside others may be theirs: a row that is wrong is tried once more.
                    good &= row(server, folder, own, name, kind, searches) or row(
                        server, folder, own, name, kind, searches
                    )
    return good


if __name__ == "__main__":
    if not main():
        sys.exit("a caller is slowed down by another")
