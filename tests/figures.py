"""Figures of a running server: its memory and descriptors, how long requests take, how many are answered."""

import http.client
import json
import os
import pathlib
import re
import signal
import threading
import time

import trial

# Below this nobody minds, and a machine that others use has it by chance.
UNNOTICED = 0.1


def resident(pid):
    """The memory of a process, in bytes."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) << 10


def descriptors(pid):
    """How many files and sockets a process has open."""
    return len(os.listdir(f"/proc/{pid}/fd"))


def processor_seconds(pid):
    """The processor time that a process has used."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Peak(threading.Thread):
    """The highest memory of a process while the block runs."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.highest, self.over = pid, resident(pid), threading.Event()

    def run(self):
        while not self.over.wait(0.02):
            self.highest = max(self.highest, resident(self.pid))

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.join()


class Stolen:
    """Which share of the processor time other machines on the same hardware have taken, since this was made."""

    # With more than that, times say nothing about the program.
    TOO_MUCH = 0.1

    def __init__(self):
        self.before = self.read()

    @staticmethod
    def read():
        return [int(field) for field in pathlib.Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]

    def share(self):
        passed = [now - before for now, before in zip(self.read(), self.before)]
        return passed[7] / max(sum(passed), 1)

    def is_too_much(self):
        return self.share() > self.TOO_MUCH


class Times(list):
    """How long requests took, in seconds; infinity for those that were not answered."""

    # The share of the processor time that was taken meanwhile.
    stolen = 0

    def at(self, percent):
        return sorted(self)[min(len(self) * percent // 100, len(self) - 1)] if self else float("inf")

    def failed(self):
        return sum(time == float("inf") for time in self)

    def __str__(self):
        median, late, worst = (self.at(percent) * 1000 for percent in (50, 99, 100))
        lost = f", {self.failed()} without an answer" if self.failed() else ""
        taken = f", {self.stolen:.0%} of the processors taken by others" if self.stolen > Stolen.TOO_MUCH else ""
        return f"{len(self)} asked, median {median:.1f} ms, p99 {late:.1f} ms, worst {worst:.0f} ms{lost}{taken}"

    def undisturbed(self, normal):
        """Whether this is as good as normal, as far as anybody notices. Where others took the processors, whether all
        were answered."""
        soon = self.at(99) <= max(UNNOTICED, 5 * normal.at(99))
        return not self.failed() and (soon or self.stolen > Stolen.TOO_MUCH)


class Beside(threading.Thread):
    """Asks for something again and again while the block runs, each time on a new connection."""

    def __init__(self, address, path="/health", source=trial.OTHER, pause=0.01, timeout=10, headers=None):
        super().__init__(daemon=True)
        self.request = (address, path, "GET", headers, None, source, timeout)
        self.pause, self.times, self.over = pause, Times(), threading.Event()

    def run(self):
        while not self.over.wait(self.pause):
            began = time.monotonic()
            status = trial.ask(*self.request).status
            self.times.append(time.monotonic() - began if status == 200 else float("inf"))

    def __enter__(self):
        self.stolen = Stolen()
        self.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.join()
        self.times.stolen = self.stolen.share()


def normal_times(address, seconds=2, **options):
    """How long requests take while nothing else happens."""
    with Beside(address, **options) as beside:
        time.sleep(seconds)
    return beside.times


class Helper:
    """Runs a function in a process of its own while the block runs, so that its work does not slow down who measures.

    `result` waits for it and has what it returned; at the end of the block it is stopped.
    """

    def __init__(self, function, *arguments, nice=5):
        self.function, self.arguments, self.nice = function, arguments, nice

    def __enter__(self):
        reader, writer = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            # It stands back behind the server, which it is not to slow down.
            os.nice(self.nice)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            try:
                os.write(writer, json.dumps(self.function(*self.arguments)).encode())
            finally:
                os._exit(0)
        os.close(writer)
        self.reader = reader
        return self

    def result(self):
        with open(self.reader, "rb", closefd=False) as file:
            return json.loads(file.read() or b"null")

    def __exit__(self, *_):
        os.kill(self.pid, signal.SIGTERM)
        os.waitpid(self.pid, 0)
        os.close(self.reader)


def load(address, requests, clients, seconds, source=trial.ATTACKER):
    """Clients that send these requests (path and key) again and again. Returns how often each status came."""
    counts, end, turns = {}, time.monotonic() + seconds, iter(range(1 << 40))

    def client():
        connection = http.client.HTTPConnection(*address, timeout=30, source_address=(source, 0))
        while time.monotonic() < end:
            path, key = requests[next(turns) % len(requests)]
            try:
                connection.request("GET", path, headers={"X-API-Key": key} if key else {})
                response = connection.getresponse()
                response.read()
                status = str(response.status)
                if response.status == 503 and not response.headers["Retry-After"]:
                    status = "503 without Retry-After"
            except (OSError, http.client.HTTPException):
                connection.close()
                status = "0"
                time.sleep(0.05)
            counts[status] = counts.get(status, 0) + 1
        connection.close()

    threads = [threading.Thread(target=client) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return counts
