"""Disks that are full, and logs that grow."""

import contextlib
import os
import shutil
import subprocess
import threading
import time

import figures
import made_filings
import trial
from trial import CURRENT, MIB


@contextlib.contextmanager
def small_disk(case, spare):
    """A copy of the data on a disk of its own with so many bytes to spare; `None` where that cannot be made."""
    with trial.folder() as place:
        size = sum(path.stat().st_size for path in case.template.iterdir()) + spare
        mount = ["mount", "-t", "tmpfs", "-o", f"size={size // 1024 + 1}k", "tmpfs", str(place)]
        if os.getuid() or subprocess.run(mount, capture_output=True).returncode:
            case.skip("only root can mount a small tmpfs, and not everywhere")
            yield None
            return
        try:
            shutil.copytree(case.template, place / "data")
            yield place
        finally:
            subprocess.run(["umount", "-l", str(place)], check=True)


def fill_up(place):
    """Uses up all space of a disk. Returns the file that does."""
    path = place / "ballast"
    with open(path, "wb", buffering=0) as file:
        for size in (MIB, 4096, 512, 1):
            with contextlib.suppress(OSError):
                while file.write(b"x" * size) == size:
                    pass
    return path


def misses(server):
    """How many answers had to be made."""
    text = trial.ask(server.admin, "/metrics").body.decode()
    return float(next(line.split()[1] for line in text.splitlines() if line.startswith('finserve_cache_total{outcome="miss"}')))


def disk_full(case):
    """A full disk: registrations get a 503 with `Retry-After`, and the log says it once, and again when it ends."""
    quiet = ["--no-access-log"] if case.has("no-access-log") else []
    with small_disk(case, 3 * MIB) as place:
        if not place:
            return
        with trial.Server(case.program, place / "data", *quiet, admin=True) as server:
            case.want(trial.register(server.address).status == 201, "a registration is answered with 201 before")
            time.sleep(1)
            before = server.log().count("\n")
            ballast = fill_up(place)
            statuses, codes, late, missed = {}, set(), 0, misses(server)
            for turn in range(500):
                answer = trial.register(server.address, f"127.0.{5 + turn // 100}.{1 + turn % 100}")
                statuses[answer.status] = statuses.get(answer.status, 0) + 1
                codes.add(answer.json().get("error"))
                late += "retry-after" not in answer.headers
                trial.ask(server.address, CURRENT, headers={"X-API-Key": case.keys[turn % 5]})
            case.want(
                set(statuses) == {503} and not late,
                f"500 registrations: {statuses}, {codes}, {late} without Retry-After",
            )
            current = trial.ask(server.address, CURRENT, headers={"X-API-Key": case.keys[0]}).status
            case.want(current == 200, f"figures are answered with {current} meanwhile")
            missed = misses(server) - missed
            case.want(missed <= 10, f"of 500 answers that were kept, {missed:.0f} were made again")
            time.sleep(2)
            said = server.log().splitlines()[before:]
            # What failed, that it is not ready, and that usage waits: each once.
            case.want(1 <= len(said) <= 3, f"the log says it {len(said)} times: {said[:3]}")
            ballast.unlink()
            whole = trial.until(lambda: trial.register(server.address, "127.0.5.250").status == 201, 15)
            case.want(whole, "once there is space, a registration is answered with 201")
            time.sleep(2)
            ended = server.log().splitlines()[before + len(said) :]
            case.want(1 <= len(ended) <= 3, f"the log says that it is over: {ended[:3]}")
            usage = trial.ask(server.address, "/api/v1/plans/usage", headers={"X-API-Key": case.keys[1]}).json()
            counted = usage.get("total", {}).get("requests")
            # Every request so far, and perhaps the report itself.
            case.want(counted in (100, 101), f"100 requests of a key meanwhile, {counted} are counted")


def import_that_does_not_fit(case):
    """An import that needs more space than there is gives back what it took."""
    with small_disk(case, 12 * MIB) as place, trial.folder() as elsewhere:
        if not place:
            return
        table = elsewhere / "ipe_cia_aberta_2023.csv"
        made_filings.table(table, [2023], 50_000)
        data = place / "data"
        with trial.Server(case.program, data, admin=True) as server:
            total = filings(server, case)
            free = space(place)
            failed = trial.run(case.program, data, "import", table)
            message = failed.stderr.strip()
            case.want(
                failed.returncode == 1 and len(message.splitlines()) <= 3,
                f"the import ends with {failed.returncode}: {message[:300]!r}",
            )
            back = trial.until(lambda: space(place) >= free - MIB, 10)
            sizes = {path.name: path.stat().st_size for path in data.iterdir()}
            case.want(back, f"{free / MIB:.1f} MiB free before, {space(place) / MIB:.1f} after: {sizes}")
            status = trial.register(server.address).status
            case.want(status == 201, f"a registration is answered with {status} afterwards")
            case.want(filings(server, case) == total, f"{total} filings as before")


def space(place):
    free = os.statvfs(place)
    return free.f_bavail * free.f_frsize


def filings(server, case):
    """How many filings the server has."""
    answer = trial.ask(server.address, "/api/v1/filings?limit=1", headers={"X-API-Key": case.keys[2]})
    return answer.json().get("total")


def log_after_an_import(case):
    """The write-ahead log is short again after an import of many filings under a busy server."""
    with case.server() as server, trial.folder() as elsewhere:
        table = elsewhere / "ipe_cia_aberta_2023.csv"
        made_filings.table(table, [2023], 100_000)
        log, longest, over = server.data / "catalogue.db-wal", [0], threading.Event()

        def watch():
            while not over.wait(0.1):
                longest[0] = max(longest[0], log.stat().st_size if log.exists() else 0)

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        keyed = {"X-API-Key": case.keys[3]}
        with figures.Beside(server.address, "/api/v1/filings/recent", pause=0.05, headers=keyed) as beside:
            began = time.monotonic()
            done = trial.run(case.program, server.data, "import", table)
            seconds = time.monotonic() - began
            short = trial.until(lambda: log.stat().st_size <= 4 * MIB, 10)
        over.set()
        watcher.join()
        case.want(
            done.returncode == 0,
            f"100,000 filings imported in {seconds:.0f} s; the log was {longest[0] / MIB:.0f} MiB at most",
        )
        case.want(short, f"the log has {log.stat().st_size / MIB:.1f} MiB afterwards")
        case.want(not beside.times.failed(), f"other requests meanwhile: {beside.times}")


ROWS = {
    "disk_full": disk_full,
    "import_that_does_not_fit": import_that_does_not_fit,
    "log_after_an_import": log_after_an_import,
}
