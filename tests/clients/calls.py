"""Calls a running server with both generated Python clients: calls.py ADDRESS GOLD_KEY PLATINUM_KEY

Prints a line for each check, `ok` or `FAIL` in front; tests/clients.sh counts them.
"""

import datetime
import sys
from typing import Any, Callable

import finserve_client
import finserve_httpx
import finserve_httpx.models as models
from finserve_httpx.api.companies import get_company, list_company_filings, search_companies
from finserve_httpx.api.export import export_dataset, list_exports
from finserve_httpx.api.filings import list_filing_categories, list_filings, search_filings
from finserve_httpx.api.market import (
    get_current_selic,
    get_fx_history,
    get_overview,
    get_selic_history,
    list_fx_pairs,
)
from finserve_httpx.api.plans import get_usage, list_plans, register_key
from finserve_httpx.api.search import search_all, suggest
from finserve_httpx.api.service import get_health, get_status
from finserve_httpx.api.webhooks import create_webhook, delete_webhook, list_webhooks

ADDRESS, GOLD, PLATINUM = sys.argv[1:]
# Nobody listens there.
NOBODY = "https://127.0.0.1:9/"
OLD = datetime.date(2020, 1, 2)


def check(name: str, run: Callable[[], None]) -> None:
    try:
        run()
    except Exception as wrong:  # whatever a client raises is a finding
        lines = f"{type(wrong).__name__}: {wrong}".strip().replace("\n", "\n     ")
        print(f"FAIL {name}\n     {lines}")
    else:
        print(f"ok   {name}")


def same(found: Any, wanted: Any) -> None:
    assert found == wanted, f"{found!r} is not {wanted!r}"


def of_type(value: Any, kind: type) -> Any:
    assert isinstance(value, kind), f"{value!r} is not a {kind.__name__}"
    return value


class Checks:
    """What both clients must do. What they return has the same attributes; how they are called differs."""

    name: str

    def call(self, operation: str, key: str | None = None, **arguments: Any) -> tuple[Any, dict[str, str]]:
        """The answer and its headers."""
        raise NotImplementedError

    def refusal(self, operation: str, status: int, **arguments: Any) -> Any:
        """The typed error of a call that is refused with this status."""
        raise NotImplementedError

    def relevance(self) -> Any:
        """The order of a search; one of the clients has a type for it."""
        raise NotImplementedError

    def registration(self) -> Any:
        raise NotImplementedError

    def subscription(self) -> Any:
        raise NotImplementedError

    def run(self) -> None:
        names = "health", "status", "market", "lists", "plans", "keys", "companies", "searches", "exports", "webhooks"
        for name in (*names, "errors"):
            check(f"calls by {self.name}: {name}", getattr(self, name))

    def health(self) -> None:
        health, _ = self.call("get_health")
        same(health.status, "ok")

    def status(self) -> None:
        status, _ = self.call("get_status")
        same((status.stale, status.data[0].dataset), (True, "selic"))
        same(status.total, len(status.data))

    def market(self) -> None:
        overview, _ = self.call("get_overview")
        same(overview.fx.pair, "USD/BRL")
        same(overview.meta.indicators.selic.source, "BCB SGS 432")
        current, headers = self.call("get_current_selic")
        same(day(current), day(overview.selic))
        same(current.meta.licence, "ODbL-1.0")
        same(headers["x-plan"], "free")

    def lists(self) -> None:
        history, headers = self.call("get_selic_history", limit=3, offset=1)
        same((len(history.data), history.limit, history.offset), (3, 3, 1))
        assert history.total > 300, history.total
        same(history.meta.unit, "percent per year")
        assert 'rel="next"' in headers["link"], headers["link"]
        pairs, _ = self.call("list_fx_pairs")
        dollar = next(pair for pair in pairs.data if pair.pair == "USD/BRL")
        assert dollar.days > 6000, dollar.days
        quotes, _ = self.call("get_fx_history", pair="eur-brl", limit=1)
        same(quotes.data[0].pair, "EUR/BRL")

    def plans(self) -> None:
        answer, _ = self.call("list_plans")
        same([plan.id.value for plan in answer.plans], ["free", "bronze", "gold", "platinum"])
        same(answer.plans[2].rate_limit, 500)

    def keys(self) -> None:
        registered = self.registration()
        same(registered.plan.value, "free")
        # A running server knows a new key within a second; its own ones at once.
        usage, headers = self.call("get_usage", key=registered.api_key)
        same(usage.total.requests, 0)
        same(headers["x-plan"], "free")

    def companies(self) -> None:
        found, _ = self.call("search_companies", key=GOLD, q="petrobras", limit=1)
        same((len(found.data), found.data[0].id), (1, "9512"))
        company, headers = self.call("get_company", key=GOLD, id="9512")
        same((company.cnpj, company.cancelled_on), ("33.000.167/0001-01", None))
        same(company.meta.source, "CVM, cadastro de companhias abertas")
        same(headers["x-plan"], "gold")
        filings, _ = self.call("list_company_filings", key=GOLD, id="9512", limit=2)
        same([filing.company_id for filing in filings.data], ["9512", "9512"])
        filings, headers = self.call("list_filings", key=GOLD, category="fato relevante", limit=2)
        same(filings.data[0].category, "Fato Relevante")
        same(filings.meta.source, "CVM, documentos de companhias abertas")
        assert 'rel="last"' in headers["link"], headers["link"]
        both, _ = self.call("search_all", key=GOLD, q="petrobras", limit=1)
        same((len(both.companies), len(both.filings)), (1, 1))

    def searches(self) -> None:
        found, _ = self.call("search_filings", key=GOLD, q="petrobras", order=self.relevance(), limit=1)
        same((len(found.data), found.data[0].company_id), (1, "9512"))
        assert not found.meta.fuzzy, found.meta
        near, _ = self.call("search_filings", key=GOLD, q="petrobas", company="PETR4.SA", category="assembleia")
        same((near.meta.fuzzy, near.data[0].category), (True, "Assembleia"))
        listed, headers = self.call("list_filing_categories", key=GOLD, limit=2)
        assert listed.data[0].filings >= listed.data[1].filings > 0, listed.data
        assert 'rel="next"' in headers["link"], headers["link"]
        typed, _ = self.call("suggest", key=GOLD, q="petr4", limit=5)
        same([(kind(one), one.company_id) for one in typed.data], [("ticker", "9512"), ("company", "9512")])
        same(typed.data[1].tickers, ["PETR3", "PETR4"])

    def exports(self) -> None:
        listed, _ = self.call("list_exports", key=GOLD)
        ipca = next(one for one in listed.data if one.dataset == "ipca")
        rows, headers = self.call("export_dataset", key=GOLD, dataset="ipca")
        # One of the clients takes a file for text, the other for bytes.
        lines = rows.splitlines()
        same((len(lines), headers["x-total-count"]), (ipca.rows, str(ipca.rows)))
        same(headers["x-data-version"], str(listed.data_version))

    def webhooks(self) -> None:
        created = self.subscription()
        assert created.secret.startswith("whsec_"), created.secret
        listed, _ = self.call("list_webhooks", key=PLATINUM)
        same([(one.id, one.company, one.reason) for one in listed.data], [(created.id, "9512", None)])
        self.call("delete_webhook", key=PLATINUM, id=created.id)
        same(self.call("list_webhooks", key=PLATINUM)[0].total, 0)

    def errors(self) -> None:
        refused = self.refusal("get_selic_history", 403, old=True)
        same((refused.error, refused.required_plan.value), ("plan_required", "gold"))
        same((refused.feature, refused.current_plan.value), ("historical_data", "free"))
        wrong = self.refusal("get_fx_history", 400, pair="reais")
        same(wrong.error, "bad_request")
        assert "pair" in wrong.message, wrong.message
        missing = self.refusal("get_company", 404, key=GOLD, id="999999")
        same(missing.error, "not_found")
        same(self.refusal("get_usage", 401, key="fin_x").error, "invalid_api_key")


def day(rate: Any) -> Any:
    """The day of an observation; a client may name the field otherwise, because of the type of that name."""
    return rate.var_date if hasattr(rate, "var_date") else rate.date


def kind(suggestion: Any) -> Any:
    """The type of a suggestion, likewise."""
    return suggestion.type_ if hasattr(suggestion, "type_") else suggestion.type


class Generator(Checks):
    """The client of openapi-generator, which raises what is refused."""

    name = "openapi-generator"
    groups = {
        **dict.fromkeys(("get_health", "get_status"), finserve_client.ServiceApi),
        **dict.fromkeys(("search_all", "suggest"), finserve_client.SearchApi),
        **dict.fromkeys(("list_filings", "search_filings", "list_filing_categories"), finserve_client.FilingsApi),
        **dict.fromkeys(("list_exports", "export_dataset"), finserve_client.ExportApi),
        **dict.fromkeys(("create_webhook", "list_webhooks", "delete_webhook"), finserve_client.WebhooksApi),
        **dict.fromkeys(("list_plans", "register_key", "get_usage"), finserve_client.PlansApi),
        **dict.fromkeys(("search_companies", "get_company", "list_company_filings"), finserve_client.CompaniesApi),
    }

    def call(self, operation: str, key: str | None = None, **arguments: Any) -> tuple[Any, dict[str, str]]:
        settings = finserve_client.Configuration(host=ADDRESS, api_key={"ApiKey": key} if key else None)
        with finserve_client.ApiClient(settings) as client:
            api = self.groups.get(operation, finserve_client.MarketApi)(client)
            answer = getattr(api, operation + "_with_http_info")(**arguments)
        return answer.data, {name.lower(): value for name, value in answer.headers.items()}

    def refusal(self, operation: str, status: int, old: bool = False, **arguments: Any) -> Any:
        if old:
            arguments["var_from"] = OLD
        try:
            self.call(operation, **arguments)
        except finserve_client.ApiException as refused:
            same(refused.status, status)
            return of_type(refused.data, finserve_client.Error)
        raise AssertionError(f"{operation} is not refused")

    def relevance(self) -> Any:
        return "relevance"

    def registration(self) -> Any:
        who = finserve_client.RegisterRequest(name="Ana", email="ana@example.com")
        return self.call("register_key", register_request=who)[0]

    def subscription(self) -> Any:
        events = [finserve_client.EventType("filing.published")]
        wanted = finserve_client.WebhookRequest(url=NOBODY, events=events, company="PETR4")
        return self.call("create_webhook", key=PLATINUM, webhook_request=wanted)[0]


class Httpx(Checks):
    """The client of openapi-python-client, which returns what is refused."""

    name = "openapi-python-client"
    operations = {
        "get_health": (get_health, models.Health),
        "get_status": (get_status, models.Status),
        "get_overview": (get_overview, models.Overview),
        "get_current_selic": (get_current_selic, models.CurrentRate),
        "get_selic_history": (get_selic_history, models.RateList),
        "get_fx_history": (get_fx_history, models.FxRateList),
        "list_fx_pairs": (list_fx_pairs, models.FxPairList),
        "list_plans": (list_plans, models.PlanList),
        "register_key": (register_key, models.RegisteredKey),
        "get_usage": (get_usage, models.Usage),
        "search_companies": (search_companies, models.CompanyList),
        "get_company": (get_company, models.CompanyDetail),
        "list_company_filings": (list_company_filings, models.FilingList),
        "list_filings": (list_filings, models.FilingList),
        "search_filings": (search_filings, models.FilingList),
        "list_filing_categories": (list_filing_categories, models.FilingCategoryList),
        "search_all": (search_all, models.SearchResult),
        "suggest": (suggest, models.Suggestions),
        "list_exports": (list_exports, models.ExportList),
        "export_dataset": (export_dataset, str),
        "create_webhook": (create_webhook, models.CreatedWebhook),
        "list_webhooks": (list_webhooks, models.WebhookList),
        "delete_webhook": (delete_webhook, type(None)),
    }

    def send(self, operation: str, key: str | None, arguments: dict[str, Any]) -> Any:
        client: Any = finserve_httpx.Client(base_url=ADDRESS)
        if key:
            client = finserve_httpx.AuthenticatedClient(base_url=ADDRESS, token=key)
        with client:
            return self.operations[operation][0].sync_detailed(client=client, **arguments)

    def call(self, operation: str, key: str | None = None, **arguments: Any) -> tuple[Any, dict[str, str]]:
        reply = self.send(operation, key, arguments)
        return of_type(reply.parsed, self.operations[operation][1]), reply.headers

    def refusal(
        self, operation: str, status: int, key: str | None = None, old: bool = False, **arguments: Any
    ) -> Any:
        if old:
            arguments["from_"] = OLD
        reply = self.send(operation, key, arguments)
        same(reply.status_code, status)
        return of_type(reply.parsed, models.Error)

    def relevance(self) -> Any:
        return models.SearchFilingsOrder.RELEVANCE

    def registration(self) -> Any:
        return self.call("register_key", body=models.RegisterRequest(name="Ana", email="ana@example.com"))[0]

    def subscription(self) -> Any:
        events = [models.EventType("filing.published")]
        wanted = models.WebhookRequest(url=NOBODY, events=events, company="PETR4")
        return self.call("create_webhook", key=PLATINUM, body=wanted)[0]


# The document that a server serves names that server, so that a client of it needs no address.
check("calls by openapi-generator: address", lambda: same(finserve_client.Configuration().host, ADDRESS))
Generator().run()
Httpx().run()
