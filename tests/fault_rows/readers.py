"""Clients that read nothing, or little at a time."""

import contextlib
import pathlib
import threading
import time

import figures
import trial
from trial import MIB

CLIENTS = 300


def never_readers_of_the_script(case):
    """300 clients of one address ask for the unpacked script and do not read it."""
    with case.server() as server:
        path = trial.script_path(server.address)
        length = len(trial.ask(server.address, path, headers={"Accept-Encoding": "identity"}).body)
        normal = figures.normal_times(server.address)
        rest = figures.resident(server.pid)
        case.note(f"{path}: {length} bytes; {rest / MIB:.0f} MiB at rest; /health before: {normal}")
        request = f"GET {path} HTTP/1.1\r\nHost: a\r\nAccept-Encoding: identity\r\n\r\n".encode()
        clients = []
        with figures.Peak(server.pid) as peak, figures.Beside(server.address) as beside:
            for _ in range(CLIENTS):
                with contextlib.suppress(OSError):
                    client = trial.connect(server.address, receive=4096)
                    clients.append(client)
                    client.sendall(request)
            time.sleep(8)
        for client in clients:
            client.close()
        time.sleep(3)
        after = figures.resident(server.pid)
        above, kept = (peak.highest - rest) / MIB, (after - rest) / MIB
        case.want(above <= 128, f"{len(clients)} clients: {above:.0f} MiB above rest")
        case.want(kept <= 64, f"{kept:.0f} MiB above rest once they are gone")
        case.want(beside.times.undisturbed(normal), f"/health of others meanwhile: {beside.times}")
        again = trial.ask(server.address, path, headers={"Accept-Encoding": "identity"})
        case.want(len(again.body) == length, "whoever reads gets the script")


class Reader(threading.Thread):
    """Asks for something long, and reads it at a steady rate."""

    def __init__(self, address, path, key, source, rate, receive):
        super().__init__(daemon=True)
        self.rate, self.began, self.cut_after, self.over = rate, time.monotonic(), None, threading.Event()
        self.client = trial.connect(address, source, receive)
        head = f"GET {path} HTTP/1.1\r\nHost: a\r\nAccept-Encoding: identity\r\nX-API-Key: {key}\r\n\r\n"
        self.client.sendall(head.encode())
        self.port, self.read = self.client.getsockname()[1], 0

    def run(self):
        while not self.over.wait(0.1):
            due = int((time.monotonic() - self.began) * self.rate) - self.read
            try:
                self.client.settimeout(0.2)
                self.read += len(self.client.recv(max(due, 1))) if due > 0 else 0
            except TimeoutError:
                pass
            except OSError:
                break
        if not self.over.is_set():
            self.cut()

    def cut(self):
        """The server has closed the connection, which its reader may not notice for long."""
        self.cut_after = self.cut_after or time.monotonic() - self.began

    def end(self):
        self.over.set()
        self.join()
        self.client.close()


def served(port):
    """The ports of all peers whose connections to this port the server still holds."""
    end, peers = f":{port:04X}", set()
    for line in pathlib.Path("/proc/net/tcp").read_text().splitlines():
        fields = line.split()
        if fields[1].endswith(end) and fields[3] == "01" and fields[9] != "0":
            peers.add(int(fields[2].split(":")[1], 16))
    return peers


def slow_readers(case):
    """Who reads 2 KB/s is cut, whoever reads 8 KiB/s or more is not."""
    with case.server() as server:
        export, script = "/api/v1/export/filings", trial.script_path(server.address)
        # With little room to receive, and with what the system gives.
        plans = [
            (rate, path, receive)
            for rate in (2000, 8192, 16384)
            for path, receive in ((export, 4096), (export, None), (script, 4096), (script, None))
        ]
        readers = [
            Reader(server.address, path, case.keys[turn], f"127.0.0.{turn + 1}", rate, receive)
            for turn, (rate, path, receive) in enumerate(plans)
        ]
        for reader in readers:
            reader.start()
        began = time.monotonic()
        while time.monotonic() - began < 75:
            time.sleep(2)
            held = served(server.address[1])
            for reader in readers:
                if reader.port not in held:
                    reader.cut()
        for reader, (rate, path, receive) in zip(readers, plans):
            reader.end()
            is_cut = reader.cut_after is not None
            end = f"cut after {reader.cut_after:.0f} s" if is_cut else "not cut in 75 s"
            case.want(
                is_cut == (rate == 2000), f"{rate} bytes a second of {path} ({receive}): {end}, {reader.read} read"
            )


ROWS = {"never_readers_of_the_script": never_readers_of_the_script, "slow_readers": slow_readers}
