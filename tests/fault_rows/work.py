"""Requests that take long, or should not."""

import http.client
import itertools
import shutil
import subprocess
import time

import figures
import trial
from trial import ATTACKER

WORDS = (
    "ata assembleia conselho administracao fato relevante comunicado mercado aviso acionistas dividendos geral ordinaria "
    "extraordinaria edital proposta estatuto debentures aquisicao alienacao demonstracoes financeiras banco energia "
    "companhia brasil capital juros calendario reuniao politica valores"
).split()


def deep_offsets(case):
    """Pages far from the beginning, with `/health` beside."""
    with case.server() as server:
        key = case.keys[0]
        deep = [
            "/api/v1/filings?limit=1000&offset={}",
            "/api/v1/filings/search?q=a&limit=1000&offset={}",
            "/api/v1/filings/search?q=companhia&order=relevance&limit=1000&offset={}",
            "/api/v1/filings?category=assembleia&limit=1000&offset={}",
            "/api/v1/companies?limit=1000&offset={}",
            "/api/v1/market/selic?limit=10000&offset={}",
        ]
        totals = [
            trial.ask(server.address, path.format(0), headers={"X-API-Key": key}).json().get("total", 0)
            for path in deep
        ]
        case.note(f"totals: {totals}")
        paths = [
            path.format(max(total * part // 100 - turn, 0))
            for turn, part in enumerate(range(50, 100))
            for path, total in zip(deep, totals)
        ]
        beside_load(case, server, paths, 32)


def hundred_searches_at_once(case):
    """100 two-word searches at once, with `/health` beside."""
    pairs = list(itertools.permutations(WORDS, 2))
    paths = [f"/api/v1/filings/search?q={one}+{two}" for one, two in pairs]
    paths += [f"/api/v1/filings/search?q={one}+{two[:2]}&order=relevance&limit=1000" for one, two in pairs]
    with case.server() as server:
        beside_load(case, server, paths, 100)


def beside_load(case, server, paths, clients):
    """So many clients ask for these; others are not disturbed, and nobody gets a wrong answer."""
    normal = figures.normal_times(server.address)
    case.note(f"/health of others before: {normal}")
    requests = [(path, case.keys[turn % len(case.keys)]) for turn, path in enumerate(paths)]
    with figures.Helper(figures.load, server.address, requests, clients, 7) as helper:
        time.sleep(0.5)
        with figures.Beside(server.address) as beside:
            counts = helper.result()
    case.want(set(counts) <= {"200", "429", "503"} and counts.get("200"), f"{clients} clients: {counts}")
    case.want(beside.times.undisturbed(normal), f"/health of others meanwhile: {beside.times}")


def offsets_beyond_all(case):
    """2,000 requests with `offset=1000000000000000000`, and as many with the largest that is taken."""
    lists = [
        "/api/v1/market/selic?",
        "/api/v1/market/fx?pair=USDBRL&",
        "/api/v1/market/series/11?",
        "/api/v1/calendar/business-days?from=1950-01-01&to=2049-12-31&",
        "/api/v1/companies?",
        "/api/v1/companies/search?q=banco&",
        "/api/v1/filings?",
        "/api/v1/filings/search?q=ata&",
    ]
    with case.server() as server:
        normal = figures.normal_times(server.address)
        case.note(f"/health of others before: {normal}")
        cost = {}
        for turn, offset in enumerate(["0", "1000000000", "1000000000000000000"]):
            with figures.Beside(server.address) as beside:
                for number, path in enumerate(lists):
                    paths = [f"{path}limit={limit}&offset={offset}" for limit in range(1, 251)]
                    cost[path, turn] = each_costs(server, paths, case.keys[(turn * 8 + number) % len(case.keys)])
            case.want(beside.times.undisturbed(normal), f"offset={offset}, /health of others: {beside.times}")
        for path in lists:
            first, largest, beyond = (cost[path, turn] * 1000 for turn in range(3))
            # The clock of processor time ticks every 10 ms, which is 0.04 ms for each of 250 requests.
            case.want(
                max(largest, beyond) <= 3 * first + 0.5,
                f"{path}…: {first:.2f} ms of processor time, {largest:.2f} at 10^9, {beyond:.2f} at 10^18",
            )


def each_costs(server, paths, key, method="GET", headers=None, body=None):
    """The processor time of each of these requests, sent on one connection."""
    connection = http.client.HTTPConnection(*server.address, timeout=30, source_address=(ATTACKER, 0))
    headers = {**({"X-API-Key": key} if key else {}), **(headers or {})}
    before = figures.processor_seconds(server.pid)
    for path in paths:
        connection.request(method, path, body, headers)
        each_costs.last = connection.getresponse()
        each_costs.last.read()
        if each_costs.last.will_close:
            connection.close()
    used = figures.processor_seconds(server.pid) - before
    connection.close()
    return used / len(paths)


def cheap_refusals(case):
    """`HEAD` of the script, 3,300 parameters, 3,900 form fields: below 1 ms of processor time each."""
    with case.server() as server:
        script = trial.script_path(server.address)
        many = "/nothing?" + "&".join(f"{turn:x}" for turn in range(2, 1500))
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        requests = [
            ("/health", ["/health"], "GET", {}, None),
            ("HEAD of the script", [script], "HEAD", {"Accept-Encoding": "identity"}, None),
            ("HEAD of the script by gzip", [script], "HEAD", {"Accept-Encoding": "gzip"}, None),
            ("3,300 parameters on an unknown path", ["/nothing?" + "a&" * 3300], "GET", {}, None),
            ("1,498 parameters with names of their own", [many], "GET", {}, None),
            ("3,300 parameters of a list", ["/api/v1/market/selic?" + "a&" * 3300], "GET", {}, None),
            ("3,900 form fields of /pricing", ["/pricing"], "POST", form, "a=&" * 3900),
            ("3,900 form fields of /usage", ["/usage"], "POST", form, "a=&" * 3900),
        ]
        for name, paths, method, headers, body in requests:
            cost = each_costs(server, paths * 400, None, method, headers, body) * 1000
            case.want(cost < 1, f"{name}: {cost:.2f} ms of processor time, answered {each_costs.last.status}")


def open_pages_beside_paid_searches(case):
    """48 connections without a key that ask for the dearest answers that are not counted: a paid search of companies,
    never the same, takes less than three times as long as in quiet."""
    wrk = shutil.which("wrk")
    if not wrk:
        case.skip("wrk is not installed")
        return
    with case.server() as server:
        script = trial.script_path(server.address)
        for path in ["/sitemap.xml", "/", "/status", "/api/v1/status", "/pricing", "/docs", script]:
            cost = each_costs(server, [path] * 100, None, headers={"Accept-Encoding": "identity"}) * 1000
            case.note(f"{path}: {cost:.2f} ms of processor time")
        quiet = searches(server, case.keys[0])
        case.note(f"searches in quiet: {quiet}")
        for paths in (["/sitemap.xml"], ["/"], ["/api/v1/status"], [script], ["/sitemap.xml", "/", "/api/v1/status", script]):
            with case.directory() as folder:
                lua = folder / "paths.lua"
                listed = ", ".join(f'"{path}"' for path in paths)
                lua.write_text(
                    f"local paths, turn = {{{listed}}}, 0\n"
                    "request = function() turn = turn + 1; return wrk.format('GET', paths[turn % #paths + 1]) end\n"
                )
                address = "http://{}:{}".format(*server.address)
                command = [wrk, "-t1", "-c48", "-d7s", "--timeout", "20s", "-s", lua, address]
                flood = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
                time.sleep(1)
                busy = searches(server, case.keys[0])
                answered = [line.strip() for line in flood.communicate()[0].splitlines() if "requests in" in line]
            ratio = busy.at(50) / quiet.at(50)
            case.want(ratio < 3 and not busy.failed(), f"beside {' '.join(paths)} ({answered}): {busy}, {ratio:.1f} times the median")


TURNS = itertools.count()


def searches(server, key, seconds=4):
    """How long paid searches of companies take, one after the other on one connection, each for other words."""
    times, end = figures.Times(), time.monotonic() + seconds
    connection = http.client.HTTPConnection(*server.address, timeout=30, source_address=(trial.OTHER, 0))
    while time.monotonic() < end:
        turn = next(TURNS)
        one, two = WORDS[turn % len(WORDS)], WORDS[turn * 7 // len(WORDS) % len(WORDS)]
        began = time.monotonic()
        connection.request("GET", f"/api/v1/companies/search?q={one[:4]}+{two[:3]}{turn}", headers={"X-API-Key": key})
        response = connection.getresponse()
        response.read()
        times.append(time.monotonic() - began if response.status == 200 else float("inf"))
        time.sleep(0.01)
    connection.close()
    return times


ROWS = {
    "open_pages_beside_paid_searches": open_pages_beside_paid_searches,
    "deep_offsets": deep_offsets,
    "hundred_searches_at_once": hundred_searches_at_once,
    "offsets_beyond_all": offsets_beyond_all,
    "cheap_refusals": cheap_refusals,
}
