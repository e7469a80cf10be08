"""The objects of the API as typed, immutable Python objects.

Figures are `Decimal` with the digits that the source published, days are `date`, times are `datetime`. Where the API
says `from` and `to`, which Python cannot, the fields are `start` and `end`. Fields that this version does not know are
ignored.
"""

from __future__ import annotations

import datetime
import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from decimal import Decimal
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from .errors import UnexpectedAnswer

R = TypeVar("R", bound="Record")


# Fields that have another name in the API.
FROM = {"json": "from"}
TO = {"json": "to"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What all records can do."""

    @classmethod
    def parse(cls: type[R], answer: Mapping[str, Any]) -> R:
        """The record of a JSON object."""
        values = {}
        for attribute in attributes(cls):
            if attribute.json in answer:
                values[attribute.name] = attribute.read(answer[attribute.json])
            elif attribute.required:
                raise UnexpectedAnswer(f"the answer has no field {attribute.json!r}")
        return cls(**values)

    def to_dict(self, numbers: type[Decimal | float] = Decimal) -> dict[str, Any]:
        """The fields as a dictionary; figures as `float` on request."""

        def plain(value: Any) -> Any:
            if isinstance(value, Record):
                return value.to_dict(numbers)
            if isinstance(value, tuple):
                return [plain(item) for item in value]
            if isinstance(value, dict):
                return {name: plain(item) for name, item in value.items()}
            return numbers(value) if isinstance(value, Decimal) else value

        return {one.name: plain(getattr(self, one.name)) for one in fields(self)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Meta(Record):
    """Where figures come from and on what terms, and how fresh they are."""

    source: str
    licence: str
    unit: str | None = None
    computed_from: str | None = None
    updated_at: datetime.datetime | None = None
    stale: bool | None = None
    as_of: datetime.date | None = None
    first_release: bool | None = None
    transformation: dict[str, Any] | None = None
    indicators: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate(Record):
    """The figure of a day or period. `origin` tells figures that were not published."""

    date: datetime.date
    value: Decimal
    origin: str | None = None
    partial: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentRate(Rate):
    """The newest figure of a series."""

    meta: Meta


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation(Record):
    """The figures of one day or period, by the name of their series; None where a series has none."""

    date: datetime.date
    values: dict[str, Decimal | None]
    origin: str | None = None
    partial: bool = False

    @property
    def value(self) -> Decimal | None:
        """The figure, if one series was asked for."""
        [value] = self.values.values()
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class FxRate(Record):
    """A closing quote (PTAX): reais per unit of a currency."""

    date: datetime.date
    pair: str
    buy: Decimal
    sell: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentFxRate(FxRate):
    """The newest quote of a currency."""

    meta: Meta


@dataclass(frozen=True, slots=True, kw_only=True)
class FxObservation(Record):
    """The quote of a day; `value` instead of both sides if the history was transformed."""

    date: datetime.date
    pair: str
    buy: Decimal | None = None
    sell: Decimal | None = None
    value: Decimal | None = None
    partial: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FxPair(Record):
    """A currency, and the days on which it has quotes."""

    pair: str
    start: datetime.date = field(metadata=FROM)
    end: datetime.date = field(metadata=TO)
    days: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview(Record):
    """The newest Selic, CDI, IPCA and dollar."""

    selic: Rate
    cdi: Rate
    ipca: Rate
    fx: FxRate
    meta: Meta


@dataclass(frozen=True, slots=True, kw_only=True)
class Series(Record):
    """A series of the central bank. One that the server does not hold has no days, and `sync` says how to get it."""

    number: int
    name: str
    title: str | None
    title_pt: str | None
    unit: str | None
    unit_pt: str | None
    rhythm: str | None
    first: datetime.date | None
    last: datetime.date | None
    count: int
    source: str
    sync: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary(Record):
    """The extremes, the mean and the standard deviation of a series."""

    count: int
    first: Rate | None
    last: Rate | None
    min: Rate | None
    max: Rate | None
    mean: Decimal | None
    standard_deviation: Decimal | None
    meta: Meta


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision(Record):
    """One of several values that a day had, and when it was known."""

    date: datetime.date
    value: Decimal
    known_from: datetime.datetime | None
    known_until: datetime.datetime | None
    origin: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision(Record):
    """What a meeting of the Copom decided. `date` is None if the calendar of meetings does not have it."""

    effective_from: datetime.date
    date: datetime.date | None
    before: Decimal
    after: Decimal
    change: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Step(Record):
    """An observation in a calculation: its factor, and the product so far."""

    date: datetime.date
    value: Decimal
    factor: Decimal
    product: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Derivation(Record):
    """How a series was compounded."""

    series: str
    number: int
    start: datetime.date = field(metadata=FROM)
    end: datetime.date = field(metadata=TO)
    factor: Decimal
    accumulated: Decimal
    periods: int
    period: str
    first: Rate | None = None
    last: Rate | None = None
    published: dict[str, Any] | None = None
    spread: dict[str, Any] | None = None
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Accumulation(Derivation):
    """A series compounded over a period."""

    rule: str
    rule_pt: str
    meta: Meta


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction(Accumulation):
    """An amount adjusted by an index: `result` is `amount` times `factor`."""

    amount: Decimal
    result: Decimal
    reais: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversion(Record):
    """An amount in another currency."""

    amount: Decimal
    source: str = field(metadata=FROM)
    target: str = field(metadata=TO)
    result: Decimal
    rate: Decimal
    side: str
    date: datetime.date
    asked: datetime.date | None = None
    rule: str
    rule_pt: str
    meta: Meta


@dataclass(frozen=True, slots=True, kw_only=True)
class RealRate(Record):
    """Interest less inflation."""

    start: datetime.date = field(metadata=FROM)
    end: datetime.date = field(metadata=TO)
    months: int
    factor: Decimal
    real: Decimal
    per_year: Decimal
    percent: Decimal | None = None
    interest: Derivation
    inflation: Derivation
    rule: str
    rule_pt: str
    meta: Meta


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvertedRate(Record):
    """An interest rate for another period."""

    value: Decimal
    source: str = field(metadata=FROM)
    target: str = field(metadata=TO)
    result: Decimal
    factor: Decimal
    exponent: str
    rule: str
    rule_pt: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarDay(Record):
    """A day, whether it is a business day, and which holiday it is (by language)."""

    date: datetime.date
    business_day: bool
    previous: datetime.date | None
    next: datetime.date | None
    holiday: dict[str, Any] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Company(Record):
    """A company registered with CVM; `id` is its CVM code."""

    id: str
    name: str
    trade_name: str | None
    cnpj: str | None
    status: str | None
    sector: str | None
    tickers: tuple[str, ...]
    registered_on: datetime.date | None
    cancelled_on: datetime.date | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanyDetail(Company):
    """A company, with the source."""

    meta: Meta


@dataclass(frozen=True, slots=True, kw_only=True)
class Sector(Record):
    """A sector, and its numbers of companies."""

    sector: str
    companies: int
    active: int
    listed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Filing(Record):
    """A document that a company filed with CVM; `url` leads to it."""

    id: str
    company_id: str
    company_name: str
    category: str
    type: str
    species: str
    description: str
    subject: str | None
    date: datetime.datetime
    reference_date: datetime.date | None
    version: int
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FilingDetail(Filing):
    """A filing, with the source."""

    meta: Meta


@dataclass(frozen=True, slots=True, kw_only=True)
class FilingCategory(Record):
    """A category and type of filings, and how many there are."""

    category: str
    type: str
    filings: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult(Record):
    """Companies and filings that match; `upgrade` says which plan includes what is missing."""

    companies: tuple[Company, ...]
    filings: tuple[Filing, ...] = ()
    upgrade: dict[str, Any] | None = None
    meta: Meta


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion(Record):
    """A completion of typed words; `matched` says why a company is one, `by` which of its names."""

    type: str
    text: str
    company_id: str | None = None
    tickers: tuple[str, ...] = ()
    matched: dict[str, Any] | None = None
    name: str | None = None
    category: str | None = None
    year: int | None = None
    filings: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementForm(Record):
    """A form with financial statements."""

    period_start: datetime.date | None
    period_end: datetime.date
    form: str
    scope: str
    version: int
    received: datetime.date | None
    kinds: tuple[str, ...]
    filing_id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementValue(Record):
    """The value of an account in a period. `column` is the part of equity, in statements of its changes."""

    period_start: datetime.date | None
    period_end: datetime.date
    code: str
    name: str
    column: str | None = None
    value: Decimal
    fixed: bool = False
    scope: str
    form: str
    version: int
    received: datetime.date | None
    currency: str
    origin: str
    filing_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Account(Record):
    """An account, and its value at the end of each period; None where a period lacks it."""

    code: str
    name: str
    column: str | None = None
    values: dict[str, Decimal | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures(Record):
    """The figures that compare companies; None where one cannot be made, or was not asked for."""

    revenue: Decimal | None = None
    gross_profit: Decimal | None = None
    ebit: Decimal | None = None
    depreciation_amortisation: Decimal | None = None
    ebitda: Decimal | None = None
    financial_result: Decimal | None = None
    net_income: Decimal | None = None
    net_income_controlling: Decimal | None = None
    total_assets: Decimal | None = None
    current_assets: Decimal | None = None
    current_liabilities: Decimal | None = None
    cash: Decimal | None = None
    gross_debt: Decimal | None = None
    net_debt: Decimal | None = None
    equity: Decimal | None = None
    operating_cash_flow: Decimal | None = None
    investing_cash_flow: Decimal | None = None
    financing_cash_flow: Decimal | None = None
    capital_expenditure: Decimal | None = None
    dividends_paid: Decimal | None = None
    eps: Decimal | None = None
    shares: Decimal | None = None
    gross_margin: Decimal | None = None
    ebit_margin: Decimal | None = None
    net_margin: Decimal | None = None
    roe: Decimal | None = None
    roa: Decimal | None = None
    debt_to_equity: Decimal | None = None
    net_debt_to_ebitda: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Financials(Figures):
    """The figures of a company in a period.

    If sources were asked for, `made_from` has the accounts of each figure, and `reasons` why there is none.
    """

    period_start: datetime.date | None
    period_end: datetime.date
    scope: str
    plan: str | None
    made_from: dict[str, Any] | None = None
    reasons: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenedCompany(Figures):
    """The figures of one of many companies."""

    company_id: str
    name: str
    period_end: datetime.date
    scope: str
    plan: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedRate(Record):
    """A row of the export of one series."""

    date: datetime.date
    value: Decimal
    origin: str | None = None
    partial: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedObservation(Record):
    """A row of the export of all series."""

    series: int
    name: str
    date: datetime.date
    value: Decimal
    origin: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedQuote(FxRate):
    """A row of the export of all quotes."""

    origin: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedValue(Record):
    """A row of the export of all statements: a value of a form, in the period from `start` to `end`."""

    company_id: str
    form: str
    period_end: datetime.date
    version: int
    received: datetime.date | None
    filing_id: str | None
    scope: str
    kind: str
    comparative: bool
    start: datetime.date | None
    end: datetime.date
    code: str
    name: str
    column: str | None
    value: Decimal
    fixed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedFigures(Figures):
    """A row of the export of all figures."""

    company_id: str
    period: str
    period_end: datetime.date
    scope: str
    period_start: datetime.date | None
    plan: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportDataset(Record):
    """A dataset that can be exported."""

    dataset: str
    rows: int
    newest: datetime.date | None
    bytes: int
    formats: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Download(Record):
    """A file that was written, and the data version that it has."""

    path: str
    rows: int
    data_version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Event(Record):
    """Something that was published."""

    id: str
    type: str
    timestamp: datetime.datetime
    data: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class EventPage(Record):
    """Events in the order of their arrival; give `next` as `since` to go on from here."""

    data: tuple[Event, ...]
    next: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetStatus(Record):
    """How fresh a dataset is."""

    dataset: str
    name: str
    first: datetime.date | None
    newest: datetime.date | None
    expected: datetime.date | None
    stale: bool
    updated_at: datetime.datetime | None
    last_success: datetime.datetime | None
    last_attempt: datetime.datetime | None
    error: str | None
    rows: int
    source: str
    licence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Status(Record):
    """How fresh all data of the server is."""

    stale: bool
    today: datetime.date
    data: tuple[DatasetStatus, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer(Record):
    """A plan: its price a month, and its requests a minute."""

    id: str
    name: str
    price: Decimal
    currency: str
    rate_limit: int
    features: tuple[str, ...]
    restrictions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageDay(Record):
    """The requests of a day, by endpoint; `by_links` of them came by a link."""

    date: datetime.date
    requests: int
    errors: int
    rate_limited: int
    by_links: int = 0
    endpoints: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage(Record):
    """The requests of a key, and its plan."""

    key: str
    plan: str
    rate_limit: int
    start: datetime.date = field(metadata=FROM)
    end: datetime.date = field(metadata=TO)
    total: dict[str, Any]
    data: tuple[UsageDay, ...]


Kind = Literal["text", "integer", "number", "flag", "date", "time", "texts", "other"]
Reader = Callable[[Any], Any]


@dataclass(frozen=True)
class Attribute:
    """A field of a record: its names, its kind as a column, and how to read it from JSON."""

    name: str
    json: str
    kind: Kind
    read: Reader
    required: bool


KNOWN: dict[type[Record], tuple[Attribute, ...]] = {}


def attributes(record: type[Record]) -> tuple[Attribute, ...]:
    """The fields of a record."""
    if record not in KNOWN:
        KNOWN[record] = annotated(record)
    return KNOWN[record]


def annotated(record: type[Record]) -> tuple[Attribute, ...]:
    """The fields of a record, from their annotations."""
    hints = get_type_hints(record)
    found = []
    for one in fields(record):
        kind, read = reading(hints[one.name])
        required = one.default is MISSING and one.default_factory is MISSING
        found.append(Attribute(one.name, one.metadata.get("json", one.name), kind, read, required))
    # What a row is about comes before its many figures.
    figures = {one.name for one in fields(Figures)}
    return tuple(sorted(found, key=lambda attribute: attribute.name in figures))


def reading(hint: Any) -> tuple[Kind, Reader]:
    """The kind of an annotation, and what reads its values."""
    if get_origin(hint) in (Union, types.UnionType):
        [inner] = [one for one in get_args(hint) if one is not type(None)]
        kind, read = reading(inner)
        return kind, lambda value: None if value is None else read(value)
    if get_origin(hint) is tuple:
        kind, read = reading(get_args(hint)[0])
        return ("texts" if kind == "text" else "other"), lambda values: tuple(read(value) for value in values)
    if get_origin(hint) is dict:
        _, read = reading(get_args(hint)[1])
        return "other", lambda values: {name: read(value) for name, value in values.items()}
    if isinstance(hint, type) and issubclass(hint, Record):
        return "other", hint.parse
    return READINGS[hint]


def read_time(text: Any) -> Any:
    """A time; Python 3.10 does not know that Z is UTC."""
    return text if isinstance(text, datetime.datetime) else datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


READINGS: dict[Any, tuple[Kind, Reader]] = {
    str: ("text", str),
    int: ("integer", int),
    bool: ("flag", lambda value: value == "true" if isinstance(value, str) else bool(value)),
    Decimal: ("number", Decimal),
    # What Parquet gives is a date already.
    datetime.date: (
        "date",
        lambda value: value if isinstance(value, datetime.date) else datetime.date.fromisoformat(value),
    ),
    datetime.datetime: ("time", read_time),
    Any: ("other", lambda value: value),
}
