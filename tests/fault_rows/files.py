"""Files that are not what they should be, at the start and while a server runs."""

import concurrent.futures
import contextlib
import itertools
import os
import random
import shutil
import sqlite3
import threading
import time

import figures
import trial
from trial import CURRENT

ACCOUNTS, CATALOGUE = "accounts.db", "catalogue.db"
PAGE = 4096


def remove(data, name):
    """Removes a database with its log."""
    for end in ("", "-wal", "-shm"):
        (data / (name + end)).unlink(missing_ok=True)


def foreign(path):
    """A database of another program."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE recipe (name TEXT)")
        db.execute("INSERT INTO recipe VALUES ('feijoada')")
        db.commit()


MADE = {
    "of length zero": lambda path: path.touch(),
    "a foreign database": foreign,
    "a text": lambda path: path.write_text("not a database\n" * 1000),
    "a FIFO": os.mkfifo,
    "a directory": lambda path: path.mkdir(),
    "a link to nothing": lambda path: path.symlink_to("nowhere.db"),
}


def files_that_are_not_ours(case):
    """Either file of length zero, foreign, a FIFO, a directory, a link to nothing; accounts that were there and are gone."""
    for name in (ACCOUNTS, CATALOGUE):
        for what, make in MADE.items():
            with case.directory() as data:
                remove(data, name)
                make(data / name)
                refused(case, data, f"{name} is {what}")
    with case.directory() as data:
        # The directory has been served, so it is known that there were accounts.
        with trial.Server(case.program, data):
            pass
        remove(data, ACCOUNTS)
        refused(case, data, f"{ACCOUNTS} is gone")


def refused(case, data, what, names=""):
    """Wants a start to be refused with one sentence, which names this."""
    before = sorted(os.listdir(data))
    code, message = trial.refused_start(case.program, data, seconds=8)
    is_sentence = isinstance(code, int) and code > 0 and len(message.splitlines()) <= 2 and "panicked" not in message
    case.want(is_sentence and names in message, f"{what}: {code}, {message[:240]!r}")
    # Whoever opens a database that is sound may empty its log.
    gone = [name for name in before if not os.path.lexists(data / name) and not name.endswith(("-wal", "-shm"))]
    case.want(not gone, f"{what}: nothing is removed {gone or ''}")


def scribble(path, share, seed, first=1):
    """Overwrites a share of the pages of a file, the first ones excepted. Returns how many."""
    chance, pages = random.Random(seed), path.stat().st_size // PAGE
    chosen = chance.sample(range(first, pages), max(1, int((pages - first) * share)))
    with open(path, "r+b") as file:
        for page in chosen:
            file.seek(page * PAGE)
            file.write(chance.randbytes(PAGE))
    return len(chosen)


def random_pages_of_accounts(case):
    """Random pages inside the accounts: refused at start."""
    for seed, share in enumerate([0.3, 0.3, 0, 0, 0, 0]):
        with case.directory() as data:
            pages = scribble(data / ACCOUNTS, share, seed, first=min(seed, 1))
            refused(case, data, f"{pages} pages of {ACCOUNTS} overwritten", names=ACCOUNTS)


def random_pages_of_the_catalogue(case):
    """Random pages inside the catalogue: readable errors or 503, and `/ready` says so."""
    paths = [
        "/", CURRENT, "/api/v1/market/overview", "/api/v1/market/series", "/api/v1/status", "/api/v1/export",
        "/api/v1/filings/categories", "/api/v1/filings/recent", "/api/v1/companies/search?q=petrobras", "/health",
        *(f"/api/v1/market/fx?limit=1000&offset={offset}" for offset in range(0, 7000, 1000)),
        *(f"/api/v1/filings?limit=1000&offset={offset}" for offset in range(0, 80_000, 4000)),
        *(f"/api/v1/filings/search?q={word}&limit=100" for word in "ata fato aviso conselho banco vale edital".split()),
        *(f"/api/v1/companies?limit=1000&offset={offset}" for offset in range(0, 3000, 500)),
        "/api/v1/export/filings", "/api/v1/export/selic", "/api/v1/events?limit=10",
    ]  # fmt: skip
    for share, seed in ((0.001, 1), (0.01, 2), (0.05, 3), (0.3, 4)):
        with case.directory() as data:
            pages = scribble(data / CATALOGUE, share, seed)
            server = trial.Server(case.program, data, admin=True)
            if not server.address:
                message = server.log().strip()
                server.end()
                readable = len(message.splitlines()) <= 2 and CATALOGUE in message
                case.want(readable, f"{pages} pages: refused at start, {message[:240]!r}")
                continue
            with server:
                keys = case.keys
                answers = [
                    trial.ask(server.address, path, headers={"X-API-Key": keys[turn % len(keys)]})
                    for turn, path in enumerate(paths)
                ]
                statuses = [answer.status for answer in answers]
                counts = {status: statuses.count(status) for status in sorted(set(statuses))}
                # An export that meets a broken page is broken off: it must not look complete.
                bad = [
                    path for path, status in zip(paths, statuses) if status not in (200, 503) and "/export/" not in path
                ]
                case.want(not bad, f"{pages} pages of {CATALOGUE} overwritten: {counts} {bad[:4] or ''}")
                late = [answer for answer in answers if answer.status == 503 and "retry-after" not in answer.headers]
                case.want(not late, f"{len(late)} answers with 503 lack Retry-After")
                case.ready_says(server, 503, "with a broken catalogue")


def accounts_readable_by_others(case):
    """An existing `accounts.db` that others can read is tightened or refused."""
    with case.directory() as data:
        (data / ACCOUNTS).chmod(0o644)
        server = trial.Server(case.program, data)
        if server.address:
            trial.register(server.address)
        modes = {path.name: oct(path.stat().st_mode & 0o777) for path in data.glob(f"{ACCOUNTS}*")}
        case.want(not server.address or all(mode == "0o600" for mode in modes.values()), f"was 0o644, is {modes}")
        server.end()


@contextlib.contextmanager
def moved_away(data):
    """The accounts are somewhere else while the block runs, and whole again afterwards."""
    away = data.parent / "away"
    away.mkdir()
    for path in data.glob(f"{ACCOUNTS}*"):
        os.rename(path, away / path.name)
    yield away
    remove(data, ACCOUNTS)
    for path in away.iterdir():
        os.rename(path, data / path.name)
    away.rmdir()


def accounts_deleted_or_replaced(case):
    """`accounts.db` moved away, or another one in its place, while a server runs: 503 until it is back."""
    made = []
    with case.directory() as data:
        with trial.Server(case.program, data, admin=True) as server:
            made.append(registered(case, server, "at first", 1))
            case.ready_says(server, 200, "at first")
            with moved_away(data):
                gone(case, server, "moved away", 2)
            made.append(registered(case, server, "moved back", 3))
            case.ready_says(server, 200, "moved back")
            with moved_away(data) as away:
                for path in away.iterdir():
                    shutil.copy(path, data / path.name)
                gone(case, server, "replaced by a copy", 4)
            made.append(registered(case, server, "the first one put back", 5))
            case.ready_says(server, 200, "the first one put back")
        with trial.Server(case.program, data) as server:
            known = [trial.ask(server.address, "/health", headers={"X-API-Key": key}).status for key in made if key]
            case.want(known == [200] * len(known), f"keys answered with 201, after a restart: {known}")


def registered(case, server, when, number):
    """Wants a registration to work soon. Returns its key."""
    answer = trial.until(lambda: (got := trial.register(server.address, f"127.0.3.{number}")).status == 201 and got, 10)
    case.want(answer, f"{when}: a registration is answered with 201")
    return answer.json()["api_key"] if answer else None


def gone(case, server, when, number):
    """Wants registrations to be refused, and known keys to go on."""
    statuses = [trial.register(server.address, f"127.0.4.{number}").status for _ in range(3)]
    case.want(statuses == [503] * 3, f"{when}: registrations are answered with {statuses}")
    case.ready_says(server, 503, when)
    answer = trial.ask(server.address, CURRENT, headers={"X-API-Key": case.keys[0]})
    case.want(answer.status == 200, f"{when}: a known key is answered with {answer.status}")


def accounts_locked(case):
    """Another program locks the accounts for 14 s: a usage report waits 2 s at most, and then says so."""
    # Two seconds, and what a busy machine adds.
    most = 3.0
    with case.server() as server:
        turns = itertools.count()

        def key():
            return {"X-API-Key": case.keys[next(turns) % len(case.keys)]}

        trial.ask(server.address, CURRENT, headers=key())
        db = sqlite3.connect(server.data / ACCOUNTS, isolation_level=None)
        db.execute("BEGIN EXCLUSIVE")
        end, times, statuses, stolen = time.monotonic() + 14, {}, {}, figures.Stolen()

        def again(name, request):
            while time.monotonic() < end - 2:
                trial.ask(server.address, CURRENT, headers=key())
                time.sleep(0.05)
                began = time.monotonic()
                answer = request()
                times.setdefault(name, figures.Times()).append(time.monotonic() - began)
                said = f"{answer.status}{'' if answer.status != 503 or 'retry-after' in answer.headers else ' without Retry-After'}"
                statuses.setdefault(name, set()).add(said)

        def usage():
            return trial.ask(server.address, "/api/v1/plans/usage", headers=key())

        def register():
            return trial.register(server.address, f"127.0.6.{1 + next(turns) % 250}")

        work = [("usage", usage)] * 4 + [("register", register)] * 4
        work += [("/health", lambda: trial.ask(server.address, "/health"))]
        threads = [threading.Thread(target=again, args=one) for one in work]
        for thread in threads:
            thread.start()
        time.sleep(max(end - time.monotonic(), 0))
        db.execute("ROLLBACK")
        db.close()
        for thread in threads:
            thread.join()
        for name, took in times.items():
            soon = took.at(100) <= most or stolen.is_too_much()
            right = soon and statuses[name] <= {"200", "503"}
            case.want(right, f"{name} while locked: {took}, answered {sorted(statuses[name])}")
        after = trial.until(lambda: usage().status == 200, 5)
        case.want(after, "once it is free, a usage report is answered")


def catalogue_unreadable_for_a_moment(case):
    """The catalogue is truncated, overwritten or moved away, and then back: the next request is whole again."""
    paths = [
        CURRENT, "/api/v1/companies/search?q=vale", "/api/v1/filings?limit=50&offset={}", "/api/v1/market/fx?limit=5&offset={}",
        "/api/v1/filings/search?q=ata+{}", "/api/v1/companies?limit=5&offset={}", "/api/v1/export/ipca",
    ]  # fmt: skip
    faults = {"truncated": truncated, "emptied": emptied, "overwritten": overwritten, "moved away": renamed}
    for what, fault in faults.items():
        with case.directory() as data, trial.Server(case.program, data, admin=True) as server:

            def ask_all(first, rounds, timeout=30):
                asked = [path.format(first + turn) for turn in range(rounds) for path in paths]
                keyed = [(path, {"X-API-Key": case.keys[turn % len(case.keys)]}) for turn, path in enumerate(asked)]

                def one(request):
                    return trial.ask(server.address, request[0], headers=request[1], timeout=timeout).status

                with concurrent.futures.ThreadPoolExecutor(len(paths)) as pool:
                    return list(pool.map(one, keyed))

            ask_all(0, 3)
            with fault(data / CATALOGUE):
                meanwhile = ask_all(100, 3, timeout=8)
            after = ask_all(300, 20)
            counts = {status: meanwhile.count(status) for status in sorted(set(meanwhile))}
            case.want(set(meanwhile) <= {200, 503}, f"{what}: answered {counts} meanwhile")
            wrong = len(after) - after.count(200)
            case.want(not wrong, f"{what} and back: {wrong} of {len(after)} not answered, {sorted(set(after))}")
            if server.admin:
                case.ready_says(server, 200, f"{what} and back")


@contextlib.contextmanager
def truncated(path, length=5 * PAGE, noise=b""):
    """The file has only its beginning, and then noise, while the block runs."""
    content = path.read_bytes()
    with open(path, "r+b") as file:
        file.truncate(length)
        file.seek(length)
        file.write(noise)
    yield
    with open(path, "r+b") as file:
        file.write(content)


def emptied(path):
    return truncated(path, 0)


def overwritten(path):
    return truncated(path, 0, random.Random(1).randbytes(path.stat().st_size))


@contextlib.contextmanager
def renamed(path):
    away = path.with_name("elsewhere.db")
    os.rename(path, away)
    yield
    remove(path.parent, path.name) if path.exists() else None
    os.rename(away, path)


def two_servers_on_one_directory(case):
    """The second server is refused, unless both are told that the directory is shared."""
    with case.directory() as data:
        with trial.Server(case.program, data) as server:
            code, message = trial.refused_start(case.program, data)
            one = isinstance(code, int) and "--shared" in message and len(message.splitlines()) <= 2
            case.want(one, f"the second server: {code}, {message[:240]!r}")
            case.want(trial.ask(server.address, "/health").status == 200, "the first goes on")
        if not case.has("shared"):
            return case.want(False, "there is no --shared")
        with trial.Server(case.program, data, "--shared") as one, trial.Server(case.program, data, "--shared") as two:
            both = [trial.ask(server.address, "/health").status for server in (one, two)]
            case.want(both == [200, 200], f"both with --shared: {both}")
            code, _ = trial.refused_start(case.program, data)
            case.want(code != "started", f"a third without it: {code}")


ROWS = {
    "files_that_are_not_ours": files_that_are_not_ours,
    "random_pages_of_accounts": random_pages_of_accounts,
    "random_pages_of_the_catalogue": random_pages_of_the_catalogue,
    "accounts_readable_by_others": accounts_readable_by_others,
    "accounts_deleted_or_replaced": accounts_deleted_or_replaced,
    "accounts_locked": accounts_locked,
    "catalogue_unreadable_for_a_moment": catalogue_unreadable_for_a_moment,
    "two_servers_on_one_directory": two_servers_on_one_directory,
}
