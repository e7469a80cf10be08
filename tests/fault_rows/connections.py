"""Many connections, few descriptors, and clients that close their half."""

import concurrent.futures
import contextlib
import resource
import select
import socket
import time

import figures
import trial
from trial import ATTACKER, OTHER

SEARCH = "/api/v1/filings/search?q=conselho+administra"


def one_address_opens_all_connections(case):
    """4,096 connections of one address that say nothing."""
    with case.server() as server:
        occupy(case, server, 4096)
        # Slots of a full server go to those who have few: here four addresses share them all.
        normal = figures.normal_times(server.address, source="127.0.0.9")
        with contextlib.ExitStack() as stack:
            for last in range(3, 8):
                stack.enter_context(figures.Helper(hold, server.address, f"127.0.0.{last}", 1100))
            time.sleep(2)
            with figures.Beside(server.address, source="127.0.0.9", timeout=5) as beside:
                time.sleep(4)
        case.want(beside.times.undisturbed(normal), f"five addresses with 1,100 each; others: {beside.times}")


def one_address_opens_all_descriptors(case):
    """As many connections as `ulimit -n 256` has descriptors."""
    with case.server(files=256) as server:
        occupy(case, server, 250)


def occupy(case, server, count):
    """One address opens so many connections: it gets a quarter at most, and others do not notice."""
    normal = figures.normal_times(server.address)
    case.note(f"/health of others before: {normal}")
    before = figures.descriptors(server.pid)
    with figures.Helper(hold, server.address, ATTACKER, count):
        time.sleep(2)
        with figures.Beside(server.address, timeout=5) as beside:
            time.sleep(4)
            held = figures.descriptors(server.pid) - before
    # Some descriptors are not connections.
    most = min(count, 4096) // 4 + 16
    case.want(held <= most, f"{count} connections of one address: {held} descriptors are held")
    case.want(beside.times.undisturbed(normal), f"/health of others meanwhile: {beside.times}")


def hold(address, source, count, seconds=60):
    """Opens so many connections, says nothing, and redials those that are closed."""
    drip(address, source, count, seconds, part=b"")


def ten_thousand_drippers_redial(case):
    """10,000 clients that send a byte now and then, and redial when they are cut."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    count = min(10_000, most - 500)
    with case.server() as server:
        normal = figures.normal_times(server.address)
        case.note(f"/health of others before: {normal}")
        rest = figures.resident(server.pid)
        with figures.Helper(drip, server.address, ATTACKER, count, 60, b"G"):
            time.sleep(4)
            with figures.Beside(server.address, timeout=10) as beside:
                time.sleep(12)
            memory = figures.resident(server.pid) - rest
        case.note(f"{memory / trial.MIB:.0f} MiB above rest with {count} drippers")
        case.want(beside.times.undisturbed(normal), f"/health of others meanwhile: {beside.times}")


def drip(address, source, count, seconds, part):
    """Keeps so many connections dialled, each of which sends a byte of a request every five seconds."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    poll, clients, end = select.epoll(), {}, time.monotonic() + seconds
    next_dial, next_byte, turn = 0, 0, 0
    while (now := time.monotonic()) < end:
        if now >= next_dial:
            next_dial = now + 0.25
            # 4,000 a second: what is dialled faster fills the queue of the kernel, where no server can help.
            for _ in range(min(count - len(clients), 1000)):
                client = dial(address, source)
                clients[client.fileno()] = client
                poll.register(client, select.EPOLLRDHUP)
        if part and now >= next_byte:
            # A hundredth of them each twentieth of a second.
            next_byte, turn = now + 0.05, (turn + 1) % 100
            for number in [number for number in clients if number % 100 == turn]:
                with contextlib.suppress(OSError):
                    clients[number].send(part)
        # Those that the server has closed.
        for number, _ in poll.poll(0.02, 5000):
            clients.pop(number).close()


def dial(address, source):
    """A connection that may still be under way."""
    client = socket.socket()
    client.setblocking(False)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # The port is chosen when it connects, so that there are enough of them.
    client.setsockopt(socket.IPPROTO_IP, 24, 1)
    client.bind((source, 0))
    with contextlib.suppress(BlockingIOError, OSError):
        client.connect(address)
    return client


def few_descriptors(case):
    """`ulimit -n 64`, 60 connections with searches, and all of them gone again."""
    with case.server(files=64) as server:
        before = figures.descriptors(server.pid)
        case.want(trial.ask(server.address, "/health", source=OTHER).status == 200, "/health answers at rest")
        with figures.Beside(server.address, timeout=5, pause=0.05) as beside:
            with concurrent.futures.ThreadPoolExecutor(60) as pool:
                statuses = list(pool.map(lambda turn: search(server.address, case.keys[turn % 10]), range(60)))
        answered = statuses.count(200)
        case.note(f"{answered} of 60 connections had their searches answered, the others were refused")
        case.want(not beside.times.failed(), f"/health of others meanwhile: {beside.times}")
        after = figures.normal_times(server.address, timeout=5)
        case.want(not after.failed(), f"/health once they are gone: {after}")
        case.want(
            figures.descriptors(server.pid) <= 48,
            f"{before} descriptors before, {figures.descriptors(server.pid)} after",
        )


def search(address, key):
    """Some searches on one connection; the last status, 0 if it was closed."""
    head = f"Host: a\r\nX-API-Key: {key}\r\n\r\n"
    with contextlib.suppress(OSError, IndexError, ValueError):
        with contextlib.closing(trial.connect(address, timeout=15)) as client:
            for turn in range(5):
                client.sendall(f"GET {SEARCH}&offset={turn * 1000}&limit=1000 HTTP/1.1\r\n{head}".encode())
                status = int(client.recv(65536).split(b" ")[1])
                time.sleep(0.3)
                client.setblocking(False)
                with contextlib.suppress(BlockingIOError):
                    while client.recv(1 << 20):
                        pass
                client.setblocking(True)
                client.settimeout(15)
            return status
    return 0


def half_closed_clients(case):
    """Clients that close their sending side after the request all get their answer."""
    wanted = {
        "/health": 200,
        trial.CURRENT: 200,
        SEARCH + "&limit=1000": 200,
        "/api/v1/filings/search?q=ata+assembleia&offset=5000&order=relevance": 200,
        "/api/v1/companies?limit=1000": 200,
        "/api/v1/export/ipca": 200,
        "/api/v1/export/fx?format=csv": 200,
        "/api/v1/plans/usage": 200,
        "/": 200,
        "/nothing": 404,
    }
    with case.server() as server:
        for path, status in wanted.items():
            # An export runs twice at once with one key.
            few = "export" in path

            def once(turn):
                key = case.keys[turn % len(case.keys)]
                request = f"GET {path} HTTP/1.1\r\nHost: a\r\nX-API-Key: {key}\r\n\r\n".encode()
                answer = trial.exchange(server.address, request, half_close=True)
                # To be told to come again is an answer too.
                return status if answer.status == 503 and "retry-after" in answer.headers else answer.status

            with concurrent.futures.ThreadPoolExecutor(8 if few else 25) as pool:
                statuses = list(pool.map(once, range(100)))
            right = statuses.count(status)
            case.want(right == 100, f"{path}: {right} of 100 answered, {sorted(set(statuses))}")
        body = b'{"name":"Ana","email":"ana@example.com"}'
        head = f"POST {trial.REGISTER} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
        answers = [
            trial.exchange(
                server.address, f"{head}\r\n\r\n".encode() + body, source=f"127.0.1.{turn + 1}", half_close=True
            )
            for turn in range(20)
        ]
        right = sum(answer.status == 201 for answer in answers)
        case.want(right == 20, f"registrations: {right} of 20 answered")


ROWS = {
    "one_address_opens_all_connections": one_address_opens_all_connections,
    "one_address_opens_all_descriptors": one_address_opens_all_descriptors,
    "ten_thousand_drippers_redial": ten_thousand_drippers_redial,
    "few_descriptors": few_descriptors,
    "half_closed_clients": half_closed_clients,
}
