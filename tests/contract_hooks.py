"""What the contract test must know besides openapi.yaml: keys, addresses, and what is refused on purpose."""

import collections
import datetime
import itertools
import json
import os
import re
import urllib.request

import schemathesis

KEYS = open(os.environ["CONTRACT_KEYS"]).read().split()
TURNS = itertools.cycle(KEYS)
ADDRESSES = itertools.count(1)
SERVER = os.environ["CONTRACT_ADDRESS"]
WEBHOOKS = "/api/v1/webhooks"
# Small ones: what is tested is how they are asked for.
DATASETS = itertools.cycle(["ipca", "igp-m", "189"])
# A pattern cannot compute the check digits of a CNPJ.
# Calculators refuse what the data lacks: days that the series have.
CALCULATED = itertools.cycle(["ipca", "IGP-M", "cdi", "selic", "188", "cdi-monthly"])
PERIODS = itertools.cycle([("2024-01-15", "2024-03-01"), ("2025-03-04", None), ("2024-05-01", "2024-05-01")])
COMPARED = itertools.cycle(["ipca,igp-m", "selic", "CDI,433,usd-sell"])
CURRENCIES = itertools.cycle([("EUR", "USD"), ("usd", "BRL"), ("BRL", "JPY"), ("BRL", "BRL")])
RATES = itertools.cycle(["13.75", "-1.5", "0", "0.050788", "21"])
COMPANIES = itertools.cycle(["9512", "004170", "33.000.167/0001-01", "petr4", "VALE3.SA", "999999", "ZZZZ9"])


@schemathesis.auth(refresh_interval=None)
class Platinum:
    """A key that reaches everything; they take turns, so that none meets its limit."""

    def get(self, case, context):
        return next(TURNS)

    def set(self, case, data, context):
        case.headers["X-API-Key"] = data


@schemathesis.hook
def before_call(context, case, kwargs):
    # Every request from an address of its own: no limit by address hides what is tested.
    number = next(ADDRESSES)
    case.headers["X-Forwarded-For"] = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
    if case.meta is None or case.meta.generation.mode.is_positive:
        make_acceptable(case)
        OWNERS.choose(case)
    OWNERS.lend_key(case)


@schemathesis.hook
def after_call(context, case, response):
    if case.operation.path.startswith(WEBHOOKS):
        OWNERS.note(case, response)


def make_calculable(path, query):
    """A period and series that the data has."""
    if path == "/api/v1/calc/rate":
        # Large rates of short periods have factors that are too large.
        query["value"] = next(RATES)
        return
    if path == "/api/v1/calc/convert":
        query["from"], query["to"] = next(CURRENCIES)
        if "date" in query:
            query["date"] = "2026-02-08"
        return
    query["from"], to = next(PERIODS)
    query.pop("to", None)
    if to:
        query["to"] = to
    for name in ("index", "series"):
        if name in query:
            # Only months can be counted as contracts do.
            query[name] = "igpm" if query.get("months") == "contract" else next(CALCULATED)
    for name, fit in (("interest", "cdi"), ("inflation", "igpm")):
        if name in query:
            query[name] = fit


def make_transformable(query):
    """A transformation that fits every series, monthly ones and those that do not compound."""
    query.pop("base", None)
    if "frequency" not in query or query.get("units") == "index":
        query.pop("aggregate", None)
    if query.get("aggregate") in ("compound", "sum"):
        query["aggregate"] = "max"
    if query.get("frequency") == "week":
        query["frequency"] = "month"
    if query.get("units") == "accumulated_12m":
        query["units"] = "percent_year_ago"


def make_comparable(query):
    """Several series that there are, or the list of series without what only several series take."""
    if "ids" in query:
        query.pop("q", None)
        query["ids"] = next(COMPARED)
        return
    for name in ("from", "to", "frequency", "aggregate", "units", "base", "only", "partial", "as_of", "first_release"):
        query.pop(name, None)
    if query.get("format") == "parquet":
        query.pop("format")
    if str(query.get("limit", "")).isdigit():
        query["limit"] = min(int(query["limit"]), 1000)


def make_known(query):
    """Nothing was imported yet, so that only the past of today is known; first values have none."""
    if "as_of" in query:
        brasilia = datetime.timezone(datetime.timedelta(hours=-3))
        query["as_of"] = datetime.datetime.now(brasilia).date().isoformat()
        query.pop("first_release", None)


def make_one_value(path, query):
    """One value that every answer has, of one row; or nothing that goes with values only."""
    if query.get("format") != "value":
        for name in ("field", "decimal"):
            query.pop(name, None)
        return
    # A day of the calendar and a converted rate have no licence, but a usual figure.
    plain = path in ("/api/v1/calendar/{date}", "/api/v1/calc/rate")
    query.pop("field", None)
    if not plain:
        query["field"] = "meta.licence"
    single = re.compile(r"/api/v1/(calc|calendar)/.*|.*/(current|overview|summary)|.*/\{id\}")
    if not single.fullmatch(path):
        query["limit"] = 1
        query.pop("layout", None)


def make_acceptable(case):
    """What a schema cannot say, and the service refuses: which values go together, and which are known."""
    path, query, body = case.operation.path, case.query or {}, case.body
    # A dialect belongs to CSV alone.
    if query.get("format") != "csv":
        query.pop("dialect", None)
    make_one_value(path, query)
    if path == "/api/v1/export/{dataset}":
        case.path_parameters["dataset"] = next(DATASETS)
        # Changes are known from the first import on, up to the present version; they are not chosen by day.
        if "since" in query:
            query["since"] = VERSION
            for name in ("from", "to", "frequency", "aggregate", "units", "base", "only", "partial"):
                query.pop(name, None)
        make_transformable(query)
        if "since" in query or case.path_parameters["dataset"] == "filings":
            query.pop("as_of", None)
    make_known(query)
    if path.startswith("/api/v1/calc/"):
        make_calculable(path, query)
    if path.startswith("/api/v1/market/"):
        make_transformable(query)
    if path == "/api/v1/market/series":
        make_comparable(query)
    # Changes of equity begin with a balance, so that there are none of quarters.
    if (case.path_parameters or {}).get("kind") == "equity-changes" and query.get("period") in ("quarter", "ttm"):
        query["period"] = "ytd"
    if "company" in query:
        query["company"] = next(COMPANIES)
    # A cursor is what an answer gave.
    if path == "/api/v1/events":
        query.pop("since", None)
    # A link reads data.
    if path == "/api/v1/links" and isinstance(body, dict) and body.get("path") is not None:
        body["path"] = "/api/v1/market/cdi/current"
    # A webhook calls an address at which nobody listens; a filter must fit one of the events.
    if path == WEBHOOKS and isinstance(body, dict):
        body["url"] = "https://127.0.0.1:9/"
        fitting = {"company": "9512", "category": "Fato Relevante", "series": "selic"}
        given = [name for name in fitting if body.get(name) is not None]
        body.update((name, fitting[name]) for name in given)
        types = {"rate.published" if name == "series" else "filing.published" for name in given}
        body["events"] = sorted(types.union(body["events"]))


class Owners:
    """Which key has which webhooks, so that calls about one find it, and no key gets more than it may have."""

    def __init__(self):
        self.live = {}
        self.gone = set()
        self.deliveries = collections.defaultdict(list)

    def choose(self, case):
        """Puts a known webhook in place of a made-up one; one that an earlier call gave stays, even if it is gone."""
        asked = (case.path_parameters or {}).get("id")
        if not case.operation.path.startswith(WEBHOOKS + "/") or asked in self.live or asked in self.gone:
            return
        webhook = next(reversed(self.live), None)
        if webhook is None:
            return
        case.path_parameters["id"] = webhook
        if "delivery" in case.path_parameters:
            if not self.deliveries[webhook]:
                answer = request(f"{WEBHOOKS}/{webhook}/test", self.live[webhook], "POST")
                self.deliveries[webhook].append(json.loads(answer)["id"])
            case.path_parameters["delivery"] = self.deliveries[webhook][-1]

    def lend_key(self, case):
        """Webhooks are found by the key that has them, and created by one that has room."""
        asked = (case.path_parameters or {}).get("id")
        if asked in self.live:
            case.headers["X-API-Key"] = self.live[asked]
        elif (case.operation.path, case.method.upper()) == (WEBHOOKS, "POST"):
            case.headers["X-API-Key"] = self.key_with_room()

    def key_with_room(self):
        held = collections.Counter(self.live.values())
        key = min(KEYS, key=held.__getitem__)
        if held[key] >= 8:
            oldest = next(webhook for webhook, owner in self.live.items() if owner == key)
            request(f"{WEBHOOKS}/{oldest}", key, "DELETE")
            del self.live[oldest]
            self.gone.add(oldest)
        return key

    def note(self, case, response):
        if response.status_code == 201:
            self.live[response.json()["id"]] = response.request.headers["X-API-Key"]
        elif response.status_code == 202 and case.operation.path.endswith("/test"):
            self.deliveries[case.path_parameters["id"]].append(response.json()["id"])
        elif response.status_code == 204 and case.method.upper() == "DELETE":
            self.live.pop(case.path_parameters["id"], None)
            self.gone.add(case.path_parameters["id"])


def request(path, key, method="GET"):
    wanted = urllib.request.Request(SERVER + path, headers={"X-API-Key": key}, method=method)
    with urllib.request.urlopen(wanted, timeout=30) as answer:
        return answer.read()


OWNERS = Owners()
VERSION = json.loads(request("/api/v1/export", KEYS[0]))["data_version"]


@schemathesis.hook
def map_query(context, query):
    # A schema cannot say that one value is not above another; `from` after `to` is refused on purpose.
    days = [(query or {}).get(name) for name in ("from", "to")]
    if all(isinstance(day, str) for day in days) and days[0] > days[1]:
        query["from"], query["to"] = days[1], days[0]
    # Usage is reported up to today where no end is given, and a later beginning is refused likewise.
    if context.operation.path == "/api/v1/plans/usage" and isinstance(days[0], str) and days[1] is None:
        query["to"] = days[0]
    # Business days are listed from today where no beginning is given, and at most a hundred years of them.
    if context.operation.path == "/api/v1/calendar/business-days" and isinstance(days[1], str):
        query["from"] = query["to"]
    return query


@schemathesis.hook
def filter_query(context, query):
    # Nor can a pattern that every language reads say "a letter or digit of any alphabet", nor count words:
    # a search for punctuation alone, or for more than 32 words, is refused on purpose.
    q = (query or {}).get("q")
    return not isinstance(q, str) or 1 <= len(re.findall(r"[^\W_]+", q)) <= 32
