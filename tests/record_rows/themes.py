"""What is asked of the servers, one function for each subject. `it` is the recorder of a server."""

import json
import re

from . import tables

PLANS = ["free", "bronze", "gold", "platinum"]
JSON, FORM = "application/json", "application/x-www-form-urlencoded"
BROWSER = "text/html,application/xhtml+xml,*/*;q=0.8"


def api(it):
    """Everything for programs: on every plan, in every form, and what is refused."""
    for target in tables.API:
        path, tags = target.split("?")[0], {}
        for plan in [None, *PLANS]:
            tags[plan] = it.ask(target, plan).headers.get("etag")
        for method in ["HEAD", "OPTIONS", "PUT", "DELETE"]:
            it.ask(path if method != "HEAD" else target, "platinum", method)
        if tag := tags["platinum"]:
            for wanted in [tag, tag.removeprefix("W/"), f'"x", {tag}', "*", '"x"']:
                it.ask(target, "platinum", if_none_match=wanted)
            it.ask(target, "gold", if_none_match=tag)
            it.ask(target, "platinum", "HEAD", if_none_match=tag)
    for target in tables.ASKED + tables.REFUSED:
        it.ask(target, "platinum")
    for target in tables.LISTS:
        more = target + ("&" if "?" in target else "?")
        for query in ["format=csv", "format=csv&dialect=br", "format=csv&dialect=standard", "format=json",
                      "format=value", "format=value&limit=1&field=total"]:
            it.ask(more + query, "platinum")
        for accept in ["text/csv", "text/csv;q=0.5, application/json;q=0.4", "*/*", "text/csv, */*", "text/html"]:
            it.ask(target, "platinum", accept=accept)
        it.ask(more + "format=csv", "gold")
        it.ask(target, "free", accept="text/csv")
    for target in ["/api/v1/market/selic", "/api/v1/filings", "/api/v1/companies"]:
        for query in tables.WRONG:
            it.ask(f"{target}?{query}", "platinum")
    for dataset in ["ipca", "selic?from=2026-01-01", "fx?from=2026-06-01", "companies", "filings?from=2026-08-01", "filings", "series"]:
        more = f"/api/v1/export/{dataset}{'&' if '?' in dataset else '?'}format="
        for form in ["csv", "csv&dialect=br", "parquet", "ndjson"]:
            it.ask(more + form, "platinum")
        it.ask(more + "csv", "gold")
    for accept in ["text/csv", "application/vnd.apache.parquet", "application/x-ndjson", "application/json"]:
        it.ask("/api/v1/export/ipca", "platinum", accept=accept)
    it.ask("/api/v1/events", "platinum", accept="text/event-stream", until=b"\n\n")
    it.ask("/api/v1/events", "platinum", accept="text/event-stream", last_event_id="nope")


def callers(it):
    """Keys, limits, registrations, and ids of requests."""
    for key in ["", "nope", "fin_" + "a" * 38, it.revoked, it.mistyped, it.keys["gold"][-1].lower()]:
        it.ask("/api/v1/plans", x_api_key=key)
        it.ask("/api/v1/companies", authorization=f"Bearer {key}")
        it.ask("/market", x_api_key=key, accept="text/html", accept_language="pt")
    key = it.keys["gold"].pop()
    for header in ["Bearer {}", "bearer  {}", "Basic {}", "{}"]:
        it.ask("/api/v1/plans/usage", authorization=header.format(key))
    for given in ["abc-1", "x" * 65, "a b", "fin_0123456789ABCDEFGHIJKLMNOPQRSTUV3CkPwj"]:
        it.ask("/health", x_request_id=given)
    for source, path in [("127.2.0.1", "/api/v1/plans"), ("127.2.0.2", "/market")]:
        for _ in range(31):
            it.ask(path, source=source)
        for language in ["en", "pt"]:
            it.ask(path, source=source, accept="text/html", accept_language=language)
    for _ in range(21):
        it.ask("/api/v1/plans/register", method="POST", body=tables.REGISTRATIONS[0], content_type=JSON, source="127.2.0.3")
    it.ask("/pricing?lang=pt", method="POST", body=tables.FORMS[0], content_type=FORM, source="127.2.0.3")
    for body in tables.REGISTRATIONS:
        it.ask("/api/v1/plans/register", method="POST", body=body, content_type=JSON)
    for media in ["application/json; charset=utf-8", FORM, "text/plain", ""]:
        it.ask("/api/v1/plans/register", method="POST", body=tables.REGISTRATIONS[0], content_type=media)
    it.ask("/api/v1/plans/register", "gold", "POST", body=tables.REGISTRATIONS[0], content_type=JSON)


def pages(it):
    """Everything for people, in both languages and on each plan, signed in and not."""
    browser = {"accept": BROWSER}
    for target in tables.PAGES:
        more = target + ("&" if "?" in target else "?")
        it.ask(target, **browser)
        it.ask(target, accept_language="pt-BR,pt;q=0.9,en;q=0.8", **browser)
        it.ask(more + "lang=pt")
        it.ask(more + "lang=en", accept_language="pt")
        it.ask(more + "utm_source=x", **browser)
        it.ask(more + "nope=1", **browser)
        for plan in PLANS:
            it.ask(target, plan, signed_in=True, accept_language="pt" if plan == "gold" else "en", **browser)
        it.ask(target, "platinum", **browser)
        for method in ["HEAD", "OPTIONS", "PUT"]:
            it.ask(target, method=method)
    for target in tables.MISTAKES:
        for language in ["en", "pt"]:
            it.ask(target, accept_language=language, **browser)
        it.ask(target)
    for path in ["/", "/market", "/companies", "/pricing", "/calc/convert"]:
        for query in tables.TRACKED:
            it.ask(f"{path}?{query}", **browser)
    for path in tables.DOCUMENTS:
        for headers in [{}, {"accept_encoding": "gzip"}, {"x_forwarded_proto": "https"}]:
            it.ask(path, **headers)
        it.ask(path + "?lang=pt")
        it.ask(path, method="HEAD")
    home = it.ask("/docs/try").body.decode() + it.ask("/").body.decode()
    for path in sorted(set(re.findall(r"/assets/[\w.-]+", home))):
        tag = it.ask(path).headers.get("etag")
        it.ask(path, accept_encoding="gzip")
        it.ask(path, if_none_match=tag)
        it.ask(path, method="HEAD")
    for target in tables.ENCODED:
        for encoding in tables.ENCODINGS:
            it.ask(target, "platinum", accept_encoding=encoding)


def forms(it):
    """Forms of pages: right, wrong, and of other sites; sessions from their beginning to their end."""
    for body in tables.FORMS:
        for language in ["en", "pt"]:
            it.ask("/pricing", method="POST", body=body, content_type=FORM, accept_language=language, accept="text/html")
    key = it.keys["platinum"].pop()
    for path in ["/sign-in", "/sign-in?next=/usage&lang=pt", "/usage", "/usage?lang=pt"]:
        for body in [f"key={key}", "key=nope", f"key={it.revoked}", f"key=+{key}+", "", "key=a&x=1", "key=a&key=b"]:
            it.ask(path, method="POST", body=body, content_type=FORM, accept="text/html")
    for body in ["next=/market", "next=//evil", "next=", "next=/usage%3Flang%3Dpt", f"next=/{key}", "next=/%5Cevil"]:
        it.ask("/sign-in", method="POST", body=f"key={key}&{body}", content_type=FORM)
    for site in [{"origin": "http://data.example"}, {"origin": "http://evil.example"}, {"sec_fetch_site": "cross-site"}]:
        for path in ["/pricing", "/sign-in", "/usage", "/sign-out"]:
            it.ask(path, method="POST", body=f"key={key}", content_type=FORM, **site)
    answer = it.ask("/sign-in", method="POST", body=f"key={key}", content_type=FORM, x_forwarded_proto="https")
    secure = answer.headers["set-cookie"].split(";")[0]
    answer = it.ask("/sign-in", method="POST", body=f"key={key}", content_type=FORM)
    cookie = answer.headers["set-cookie"].split(";")[0]
    it.ask("/usage", cookie=secure, x_forwarded_proto="https")
    it.ask("/api/v1/plans/usage", cookie=cookie)
    for value in [cookie, "session=nope", "session=fis_" + "a" * 32, f"a=b; {cookie}; c", f"{cookie}; session=fis_{'b' * 32}"]:
        it.ask("/", cookie=value)
        it.ask("/usage", cookie=value, accept_language="pt")
    it.ask("/sign-out?lang=pt", method="POST", body="", content_type=FORM, cookie=cookie)
    it.ask("/usage", cookie=cookie)
    it.ask("/sign-out", method="POST", body="", content_type=FORM)


def agents(it):
    """Messages of the protocol for agents."""

    def say(method, params, plan="platinum", **headers):
        message = {"jsonrpc": "2.0", "id": 1, "method": method} | ({"params": params} if params is not None else {})
        it.ask("/mcp", plan, "POST", json.dumps(message), **{"content_type": JSON, **headers})

    for name, arguments in tables.TOOLS.items():
        for plan in [None, "free", "platinum"]:
            say("tools/call", {"name": name, "arguments": arguments}, plan)
    for name, arguments in tables.BAD_CALLS:
        say("tools/call", {"name": name, "arguments": arguments})
    for method, params in tables.MESSAGES:
        say(method, params, None)
        say(method, params, None, mcp_protocol_version="2026-07-28", mcp_method=method)
        say(method, params, None, mcp_protocol_version="2025-06-18")
    call = {"name": "get_business_day", "arguments": {"date": "2026-11-20"}, "_meta": tables.META}
    for name in ["get_business_day", "nope"]:
        say("tools/call", call, mcp_protocol_version="2026-07-28", mcp_method="tools/call", mcp_name=name)
    for headers in [{"origin": "http://evil.example"}, {"origin": "http://localhost:3"}, {"accept": "text/html"},
                    {"accept": f"{JSON}, text/event-stream"}, {"content_type": "text/plain"}, {"accept_encoding": "gzip"},
                    {"x_api_key": "nope"}]:  # fmt: skip
        say("tools/list", None, None, **headers)
        say("tools/call", {"name": "get_market_overview"}, None, **headers)
    for body in tables.BARE_MESSAGES:
        it.ask("/mcp", None, "POST", body, content_type=JSON)
    for method in ["GET", "DELETE", "OPTIONS"]:
        it.ask("/mcp", method=method, accept="text/event-stream")
    it.ask("/mcp?x=1", None, "POST", "{}", content_type=JSON)


def hooks(it):
    """Webhooks that are refused, kept and removed; none is called."""
    made = []
    for plan in [None, *PLANS[:-1]]:
        it.ask("/api/v1/webhooks", plan, "POST", json.dumps(tables.HOOK), content_type=JSON)
    key = it.keys["platinum"].pop()
    for wanted in tables.HOOKS + [tables.HOOK] * 9:
        answer = it.ask("/api/v1/webhooks", None, "POST", json.dumps(wanted), content_type=JSON, x_api_key=key)
        made += [answer.json()["id"]] if answer.status == 201 else []
    it.ask("/api/v1/webhooks", None, "POST", json.dumps(tables.HOOK), content_type="text/plain", x_api_key=key)
    it.ask("/api/v1/webhooks", x_api_key=key)
    it.ask("/usage", None, "POST", f"key={key}", content_type=FORM)
    for method, end in [("GET", ""), ("GET", "/deliveries"), ("GET", "/deliveries?limit=0"), ("POST", "/deliveries/dlv_9/replay"),
                        ("POST", "/deliveries/x/replay"), ("PUT", ""), ("OPTIONS", ""), ("GET", "/test"), ("HEAD", "")]:  # fmt: skip
        it.ask(f"/api/v1/webhooks/{made[0]}{end}", None, method, x_api_key=key)
        it.ask(f"/api/v1/webhooks/{made[0]}{end}", "platinum", method)
    it.ask("/api/v1/webhooks/nope/test", None, "POST", x_api_key=key)
    for identity in [*made, made[0]]:
        it.ask(f"/api/v1/webhooks/{identity}", None, "DELETE", x_api_key=key)


def bytes_as_they_are(it):
    """Requests that no HTTP library sends."""
    key = it.keys["platinum"].pop().encode()
    for name, request in tables.RAW.items():
        it.exchange(name, request.replace(b"KEY", key), half_close=name.endswith("breaks off"))


def operators(it):
    """What a server says to its operator; the figures themselves differ."""
    for path in ["/live", "/ready", "/metrics", "/nope"]:
        request = f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode()
        it.exchange(f"operator GET {path}", request, address=it.server.admin)
    it.exchange("operator POST /live", b"POST /live HTTP/1.1\r\nHost: a\r\n\r\n", address=it.server.admin)


def below(it):
    """A server below a path, behind a proxy, whose operator says where to ask for more."""
    for target in tables.BELOW:
        it.ask(target, accept=BROWSER, x_forwarded_for="203.0.113.7, 198.51.100.9", x_forwarded_proto="https")
        it.ask(target, "platinum")
    for target in ["/data/market", "/data/api/v1/market/selic", "/data", "/data/nope"]:
        it.ask(target, method="OPTIONS")
        it.ask(target, method="HEAD")
    answer = it.ask("/data/api/v1/market/cdi?limit=1", "gold")
    it.ask("/api/v1/market/cdi?limit=1", "gold", if_none_match=answer.headers["etag"])
    for path in ["/data/sign-in?next=/usage", "/sign-in", "/data/sign-out"]:
        for proto in ["http", "https"]:
            body = f"key={it.keys['free'][-1]}"
            it.ask(path, None, "POST", body, content_type=FORM, x_forwarded_proto=proto)
    message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "search", "arguments": {"q": "vale"}}})
    for plan in [None, "gold"]:
        it.ask("/data/mcp", plan, "POST", message, content_type=JSON)


def published(it, receiver, publish):
    """Webhooks that are called, and what an import of new data gives to those who ask for changes."""
    key, kinds = it.keys["platinum"].pop(), ["rate.published", "fx.published", "company.updated", "filing.published"]
    before = it.ask("/api/v1/events", x_api_key=key).json()["next"]
    made = {}
    for path in receiver.statuses:
        wanted = json.dumps({"url": receiver.url + path, "events": kinds})
        answer = it.ask("/api/v1/webhooks", None, "POST", wanted, content_type=JSON, x_api_key=key)
        made[path] = "/api/v1/webhooks/" + answer.json()["id"]
        it.ask(made[path] + "/test", None, "POST", x_api_key=key)
        it.wait(made[path] + "/deliveries", key, lambda answer: answer.status == 404 or answer.json()["data"][0]["attempts"])
        it.ask(made[path] + "/deliveries", x_api_key=key)
        it.ask(made[path], x_api_key=key)
    it.ask("/usage", None, "POST", f"key={key}", content_type=FORM)
    it.ask("/usage", None, "POST", f"key={key}", content_type=FORM, accept_language="pt")
    it.ask(made["/right"] + "/deliveries/dlv_1/replay", None, "POST", x_api_key=key)
    for path in list(receiver.statuses)[1:]:
        it.ask(made[path], None, "DELETE", x_api_key=key)
    publish()
    since = f"/api/v1/events?since={before}"
    it.wait(since, key, lambda answer: answer.json()["data"])
    count = len(it.ask(since, x_api_key=key).json()["data"])
    for target in [f"{since}&limit=1", "/api/v1/events"]:
        it.ask(target, x_api_key=key)
    it.ask("/api/v1/events", x_api_key=key, accept="text/event-stream", last_event_id=before, until=b"433")
    for dataset in ["ipca", "series", "companies", "filings"]:
        for query in ["since=1", "since=1&format=csv", "since=1&format=csv&dialect=br", "since=1&format=parquet"]:
            it.ask(f"/api/v1/export/{dataset}?{query}", x_api_key=key)
    for target in ["/api/v1/market/ipca?limit=2", "/api/v1/companies/9512", "/api/v1/filings?limit=2", "/api/v1/status",
                   "/api/v1/market/ipca/current", "/api/v1/export", "/", "/market/ipca", "/companies/9512"]:  # fmt: skip
        it.ask(target, x_api_key=key)
    for query in tables.HOLLOW:
        it.ask(f"/api/v1/calc/accumulated?{query}", x_api_key=key)
        it.ask(f"/calc/accumulated?{query}", x_api_key=key, accept=BROWSER, accept_language="pt")
    # The test, the replay, and the events.
    return receiver.calls_of("/right", 2 + count)
