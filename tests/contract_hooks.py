"""What the contract test must know besides openapi.yaml: keys, addresses, and what is refused on purpose."""

import itertools
import os
import re

import schemathesis

KEYS = itertools.cycle(open(os.environ["CONTRACT_KEYS"]).read().split())
ADDRESSES = itertools.count(1)


@schemathesis.auth(refresh_interval=None)
class Platinum:
    """A key that reaches everything; they take turns, so that none meets its limit."""

    def get(self, case, context):
        return next(KEYS)

    def set(self, case, data, context):
        case.headers["X-API-Key"] = data


@schemathesis.hook
def before_call(context, case, kwargs):
    # Every request from an address of its own: no limit by address hides what is tested.
    number = next(ADDRESSES)
    case.headers["X-Forwarded-For"] = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"


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
