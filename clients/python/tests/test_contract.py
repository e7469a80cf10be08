"""The client has what openapi.yaml has: every endpoint of data, every parameter, every choice of a value."""

import inspect
import re
from typing import get_args
from urllib.parse import parse_qsl, urlsplit

import pytest
from real_server import ROOT

from finserve import Client, _arguments
from finserve._surface import Answer, Tabular
from finserve._wire import Send

yaml = pytest.importorskip("yaml")

# Not for readers of data: the operator's probe, registration of keys, links for what cannot send headers, and what
# needs a server of one's own.
LEFT_OUT = re.compile(r"/health|/api/v1/plans/register|/api/v1/webhooks.*|/api/v1/links.*")
# Reached by another endpoint with the same rows.
SAME_AS = {
    "/api/v1/market/selic": "/api/v1/market/series/{series}",
    "/api/v1/market/cdi": "/api/v1/market/series/{series}",
    "/api/v1/market/ipca": "/api/v1/market/series/{series}",
    "/api/v1/market/selic/current": "/api/v1/market/series/{series}/current",
    "/api/v1/market/cdi/current": "/api/v1/market/series/{series}/current",
    "/api/v1/market/ipca/current": "/api/v1/market/series/{series}/current",
    "/api/v1/companies/{id}/filings": "/api/v1/filings",
}
# The client pages by itself, and asks for JSON: tables and single values are made of that.
OWN_CARE = {"offset", "format", "dialect", "layout", "field", "decimal"}

TRANSFORMED = {
    "frequency": "month", "aggregate": "mean", "units": "change", "base": "2024", "only": "changes", "partial": True,
    "as_of": "2026-11-01",
}  # fmt: skip
DAYS = {"start": "2024", "end": "2025"}
STATEMENT = {"period": "ttm", "scope": "consolidated", "restated": True, "depth": 2, "as_of": "2026-11-01"}
# Every argument of every method at least once.
CALLS = [
    ("series", ("ipca",), {**DAYS, **TRANSFORMED, "first_release": True, "limit": 1}),
    ("series", (["ipca", "cdi"],), {**DAYS, **TRANSFORMED, "first_release": True, "limit": 1}),
    ("current", ("ipca",), {"as_of": "2026-11-01"}),
    ("overview", (), {"as_of": "2026-11-01"}),
    ("summary", ("ipca",), {**DAYS, "as_of": "2026-11-01"}),
    ("revisions", ("ipca",), {**DAYS, "limit": 1}),
    ("decisions", (), {**DAYS, "limit": 1}),
    ("fx", ("EUR/BRL",), {**DAYS, **TRANSFORMED, "side": "buy", "first_release": True, "limit": 1}),
    ("current_fx", ("EUR/BRL",), {"as_of": "2026-11-01"}),
    ("pairs", (), {"limit": 1}),
    ("list_series", ("dollar",), {"limit": 1}),
    ("correct", (1, "ipca", "2020", "2021"),
     {"months": "contract", "percent": 110, "spread": 2, "steps": True, "as_of": "2026-11-01"}),
    ("accumulate", ("ipca", "2020", "2021"), {"months": "contract", "steps": True, "as_of": "2026-11-01"}),
    ("convert", (1, "EUR", "USD"), {"date": "2026-02-10", "side": "buy", "as_of": "2026-11-01"}),
    ("real_rate", ("2020", "2021"),
     {"interest": "cdi", "inflation": "igpm", "percent": 110, "steps": True, "as_of": "2026-11-01"}),
    ("rate", ("13.75", "year252", "month"), {}),
    ("calendar", ("2026-11-20",), {}),
    ("business_days", ("2026", "2026"), {}),
    ("companies", (), {"status": "ativo", "sector": "bancos", "listed": True, "limit": 1}),
    ("companies", ("magalu",), {"status": "ativo", "sector": "bancos", "listed": True, "limit": 1}),
    ("company", ("PETR4",), {}),
    ("sectors", (), {"limit": 1}),
    ("filings", (), {**DAYS, "company": "VALE3", "category": "Fato Relevante", "type": "x", "limit": 1}),
    ("filings", ("jcp",),
     {**DAYS, "company": "VALE3", "category": "x", "type": "x", "order": "relevance", "limit": 1}),
    ("recent_filings", (), {"limit": 1}),
    ("filing", ("dfp-1",), {}),
    ("filing_categories", (), {"limit": 1}),
    ("search", ("petro",), {"limit": 1, "offset": 1}),
    ("suggest", ("petr",), {"limit": 1}),
    ("statement_forms", ("PETR4",), {**DAYS, "limit": 1}),
    ("statements", ("PETR4", "income"), {**DAYS, **STATEMENT, "limit": 1}),
    ("accounts", ("PETR4", "income"), {**DAYS, **STATEMENT, "limit": 1}),
    ("financials", ("PETR4",), {**DAYS, "period": "ttm", "scope": "individual", "sources": True, "limit": 1}),
    ("screen", (["roe"],), {"period": "ttm", "year": 2024, "sector": "bancos", "order": "-roe", "limit": 1}),
    ("datasets", (), {}),
    ("export", ("ipca",), {**DAYS, **TRANSFORMED, "format": "ndjson"}),
    ("download", ("ipca", "ipca.csv"), {**DAYS, **TRANSFORMED, "format": "csv", "dialect": "br", "since": 1}),
    ("status", (), {}),
    ("plans", (), {}),
    ("usage", (), DAYS),
    ("events", (), {"since": "evt_x", "limit": 1}),
]  # fmt: skip


@pytest.fixture(scope="module")
def document():
    return yaml.safe_load((ROOT / "openapi.yaml").read_text())


@pytest.fixture(scope="module")
def endpoints(document):
    """The endpoints of data, each with its parameters and their choices."""
    found = {}
    for path, item in document["paths"].items():
        if "get" in item and not LEFT_OUT.fullmatch(path):
            parameters = [resolved(document, one) for one in item["get"].get("parameters", [])]
            query = [one for one in parameters if one["in"] == "query"]
            found[path] = {one["name"]: resolved(document, one["schema"]).get("enum") for one in query}
    return found


def resolved(document, node):
    while "$ref" in node:
        names = node["$ref"].removeprefix("#/").split("/")
        node = document
        for name in names:
            node = node[name]
    return node


def first_requests():
    """The path and the parameters of the requests that each call begins with; nothing is sent."""
    client = Client("http://localhost:9", tables="rows", cache=False)
    for name, arguments, named in CALLS:
        plan = getattr(Client, name).plan(client, *arguments, **named)
        step = next(plan)
        if "/status" in step.request.url and name == "export":
            # It asks for the source first.
            from finserve._wire import Reply

            step = plan.send(Reply(200, {}, b'{"data": []}'))
        plan.close()
        assert isinstance(step, Send)
        address = urlsplit(step.request.url)
        yield name, address.path, dict(parse_qsl(address.query))


def template_of(path, templates):
    """The path of the document that an address belongs to; fixed words before placeholders."""
    fits = [one for one in templates if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", one), path)]
    return min(fits, key=lambda one: one.count("{"), default=None)


def test_the_client_has_every_endpoint_and_parameter(endpoints, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sent = {path: set() for path in endpoints}
    for name, path, query in first_requests():
        template = template_of(path, endpoints)
        assert template, f"{name} asks for {path}, which openapi.yaml does not have"
        unknown = set(query) - set(endpoints[template])
        assert not unknown, f"{name} sends {unknown}, which {template} does not have"
        sent[template] |= {None, *query}
    missing = []
    for path, parameters in endpoints.items():
        reached = sent[SAME_AS.get(path, path)]
        if not reached:
            missing.append(path)
        missing += [f"{path}: {name}" for name in parameters if name not in reached | OWN_CARE]
    assert not missing, f"the client lacks: {missing}"


def test_every_argument_of_every_method_is_among_the_calls():
    given = {}
    for name, arguments, named in CALLS:
        signature = inspect.signature(getattr(Client, name).plan)
        bound = signature.bind(None, *arguments, **named)
        given.setdefault(name, set()).update(bound.arguments)
    methods = {name: one for name, one in vars_of(Client) if isinstance(one, Answer | Tabular)}
    assert set(methods) == set(given)
    for name, method in methods.items():
        assert set(inspect.signature(method.plan).parameters) == given[name], name


def vars_of(kind):
    return [(name, inspect.getattr_static(kind, name)) for name in dir(kind)]


def test_the_choices_of_arguments_are_those_of_the_api(document):
    choices = {tuple(get_args(value)) for name, value in vars(_arguments).items() if get_args(value)}
    known = {frozenset(map(str, one)) for one in choices}
    lacking = []
    for path, item in document["paths"].items():
        if "get" not in item or LEFT_OUT.fullmatch(path):
            continue
        for parameter in item["get"].get("parameters", []):
            parameter = resolved(document, parameter)
            values = resolved(document, parameter["schema"]).get("enum")
            # Flags are bool in Python, `only` has one value, and tables are made of JSON.
            plain = parameter["name"] in ("only", "layout", "decimal") or values in (["true", "false"], ["json", "csv"])
            if values and not plain and frozenset(values) not in known and parameter["name"] != "format":
                lacking.append(f"{path}: {parameter['name']} is one of {values}")
    assert not lacking


def test_the_version_is_that_of_the_server(document):
    from finserve import __version__

    assert __version__ == document["info"]["version"]
    assert f'version = "{__version__}"' in (ROOT / "clients/python/pyproject.toml").read_text()
