"""PostgreSQL, Redis or Valkey, and a proxy in front of them that stalls: each ends with the block that started it.

Engines run on ports and in directories of their own. They must be installed (Debian: postgresql, redis-server).
"""

import asyncio
import contextlib
import glob
import os
import pathlib
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from trial import free_port, until  # noqa: E402

# A password with characters that an address must escape. No log and no message may ever show any of it.
PASSWORD, ESCAPED = "only/for@tests", "only%2Ffor%40tests"

# Whoever stops a script stops its engines too: only an exception runs what ends them.
signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))


def descendants(pid):
    """The processes that this one started, and those that they started."""
    parents = {}
    for path in glob.glob("/proc/[0-9]*/stat"):
        with contextlib.suppress(OSError), open(path) as file:
            # The name stands in parentheses, and may have some itself.
            parents[int(path.split("/")[2])] = int(file.read().rsplit(")", 1)[1].split()[1])
    found, new = [], [pid]
    while new:
        new = [child for child, parent in parents.items() if parent in new]
        found += new
    return found


class Engine:
    """A program that runs until the block ends: PostgreSQL or Redis."""

    name, quickly, priority = "engine", signal.SIGTERM, 0

    def __init__(self):
        self.port, self.child = free_port(), None
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"finserve-{self.name}-"))

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def launch(self, command, seconds=30, **options):
        """Starts the program, and waits until it answers. It ends at once where a killed one is not gone yet: then again."""
        until(lambda: self.attempt(command, seconds, **options), seconds)
        if not self.answers():
            sys.exit(f"{self.name} does not start:\n{(self.folder / 'log').read_text()[-2000:]}")

    def attempt(self, command, seconds, **options):
        with open(self.folder / "log", "ab") as log:
            self.child = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, cwd=self.folder, **options
            )
        # Replicas wait 20 ms for Valkey: on a machine that does much else, it would come too late.
        with contextlib.suppress(PermissionError):
            os.setpriority(os.PRIO_PROCESS, self.child.pid, self.priority)
        until(lambda: self.answers() or self.child.poll() is not None, seconds)
        return self.answers()

    def processes(self):
        return [self.child.pid, *descendants(self.child.pid)]

    def signal_all(self, number):
        # The first one first, so that it starts no further.
        for pid in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def stop(self):
        """Ends it in order."""
        self.child.send_signal(self.quickly)
        self.child.wait(60)

    def kill(self):
        """Ends it at once, whatever it was doing."""
        if self.child and self.child.poll() is None:
            self.signal_all(signal.SIGSTOP)
            self.signal_all(signal.SIGKILL)
            self.child.wait()

    def restart(self):
        self.stop()
        self.start()

    def pause(self):
        """Lets it live, listen and keep its connections, and do nothing."""
        self.signal_all(signal.SIGSTOP)

    def resume(self):
        self.signal_all(signal.SIGCONT)


class Postgres(Engine):
    """PostgreSQL with a role and a database `finserve`; passwords are SCRAM. It never runs as root."""

    name, quickly = "postgres", signal.SIGINT

    def __init__(self, durable=False):
        super().__init__()
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"), key=lambda path: float(path.split("/")[4]))
        if not found and not shutil.which("initdb"):
            sys.exit("there is no PostgreSQL in /usr/lib/postgresql/*/bin; on Debian: apt-get install postgresql")
        self.bin = pathlib.Path(found[-1] if found else shutil.which("initdb")).parent
        self.user = {}
        if os.getuid() == 0:
            owner = pwd.getpwnam("postgres")
            self.user = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
            os.chown(self.folder, owner.pw_uid, owner.pw_gid)
        self.data = self.folder / "data"
        secret = self.folder / "password"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        ways = ["--auth-local=trust", "--auth-host=scram-sha-256", f"--pwfile={secret}"]
        self.tool("initdb", "-D", self.data, "-U", "finserve", "-E", "UTF8", "--locale=C", "-N", *ways)
        secret.unlink()
        settings = {
            "port": self.port,
            "listen_addresses": "'127.0.0.1'",
            "unix_socket_directories": f"'{self.folder}'",
            # A process that is killed loses nothing that the system has; only a measurement needs the disk.
            "fsync": "on" if durable else "off",
            "shared_buffers": "64MB",
        }
        with open(self.data / "postgresql.conf", "a") as file:
            file.writelines(f"{name} = {value}\n" for name, value in settings.items())

    def tool(self, name, *arguments):
        """Runs a program of PostgreSQL. Returns what it prints."""
        command = [str(self.bin / name), *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.folder, timeout=120, **self.user)
        if done.returncode:
            sys.exit(f"{name} failed: {done.stderr}{done.stdout}")
        return done.stdout

    def start(self):
        self.launch([str(self.bin / "postgres"), "-D", str(self.data)], 60, **self.user)
        if not self.query("SELECT 1 FROM pg_database WHERE datname = 'finserve'", "postgres"):
            self.create("finserve")

    def answers(self):
        command = [str(self.bin / "pg_isready"), "-q", "-h", str(self.folder), "-p", str(self.port)]
        return subprocess.run(command, **self.user).returncode == 0

    def create(self, database):
        """A new database. Returns its address."""
        self.query(f'CREATE DATABASE "{database}"', "postgres")
        return self.url(database=database)

    def query(self, sql, database="finserve"):
        """What a query answers, one row a line, columns parted by `|`."""
        place = ["-h", self.folder, "-p", self.port, "-U", "finserve", "-d", database]
        return self.tool("psql", "-XAtq", "-v", "ON_ERROR_STOP=1", *place, "-c", sql).strip()

    def content(self, database="finserve"):
        """All rows of all tables, as text."""
        place = ["-h", self.folder, "-p", self.port, "-U", "finserve", "-d", database]
        dump = self.tool("pg_dump", "--data-only", "--inserts", *place)
        # Newer versions begin and end a dump with a random word.
        return sorted(line for line in dump.splitlines() if not line.startswith("\\"))

    def url(self, port=None, database="finserve"):
        """Its address, or that of a proxy in front of it."""
        return f"postgres://finserve:{ESCAPED}@127.0.0.1:{port or self.port}/{database}?sslmode=disable"


class Redis(Engine):
    """Redis or Valkey, whichever is installed, without a file."""

    name, priority = "redis", -15

    def __init__(self, *flags):
        super().__init__()
        self.flags = flags
        self.program = shutil.which("valkey-server") or shutil.which("redis-server")
        if not self.program:
            sys.exit("there is neither valkey-server nor redis-server; on Debian: apt-get install redis-server")

    def start(self):
        flags = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        self.launch([self.program, *flags, *self.flags, "--dir", str(self.folder), "--requirepass", PASSWORD])

    def answers(self):
        try:
            return self.command("PING") == "PONG"
        except OSError:
            return False

    def command(self, *words):
        """Sends a command on a connection of its own. Returns the answer: a text, a number, a list or `None`."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as connection:
            file = connection.makefile("rwb")
            for sent in (("AUTH", PASSWORD), words):
                parts = [str(word).encode() for word in sent]
                file.write(b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(one), one) for one in parts))
            file.flush()
            self.read(file)
            return self.read(file)

    def read(self, file):
        line = file.readline().decode().rstrip()
        if not line:
            raise ConnectionError("closed")
        kind, rest = line[0], line[1:]
        if kind in "*$" and rest == "-1":
            return None
        if kind == "*":
            return [self.read(file) for _ in range(int(rest))]
        if kind == "$":
            return file.read(int(rest) + 2)[:-2].decode()
        return int(rest) if kind == ":" else rest

    def info(self, name):
        """One figure of `INFO everything`."""
        return re.search(rf"^{name}:(.*?)\r?$", self.command("INFO", "everything"), re.M)[1]

    def url(self, port=None):
        """Its address, or that of a proxy in front of it."""
        return f"redis://:{ESCAPED}@127.0.0.1:{port or self.port}"


class RedisCluster:
    """Two nodes of Redis or Valkey, each with half of the keys."""

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            buses = [free_port(), free_port()]
            flags = ["--cluster-enabled", "yes", "--cluster-port"]
            self.nodes = [stack.enter_context(Redis(*flags, str(bus))) for bus in buses]
            first, second = self.nodes
            first.command("CLUSTER", "ADDSLOTSRANGE", 0, 8191)
            second.command("CLUSTER", "ADDSLOTSRANGE", 8192, 16383)
            first.command("CLUSTER", "MEET", "127.0.0.1", second.port, buses[1])
            if not until(lambda: all("cluster_state:ok" in one.command("CLUSTER", "INFO") for one in self.nodes), 30):
                sys.exit("the nodes of the cluster do not find each other")
            self.stack = stack.pop_all()
        return self

    def __exit__(self, *_):
        self.stack.close()

    def url(self):
        """The address of one node."""
        return self.nodes[0].url()


class Proxy:
    """A TCP proxy in a process of its own. `pass` forwards; `stall` accepts, forwards nothing and closes nothing;
    `closed` closes all connections and refuses new ones."""

    def __init__(self, target):
        self.port = free_port()
        command = [sys.executable, __file__, "proxy", str(self.port), str(target)]
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        with contextlib.suppress(PermissionError):
            os.setpriority(os.PRIO_PROCESS, self.child.pid, Redis.priority)
        self.mode("pass")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.stdin.close()
        self.child.stdout.close()
        self.child.terminate()
        self.child.wait()

    def mode(self, mode):
        """Changes the mode, and returns when that has happened."""
        self.child.stdin.write(f"{mode}\n")
        self.child.stdin.flush()
        if self.child.stdout.readline().strip() != mode:
            sys.exit(f"the proxy does not take the mode {mode!r}")


async def run_proxy(port, target):
    """The proxy's own process: modes come line by line, each is repeated once it holds."""
    flows, server, writers, tasks = asyncio.Event(), None, set(), set()

    async def forward(reader, writer):
        while data := await reader.read(1 << 16):
            await flows.wait()
            writer.write(data)
            await writer.drain()
        writer.write_eof()

    async def connection(reader, writer):
        writers.add(writer)
        tasks.add(asyncio.current_task())
        with contextlib.suppress(OSError, asyncio.CancelledError):
            await flows.wait()
            upstream, out = await asyncio.open_connection("127.0.0.1", target)
            writers.add(out)
            await asyncio.gather(forward(reader, out), forward(upstream, writer), return_exceptions=True)
            out.close()
            writers.discard(out)
        writer.close()
        writers.discard(writer)
        tasks.discard(asyncio.current_task())

    commands = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(commands), sys.stdin)
    while mode := (await commands.readline()).decode().strip():
        if mode == "closed" and server:
            server.close()
            server = None
            for one in tasks:
                one.cancel()
            for writer in list(writers):
                writer.transport.abort()
            writers.clear()
            flows.clear()
        elif mode != "closed" and not server:
            server = await asyncio.start_server(connection, "127.0.0.1", port, backlog=512)
        if mode == "stall":
            flows.clear()
        elif mode == "pass":
            flows.set()
        print(mode, flush=True)


if __name__ == "__main__" and sys.argv[1:2] == ["proxy"]:
    # It ends with the program that started it, which closes its standard input.
    asyncio.run(run_proxy(int(sys.argv[2]), int(sys.argv[3])))
