"""What requests may look like, and what answers tell."""

import contextlib
import pathlib
import time
import urllib.parse

import trial
from trial import CURRENT

HERE = pathlib.Path(__file__).resolve().parent


def cross_site_form(case):
    """A form of another site that posts to /pricing gets no key; pages carry no CORS."""
    with case.server() as server:
        own = f"http://127.0.0.1:{server.address[1]}"
        before = keys_of(case, server)
        foreign = [
            {"Origin": "https://evil.example"},
            {"Origin": "null"},
            {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"},
            {"Sec-Fetch-Site": "cross-site"},
            {"Referer": "https://evil.example/form"},
            {"Origin": f"http://127.0.0.1.evil.example:{server.address[1]}"},
        ]
        for headers in foreign:
            answer = post(server, "/pricing", headers)
            right = answer.status == 403 and b"fin_" not in answer.body
            case.want(right, f"{headers}: {answer.status}, CORS {answer.headers.get('access-control-allow-origin')}")
        case.want(keys_of(case, server) == before, "no key was made for another site")
        for headers in [
            {"Origin": own},
            {"Origin": own, "Sec-Fetch-Site": "same-origin"},
            {"Referer": f"{own}/pricing"},
            {},
        ]:
            answer = post(server, "/pricing", headers)
            case.want(answer.status in (200, 201) and b"fin_" in answer.body, f"{headers}: {answer.status}")
        answer = post(server, "/usage", {"Origin": "https://evil.example"}, key=case.keys[0])
        case.want(answer.status == 403, f"/usage from another site: {answer.status}")
        for path in ["/", "/pricing", "/usage", "/docs"]:
            told = [
                trial.ask(server.address, path, method, headers={"Origin": "https://evil.example"}).headers
                for method in ("GET", "OPTIONS")
            ]
            allowed = [headers.get("access-control-allow-origin") for headers in told]
            case.want(allowed == [None, None], f"{path}: CORS by GET and OPTIONS {allowed}")
        allowed = trial.ask(server.address, CURRENT).headers.get("access-control-allow-origin")
        case.want(allowed == "*", f"{CURRENT}: CORS {allowed}")


def post(server, path, headers, **fields):
    fields = fields or {"name": "Ana", "email": "ana@example.com"}
    headers = {"Content-Type": "application/x-www-form-urlencoded", **headers}
    return trial.ask(server.address, path, "POST", headers, urllib.parse.urlencode(fields))


def keys_of(case, server):
    """How many keys there are."""
    return trial.run(case.program, server.data, "keys", "list", "--json").stdout.count('"prefix"')


def http_1_0_without_host(case):
    """HTTP/1.0 without `Host` is answered; HTTP/1.1 without it is not."""
    with case.server() as server:
        for path in ["/health", CURRENT, "/", "/pricing", "/docs/openapi.yaml", "/api/v1/market/selic?limit=2"]:
            answer = trial.exchange(server.address, f"GET {path} HTTP/1.0\r\n\r\n".encode())
            case.want(
                answer.status == 200 and answer.body, f"HTTP/1.0 {path}: {answer.status}, {len(answer.body)} bytes"
            )
        answer = trial.exchange(server.address, b"GET /health HTTP/1.1\r\n\r\n")
        case.want(answer.status == 400, f"HTTP/1.1 without Host: {answer.status}")


def wrong_key_everywhere(case):
    """A wrong key is judged and charged the same way on a 404, a 405 and elsewhere; OPTIONS tells nothing of it."""
    wrong, good = "fin_" + "A" * 38, case.keys[0]
    with case.server() as server:
        paths = [
            ("GET", CURRENT), ("GET", "/nothing"), ("GET", "/api/v1/nothing"), ("GET", "/api/v1/companies/search/x/y"),
            ("DELETE", CURRENT), ("POST", "/health"), ("PUT", "/api/v1/plans/register"), ("HEAD", "/nothing"),
        ]  # fmt: skip
        left = []
        for method, path in paths:
            answer = trial.ask(server.address, path, method, {"X-API-Key": wrong})
            left.append(int(answer.headers.get("x-ratelimit-remaining", -1)))
            told = answer.headers.get("x-plan")
            case.want(
                answer.status == 401 and told == "free",
                f"{method} {path}: {answer.status}, X-Plan {told}, {left[-1]} left",
            )
        case.want(left == list(range(left[0], left[0] - len(left), -1)), f"each is charged to the address: {left}")
        for path in [CURRENT, "/nothing", "/pricing", "*"]:
            told = []
            for key in (None, wrong, good):
                headers = {"Origin": "https://a.example", "Access-Control-Request-Method": "GET"}
                headers |= {"X-API-Key": key} if key else {}
                answer = trial.ask(server.address, path, "OPTIONS", headers)
                names = ("x-plan", "x-ratelimit-limit", "x-ratelimit-remaining")
                told.append((answer.status, *(answer.headers.get(name) for name in names)))
            case.want(len(set(told)) == 1, f"OPTIONS {path} without, with a wrong and with a good key: {told}")
        good_404 = trial.ask(server.address, "/nothing", headers={"X-API-Key": good}).status
        case.want(good_404 == 404, f"a good key on an unknown path: {good_404}")


def slow_body(case):
    """A body that comes too slowly is answered with 408."""
    with case.server() as server:
        head = f"POST {trial.REGISTER} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n"
        with contextlib.closing(trial.connect(server.address, timeout=1)) as client:
            client.sendall(head.encode())
            began, got = time.monotonic(), b""
            while time.monotonic() - began < 60 and not got:
                with contextlib.suppress(OSError):
                    client.send(b" ")
                with contextlib.suppress(TimeoutError, ConnectionError):
                    got = client.recv(65536)
        first = got.split(b"\r\n")[0].decode()
        case.want(" 408 " in first, f"after {time.monotonic() - began:.0f} s: {first!r} {got[-150:]!r}")


def long_targets_and_many_headers(case):
    """A target over 8 KiB is answered with 414, over 64 header fields with 431."""

    def said(server, request):
        answer = trial.exchange(server.address, request)
        problem = answer.json()
        return answer, f"{answer.status} {problem.get('error')}"

    with case.server() as server:
        for length in (8_100, 8_300, 12_000, 17_000, 30_000):
            target = f"/health?a={'a' * (length - 10)}"
            answer, told = said(server, f"GET {target} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
            wanted = 400 if length <= 8192 else 414
            case.want(answer.status == wanted, f"a target of {len(target)} bytes: {told}")
            case.want(answer.json().get("message"), f"a target of {len(target)} bytes: {answer.body[:80]!r}")
        answer, told = said(server, f"GET /health?a={'a' * 64_000} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
        case.want(answer.status == 431, f"a head that is longer than 32 KiB: {told}")
        for count in (64, 65, 100, 128, 300, 1000):
            fields = "".join(f"X-{turn}: a\r\n" for turn in range(count - 1))
            answer, told = said(server, f"GET /health HTTP/1.1\r\nHost: a\r\n{fields}\r\n".encode())
            case.want(answer.status == (200 if count <= 64 else 431), f"{count} header fields: {told}")
        for length in (10_000, 20_000, 100_000):
            answer, told = said(server, f"GET /health HTTP/1.1\r\nHost: a\r\nX-A: {'a' * length}\r\n\r\n".encode())
            case.want(answer.status in (200, 431), f"a header of {length} bytes: {told}")


def csp_of_docs(case):
    """The policy of /docs has no `unsafe-inline`, or DESIGN.md says why."""
    with case.server() as server:
        policy = trial.ask(server.address, "/docs").headers.get("content-security-policy", "")
        reason = "unsafe-inline" in (HERE.parents[1] / "DESIGN.md").read_text()
        has = "unsafe-inline" in policy
        case.want(policy and (not has or reason), f"unsafe-inline: {has}, a reason in DESIGN.md: {reason}; {policy}")
        others = [
            trial.ask(server.address, path).headers.get("content-security-policy", "") for path in ("/", "/pricing")
        ]
        case.want(all(others) and not any("unsafe" in one for one in others), "other pages have a policy without it")


ROWS = {
    "cross_site_form": cross_site_form,
    "http_1_0_without_host": http_1_0_without_host,
    "wrong_key_everywhere": wrong_key_everywhere,
    "slow_body": slow_body,
    "long_targets_and_many_headers": long_targets_and_many_headers,
    "csp_of_docs": csp_of_docs,
}
