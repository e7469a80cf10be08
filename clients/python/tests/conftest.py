"""The servers and clients that tests share. FINSERVE_PROGRAM or --program names the program."""

import os
import threading
import time
from pathlib import Path

import pytest
from real_server import ROOT, RealServer, made_statements

from finserve import Client


def pytest_addoption(parser):
    parser.addoption("--program", default=os.environ.get("FINSERVE_PROGRAM", ROOT / "target/release/finserve"))


@pytest.fixture(scope="session", autouse=True)
def _no_settings_of_the_user():
    for name in ("FINSERVE_URL", "FINSERVE_KEY"):
        os.environ.pop(name, None)
    # A test that wants a cache names its folder.
    os.environ["FINSERVE_CACHE"] = "0"


@pytest.fixture(scope="session")
def program(request):
    return Path(request.config.getoption("--program")).resolve()


@pytest.fixture(scope="session")
def filled(program, tmp_path_factory):
    """A data directory with the bundled data, for servers to begin with: filling one takes seconds."""
    server = RealServer(program, tmp_path_factory.mktemp("filled"))
    server.stop()
    return server.data


@pytest.fixture(scope="session")
def server(program, filled, tmp_path_factory):
    """A server with the bundled data and the statements of made-up companies; nothing is imported later."""
    folder = tmp_path_factory.mktemp("server")
    server = RealServer(program, folder, filled)
    yearly = [file for file in made_statements(folder) if file.parent.name == "now" and "dfp" in file.name]
    server.import_files(*yearly[-4:])
    yield server
    server.stop()


@pytest.fixture(scope="session")
def key(server):
    return server.key("platinum")


@pytest.fixture(scope="session")
def fin(server, key):
    """A client that gives the tables of this environment: frames, or lists where pandas is missing."""
    with Client(server.url, key) as client:
        yield client


@pytest.fixture(scope="session")
def rows(server, key):
    with Client(server.url, key, tables="rows") as client:
        yield client


class Waiting(threading.Thread):
    """One request more than Free allows in a minute, while other tests run: the last one has to wait."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.client = Client(server.url, server.key("free"), tables="rows", patience=90)
        self.answers, self.seconds = [], []

    def run(self):
        for _ in range(31):
            began = time.monotonic()
            self.answers.append(self.client.current("selic"))
            self.seconds.append(time.monotonic() - began)


@pytest.fixture(scope="session", autouse=True)
def waiting(server):
    thread = Waiting(server)
    thread.start()
    return thread


def pytest_collection_modifyitems(items):
    """The test that looks at the waiting client comes last."""
    items.sort(key=lambda item: item.name == "test_waits_for_retry_after")
