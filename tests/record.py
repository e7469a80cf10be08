#!/usr/bin/env python3
"""Records what a server answers to more than a thousand requests, and compares two such recordings.

A change of the program's inside must change no answer. Record the program before and after it, and compare:

    tests/record.py record target/release/finserve before.jsonl
    tests/record.py record target/release/finserve after.jsonl
    tests/record.py compare before.jsonl after.jsonl --allow ' /market/?\\?utm_'

`record` starts servers on new data directories with the bundled data, sends the requests of record_rows/, and writes
one line of JSON for each: the case, the request, the status, all headers and the body. What rightly differs between two
runs of one program has a name in angle brackets instead: times of now, keys, ids, nonces, ports. Answers depend on the
day, so make both recordings on the same day, in UTC and in Brasília. At the end it names the operations of openapi.yaml
that no request has reached.

`compare` prints the differences by case and exits with 1 if there is one whose case no --allow fits. A case is the
server, the method, the address, the plan and whatever else was sent:

    main GET /market/ipca?range=7y accept=text/html accept-language=pt

Two recordings of the same program must be equal. Needs Python 3 alone.
"""

import argparse
import base64
import collections
import contextlib
import datetime
import gzip
import hashlib
import http.client
import json
import os
import re
import shutil
import socket
import sys
import time
import urllib.parse

import trial
from record_rows import themes
from record_rows.webhooks import Receiver, publish

KEYS = {"free": 25, "bronze": 25, "gold": 25, "platinum": 100}
# A key is used so often, among so many requests, and then the next one is taken: no limit is reached, and what is left
# of it is the same on a slow machine.
USES, TURN = 15, 150
# Of longer bodies only the beginning and a hash are written.
LONGEST = 1 << 19

# What differs between two runs, and what is written instead. Each begins with letters, so that it is found quickly.
NAMED = [
    (r"fin_[0-9A-Za-z]{38}", "<key>"),
    (r"fin_[0-9A-Za-z]{8}(?=…|\W)", "<prefix>"),
    (r"fis_[0-9A-Za-z]{32}", "<session>"),
    (r"wh_[0-9A-Za-z]{22}", "<webhook>"),
    (r"whsec_[0-9A-Za-z+/=]{20,}", "<secret>"),
    (r"evt_test_[0-9A-Za-z]+", "<event>"),
    (r"nonce(-|\" content=\")[0-9a-f]{32}", r"nonce\1<nonce>"),
    (r"commit=\"[0-9a-f]+", 'commit="<commit>'),
    *((words + r"\d+", words + "<seconds>") for words in ["retry in ", '"retry_after":', "try again in ", "de novo em "]),
]
# Times of today: as programs read them, and as people do.
TODAY = datetime.datetime.now(datetime.timezone.utc)
NAMED += [
    (TODAY.strftime(day) + clock, "<now>")
    for day, clock in [("%Y-%m-%dT", r"\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)"), ("%Y-%m-%d ", r"\d\d:\d\d(?= UTC)"),
                      ("%-d %b %Y ", r"\d\d:\d\d"), ("%d/%m/%Y ", r"\d\d:\d\d")]
]  # fmt: skip


class Recorder:
    """Asks one server, and writes down what it answers."""

    def __init__(self, out, name, server, keys):
        self.out, self.name, self.server, self.keys = out, name, server, keys
        self.addresses, self.credentials, self.paths = 0, {}, set()
        self.replaced, self.is_polled = [], False

    def ask(self, target, plan=None, method="GET", body=None, signed_in=False, source=None, until=None, **sent):
        """Sends one request, with a key or the cookie of a plan, and returns the answer.

        Without a plan each request comes from an address of its own, unless `source` names one. `until` is how a stream
        ends that goes on for ever.
        """
        sent = {name.replace("_", "-"): value for name, value in sent.items()}
        shown = [f"plan={plan}"] * bool(plan) + ["signed in"] * signed_in + [f"{name}={sent[name]}" for name in sent]
        if body is not None:
            shown.append(f"body={body[:150]}")
        headers = {"host": "data.example", **sent}
        if plan:
            headers["cookie" if signed_in else "x-api-key"] = self.credential(plan, signed_in)
        content = (body or "").encode("latin-1" if body == "\xff" else "utf-8")
        if body is not None:
            headers["content-length"] = len(content)
        lines = [f"{method} {target} HTTP/1.1"] + [f"{name}: {value}" for name, value in headers.items()]
        request = "\r\n".join(lines).encode() + b"\r\n\r\n" + content
        self.paths.add((method, urllib.parse.urlsplit(target).path))
        return self.exchange(" ".join([method, target, *shown]), request, method, source, until)

    def credential(self, plan, signed_in):
        """A key of this plan, or a cookie."""
        value, uses, first = self.credentials.get((plan, signed_in), (None, USES, 0))
        if uses == USES or self.addresses - first > TURN:
            value, uses, first = self.keys[plan].pop(), 0, self.addresses
            if signed_in:
                answer = self.ask("/sign-in", method="POST", body=f"key={value}", content_type=themes.FORM)
                value = answer.headers["set-cookie"].split(";")[0]
        self.credentials[plan, signed_in] = value, uses + 1, first
        return value

    def exchange(self, case, request, method="GET", source=None, until=None, address=None, half_close=False):
        """Sends bytes, reads one answer, and records both."""
        self.addresses += 1
        source = source or f"127.1.{self.addresses >> 8}.{self.addresses & 255}"
        with contextlib.closing(trial.connect(address or self.server.address, source, timeout=30)) as client:
            try:
                # A server that refuses a request may close the connection while the rest of it is sent.
                with contextlib.suppress(OSError):
                    client.sendall(request)
                    if half_close:
                        client.shutdown(socket.SHUT_WR)
                response = http.client.HTTPResponse(client, method=method)
                response.begin()
                body = b""
                while until and until not in body:
                    body += response.read1()
                answer = trial.Answer(response.status, response.getheaders(), body or response.read())
                pairs = response.getheaders()
            except (OSError, http.client.HTTPException) as error:
                answer, pairs = trial.Answer(0, [], type(error).__name__.encode()), []
        self.write(case, request, answer, pairs)
        return answer

    def write(self, case, request, answer, pairs):
        """Writes one row. `pairs` are the headers in their order."""
        body, packed = answer.body, answer.headers.get("content-encoding")
        if packed == "gzip" and body:
            body = gzip.decompress(body)
        if answer.headers.get("content-type", "").startswith("application/openmetrics-text"):
            # The order is that of a hash table.
            body = re.sub(rb"(?m) [-+.e\d]+$", b" <number>", b"\n".join(sorted(body.split(b"\n"))))
        row = {"case": self.normal(f"{self.name} {case}"[:400]), "request": self.normal(request[:2000].decode("latin-1"))}
        row.update(status=answer.status, headers=[])
        try:
            text = self.normal(body.decode())
        except UnicodeDecodeError:
            text, row["base64"] = None, base64.b64encode(body).decode()
        for name, value in pairs:
            if name == "content-length" and text is not None and len(answer.body) == int(value) and text != body.decode():
                # What has a name instead may be longer or shorter in another run.
                value = "<length>"
            row["headers"].append([name, self.header(name, value, request)])
        if text is not None:
            row["body"] = text
        part = "body" if text is not None else "base64"
        if len(row[part]) > LONGEST:
            digest = hashlib.sha256(row[part].encode()).hexdigest()
            row[part] = f"{row[part][:LONGEST]} … {len(row[part])} characters, {digest}"
        print(json.dumps(row, ensure_ascii=False), file=self.out)

    def header(self, name, value, request):
        """The value of a header, without what differs between two runs."""
        if name == "date":
            return "<date>" if re.fullmatch(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT", value) else value
        if name == "x-request-id" and value.encode() not in request:
            return re.sub(r"^[0-9a-f]{8}-\d+$", "<id>", value)
        if name == "x-ratelimit-remaining" and self.is_polled:
            return "<number>"
        if name == "x-ratelimit-reset":
            return "<later>" if int(value) > time.time() + 20 else "<now>"
        if name == "ratelimit":
            value = re.sub(r"t=[1-9]\d*", "t=<seconds>", value)
            return re.sub(r"r=\d+", "r=<number>", value) if self.is_polled else value
        if name in ("webhook-timestamp", "webhook-signature"):
            return f"<{name}>"
        if name == "retry-after" and int(value) > 20:
            return "<seconds>"
        return self.normal(value)

    def normal(self, text):
        """A text, without what differs between two runs."""
        for known, name in self.replaced:
            text = text.replace(known, name)
        for pattern, name in NAMED:
            text = re.sub(pattern, name, text)
        return re.sub(r"evt_[0-9A-Za-z_-]{20,}", event, text)

    def wait(self, target, key, holds):
        """Asks, without recording, until something holds."""
        headers = {"X-API-Key": key}
        if not trial.until(lambda: holds(trial.ask(self.server.address, target, headers=headers)), 30):
            sys.exit(f"{target} does not become what it should be")

    def not_reached(self):
        """The operations of openapi.yaml that no request has reached."""
        document = trial.ask(self.server.address, "/docs/openapi.json").json()
        for path, operations in document["paths"].items():
            shape = re.compile(re.sub(r"\\?\{\w+\\?\}", "[^/]+", re.escape(path)))
            for method in operations.keys() & {"get", "post", "put", "delete"}:
                if not any(sent == method.upper() and shape.fullmatch(to) for sent, to in self.paths):
                    yield f"{method.upper()} {path}"


def event(found):
    """What the id of an event says, but for the catalogue, which is another one in each run."""
    with contextlib.suppress(ValueError):
        parts = base64.urlsafe_b64decode(found[0][4:] + "===").decode().split("\n")
        return f"<event {' '.join(parts[1:])}>"
    return found[0]


def record(program, path):
    """Records everything."""
    with trial.folder() as place, open(path, "w") as out:
        data, other = place / "data", place / "other"
        keys = {plan: [trial.new_key(program, data, plan) for _ in range(count)] for plan, count in KEYS.items()}
        revoked = keys["gold"].pop()
        trial.run(program, data, "keys", "revoke", revoked[:12])
        with trial.Server(program, data):
            pass  # It fills the directory.
        shutil.copytree(data, other)
        days = " ".join(str((TODAY - datetime.timedelta(hours=hours)).date()) for hours in (0, 3))
        print(json.dumps({"case": "the days in UTC and in Brasília", "status": 0, "headers": [], "body": days}), file=out)
        with trial.Server(program, data, admin=True) as server:
            it = Recorder(out, "main", server, keys)
            it.revoked, it.mistyped = revoked, revoked[:-1] + ("a" if revoked[-1] != "a" else "b")
            for theme in [themes.callers, themes.api, themes.pages, themes.forms, themes.agents, themes.hooks,
                          themes.bytes_as_they_are, themes.operators]:  # fmt: skip
                theme(it)
            missing, count = list(it.not_reached()), it.addresses
        flags = ["--base-path", "/data", "--contact", "sales@data.example", "--upgrade-url", "https://data.example/more",
                 "--trusted-proxy", "127.0.0.0/8", "--webhook-allow-private"]  # fmt: skip
        # Recorded figures are older than the events of a server. The variable, because older programs have no such flag.
        os.environ["FINSERVE_EVENT_WINDOW"] = "0"
        with trial.Server(program, other, *flags) as server:
            it, receiver = Recorder(out, "below", server, keys), Receiver()
            it.replaced = [(receiver.url, "<receiver>"), (receiver.url[7:], "<receiver>")]
            themes.below(it)
            it.is_polled = True
            calls = themes.published(it, receiver, lambda: publish(program, other, place))
            for path, headers, body in sorted(calls, key=lambda call: json.dumps(json.loads(call[2])["data"])):
                it.write(f"call of {path}", b"", trial.Answer(0, headers, body), headers)
        print(f"{count + it.addresses} requests; operations not reached: {', '.join(missing) or 'none'}")


def rows(path):
    """The rows of a recording by case; a case that comes again has a number."""
    found, counts = {}, collections.Counter()
    for line in open(path):
        row = json.loads(line)
        counts[row["case"]] += 1
        again = counts[row["case"]]
        found[row["case"] + (f" (again, {again})" if again > 1 else "")] = row
    return found


def differences(a, b):
    """What differs between two rows, in words."""
    if a["status"] != b["status"]:
        yield f"status: {a['status']} -> {b['status']}"
    for name in sorted({name for row in (a, b) for name, _ in row["headers"]}):
        values = [[value for other, value in row["headers"] if other == name] for row in (a, b)]
        if values[0] != values[1]:
            yield f"{name}: {values[0]} -> {values[1]}"
    texts = [row.get("body", row.get("base64")) for row in (a, b)]
    if texts[0] != texts[1]:
        at = next((n for n, pair in enumerate(zip(*texts)) if pair[0] != pair[1]), min(map(len, texts)))
        yield f"body, from character {at}: {texts[0][max(0, at - 60) : at + 100]!r}"
        yield f"    -> {texts[1][max(0, at - 60) : at + 100]!r}"


def compare(one, other, allowed):
    """Prints how two recordings differ, and returns how many differences are not allowed."""
    a, b = rows(one), rows(other)
    counts, reordered = collections.Counter(), 0
    for case in [*a, *(case for case in b if case not in a)]:
        if case in a and case in b:
            found = list(differences(a[case], b[case]))
            reordered += not found and a[case]["headers"] != b[case]["headers"]
        else:
            found = ["only in the first recording" if case in a else "only in the second recording"]
        if found:
            is_allowed = any(re.search(pattern, case) for pattern in allowed)
            counts[is_allowed] += 1
            print(case + " (allowed)" * is_allowed, *found, sep="\n    ")
    print(f"{len(a)} and {len(b)} answers: {counts[False]} differ, and {counts[True]} more as allowed")
    if reordered:
        print(f"{reordered} more have the same headers in another order")
    return counts[False]


def main():
    words = {"description": __doc__, "formatter_class": argparse.RawDescriptionHelpFormatter}
    parser = argparse.ArgumentParser(**words)
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record", help="ask a server, and write down what it answers", **words)
    recording.add_argument("program", help="the program, such as target/release/finserve")
    recording.add_argument("file", help="where to write the recording (.jsonl)")
    comparing = commands.add_parser("compare", help="print how two recordings differ", **words)
    comparing.add_argument("one", help="the recording before")
    comparing.add_argument("other", help="the recording after")
    comparing.add_argument("--allow", action="append", default=[], metavar="REGEX", help="cases that may differ; repeatable")
    given = parser.parse_args()
    if given.command == "record":
        record(given.program, given.file)
    elif compare(given.one, given.other, given.allow):
        sys.exit(1)


if __name__ == "__main__":
    main()
