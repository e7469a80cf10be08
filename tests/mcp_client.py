"""Calls every tool with the official client: over HTTP, and over the standard input and output on the data directory and
through a server; in the revision of the protocol that begins with a handshake, and in the one that does not.
mcp_client.py PROGRAM ADDRESS DATA, with a key in FINSERVE_KEY; tests/mcp.sh runs it."""
import asyncio
import json
import os
import sys
from contextlib import asynccontextmanager
from decimal import Decimal

import httpx2
import jsonschema
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

PROGRAM, ADDRESS, DATA = sys.argv[1:]
KEY = os.environ["FINSERVE_KEY"]

# What a tool is called with besides what it requires.
MORE = {"get_series_history": {"limit": 3, "offset": 1}, "search_filings": {"company": "PETR4", "limit": 2}}


@asynccontextmanager
async def over_http(mode):
    headers = {"Authorization": f"Bearer {KEY}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        async with Client(streamable_http_client(f"{ADDRESS}/mcp", http_client=http), mode=mode) as client:
            yield client


@asynccontextmanager
async def over_stdio(mode, *arguments):
    command = StdioServerParameters(command=PROGRAM, args=["mcp", *arguments], env={"FINSERVE_KEY": KEY})
    async with Client(command, mode=mode) as client:
        yield client


def arguments(tool):
    """What the tool requires, by its own examples, and what is tried besides."""
    jsonschema.Draft202012Validator.check_schema(tool.input_schema)
    properties = tool.input_schema["properties"]
    required = {name: properties[name]["examples"][0] for name in tool.input_schema["required"]}
    chosen = required | MORE.get(tool.name, {})
    jsonschema.validate(chosen, tool.input_schema)
    return chosen


async def outcomes(client):
    """What every tool says, by its name."""
    said = {}
    for tool in (await client.list_tools()).tools:
        result = await client.call_tool(tool.name, arguments(tool))
        assert not result.is_error, (tool.name, result)
        text = result.content[0].text
        assert json.loads(text) == result.structured_content, tool.name
        json.loads(text, parse_float=Decimal)
        said[tool.name] = [part.text for part in result.content]
    return said


async def mistakes(client):
    """Mistakes are explained to the agent; what is no tool is refused."""
    for name, given, expected in [
        ("get_series_value", {"series": "nothing"}, "list_series"),
        ("get_series_value", {}, "is missing"),
        ("get_series_history", {"series": "ipca", "from": "yesterday"}, "YYYY-MM-DD"),
        ("get_series_history", {"series": "ipca", "since": "2024-01-01"}, "takes series, from, to, limit, offset"),
    ]:
        result = await client.call_tool(name, given)
        assert result.is_error and expected in result.content[0].text, (name, result)
    try:
        await client.call_tool("no_such_tool", {})
    except MCPError as error:
        assert error.code == -32602, error
    else:
        raise AssertionError("a tool that does not exist was called")


async def main():
    first = None
    for mode in ["legacy", "auto"]:
        for name, connection in [
            ("http", over_http(mode)),
            ("data", over_stdio(mode, "--data", DATA)),
            ("server", over_stdio(mode, "--server", ADDRESS)),
        ]:
            async with connection as client:
                version = client.protocol_version
                assert (version == "2026-07-28") == (mode == "auto"), (mode, name, version)
                said = await outcomes(client)
                await mistakes(client)
            assert len(said) >= 18, said.keys()
            first = first or said
            assert said == first, (mode, name)
            print(f"{name}, {version}: {len(said)} tools")


asyncio.run(asyncio.wait_for(main(), 300))
