"""What the scripts share that try a running server: data directories, servers, requests and figures."""

import contextlib
import functools
import http.client
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

KIB, MIB = 1 << 10, 1 << 20
CURRENT = "/api/v1/market/selic/current"
REGISTER = "/api/v1/plans/register"
# Those who disturb come from the first address, those who must not be disturbed from another.
ATTACKER, OTHER = "127.0.0.1", "127.0.0.2"


@functools.cache
def knows(program, flag):
    """Whether `serve` of this program has a flag."""
    told = subprocess.run([program, "serve", "--help"], capture_output=True, text=True).stdout
    return f"--{flag}" in told


def run(program, data, *arguments, **options):
    """A command on a data directory, whatever its exit code."""
    command = [program, *map(str, arguments), "--data", str(data)]
    return subprocess.run(command, capture_output=True, text=True, timeout=100, **options)


def new_key(program, data, plan="platinum"):
    """A key of this plan."""
    made = run(program, data, "keys", "create", "--plan", plan, "--name", "Ana", "--email", "ana@example.com")
    if made.returncode:
        sys.exit(f"no key: {made.stderr}")
    return made.stdout.strip()


@contextlib.contextmanager
def folder():
    """A folder that is removed afterwards."""
    path = pathlib.Path(tempfile.mkdtemp(prefix="finserve-trial-"))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


@contextlib.contextmanager
def directory(template=None):
    """A data directory with the bundled data, or a copy of one that there is."""
    with folder() as path:
        if template:
            shutil.copytree(template, path / "data")
        yield path / "data"


def free_port():
    """A port of 127.0.0.1 on which nobody listens now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Server:
    """A server that runs until the block ends. Its log is in a file of its own, unless `stderr` says otherwise."""

    def __init__(
        self, program, data, *flags, files=None, environment=None, stderr=None, admin=None, listen="127.0.0.1:0"
    ):
        self.program, self.data = program, pathlib.Path(data)
        self.log_file = tempfile.NamedTemporaryFile(prefix="finserve-log-", delete=False)
        arguments = [program, "serve", "--listen", listen, "--data", str(data), *flags]
        self.admin = None
        if admin and knows(program, "admin"):
            self.admin = ("127.0.0.1", free_port())
            arguments += ["--admin", f"127.0.0.1:{self.admin[1]}"]
        if files:
            arguments = ["sh", "-c", f'ulimit -n {files}; exec "$@"', "sh", *arguments]
        self.child = subprocess.Popen(
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr or self.log_file,
            text=True,
            env={**os.environ, **(environment or {})},
        )
        self.pid = self.child.pid
        self.first_line = first_line(self.child, 120)
        found = re.search(r"(https?)://([\d.]+|\[[0-9a-f:]+\]):(\d+)", self.first_line)
        self.address = (found[2], int(found[3])) if found else None

    def __enter__(self):
        if not self.address:
            said = self.log()[-500:]
            self.end()
            sys.exit(f"the server did not start: {self.first_line} {said}")
        return self

    def __exit__(self, *_):
        self.end()

    def log(self):
        """What it has logged so far."""
        with open(self.log_file.name, errors="replace") as file:
            return file.read()

    def signal(self, number):
        self.child.send_signal(number)

    def exit(self, seconds):
        """Its exit code, or `None` if it still runs after so many seconds."""
        try:
            return self.child.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def end(self):
        if self.child.poll() is None:
            self.child.terminate()
            if self.exit(15) is None:
                self.child.kill()
                self.child.wait()
        self.child.stdout.close()
        self.log_file.close()
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.log_file.name)

    def ready(self):
        """The status of `/ready`, or `None` where there is none."""
        if not self.admin:
            return None
        return ask(self.admin, "/ready").status

    def becomes_ready(self, status, seconds=10):
        """The status of `/ready` once it is this one, or the last one after so many seconds."""
        return until(lambda: self.ready() in (status, None), seconds) and self.ready()


def first_line(child, seconds):
    """The first line that a program prints; nothing if it ends or takes longer, and then it is killed."""
    timer = threading.Timer(seconds, child.kill)
    timer.start()
    line = child.stdout.readline().strip()
    timer.cancel()
    return line


def until(holds, seconds):
    """Whether something comes to hold within so many seconds. Returns its last value."""
    end = time.monotonic() + seconds
    while not (value := holds()) and time.monotonic() < end:
        time.sleep(0.05)
    return value


def refused_start(program, data, *flags, seconds=15):
    """Starts a server that should not start. Returns its exit code, or what else happened, and its message."""
    command = [program, "serve", "--listen", "127.0.0.1:0", "--data", str(data), *flags]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    timer = threading.Timer(seconds, child.terminate)
    timer.start()
    line = child.stdout.readline()
    if line:
        child.terminate()
    killer = threading.Timer(20, child.kill)
    killer.start()
    _, message = child.communicate()
    timer.cancel()
    killer.cancel()
    if line:
        return "started", message.strip()
    if child.returncode < 0 or not message:
        return "hung", message.strip()
    return child.returncode, message.strip()


class Answer:
    """What came back: status, headers (names in lower case) and body; status 0 if nothing whole did."""

    def __init__(self, status, headers, body):
        self.status, self.body = status, body
        self.headers = {name.lower(): value for name, value in headers}

    def json(self):
        try:
            return json.loads(self.body)
        except ValueError:
            return {}


def ask(address, path, method="GET", headers=None, body=None, source=None, timeout=30):
    """One request on a connection of its own."""
    bound = (source, 0) if source else None
    connection = http.client.HTTPConnection(*address, timeout=timeout, source_address=bound)
    try:
        connection.request(method, path, body, headers or {})
        response = connection.getresponse()
        return Answer(response.status, response.getheaders(), response.read())
    except (OSError, http.client.HTTPException) as error:
        return Answer(0, [], repr(error).encode())
    finally:
        connection.close()


def connect(address, source=ATTACKER, receive=None, timeout=30):
    """A bare connection, from this address, with so small a buffer for what it receives."""
    client = socket.socket()
    if receive:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
    client.settimeout(timeout)
    client.bind((source, 0))
    client.connect(address)
    return client


def exchange(address, request, source=ATTACKER, timeout=30, half_close=False):
    """Sends these bytes and reads until the peer closes or one whole answer is there."""
    with contextlib.closing(connect(address, source, timeout=timeout)) as client:
        try:
            client.sendall(request)
            if half_close:
                client.shutdown(socket.SHUT_WR)
            response = http.client.HTTPResponse(client)
            response.begin()
            return Answer(response.status, response.getheaders(), response.read())
        except (OSError, http.client.HTTPException) as error:
            return Answer(0, [], repr(error).encode())


def register(address, source=OTHER, timeout=30, headers=None):
    """Asks for a free key."""
    body = json.dumps({"name": "Ana", "email": "ana@example.com"})
    headers = {"Content-Type": "application/json", **(headers or {})}
    return ask(address, REGISTER, "POST", headers, body, source, timeout)


def script_path(address):
    """Where the large script of the reference is."""
    page = ask(address, "/docs/try").body.decode()
    found = re.findall(r'src="(/assets/[^"]+\.js[^"]*)"', page)
    sizes = {path: int(ask(address, path, "HEAD").headers.get("content-length", 0)) for path in found}
    return max(sizes, key=sizes.get)
