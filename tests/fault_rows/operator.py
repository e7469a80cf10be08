"""Clocks, signals, logs and command lines."""

import contextlib
import glob
import os
import re
import signal
import subprocess
import time

import figures
import trial
from trial import CURRENT

from .files import truncated


def false_clock(case):
    """The library that gives a program another time; `None` where it cannot be had."""
    pattern = "/usr/lib/*/faketime/libfaketimeMT.so.1"
    if not glob.glob(pattern) and os.getuid() == 0:
        install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "libfaketime"]
        with contextlib.suppress(FileNotFoundError):
            subprocess.run(install, capture_output=True)
    found = glob.glob(pattern)
    if not found:
        case.skip("libfaketime is not installed (Debian: apt install libfaketime)")
    return found[0] if found else None


def clock_before_1970(case):
    """A clock before 1970, set back under a server and from its start: every request is answered, and nothing panics."""
    library = false_clock(case)
    if not library:
        return
    with trial.folder() as place:
        now = place / "now"
        now.write_text("+0\n")
        clock = {
            "LD_PRELOAD": library,
            "FAKETIME_TIMESTAMP_FILE": str(now),
            "FAKETIME_NO_CACHE": "1",
            "DONT_FAKE_MONOTONIC": "1",
        }
        with case.server(environment=clock) as server:
            paths = [
                "/health",
                CURRENT,
                "/",
                "/api/v1/filings/search?q=ata+1969",
                "/api/v1/plans/usage",
                "/api/v1/export/ipca",
            ]

            def all_of_them(key):
                answers = [trial.ask(server.address, path, headers={"X-API-Key": key}, timeout=10) for path in paths]
                return [(path, answer) for path, answer in zip(paths, answers)]

            before = [answer.status for _, answer in all_of_them(case.keys[0])]
            case.want(before == [200] * len(paths), f"by the right clock: {before}")
            lines = len(server.log().splitlines())
            # Sixty years and some days.
            now.write_text("-22000d\n")
            time.sleep(0.5)
            for path, answer in all_of_them(case.keys[1]):
                id = answer.headers.get("x-request-id")
                case.want(
                    answer.status in (200, 404, 500, 503) and id, f"in 1966, {path}: {answer.status}, X-Request-Id {id}"
                )
            # Each on a connection of its own, so that every worker has some.
            answers = [trial.ask(server.address, "/health", timeout=10).status for _ in range(100)]
            case.want(set(answers) <= {200, 503}, f"in 1966, 100 connections: {sorted(set(answers))}")
            said = server.log().splitlines()[lines:]
            panics = [line for line in said if "panic" in line.lower()]
            case.want(not panics, f"{len(said)} lines logged, {len(panics)} of a panic: {panics[:2]}")
            now.write_text("+0\n")
            time.sleep(1)
            after = [answer.status for _, answer in all_of_them(case.keys[2])]
            case.want(after == [200] * len(paths), f"by the right clock again: {after}")
        now.write_text("-22000d\n")
        with case.server(environment=clock) as server:
            answers = [trial.ask(server.address, "/health", timeout=10).status for _ in range(100)]
            case.want(set(answers) <= {200, 503}, f"started in 1966: {sorted(set(answers))}")
            panics = [line for line in server.log().splitlines() if "panic" in line.lower()]
            case.want(not panics, f"started in 1966: {panics[:2]}")
            now.write_text("+0\n")
            time.sleep(1)
            status = trial.ask(server.address, "/health", timeout=10).status
            case.want(status == 200, f"started in 1966, by the right clock: {status}")


def nobody_reads_the_log(case):
    """Standard error is a pipe that nobody reads: failing requests and SIGTERM do not wait for it."""
    reader, writer = os.pipe()
    with case.directory() as data:
        with trial.Server(case.program, data, stderr=writer) as server:
            os.close(writer)
            normal = figures.normal_times(server.address)
            case.note(f"/health before: {normal}")
            requests = [
                (f"/api/v1/filings?limit=20&offset={turn}", case.keys[turn % len(case.keys)]) for turn in range(4000)
            ]
            with (
                truncated(data / "catalogue.db"),
                figures.Helper(figures.load, server.address, requests, 8, 6) as helper,
            ):
                time.sleep(0.5)
                with figures.Beside(server.address) as beside:
                    counts = helper.result()
            case.want(
                set(counts) <= {"200", "429", "500", "503"} and sum(counts.values()) > 500,
                f"requests without a catalogue: {counts}",
            )
            case.want(beside.times.undisturbed(normal), f"/health of others meanwhile: {beside.times}")
            began = time.monotonic()
            server.signal(signal.SIGTERM)
            code = server.exit(15)
            case.want(code == 0, f"SIGTERM: exit code {code} after {time.monotonic() - began:.1f} s")
    os.close(reader)


def sighup(case):
    """SIGHUP does not end the server."""
    with case.server() as server:
        with figures.Beside(server.address) as beside:
            for _ in range(5):
                server.signal(signal.SIGHUP)
                time.sleep(0.3)
        case.want(server.child.poll() is None and not beside.times.failed(), f"after five SIGHUP: {beside.times}")


def commands(program, *path):
    """Every command with its flags, as `--help` lists them."""
    told = subprocess.run([program, *path, "--help"], capture_output=True, text=True).stdout
    flags = re.findall(r"^\s+(?:-\w, )?(--[a-z][a-z-]*)", told, re.MULTILINE)
    yield path, [flag for flag in flags if flag not in ("--help", "--version")]
    below = re.search(r"^Commands:\n((?:  .*\n|\n)+)", told, re.MULTILINE)
    for name in re.findall(r"^  ([a-z][a-z-]*)", below[1] if below else "", re.MULTILINE):
        if name != "help":
            yield from commands(program, *path, name)


def key_as_a_wrong_argument(case):
    """A whole key where something else is wanted is never printed, whatever the command."""
    key, tried, told = case.keys[0], 0, []
    with trial.folder() as place:
        # Nothing can be made below this, so that no command gets further than its arguments.
        nowhere = ["--data", "/dev/null/nowhere"]
        for path, flags in commands(case.program):
            lines = [
                [*path, key, *nowhere],
                [*path, key, key, *nowhere],
                [*path, f"--{key}", *nowhere],
                [*path, f"-{key}", *nowhere],
            ]
            lines += [[*path, flag, key, *nowhere] for flag in flags if flag != "--data"]
            lines += [[*path, f"{flag}={key}", *nowhere] for flag in flags if flag != "--data"]
            lines += [[*path, "--data", f"/dev/null/{key}"], [*path, key, "--data", f"/dev/null/{key}"]]
            for line in lines:
                tried += 1
                try:
                    done = subprocess.run(
                        [case.program, *line],
                        capture_output=True,
                        text=True,
                        timeout=10,
                        cwd=place,
                        stdin=subprocess.DEVNULL,
                    )
                    output = done.stdout + done.stderr
                except subprocess.TimeoutExpired as late:
                    output = str(late.stdout) + str(late.stderr)
                    case.note(f"took over 10 s: {' '.join(line).replace(key, 'KEY')}")
                # Twelve characters of it name a key, and may be shown.
                if key[:20] in output:
                    told.append(" ".join(line).replace(key, "KEY"))
    case.want(tried > 20 and not told, f"{tried} command lines with a key, {len(told)} print it: {told[:8]}")


ROWS = {
    "clock_before_1970": clock_before_1970,
    "nobody_reads_the_log": nobody_reads_the_log,
    "sighup": sighup,
    "key_as_a_wrong_argument": key_as_a_wrong_argument,
}
