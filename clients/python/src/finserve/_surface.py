"""How one description of an endpoint becomes a method of both clients.

An endpoint is a function that gives a plan. Found on a `Client`, it is a method that blocks and returns the result;
found on an `AsyncClient`, it returns an awaitable. Type checkers see the same arguments, and the result that belongs
to the client: `series` of a `Client` that gives frames of pandas is a `pandas.DataFrame`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from ._exchange import understood

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from ._shapes import Arrow, Pandas, Plain, Polars, Rows
    from ._tables import Table
    from ._wire import Plan
    from .client import AsyncClient, Client

P = ParamSpec("P")
T = TypeVar("T")


class Answer(Generic[P, T]):
    """An endpoint that gives an object."""

    def __init__(self, plan: Callable[Concatenate[Any, P], Plan[T]]) -> None:
        self.plan = plan
        self.__doc__ = plan.__doc__

    @overload
    def __get__(self, client: None, owner: type[Any]) -> Answer[P, T]: ...
    @overload
    def __get__(self, client: Client[Any], owner: type[Any]) -> Callable[P, T]: ...
    @overload
    def __get__(self, client: AsyncClient[Any], owner: type[Any]) -> Callable[P, Coroutine[Any, Any, T]]: ...
    def __get__(self, client: Any, owner: type[Any]) -> Any:
        return self if client is None else method(self.plan, client, lambda result: result)


class Tabular(Generic[P, T]):
    """An endpoint that gives a table, in the form that the client was made for."""

    def __init__(self, plan: Callable[Concatenate[Any, P], Plan[Table[T]]]) -> None:
        self.plan = plan
        self.__doc__ = plan.__doc__

    @overload
    def __get__(self, client: None, owner: type[Any]) -> Tabular[P, T]: ...
    @overload
    def __get__(self, client: Client[Pandas], owner: type[Any]) -> Callable[P, pandas.DataFrame]: ...
    @overload
    def __get__(self, client: Client[Polars], owner: type[Any]) -> Callable[P, polars.DataFrame]: ...
    @overload
    def __get__(self, client: Client[Arrow], owner: type[Any]) -> Callable[P, pyarrow.Table]: ...
    @overload
    def __get__(self, client: Client[Plain], owner: type[Any]) -> Callable[P, Rows[T]]: ...
    @overload
    def __get__(
        self, client: AsyncClient[Pandas], owner: type[Any]
    ) -> Callable[P, Coroutine[Any, Any, pandas.DataFrame]]: ...
    @overload
    def __get__(
        self, client: AsyncClient[Polars], owner: type[Any]
    ) -> Callable[P, Coroutine[Any, Any, polars.DataFrame]]: ...
    @overload
    def __get__(
        self, client: AsyncClient[Arrow], owner: type[Any]
    ) -> Callable[P, Coroutine[Any, Any, pyarrow.Table]]: ...
    @overload
    def __get__(self, client: AsyncClient[Plain], owner: type[Any]) -> Callable[P, Coroutine[Any, Any, Rows[T]]]: ...
    def __get__(self, client: Any, owner: type[Any]) -> Any:
        return self if client is None else method(self.plan, client, client.shape.build)


def method(plan: Callable[..., Plan[T]], client: Any, finish: Callable[[T], Any]) -> Callable[..., Any]:
    """The method of a client that performs the plan."""

    def finished(*arguments: Any, **named: Any) -> Plan[Any]:
        return finish((yield from understood(plan(client, *arguments, **named))))

    @functools.wraps(plan.__get__(client))
    def call(*arguments: Any, **named: Any) -> Any:
        return client.perform(finished(*arguments, **named))

    return call
