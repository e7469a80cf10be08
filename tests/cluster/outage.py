#!/usr/bin/env python3
"""Three replicas with shared accounts and limits, and engines that go away: closed, stalled, killed, one or both.

No data request fails or takes more than two seconds. While Valkey is away each replica keeps every limit by itself;
while only PostgreSQL is away limits stay exact over all. Everything recovers by itself, and metrics say so. Usage is what
was answered, exactly. Needs Python 3, PostgreSQL and Redis or Valkey.

    tests/cluster/outage.py target/release/finserve [short] [NAME…]

Names are parts of the names of outages, such as "Valkey stalled".
"""

import sys
import time

import stage
from stage import Command, Load, Postgres, Proxy, Redis, until

PROGRAM = sys.argv[1] if len(sys.argv) > 1 else sys.exit(__doc__)
SHORT = "short" in sys.argv[2:]
SECONDS = 6 if SHORT else 60
# The longest that a data request may take, in seconds.
SLOWEST = 2
# 6 keys at 8 requests a second to each of three replicas: 1,440 a minute for each key, below its limit.
REPLICAS, KEYS, RATE = 3, 6, 8
FREE = stage.LIMITS["free"]
EACH = 40
# How often an exact limit is tried on a machine that is held up.
TRIES = 4


class Trial:
    """The engines, the proxies in front of them, the replicas behind those, and keys that all of them know."""

    def __init__(self, check, postgres, redis, proxies, replicas):
        self.check, self.postgres, self.redis, self.replicas = check, postgres, redis, replicas
        self.to_postgres, self.to_redis = proxies
        self.command = Command(PROGRAM, postgres.url())
        self.keys = self.known(KEYS, "platinum")
        self.answered = 0

    def known(self, number, plan):
        """New keys that all replicas know."""
        keys = [self.command.new_key(plan) for _ in range(number)]
        for replica in self.replicas:
            for key in keys:
                with stage.Client(replica, key) as client:
                    until(lambda: client.get("/health").status == 200, 10)
        return keys

    def hammer(self, key):
        """40 requests to each replica at once. Returns how many pass of each, all statuses, and the seconds it took."""
        began = time.monotonic()
        found = stage.passes(self.replicas, key, EACH, 2)
        statuses = {status for one in found for status in one}
        return [one.count(200) for one in found], statuses, time.monotonic() - began

    def exact(self, name, keys):
        """That a limit is exact over all replicas. A machine that is held up may fall back meanwhile: then once more, with
        the next key. Returns the keys that were used, and all statuses."""
        used, all_statuses = [], set()
        for key in keys:
            until(lambda: not any(replica.falls_back() for replica in self.replicas), 10)
            before = [replica.alone() for replica in self.replicas]
            passed, statuses, _ = self.hammer(key)
            used.append(key)
            all_statuses |= statuses
            if before == [replica.alone() for replica in self.replicas]:
                break
            print(f"       a replica fell back while {sum(passed)} passed; again")
        self.check(f"{name}: the limit is exact over all replicas", sum(passed) == FREE, f"{passed} pass, {FREE} may")
        return used, all_statuses


def outages(trial):
    """Each outage: its name, how it begins, how it ends, and whether Valkey and PostgreSQL are away."""
    both = {"Valkey": [trial.to_redis], "PostgreSQL": [trial.to_postgres], "both": [trial.to_redis, trial.to_postgres]}

    def set_mode(proxies, mode):
        for proxy in proxies:
            proxy.mode(mode)

    for what, proxies in both.items():
        for mode, name in (("closed", "closed"), ("stall", "stalled")):
            leave = lambda proxies=proxies, mode=mode: set_mode(proxies, mode)
            come_back = lambda proxies=proxies: set_mode(proxies, "pass")
            yield f"{what} {name}", leave, come_back, trial.to_redis in proxies, trial.to_postgres in proxies
    # Scripts and counters are lost with it.
    yield "Valkey killed", trial.redis.kill, trial.redis.start, True, False
    yield "PostgreSQL killed", trial.postgres.kill, trial.postgres.start, False, True
    yield "Valkey paused", trial.redis.pause, trial.redis.resume, True, False


def outage(trial, name, leave, come_back, limits_away, accounts_away):
    check, replicas = trial.check, trial.replicas
    # What is made while PostgreSQL is away is not known.
    limited = trial.known(TRIES, "free")
    with Load(replicas, trial.keys, RATE) as load:
        time.sleep(1)
        began = time.monotonic()
        leave()
        time.sleep(1)
        if limits_away:
            used = limited[:1]
            passed, statuses, took = trial.hammer(used[0])
            told = until(lambda: all(replica.falls_back() for replica in replicas), 5)
            check(f"{name}: metrics say that limits fall back", told)
            holds = all(0 < one <= FREE for one in passed)
            check(f"{name}: at most the limit passes on each replica", holds, f"{passed} pass, {FREE} may")
            check(f"{name}: {EACH} requests to each replica wait little", took <= EACH * SLOWEST / 4, f"{took:.2f} s")
        else:
            used, statuses = trial.exact(f"{name}, meanwhile", limited)
        check(f"{name}: who is over the limit gets a 429", statuses <= {200, 429}, statuses)
        if accounts_away:
            told = [replica.becomes(503, 10) for replica in replicas]
            check(f"{name}: /ready tells", None not in told, replicas[0].ready())
        time.sleep(max(0, SECONDS - (time.monotonic() - began)))
        come_back()
        back = until(lambda: not any(replica.falls_back() for replica in replicas), 30)
        ready = [replica.becomes(200, 30) for replica in replicas]
        check(f"{name}: recovers by itself", back and None not in ready, [one and round(one, 1) for one in ready])
        time.sleep(1)
    check(f"{name}: all data requests are answered", set(load.statuses()) == {200}, load.statuses())
    times = sorted(took for _, _, took in load.all())
    figures = [f"{times[int(len(times) * part)] * 1000:.1f} ms" for part in (0.5, 0.99)]
    detail = f"{load.slowest():.3f} s at most; p50 {figures[0]}, p99 {figures[1]}"
    check(f"{name}: no data request takes more than {SLOWEST} s", load.slowest() <= SLOWEST, detail)
    trial.exact(f"{name}, afterwards", trial.known(TRIES, "free"))
    trial.answered += load.answered()
    counted = trial.command.becomes(trial.keys, trial.answered, 20)
    check(f"{name}: usage is what was answered", counted == trial.answered, f"{counted} of {trial.answered}")
    sent = EACH * REPLICAS * len(used)
    counted = trial.command.becomes(used, sent, 10)
    check(f"{name}: refused requests are counted too", counted == sent, f"{counted} of {sent}")


def main():
    check, chosen = stage.Checks(), [name for name in sys.argv[2:] if name != "short"]
    with Postgres() as postgres, Redis() as redis, Proxy(postgres.port) as first, Proxy(redis.port) as second:
        shared = {"FINSERVE_ACCOUNTS": postgres.url(first.port), "FINSERVE_LIMITS": redis.url(second.port)}
        with stage.replicas(PROGRAM, REPLICAS, environment=shared) as replicas:
            trial = Trial(check, postgres, redis, (first, second), replicas)
            trial.exact("before", trial.known(TRIES, "free"))
            redis.command("SCRIPT", "FLUSH")
            trial.exact("scripts flushed", trial.known(TRIES, "free"))
            for one in outages(trial):
                if not chosen or any(part in one[0] for part in chosen):
                    print(f"\n== {one[0]} for {SECONDS} s", flush=True)
                    outage(trial, *one)
            if not chosen:
                codes = [replica.stop()[0] for replica in replicas]
                check("all replicas end with exit code 0", set(codes) == {0}, codes)
            check.secrets(*replicas)
    check.finish()


if __name__ == "__main__":
    main()
