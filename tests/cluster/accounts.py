#!/usr/bin/env python3
"""Three replicas on one PostgreSQL: keys, usage, outages, and the way there from `accounts.db`.

What one replica or a command changes is obeyed by all within a second. Usage equals the requests that were answered,
exactly, while replicas are stopped, while connections to PostgreSQL are cut at random moments, and after PostgreSQL was
away; `kill -9` loses at most the last second of the replica that was killed, and nothing is counted twice. While
PostgreSQL is away no request fails. Needs Python 3 and PostgreSQL.

    tests/cluster/accounts.py target/release/finserve [short] [PART…]

The parts are obeyed, signed, linked, stops, cuts, kills, away and copied; without a name all of them run.
"""

import json
import random
import sys
import threading
import time

import stage
from stage import Client, Command, Load, Postgres, Proxy, Replica, register, until

PROGRAM = sys.argv[1] if len(sys.argv) > 1 else sys.exit(__doc__)
SHORT = "short" in sys.argv[2:]
REPLICAS, KEYS = 3, 6
# How late a change may be obeyed, in seconds, and how long it is waited for.
PROMPT, PATIENCE = 1, 10
SLOWEST = 2
new_address = stage.Addresses()


class Trial:
    """PostgreSQL, a proxy in front of it, three replicas behind that, and some keys."""

    def __init__(self, check, postgres, proxy, replicas):
        self.check, self.postgres, self.proxy, self.replicas = check, postgres, proxy, replicas
        # Commands ask PostgreSQL itself, whatever happens to the way of the replicas.
        self.command = Command(PROGRAM, postgres.url())

    def keys(self, number=KEYS, plan="platinum"):
        """New keys that all replicas know."""
        keys = [self.command.new_key(plan) for _ in range(number)]
        for key in keys:
            self.obeyed(key, lambda answer: answer.status != 401)
        return keys

    def obeyed(self, key, holds):
        """How long it takes until all replicas answer this key rightly; `None` if they do not come to.

        What counts is when the first request with a right answer was sent: a key that is not known is looked up first,
        so that its 401 takes up to half a second itself."""
        began, found = time.monotonic(), []

        def ask(replica):
            with Client(replica, key, new_address()) as client:
                while (sent := time.monotonic() - began) < PATIENCE:
                    # What is not counted tells whose a key is as well.
                    if holds(client.get("/health")):
                        found.append(sent)
                        return
                    time.sleep(0.02)

        threads = [threading.Thread(target=ask, args=(replica,)) for replica in self.replicas]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return max(found) if len(found) == len(self.replicas) else None

    def usage_is(self, name, keys, answered, seconds=15):
        counted = self.command.becomes(keys, answered, seconds)
        self.check(
            f"{name}: usage is what was answered", counted == answered, f"{counted} counted, {answered} answered"
        )


def obeyed(trial):
    """A key made, upgraded and revoked on one replica or by a command is obeyed by all."""
    times = {"created": [], "upgraded": [], "revoked": []}
    for turn in range(10 if SHORT else 100):
        made = register(trial.replicas[turn % REPLICAS], new_address())
        key = made.json().get("api_key", "")
        if made.status != 201:
            trial.check("a key is registered", False, f"{made.status} {made.body[:200]}")
            break
        times["created"].append(
            trial.obeyed(key, lambda answer: answer.headers.get("x-plan") == "free" and answer.status == 200)
        )
        trial.command.must("keys", "set-plan", key[:12], "gold")
        times["upgraded"].append(trial.obeyed(key, lambda answer: answer.headers.get("x-plan") == "gold"))
        trial.command.must("keys", "revoke", key[:12])
        times["revoked"].append(trial.obeyed(key, lambda answer: answer.status == 401))
    for what, found in times.items():
        late = [seconds for seconds in found if seconds is None or seconds > PROMPT]
        ranked = sorted(1000 * (PATIENCE if seconds is None else seconds) for seconds in found) or [0]
        figures = f"{len(found)} times, median {ranked[len(ranked) // 2]:.0f} ms, {ranked[-1]:.0f} ms at most"
        trial.check(f"a key {what} on one replica is obeyed by all within a second", found and not late, figures)


def signed(trial):
    """Who signs in on one replica is known to the others by the first request, and signing out and revocation end it on all."""
    form, wrong, slowest = {"Content-Type": "application/x-www-form-urlencoded"}, [], 0
    for turn in range(10 if SHORT else 100):
        key = trial.keys(1, "gold")[0]
        here, there = trial.replicas[turn % REPLICAS], trial.replicas[(turn + 1) % REPLICAS]
        cookies = []
        for _ in range(2):
            made = Client(here, source=new_address()).request("POST", "/sign-in", f"key={key}", form)
            cookies.append({"Cookie": made.headers.get("set-cookie", "").split(";")[0]})
        plan = lambda replica, cookie: Client(replica, source=new_address()).get("/pricing", cookie).headers.get("x-plan")
        plans = [plan(replica, cookie) for cookie in cookies for replica in trial.replicas]
        wrong += [found for found in plans if found != "gold"]
        out = Client(there, source=new_address()).request("POST", "/sign-out", "", {**form, **cookies[0]})
        began = time.monotonic()
        wrong += [] if out.status == 303 else [out.status]
        for replica in trial.replicas:
            until(lambda: plan(replica, cookies[0]) == "free", PATIENCE)
        slowest = max(slowest, time.monotonic() - began)
        wrong += [found for found in (plan(replica, cookies[1]) for replica in trial.replicas) if found != "gold"]
        trial.command.must("keys", "revoke", key[:12])
        began = time.monotonic()
        for replica in trial.replicas:
            until(lambda: plan(replica, cookies[1]) == "free", PATIENCE)
        slowest = max(slowest, time.monotonic() - began)
    trial.check("a session of one replica counts on all by the first request, and no other is ended", not wrong, wrong)
    trial.check("a session that is ended is ended on all replicas", slowest < REPLICAS * PROMPT, f"{slowest:.2f} s for all, one after another")


def linked(trial):
    """A link made on one replica reads on all by the first request, shares the limit and the usage of its key, and is revoked on all."""
    wrong, times = [], []
    for turn in range(10 if SHORT else 100):
        key = trial.keys(1, "gold")[0]
        here, there = trial.replicas[turn % REPLICAS], trial.replicas[(turn + 1) % REPLICAS]
        made = Client(here, key).request("POST", "/api/v1/links", '{"name": "x"}', {"Content-Type": "application/json"})
        if made.status != 201:
            trial.check("a link is made", False, f"{made.status} {made.body[:200]}")
            return
        path = f"{stage.CURRENT}?token={made.json()['token']}"
        read = lambda replica: Client(replica, source=new_address()).get(path)
        for replica in trial.replicas:
            first = read(replica)
            wrong += [] if (first.status, first.headers.get("x-plan")) == (200, "gold") else [first.status]
        wrong += [] if Client(there, key).get().status == 200 else ["key"]
        gone = Client(there, key).request("DELETE", f"/api/v1/links/{made.json()['id']}")
        began = time.monotonic()
        wrong += [] if gone.status == 204 else [gone.status]
        # Until then the others still answer, and count that.
        late = []
        for replica in trial.replicas:
            until(lambda: (late.append(read(replica).status), late[-1] == 401)[1], PATIENCE)
        times.append(time.monotonic() - began)
        uses = REPLICAS + late.count(200)
        total = lambda: json.loads(trial.command.must("usage", key[:12], "--json"))["total"]
        # The key was used itself, and made and revoked the link.
        counted = until(lambda: (total()["requests"], total().get("by_links")) == (uses + 3, uses), PATIENCE)
        wrong += [] if counted else [total()]
    trial.check("a link of one replica reads on all by the first request, and is counted to its key", not wrong, wrong)
    ranked = sorted(1000 * seconds for seconds in times)
    figures = f"{len(ranked)} times, median {ranked[len(ranked) // 2]:.0f} ms, {ranked[-1]:.0f} ms at most"
    trial.check("a link that is revoked on one replica is refused by all within a second", ranked[-1] < 1000 * PROMPT, figures)


def stops(trial):
    """Replicas are stopped by SIGTERM and started again under load."""
    keys, codes = trial.keys(), []
    with Load(trial.replicas, keys) as load:
        for turn in range(3 if SHORT else 30):
            time.sleep(random.uniform(0.5, 1.5))
            replica = trial.replicas[turn % REPLICAS]
            codes.append(replica.stop()[0])
            time.sleep(random.uniform(0, 0.5))
            replica.start()
        time.sleep(1)
    trial.check("a replica that is stopped ends with exit code 0", set(codes) == {0}, f"{len(codes)} stops")
    trial.check(
        "no 5xx while replicas are stopped", not any(status >= 500 for status in load.statuses()), load.statuses()
    )
    trial.usage_is("replicas stopped by SIGTERM", keys, load.answered())


def cuts(trial):
    """Connections to PostgreSQL are cut at random moments, also between a commit and its answer."""
    keys = trial.keys()
    sql = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    with Load(trial.replicas, keys) as load:
        for turn in range(10 if SHORT else 100):
            time.sleep(random.uniform(0.2, 1.3))
            if turn % 2:
                trial.postgres.query(sql)
            else:
                trial.proxy.mode("closed")
                time.sleep(random.uniform(0, 0.3))
                trial.proxy.mode("pass")
    trial.check("no request fails while connections are cut", not load.failures(), load.statuses())
    trial.usage_is("connections cut at random moments", keys, load.answered())


def kills(trial):
    """Replicas are killed under load, and PostgreSQL is restarted or killed as well."""
    keys, most, killed = trial.keys(), 0, []
    with Load(trial.replicas, keys) as load:
        for turn in range(4 if SHORT else 24):
            if turn % 2:
                trial.postgres.kill() if turn % 4 == 1 else trial.postgres.stop()
                trial.postgres.start()
                # What was counted meanwhile is written as soon as PostgreSQL is back.
                until(lambda: all(replica.ready()[0] == 200 for replica in trial.replicas), PATIENCE)
                time.sleep(2)
            time.sleep(random.uniform(1, 2))
            replica = trial.replicas[turn % REPLICAS]
            killed.append((replica, replica.kill()))
            time.sleep(random.uniform(0, 0.5))
            replica.start()
        time.sleep(1)
    # Counts are written within a second, by a machine that is not held up itself.
    late = 1 + 2 * load.slowest()
    for replica, moment in killed:
        most += sum(status > 0 and moment - late < when <= moment for when, status, _ in load.all(replica))
    answered, unknown = load.answered(), load.unknown()
    until(lambda: trial.command.usage(keys) >= answered - most, 15)
    time.sleep(2)
    counted = trial.command.usage(keys)
    detail = f"{len(killed)} kills: {answered} answered, {counted} counted, {most} answered in the last {late:.2f} s before a kill"
    trial.check("kill -9 loses at most the last second", counted >= answered - most, detail)
    trial.check(
        "kill -9: nothing is counted twice", counted <= answered + unknown, f"{unknown} neither answered nor refused"
    )
    trial.check(
        "no 5xx while replicas are killed", not any(status >= 500 for status in load.statuses()), load.statuses()
    )


def away(trial):
    """PostgreSQL is stopped, paused, and behind a network that stalls."""
    ways = {
        "stopped": (trial.postgres.stop, trial.postgres.start),
        "paused": (trial.postgres.pause, trial.postgres.resume),
        "stalled": (lambda: trial.proxy.mode("stall"), lambda: trial.proxy.mode("pass")),
    }
    for name, (leave, come_back) in ways.items():
        try:
            outage(trial, f"PostgreSQL {name}", leave, come_back)
        finally:
            if name == "paused":
                trial.postgres.resume()
    stopped_meanwhile(trial)


def outage(trial, name, leave, come_back, seconds=8 if SHORT else 60):
    check, replicas = trial.check, trial.replicas
    keys = trial.keys()
    limited, revoked = trial.keys(1, "free")[0], trial.keys(1, "free")[0]
    began = time.monotonic()
    with Load(replicas, keys) as load:
        time.sleep(1)
        leave()
        told = [replica.becomes(503, PATIENCE) for replica in replicas]
        reasons = replicas[0].ready()[1]
        slowest = "not all" if None in told else f"{max(told):.1f} s"
        check(f"{name}: /ready tells", None not in told, f"{slowest}; {reasons}")
        refused = [register(replica, new_address()) for replica in replicas]
        details = [(one.status, one.headers.get("retry-after"), f"{one.took:.2f} s") for one in refused]
        check(
            f"{name}: registration answers 503 with Retry-After",
            all(one.status == 503 and one.headers.get("retry-after", "").isdigit() for one in refused),
            details,
        )
        check(f"{name}: that answer comes within 5 s", all(one.took <= 5 for one in refused))
        hammered = stage.passes(replicas, limited, 40)
        passed = [statuses.count(200) for statuses in hammered]
        check(
            f"{name}: known keys keep their limits",
            passed == [30] * REPLICAS and all(set(found) == {200, 429} for found in hammered),
            f"{passed} of 40 each",
        )
        if name.endswith("stalled"):
            trial.command.must("keys", "revoke", revoked[:12])
            check(
                f"{name}: what replicas cannot know they do not obey", Client(replicas[0], revoked).get().status == 200
            )
        time.sleep(max(0, seconds - (time.monotonic() - began)))
        come_back()
        back = [replica.becomes(200, 30) for replica in replicas]
        check(f"{name}: all are ready again by themselves", None not in back, [one and round(one, 1) for one in back])
        if name.endswith("stalled"):
            late = trial.obeyed(revoked, lambda answer: answer.status == 401)
            check(f"{name}: a key revoked meanwhile is refused then", late is not None, late and f"{late:.2f} s")
        made = [register(replica, new_address()).status for replica in replicas]
        check(f"{name}: registration works again", made == [201] * REPLICAS, made)
        time.sleep(1)
    check(f"{name}: no data request fails", not load.failures(), load.statuses())
    check(
        f"{name}: no data request takes more than {SLOWEST} s",
        load.slowest() <= SLOWEST,
        f"{load.slowest():.3f} s at most",
    )
    hammers = sum(status > 0 for found in hammered for status in found)
    trial.usage_is(name, [*keys, limited], load.answered() + hammers, 30)


def stopped_meanwhile(trial):
    """A replica that is stopped while PostgreSQL does not answer ends in time, and starts when it answers again."""
    trial.proxy.mode("stall")
    time.sleep(2)
    code, took = trial.replicas[2].stop(30)
    trial.check("a replica ends while PostgreSQL stalls", code is not None, f"exit code {code} after {took:.1f} s")
    trial.proxy.mode("pass")
    trial.replicas[2].start()


def shown(run, keys):
    """What commands show of accounts: keys, webhooks, and the usage of each key."""
    commands = [["keys", "list", "--json"], ["webhooks", "list", "--json"]]
    commands += [["usage", key[:12], "--json"] for key in keys]
    return [json.loads(run(*command)) for command in commands]


def copied(trial):
    """`finserve accounts copy` from a file with keys, usage and webhooks."""
    check, postgres = trial.check, trial.postgres
    with stage.trial.folder() as place:
        data = place / "data"
        keys = [stage.trial.new_key(PROGRAM, data, plan) for plan in stage.LIMITS]
        gone = stage.trial.new_key(PROGRAM, data)
        stage.trial.run(PROGRAM, data, "keys", "revoke", gone[:12])
        with Replica(PROGRAM, data, "--webhook-allow-private") as single:
            hook = use_embedded(single, keys)
            single.stop()
        embedded = lambda *command: stage.trial.run(PROGRAM, data, *command).stdout
        before = shown(embedded, keys)
        url = postgres.create("copied")
        copy = lambda target: stage.trial.run(PROGRAM, data, "accounts", "copy", "--to", target)
        first = copy(url)
        check("accounts copy: succeeds", first.returncode == 0, (first.stdout + first.stderr).strip())
        after = shown(Command(PROGRAM, url).must, keys)
        check(
            "accounts copy: keys, webhooks and usage are the same",
            before == after,
            "" if before == after else (before, after),
        )
        content = postgres.content("copied")
        again = copy(url)
        check(
            "accounts copy: a second run says that all is there",
            again.returncode == 0 and "already" in again.stdout + again.stderr,
            (again.stdout + again.stderr).strip(),
        )
        check("accounts copy: a second run changes nothing", postgres.content("copied") == content)
        check("accounts copy: the file is as it was", shown(embedded, keys) == before)
        others = postgres.create("others")
        Command(PROGRAM, others).new_key()
        content = postgres.content("others")
        refused = copy(others)
        check(
            "accounts copy: a target with other accounts is refused",
            refused.returncode not in (0, 2),
            refused.stderr.strip(),
        )
        check("accounts copy: and stays as it is", postgres.content("others") == content)
        said = "".join(one.stdout + one.stderr for one in (first, again, refused))
        check("accounts copy: no password is shown", stage.PASSWORD not in said and stage.ESCAPED not in said)
        with Replica(PROGRAM, place / "replica", "--accounts", url) as replica:
            plans = [Client(replica, key).get().headers.get("x-plan") for key in keys]
            check("accounts copy: a replica knows the keys", plans == list(stage.LIMITS), plans)
            check("accounts copy: a revoked key stays so", Client(replica, gone).get().status == 401)
            hooks = Client(replica, keys[-1]).get("/api/v1/webhooks").json().get("data", [])
            check("accounts copy: a replica has the webhooks", [one["id"] for one in hooks] == [hook], hooks)


def use_embedded(single, keys):
    """Leaves usage and a webhook with a call in the accounts of a single server. Returns the webhook's id."""
    for number, key in enumerate(keys):
        with Client(single, key) as client:
            for _ in range(10 + 10 * number):
                client.get()
    with Client(single, keys[-1]) as client:
        body = json.dumps({"url": "http://127.0.0.1:1/hook", "events": ["rate.published"]})
        made = client.request("POST", "/api/v1/webhooks", body, {"Content-Type": "application/json"}).json()
        if "id" not in made:
            sys.exit(f"no webhook: {made}")
        client.request("POST", f"/api/v1/webhooks/{made['id']}/test")
    return made["id"]


PARTS = {part.__name__: part for part in (obeyed, signed, linked, stops, cuts, kills, away, copied)}


def main():
    random.seed(7)
    check, chosen = stage.Checks(), [name for name in sys.argv[2:] if name != "short"] or list(PARTS)
    with Postgres() as postgres, Proxy(postgres.port) as proxy:
        accounts = postgres.url(proxy.port)
        # By its environment variable, which is in no list of processes.
        with stage.replicas(PROGRAM, REPLICAS, environment={"FINSERVE_ACCOUNTS": accounts}) as replicas:
            trial = Trial(check, postgres, proxy, replicas)
            for name in chosen:
                print(f"\n== {name}: {PARTS[name].__doc__}", flush=True)
                PARTS[name](trial)
            check.secrets(*replicas)
    check.finish()


if __name__ == "__main__":
    main()
