"""Who webhooks call, and what they are called for."""

import http.server
import json
import sys
import threading

import made_filings
import trial

from . import tables


class Receiver:
    """Takes the calls of webhooks, and answers each path with its status."""

    statuses = {"/right": 204, "/wrong": 500, "/elsewhere": 302, "/gone": 410}

    def __init__(self):
        calls = self.calls = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                calls.append((self.path, self.headers.items(), body))
                self.send_response(Receiver.statuses[self.path])
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def calls_of(self, path, count):
        """The calls of a path, once there are so many."""
        trial.until(lambda: len([call for call in self.calls if call[0] == path]) >= count, 30)
        return [call for call in self.calls if call[0] == path]


def publish(program, data, place):
    """Imports new and corrected figures, a filing, and other tickers of a company."""
    series = {433: {"01/08/2026": "0.11", "01/09/2026": "0.48"}}
    series.update({number: dict.fromkeys(days, "0.05") for number, days in tables.HOLES.items()})
    for number, values in series.items():
        values = [{"data": day, "valor": value} for day, value in values.items()]
        (place / f"bcdata.sgs.{number}.json").write_text(json.dumps(values))
    (place / "tickers.csv").write_text("company;tickers\n9512;PETR3 PETR4 PETR9\n")
    made_filings.table(place / "ipe_cia_aberta_2026.csv", [2026], 1)
    files = [place / name for name in (*(f"bcdata.sgs.{number}.json" for number in series), "tickers.csv", "ipe_cia_aberta_2026.csv")]
    done = trial.run(program, data, "import", *files)
    if done.returncode:
        sys.exit(f"nothing is imported: {done.stderr}")
