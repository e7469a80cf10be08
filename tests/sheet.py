#!/usr/bin/env python3
"""A spreadsheet in LibreOffice that shows the Selic, a corrected amount, a figure that needs a plan and a table of rates.

The formulas are those of the guide, with the address of the server in the place of its example. What needs a plan is read by a
link that is bound to its formula. The sheet has the formulas for
Excel and Google Sheets beside them, as text. It is saved, newer figures are imported, and the same file shows them when it is
opened again. What cells show must be what the API answers as JSON.

    tests/sheet.py target/release/finserve

Needs LibreOffice Calc and its bindings for Python (on Debian libreoffice-calc-nogui and python3-uno).
"""

import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.request

if importlib.util.find_spec("uno") is None:
    assert sys.executable != "/usr/bin/python3", "the bindings of LibreOffice are missing: python3-uno"
    os.execv("/usr/bin/python3", ["/usr/bin/python3", "-B", *sys.argv])

import uno
from com.sun.star.beans import PropertyValue

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
GUIDE = pathlib.Path(__file__).resolve().parents[1] / "docs/spreadsheets-and-notebooks.md"
EXAMPLE = "http://localhost:8080"
# How many rows the table has, each with two cells. LibreOffice asks twice for each, and a cell has the limit of its address.
ROWS = 4
CELLS = 3 + 2 * ROWS
# What a cell shows by a link, whose token is added.
LINKED = "/api/v1/companies/PETR4/financials?field=net_income&limit=1&format=value"
# UpdateDocMode::FULL_UPDATE: what cells ask for is asked for without a question to the user.
FULL_UPDATE = 3
# The folder of the sheet is a trusted one: files elsewhere are not updated without a click.
TRUSTED = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="SecureURL" oor:op="fuse">
<value><it>{}</it></value></prop></item></oor:items>
"""


def formulas(program):
    """The formulas that the guide has for a program, under their names."""
    section = GUIDE.read_text().split(f"### {program}\n")[1].split("\n#")[0]
    lines = re.findall(r"```text\n(.*?)```", section, re.DOTALL)
    named = [line.split(": ", 1) for block in lines for line in block.splitlines()]
    assert named, f"the guide has no formulas for {program}"
    return dict(named)


class Server:
    """A running server over data of its own. Cells ask without a key, the test itself with one."""

    def __init__(self, data):
        self.data = data
        who = ["--plan", "platinum", "--name", "Ana", "--email", "ana@example.com"]
        made = subprocess.run([PROGRAM, "keys", "create", "--data", data, *who], check=True, capture_output=True)
        self.key = made.stdout.decode().strip()
        with open(data / "out.txt", "w") as out, open(data / "log.txt", "w") as log:
            command = [PROGRAM, "serve", "--data", data, "--listen", "127.0.0.1:0"]
            self.process = subprocess.Popen(command, stdout=out, stderr=log)
        while not (found := re.search(r"http://\S+", (data / "out.txt").read_text())):
            assert self.process.poll() is None, "the server ended"
            time.sleep(0.1)
        self.address = found[0].rstrip("/.,")

    def json(self, path, sent=None):
        headers = {"X-API-Key": self.key, "Content-Type": "application/json"}
        request = urllib.request.Request(self.address + path, sent and json.dumps(sent).encode(), headers)
        with urllib.request.urlopen(request) as answer:
            return json.loads(answer.read(), parse_float=str, parse_int=str)

    def wait_for_the_limit(self):
        """Until all cells can be asked for again; a whole minute is the longest."""
        for _ in range(70):
            with urllib.request.urlopen(self.address + "/health") as answer:
                if int(answer.headers["X-RateLimit-Remaining"]) >= 2 * CELLS + 3:
                    return
            time.sleep(1)
        raise AssertionError("the limit is not free again")

    def bring(self, name, text):
        file = self.data / name
        file.write_text(text)
        subprocess.run([PROGRAM, "import", "--data", self.data, file], check=True, stdout=subprocess.DEVNULL)

    def stop(self):
        self.process.terminate()
        assert self.process.wait(20) == 0


class Office:
    """LibreOffice without a window."""

    def __init__(self, folder):
        settings = folder / "profile/user/registrymodifications.xcu"
        settings.parent.mkdir(parents=True)
        settings.write_text(TRUSTED.format(folder.as_uri()))
        pipe, profile = f"finserve{os.getpid()}", (folder / "profile").as_uri()
        command = ["soffice", f"-env:UserInstallation={profile}", "--headless", "--norestore", f"--accept=pipe,name={pipe};urp;"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        context = uno.getComponentContext()
        resolver = context.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", context)
        for attempt in range(300):
            try:
                context = resolver.resolve(f"uno:pipe,name={pipe};urp;StarOffice.ComponentContext")
                break
            except Exception:
                assert attempt < 299 and self.process.poll() is None, "LibreOffice does not start"
                time.sleep(0.2)
        self.desktop = context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)

    def open(self, url):
        return self.desktop.loadComponentFromURL(
            url, "_blank", 0, (named("Hidden", True), named("UpdateDocMode", FULL_UPDATE))
        )

    def stop(self):
        try:
            self.desktop.terminate()
        except Exception:
            pass  # It is gone before it can answer.
        self.process.wait(60)


def named(name, value):
    one = PropertyValue()
    one.Name, one.Value = name, value
    return one


def fill(document, address, token):
    """The guide's formulas, those of the table in a row each, and beside them those for other programs."""
    sheet = document.Sheets.getByIndex(0)
    here, others = formulas("LibreOffice"), [formulas("Excel"), formulas("Google Sheets")]
    rows = [(name, here[name]) for name in ("Selic", "Day", "Corrected")]
    for row, (name, formula) in enumerate(rows):
        sheet.getCellByPosition(0, row).String = name
        sheet.getCellByPosition(1, row).Formula = formula.replace(EXAMPLE, address)
        for column, other in enumerate(others, 2):
            sheet.getCellByPosition(column, row).String = other[name]
    linked = f'=NUMBERVALUE(WEBSERVICE("{address}{LINKED}&token={token}");".")'
    sheet.getCellByPosition(1, len(rows)).Formula = linked
    table = document.Sheets
    table.insertNewByName("rates", 1)
    for row in range(ROWS):
        for column, name in enumerate(("Rate's day", "Rate")):
            table.getByName("rates").getCellByPosition(column, row).Formula = here[name].replace(EXAMPLE, address)


def check(document, server, selic):
    """Every cell shows what the API answers."""
    document.calculateAll()
    sheet, rates = document.Sheets.getByIndex(0), document.Sheets.getByName("rates")
    shown = [sheet.getCellByPosition(1, row).String for row in range(3)]
    figure = [sheet.getCellByPosition(1, row).Value for row in range(3)]
    current = server.json("/api/v1/market/selic/current")
    assert current["value"] == selic, current
    assert figure[0] == float(selic) and shown[1] == current["date"], shown
    formula = formulas("LibreOffice")["Corrected"]
    question = re.search(rf"{EXAMPLE}(/\S+?)&format=value", formula)[1]
    assert figure[2] == float(server.json(question)["result"]), shown
    newest = server.json("/api/v1/companies/PETR4/financials?limit=1")["data"][0]
    assert sheet.getCellByPosition(1, 3).Value == float(newest["net_income"]), (newest, sheet.getCellByPosition(1, 3).String)
    page = server.json(f"/api/v1/market/ipca?limit={ROWS}")["data"]
    for row, wanted in enumerate(page):
        day, rate = (rates.getCellByPosition(column, row) for column in (0, 1))
        assert (day.String, rate.Value) == (wanted["date"], float(wanted["value"])), (row, day.String, rate.String, wanted)
    return [*shown, *(f"{row['date']} {row['value']}" for row in page)]


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "data").mkdir()
        server, office = Server(folder / "data"), Office(folder)
        try:
            selic = server.json("/api/v1/market/selic/current")["value"]
            file = (folder / "finserve.ods").as_uri()
            document = office.open("private:factory/scalc")
            token = server.json("/api/v1/links", {"name": "Sheet", "path": LINKED})["token"]
            fill(document, server.address, token)
            before = check(document, server, selic)
            document.storeAsURL(file, (named("FilterName", "calc8"),))
            document.close(True)
            today = time.strftime("%d/%m/%Y", time.gmtime(time.time() - 3 * 3600))
            server.bring("bcdata.sgs.432.json", json.dumps([{"data": today, "valor": "13.25"}]))
            server.bring("bcdata.sgs.433.json", '[{"data":"01/09/2026","valor":"0.48"},{"data":"01/10/2026","valor":"0.21"}]')
            server.wait_for_the_limit()
            document = office.open(file)
            after = check(document, server, "13.25")
            refused = document.Sheets.getByIndex(0).getCellByPosition(5, 0)
            refused.Formula = f'=WEBSERVICE("{server.address}/api/v1/market/series/999999/current?format=value")'
            assert refused.getError() != 0, refused.String
            document.close(True)
            assert token not in (folder / "data/log.txt").read_text()
            assert before != after and before[3:-2] == after[5:], (before, after)
            print(f"{len(after)} lines: {before[0]} on {before[1]}, then {after[0]} on {after[1]}; {after[2]}; {after[3]}")
        finally:
            office.stop()
            server.stop()


main()
