"""What can go wrong, as exceptions. All of them are a `FinserveError`."""

from __future__ import annotations

import json
import re
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._wire import Reply


class FinserveError(Exception):
    """The base of all errors of this package.

    `code` is the server's word for the error (such as `plan_required`), `status` the HTTP status, `parameter` the
    parameter that was refused, `plan` the plan that was applied, `request_id` what the operator finds in the log.
    Each is None where it is not known.
    """

    code: str | None = None
    status: int | None = None
    parameter: str | None = None
    plan: str | None = None
    request_id: str | None = None

    @property
    def message(self) -> str:
        """What is wrong, in a sentence."""
        return str(self)


class BadRequest(FinserveError, ValueError):
    """An argument is wrong; `parameter` names it as the API does: `from` is `start` in Python.

    `status` is 400 if the server refused it, and None if this package did.
    """


class InvalidKey(FinserveError):
    """The key is wrong or revoked, or a key is needed and none was given (401).

    `status` is None if it cannot be a key, which is noticed without a request.
    """


class PlanRequired(FinserveError):
    """The plan of the key does not include this (403); `required_plan` does."""

    feature: str | None = None
    current_plan: str | None = None
    required_plan: str | None = None
    upgrade_url: str | None = None
    contact: str | None = None


class NotFound(FinserveError):
    """There is no such series, company, filing or dataset (404)."""


class RateLimited(FinserveError):
    """The limit of the plan is used up (429), and waiting for it exceeds the client's patience."""

    retry_after: float | None = None


class ServerError(FinserveError):
    """The server failed or is too busy (5xx), also after retries."""


class ConnectionFailed(FinserveError):
    """The server was not reached, or the connection broke, also after retries."""


class UnexpectedAnswer(FinserveError):
    """The answer is none of this API: another program answers at that address, or a proxy changed it."""


# A refusal that is none of these, such as 403 `other_site`, is a plain `FinserveError`.
BY_STATUS: dict[int, type[FinserveError]] = {
    400: BadRequest,
    401: InvalidKey,
    404: NotFound,
    429: RateLimited,
}
PARAMETER = re.compile(r'parameter "([^"]+)"')

UPGRADE_FIELDS = ("feature", "current_plan", "required_plan", "upgrade_url", "contact")


def error_of(reply: Reply) -> FinserveError:
    """The exception for an answer that is no success."""
    try:
        body: Any = json.loads(reply.body)
        code, message = str(body["error"]), str(body["message"])
    except (ValueError, KeyError, TypeError):
        vague = ServerError if reply.status >= 500 else UnexpectedAnswer
        return described(vague(f"the server answered {reply.status} without saying why"), reply)
    kind = BY_STATUS.get(reply.status, ServerError if reply.status >= 500 else FinserveError)
    if code == "plan_required":
        kind = PlanRequired
    error = described(kind(message), reply)
    error.code = code
    named = PARAMETER.search(message)
    error.parameter = named[1] if named else None
    if isinstance(error, PlanRequired):
        for field in UPGRADE_FIELDS:
            setattr(error, field, body.get(field))
    if isinstance(error, RateLimited):
        error.retry_after = retry_after(reply)
    return error


def described(error: FinserveError, reply: Reply) -> FinserveError:
    """The error with what the headers say."""
    error.status = reply.status
    error.plan = reply.headers.get("x-plan")
    error.request_id = reply.headers.get("x-request-id")
    return error


def retry_after(reply: Reply) -> float | None:
    """The seconds that `Retry-After` asks to wait: it is a number of them, or a time."""
    asked = reply.headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", asked, re.ASCII):
        return float(asked)
    until = time_of(asked)
    if until is None:
        return None
    # The server's clock, unless it does not tell the time.
    now = time_of(reply.headers.get("date", "")) or datetime.now(timezone.utc)
    return max(0.0, (until - now).total_seconds())


def time_of(text: str) -> datetime | None:
    """A time as headers write it."""
    try:
        found = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    return found if found.tzinfo else found.replace(tzinfo=timezone.utc)
