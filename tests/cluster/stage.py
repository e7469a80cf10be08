"""What the scripts share that try several replicas: engines and a proxy (`daemons.py`), replicas, clients, checks.

Needs Python 3.9, PostgreSQL and Redis or Valkey.
"""

import contextlib
import http.client
import json
import os
import pathlib
import shutil
import signal
import sys
import threading
import time

from daemons import ESCAPED, PASSWORD, Postgres, Proxy, Redis, RedisCluster  # noqa: F401

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import trial  # noqa: E402
from trial import ask, free_port, until  # noqa: E402, F401

CURRENT, REGISTER = trial.CURRENT, trial.REGISTER
# Requests a minute; README.md has them all.
LIMITS = {"free": 30, "bronze": 100, "gold": 500, "platinum": 2000}
WINDOW = 60


class Replica:
    """`finserve serve` on a port and a data directory of its own, which can be stopped, killed and started again."""

    def __init__(self, program, folder, *flags, environment=None, start=True):
        self.program, self.flags, self.environment = program, flags, environment
        self.data = pathlib.Path(folder)
        self.port, self.server, self.past = free_port(), None, ""
        self.address = ("127.0.0.1", self.port)
        if start:
            self.start()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind and kind is not SystemExit:
            print(f"the last lines of the replica on port {self.port}:\n{self.log()[-1500:]}", file=sys.stderr)
        if self.server:
            self.gone(self.server.end)

    def start(self):
        """Starts it, and waits until it listens."""
        proxy = ["--trusted-proxy", "127.0.0.1", "--no-access-log"]
        self.server = trial.Server(
            self.program,
            self.data,
            *proxy,
            *self.flags,
            admin=True,
            listen=f"127.0.0.1:{self.port}",
            environment=self.environment,
        )
        self.server.__enter__()
        self.admin, self.pid = self.server.admin, self.server.pid
        return self

    def gone(self, end):
        server, self.server = self.server, None
        result = end()
        # Its log goes with it.
        with contextlib.suppress(FileNotFoundError):
            self.past += server.log()
        server.end()
        return result

    def stop(self, seconds=20):
        """Stops it by SIGTERM. Returns its exit code and the seconds that it took; `None` if it had to be killed."""
        began, server = time.monotonic(), self.server
        server.signal(signal.SIGTERM)
        code = server.exit(seconds)
        took = time.monotonic() - began
        if code is None:
            server.child.kill()
        self.gone(server.child.wait)
        return code, took

    def kill(self):
        """Ends it at once. Returns when, by the monotonic clock."""
        self.server.child.kill()
        killed = time.monotonic()
        self.gone(self.server.child.wait)
        return killed

    def restart(self):
        self.stop()
        self.start()

    def log(self):
        """All that it has logged in all its lives."""
        return self.past + (self.server.log() if self.server else "")

    def ready(self):
        """The status of `/ready`, and the reasons that it gives."""
        answer = ask(self.admin, "/ready", timeout=5)
        return answer.status, answer.json().get("reasons")

    def becomes(self, status, seconds):
        """Whether `/ready` has this status within so many seconds. Returns how long that took, or `None`."""
        began = time.monotonic()
        return time.monotonic() - began if until(lambda: self.ready()[0] == status, seconds) else None

    def metrics(self):
        """All metrics by name and labels."""
        lines = ask(self.admin, "/metrics", timeout=10).body.decode().splitlines()
        pairs = (line.rsplit(" ", 1) for line in lines if line and not line.startswith("#"))
        return {name: float(value) for name, value in pairs}

    def metric(self, name):
        """The value of a metric without labels."""
        found = self.metrics()
        return found[name] if name in found else found[f"{name}_total"]

    def falls_back(self):
        """Whether it counts limits by itself now, because Valkey is away."""
        return self.metric("finserve_limits_away") > 0

    def alone(self):
        """How many requests it has admitted or refused by itself."""
        return self.metric("finserve_limits_alone")


def processor_seconds(pid):
    """The processor time that a process has taken, user and system, with that of its children that have ended."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def replicas(program, number, *flags, environment=None, template=None):
    """So many replicas with the same flags, each with a data directory of its own: a new one, or a copy."""
    with trial.folder() as place, contextlib.ExitStack() as stack:
        made = []
        for turn in range(number):
            if template:
                shutil.copytree(template, place / str(turn))
            made.append(Replica(program, place / str(turn), *flags, environment=environment))
            stack.enter_context(made[-1])
        yield made


def prepared(program, folder, keys):
    """A data directory with the bundled data and so many keys of each plan, to be copied; and the keys by plan."""
    data = pathlib.Path(folder) / "prepared"
    made = {plan: [trial.new_key(program, data, plan) for _ in range(count)] for plan, count in keys.items()}
    # The first start fills the catalogue, which the copies then need not.
    with trial.Server(program, data):
        pass
    return data, made


class Client:
    """Asks one replica on a connection that is kept. `source` is the address that a proxy would name."""

    def __init__(self, replica, key=None, source=None, timeout=30):
        self.replica, self.timeout, self.connection = replica, timeout, None
        self.headers = {**({"X-API-Key": key} if key else {}), **({"X-Forwarded-For": source} if source else {})}
        self.sent_again = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.connection:
            self.connection.close()
            self.connection = None

    def get(self, path=CURRENT, headers=None):
        return self.request("GET", path, headers=headers)

    def request(self, method, path, body=None, headers=None):
        """The answer, with `took` in seconds; status 0 if there is no whole one, -1 if nobody listens. A request on a
        used connection that is closed without a byte was not read, and is sent once more, as HTTP clients do."""
        began = time.monotonic()
        for _ in range(2):
            used = self.connection is not None
            if not used:
                self.connection = http.client.HTTPConnection(*self.replica.address, timeout=self.timeout)
            try:
                self.connection.request(method, path, body, {**self.headers, **(headers or {})})
                response = self.connection.getresponse()
                answer = trial.Answer(response.status, response.getheaders(), response.read())
                if response.will_close:
                    self.close()
                break
            except (OSError, http.client.HTTPException) as error:
                self.close()
                refused = isinstance(error, ConnectionRefusedError)
                answer = trial.Answer(-1 if refused else 0, [], repr(error).encode())
                closed = (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError)
                if not used or not isinstance(error, closed):
                    break
                self.sent_again += 1
        answer.took = time.monotonic() - began
        return answer


class Load:
    """Clients that ask all replicas evenly until the block ends, each with a key of its own, so many times a second."""

    def __init__(self, replicas, keys, rate=10, path=CURRENT):
        self.over, self.path, self.pause = threading.Event(), path, 1 / rate
        self.asked = [(replica, key) for replica in replicas for key in keys]
        # What came back: for each client the moment, the status and the seconds of every request.
        self.answers = {one: [] for one in self.asked}
        self.sent_again = 0
        self.threads = [threading.Thread(target=self.run, args=one, daemon=True) for one in self.asked]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        for thread in self.threads:
            thread.join()

    def run(self, replica, key):
        with Client(replica, key, timeout=15) as client:
            while not self.over.is_set():
                answer = client.get(self.path)
                self.answers[replica, key].append((time.monotonic(), answer.status, answer.took))
                self.over.wait(max(0, self.pause - answer.took))
            self.sent_again += client.sent_again

    def all(self, replica=None):
        """What came back from all replicas, or from one."""
        return [one for (asked, _), answers in self.answers.items() if replica in (None, asked) for one in answers]

    def answered(self, replica=None):
        return sum(status > 0 for _, status, _ in self.all(replica))

    def unknown(self):
        """How many requests may have been counted although they were not answered."""
        return sum(status == 0 for _, status, _ in self.all()) + self.sent_again

    def statuses(self):
        """How often each status came; 0 is no answer, -1 that nobody listened."""
        found = [status for _, status, _ in self.all()]
        return {status: found.count(status) for status in sorted(set(found))}

    def failures(self):
        """How often the service failed: status 5xx, or no answer."""
        return sum(status <= 0 or status >= 500 for _, status, _ in self.all())

    def slowest(self):
        return max((took for _, _, took in self.all()), default=0)


class Command:
    """Commands of the program on shared accounts."""

    def __init__(self, program, accounts):
        self.program, self.accounts = program, accounts

    def run(self, *arguments, **options):
        with trial.folder() as place:
            return trial.run(self.program, place / "none", *arguments, "--accounts", self.accounts, **options)

    def must(self, *arguments):
        """What a command prints that must succeed."""
        done = self.run(*arguments)
        if done.returncode:
            sys.exit(f"finserve {' '.join(map(str, arguments))}: exit code {done.returncode}: {done.stderr}")
        return done.stdout

    def new_key(self, plan="platinum"):
        who = ["--name", "Ana", "--email", "ana@example.com"]
        return self.must("keys", "create", "--plan", plan, *who).strip()

    def usage(self, keys):
        """How many requests of these keys are counted."""
        totals = [json.loads(self.must("usage", key[:12], "--json"))["total"] for key in keys]
        return sum(total["requests"] + total["rate_limited"] for total in totals)

    def becomes(self, keys, wanted, seconds=15):
        """How many requests of these keys are counted once that is as many as wanted, or after so many seconds."""
        until(lambda: self.usage(keys) == wanted, seconds)
        return self.usage(keys)


class Addresses:
    """Addresses that no test before has used: each begins with a whole limit."""

    def __init__(self):
        self.last, self.lock = 0x0A000000, threading.Lock()

    def __call__(self):
        with self.lock:
            self.last += 1
            return ".".join(str(byte) for byte in self.last.to_bytes(4, "big"))


def register(replica, source, timeout=30):
    """Asks for a free key. Returns the answer, with `took` in seconds."""
    body = json.dumps({"name": "Ana", "email": "ana@example.com"})
    with Client(replica, source=source, timeout=timeout) as client:
        return client.request("POST", REGISTER, body, {"Content-Type": "application/json"})


def passes(replicas, key, each, threads=1):
    """Sends `each` requests to every replica by so many clients at once. Returns the statuses for each replica."""
    found = {replica: [] for replica in replicas}

    def run(replica, number):
        with Client(replica, key) as client:
            for _ in range(number):
                found[replica].append(client.get().status)

    work = [
        threading.Thread(target=run, args=(replica, each // threads)) for replica in replicas for _ in range(threads)
    ]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()
    return [found[replica] for replica in replicas]


class Checks:
    """Says of each thing that must hold whether it does, and ends the program accordingly."""

    def __init__(self):
        self.rows, self.began = [], time.monotonic()

    def __call__(self, name, holds, detail=""):
        self.rows.append((name, bool(holds), str(detail)))
        print(f"{'ok   ' if holds else 'WRONG'}  {name}{': ' if detail != '' else ''}{detail}", flush=True)
        return bool(holds)

    def secrets(self, *replicas):
        """That no replica has logged the password of an engine."""
        told = [text for one in replicas for text in (PASSWORD, ESCAPED) if text in one.log()]
        self("no log has the password of an engine", not told, told or "")

    def finish(self):
        """Prints a table of what is wrong and how much was tried, and ends the program."""
        wrong = [(name, detail) for name, holds, detail in self.rows if not holds]
        print(f"\n{len(self.rows)} checked, {len(wrong)} wrong, {time.monotonic() - self.began:.0f} s")
        for name, detail in wrong:
            print(f"| {name} | {detail} |")
        sys.exit(1 if wrong else 0)
