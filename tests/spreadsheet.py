"""Opens Brazilian CSV in LibreOffice without a window, and looks at what the cells became."""

import csv
import pathlib
import subprocess
import xml.etree.ElementTree as xml

TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
# Semicolon, double quote, UTF-8, from line 1, Portuguese of Brazil, numbers and dates recognised, and formulas computed, as
# Excel does.
FILTER = "CSV:59,34,76,1,,1046,false,true,false,false,false,0,true"


def cut(file, rows):
    """Leaves the header line and so many rows of a CSV file, as they were."""
    with open(file, encoding="utf-8-sig", newline="") as lines:
        kept = [row for _, row in zip(range(rows + 1), csv.reader(lines, delimiter=";"))]
    with open(file, "w", encoding="utf-8-sig", newline="") as lines:
        csv.writer(lines, delimiter=";").writerows(kept)


def convert(file):
    """The spreadsheet as flat XML."""
    folder = pathlib.Path(file).parent
    profile = (folder / "libreoffice").as_uri()
    command = ["soffice", f"-env:UserInstallation={profile}", "--headless", f"--infilter={FILTER}"]
    command += ["--convert-to", "fods", "--outdir", str(folder), str(file)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
    made = pathlib.Path(file).with_suffix(".fods")
    assert made.exists(), done.stdout.decode(errors="replace")
    return made


def cells(row):
    """The cells of a row, repeated ones one by one; what is right of the table is left out."""
    found = []
    for cell in row.iter(f"{TABLE}table-cell"):
        times = int(cell.get(f"{TABLE}number-columns-repeated", "1"))
        found.extend([cell] * min(times, 100))
    return found


def rows_of(file):
    """The rows of the first table."""
    for _, element in xml.iterparse(file):
        if element.tag == f"{TABLE}table-row":
            for _ in range(min(int(element.get(f"{TABLE}number-rows-repeated", "1")), 10_000)):
                yield cells(element)


def text(cell):
    return "\n".join("".join(part.itertext()) for part in cell.findall(f"{TEXT}p"))


def check(file, wanted, days, figures):
    """Days must be dates and figures numbers, with the values of `wanted`; nothing may be a formula."""
    rows = rows_of(convert(file))
    names = list(wanted[0])
    header = next(rows)
    assert [text(cell) for cell in header[: len(names)]] == names, [text(cell) for cell in header]
    for number, (row, given) in enumerate(zip(wanted, rows, strict=False)):
        for name, cell in zip(names, given):
            value, kind, where = row[name], cell.get(f"{OFFICE}value-type"), f"row {number}, {name}"
            assert cell.get(f"{TABLE}formula") is None, f"{where}: {cell.get(f'{TABLE}formula')}"
            if value is None:
                assert kind is None, f"{where}: {kind} instead of nothing"
            elif name in days:
                day = (cell.get(f"{OFFICE}date-value") or "")[:10]
                assert (kind, day) == ("date", value[:10]), f"{where}: {kind} {day}, not {value}"
            elif name in figures:
                assert kind == "float", f"{where}: {kind} {text(cell)!r}, not {value}"
                assert float(cell.get(f"{OFFICE}value")) == float(value), f"{where}: {text(cell)}, not {value}"
        last = number
    assert last + 1 == len(wanted), f"{last + 1} rows, not {len(wanted)}"
