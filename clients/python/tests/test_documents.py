"""The examples of the guide and the README work as shown, and so does the notebook, whose output is stored with it.

UPDATE_DOCS=1 writes the notebook's output anew.
"""

import doctest
import json
import os
import re

import pytest
from real_server import ROOT

from finserve import Client

pytest.importorskip("pandas")
NOTEBOOK = ROOT / "clients/python/finserve.ipynb"
DETAILS = doctest.NORMALIZE_WHITESPACE | doctest.REPORT_NDIFF


def blocks(page, server, key):
    """The Python of a page, for this server and key."""
    text = (ROOT / page).read_text()
    # Only made-up companies have statements here.
    replaced = {"http://localhost:8080": server.url, "fin_…": key, '"PETR4", "': '"990003", "', "ITUB4": "990004"}
    for written, meant in replaced.items():
        text = text.replace(written, meant)
    return re.findall(r"```python\n(.*?)```", text, re.S)


def test_the_examples_of_the_guide(server, key, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names, shown = {}, 0
    for block in blocks("docs/python.md", server, key):
        if not block.startswith(">>>"):
            exec(compile(block, "docs/python.md", "exec"), names)
            continue
        test = doctest.DocTestParser().get_doctest(block, names, "docs/python.md", None, 0)
        result = doctest.DocTestRunner(optionflags=DETAILS).run(test, clear_globs=False)
        assert result.failed == 0
        names.update(test.globs)
        shown += len(test.examples)
    assert shown > 20
    assert len(names["five_years"].columns) > 3
    assert len(names["selic"]) > 10_000


def test_the_example_of_the_readme(server, key):
    [block] = blocks("clients/python/README.md", server, key)
    names = {}
    exec(compile(block, "README.md", "exec"), names)
    assert len(names["filings"]) > 80_000


def test_the_guide_names_every_method():
    text = (ROOT / "docs/python.md").read_text()
    table = text.partition("## What there is")[2].partition("## Tables")[0]
    named = set(
        re.findall(
            r"`(\w+)`[,|\s]",
            "\n".join(line.split("|")[1] + "|" for line in table.splitlines() if line.startswith("| `")),
        )
    )
    methods = {name for name in dir(Client) if not name.startswith("_")} - {"close", "perform", "server", "shape"}
    assert methods == named


def test_the_notebook(server, key, tmp_path):
    """It runs, and gives the output that is stored with it."""
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    stored = json.loads(NOTEBOOK.read_text())
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert len(notebook.cells) == 10
    environment = {**os.environ, "FINSERVE_URL": server.url, "FINSERVE_KEY": key}
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute(env=environment, cwd=str(tmp_path))
    for number, (cell, old) in enumerate(zip(notebook.cells, stored["cells"], strict=True)):
        if cell.cell_type != "code":
            continue
        outputs = [text_of(output) for output in cell.outputs]
        assert "".join(outputs).strip(), f"cell {number} shows nothing"
        if "UPDATE_DOCS" in os.environ:
            old["outputs"], old["execution_count"] = [shown(output, number) for output in cell.outputs], number
        else:
            assert outputs == [text_of(output) for output in old["outputs"]], f"cell {number}"
    if "UPDATE_DOCS" in os.environ:
        NOTEBOOK.write_text(json.dumps(stored, indent=1, ensure_ascii=False) + "\n")


def text_of(output):
    """The text of an output, wherever its kind has it."""
    text = output["text"] if "text" in output else output["data"]["text/plain"]
    return "".join(text)


def shown(output, number):
    """An output as it is stored: text alone, so that a change of it can be read."""
    text = text_of(output).splitlines(keepends=True)
    if output["output_type"] == "stream":
        return {"name": "stdout", "output_type": "stream", "text": text}
    return {"data": {"text/plain": text}, "execution_count": number, "metadata": {}, "output_type": "execute_result"}
