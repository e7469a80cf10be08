#!/usr/bin/env python3
"""Limits that three replicas share through Valkey, while Valkey is well, killed, started again and stalled.

Exactly the limit passes, over all replicas together and for every plan, also where half of the clients use a link of the
key; never more in any minute under a hammer; and while Valkey is away, at most the limit on each replica, without a failed
request. Starts Valkey or Redis by itself, on a port of its own. Needs Python 3, and valkey-server or redis-server.

    tests/cluster/limits.py target/release/finserve [short]
"""

import bisect
import sys
import threading
import time

import stage
from stage import LIMITS, WINDOW, trial

CLIENTS = 64
REPLICAS = 3
REMAINING = "x-ratelimit-remaining"
# Any answer takes less than this, even while Valkey is away: a replica waits 20 ms for it, and then no more.
SLOWEST = 2


def fail(message):
    sys.exit(f"FAILED: {message}")


def ask_all(servers, key, until, token=None):
    """All clients ask at once, each its own replica and, if there is a token, half of them by that link, until `until` says
    so: when each request was sent and answered, the replica, the status and the headers."""
    answers, lock, start = [], threading.Lock(), threading.Barrier(CLIENTS)

    def work(number):
        replica = number % len(servers)
        is_link = token and number // len(servers) % 2
        client, own = stage.Client(servers[replica], None if is_link else key, timeout=10), []
        path = f"{stage.CURRENT}?token={token}" if is_link else stage.CURRENT
        client.get("/health")
        start.wait()
        while not until(len(own)):
            sent = time.monotonic()
            answer = client.get(path)
            own.append((sent, time.monotonic(), replica, answer.status, answer.headers))
        client.close()
        with lock:
            answers.extend(own)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    odd = {answer[3] for answer in answers} - {200, 429}
    if odd:
        fail(f"answers other than 200 and 429: {odd}")
    return answers


def alone(servers):
    """How many requests the replicas have decided without Valkey."""
    return sum(server.metric("finserve_limits_alone") for server in servers)


def exact(servers, plan, key, token=None):
    """Whether exactly the limit of a plan passes; nothing if Valkey was too slow for this machine meanwhile."""
    limit, before = LIMITS[plan], alone(servers)
    each = limit * 5 // 4 // CLIENTS + 1
    answers = ask_all(servers, key, lambda sent: sent >= each, token)
    passed = [answer for answer in answers if answer[3] == 200]
    if alone(servers) > before:
        return None
    took = max(answer[1] for answer in answers) - min(answer[0] for answer in answers)
    if took > WINDOW:
        fail(f"the machine is too slow: {len(answers)} requests took {took:.0f} s")
    remaining = sorted(int(answer[4][REMAINING]) for answer in passed)
    if remaining != list(range(limit)):
        fail(f"{plan}: {len(passed)} of {len(answers)} passed, Remaining from {remaining[:3]} to {remaining[-3:]}")
    refused = {answer[4][REMAINING] for answer in answers if answer[3] == 429}
    if refused != {"0"}:
        fail(f"{plan}: refused with Remaining {refused}")
    return len(passed)


def runs(servers, keys, count):
    """Every plan so many times, each time with a new key. A run in which Valkey took longer than 20 ms counts for nothing."""
    repeated = 0
    for plan in LIMITS:
        done = 0
        while done < count:
            if not keys[plan]:
                fail(f"Valkey took longer than 20 ms in too many runs ({repeated})")
            if exact(servers, plan, keys[plan].pop()) is None:
                repeated += 1
                time.sleep(2)
            else:
                done += 1
    print(f"{count} runs of every plan: exactly the limit passed; {repeated} more were repeated", flush=True)


def with_links(servers, plan, linked):
    """The limit of a key that is used together with a link of it; a run in which Valkey was too slow counts for nothing."""
    if not any(exact(servers, plan, key, token) for key, token in linked):
        fail("Valkey took longer than 20 ms in every run with links")
    print(f"a key on {plan} and its link: exactly the limit passed", flush=True)


def most_in_a_window(answers):
    """The most requests that were certainly admitted within one window: sent and answered in it."""
    passed = sorted(answer[:2] for answer in answers if answer[3] == 200)
    sent = [times[0] for times in passed]
    most = 0
    for first, begin in enumerate(sent):
        last = bisect.bisect_left(sent, begin + WINDOW)
        most = max(most, sum(times[1] < begin + WINDOW for times in passed[first:last]))
    return most


def hammer(servers, key, plan, seconds):
    """Asks without a pause, over the edges of minutes."""
    before, end = alone(servers), time.monotonic() + seconds
    answers = ask_all(servers, key, lambda _: time.monotonic() > end)
    passed, most = sum(answer[3] == 200 for answer in answers), most_in_a_window(answers)
    print(
        f"hammer on {plan} for {seconds} s: {len(answers)} requests, {passed} passed, at most {most} in {WINDOW} s, "
        f"{alone(servers) - before:.0f} decided alone",
        flush=True,
    )
    if alone(servers) > before:
        print("  (Valkey took longer than 20 ms: limits held per replica)")
        most = max(most_in_a_window([a for a in answers if a[2] == replica]) for replica in range(REPLICAS))
    if most > LIMITS[plan]:
        fail(f"more than {LIMITS[plan]} passed in {WINDOW} s")
    if passed < LIMITS[plan] * (seconds // WINDOW):
        fail("less passed than the limit allows")


def outages(valkey, servers, key, plan, seconds):
    """Valkey is killed, started again, stalled and resumed, while requests go on."""
    stop, answers = threading.Event(), []
    load = threading.Thread(target=lambda: answers.extend(ask_all(servers, key, lambda _: stop.is_set())))
    load.start()

    def becomes(away, what):
        wanted = [float(away)] * REPLICAS
        told = lambda: [server.metric("finserve_limits_away") for server in servers]
        if not trial.until(lambda: told() == wanted, 15):
            stop.set()
            fail(f"{what}: finserve_limits_away is {told()}")

    try:
        becomes(0, "at the start")
        time.sleep(2)
        for name, begin, end in [("killed", valkey.kill, valkey.start), ("stalled", valkey.pause, valkey.resume)]:
            begin()
            becomes(1, name)
            time.sleep(seconds)
            end()
            began = time.monotonic()
            becomes(0, f"after it was {name}")
            print(f"{name} for {seconds} s, back after {time.monotonic() - began:.1f} s", flush=True)
            time.sleep(3)
    finally:
        stop.set()
        load.join()
    slowest = max(answer[1] - answer[0] for answer in answers)
    most = [most_in_a_window([a for a in answers if a[2] == replica]) for replica in range(REPLICAS)]
    print(f"{len(answers)} requests, none failed, the slowest took {slowest * 1000:.0f} ms; most in {WINDOW} s: {most}")
    if max(most) > LIMITS[plan]:
        fail("more than the limit passed on one replica")
    if slowest > SLOWEST:
        fail("a request was held up")
    for server in servers:
        log = server.log()
        if log.count("is away") < 2 or log.count("is back") < 2:
            fail(f"the log does not say that Valkey was away and came back: {log[-500:]}")
        if server.metric("finserve_limits_alone") == 0:
            fail("the metrics do not say that requests were decided alone")


def refuses_bad_addresses(program, data):
    for address in ["valkey", "http://:geheim@a", "redis://:geheim@a:port"]:
        code, message = trial.refused_start(program, data, "--limits", address)
        if code != 1 or "--limits" not in message or "geheim" in message:
            fail(f"{address}: {code}, {message}")
    shown = trial.run(program, data, "serve", "--help", env={"FINSERVE_LIMITS": "redis://:geheim@a"})
    if "FINSERVE_LIMITS" not in shown.stdout or "geheim" in shown.stdout:
        fail("the help shows a password")


def main():
    program, is_short = sys.argv[1], sys.argv[2:] == ["short"]
    count, seconds, away = (3, 70, 5) if is_short else (20, 300, WINDOW)
    spare = count + 6
    with trial.folder() as folder:
        data, keys = stage.prepared(program, folder, {plan: 2 * spare for plan in LIMITS})
        refuses_bad_addresses(program, data)
        linked = [keys["bronze"].pop() for _ in range(3)]
        make = lambda key: trial.run(program, data, "links", "create", key[:12], "--name", "x").stdout.strip()
        linked = [(key, make(key)) for key in linked]
        with stage.Redis() as valkey:
            with stage.replicas(program, REPLICAS, "--limits", valkey.url(), template=data) as servers:
                runs(servers, keys, count)
                with_links(servers, "bronze", linked)
                hammer(servers, keys["bronze"].pop(), "bronze", seconds)
                outages(valkey, servers, keys["bronze"].pop(), "bronze", away)
                runs(servers, keys, 1 if is_short else 3)
                if any(word in server.log() for server in servers for word in (stage.PASSWORD, stage.ESCAPED)):
                    fail("the log has the password")
    print("limits hold")


if __name__ == "__main__":
    main()
