"""A real server for tests: the program, on a free port, over a data directory of its own."""

import json
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import httpx

ROOT = Path(__file__).resolve().parents[3]
HOLDER = ["--name", "Ana", "--email", "ana@example.com"]


class RealServer:
    """A running server, and what its operator does."""

    def __init__(self, program: Path, folder: Path, filled: Path | None = None):
        self.program, self.folder, self.data = program, folder, folder / "data"
        if filled:
            shutil.copytree(filled, self.data)
        command = [program, "serve", "--data", self.data, "--listen", "127.0.0.1:0", "--no-access-log"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.url = re.search(r"http://\S+", self.process.stdout.readline())[0]

    def command(self, *arguments: str) -> str:
        run = subprocess.run([self.program, *arguments, "--data", self.data], capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        return run.stdout.strip()

    def key(self, plan: str) -> str:
        return self.command("keys", "create", "--plan", plan, *HOLDER)

    def import_files(self, *files: Path) -> None:
        self.command("import", *map(str, files))

    def import_series(self, number: int, **observations: str) -> None:
        """Imports observations by day, written as `d2026_09_01="0.48"`."""
        self.import_files(self.series_file(number, **observations))

    def series_file(self, number: int, **observations: str) -> Path:
        """A file of the central bank."""
        rows = [{"data": "/".join(day[1:].split("_")[::-1]), "valor": value} for day, value in observations.items()]
        file = self.folder / f"bcdata.sgs.{number}.json"
        file.write_text(json.dumps(rows))
        return file

    def raw(self, path: str, key: str, **query: object) -> httpx.Response:
        """What the API answers, without the client."""
        return httpx.get(f"{self.url}/api/v1/{path}", params=query, headers={"X-API-Key": key}, timeout=60)

    def rows(self, path: str, key: str, page: int = 5000, **query: object) -> list[dict]:
        """All rows of a list, by offset; numbers as the text that was sent."""
        rows, total = [], 1
        while len(rows) < total:
            answer = self.raw(path, key, limit=page, offset=len(rows), **query)
            assert answer.status_code == 200, answer.text
            body = json.loads(answer.text, parse_float=str, parse_int=str)
            rows, total = rows + body["data"], int(body["total"])
        return rows

    def wait_for_version(self, version: int, key: str) -> None:
        """Waits until the server serves what was imported."""
        for _ in range(100):
            if self.raw("export", key).json()["data_version"] >= version:
                return
            time.sleep(0.05)
        raise AssertionError(f"data version {version} does not come")

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()


def made_statements(folder: Path) -> list[Path]:
    """Archives of statements of made-up companies, by the tests of the server."""
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(ROOT / "tests"))
    from statement_files import Archives

    return Archives(folder, 7).files
