#!/usr/bin/env python3
"""The memory of an import: `import_memory.py BINARY [--rows N] [--folder DIR]`.

Makes tables of filings as CVM publishes them, far longer than any year: one with ordinary subjects, the same in a zip
archive, and one in which no word appears twice. Imports each into a data directory of its own, prints the peak of the
resident memory, and fails above 256 MiB.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time
import zipfile

import made_filings

LIMIT = 256 << 20


def run(binary, path, folder):
    """Imports the file. Returns the seconds that passed and those of the processor, and the peak of the memory in bytes."""
    data = os.path.join(folder, "data-" + os.path.basename(path))
    start = time.monotonic()
    child = subprocess.Popen([binary, "import", "--data", data, path])
    _, status, usage = os.wait4(child.pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"{path}: the import failed")
    return (time.monotonic() - start, usage.ru_utime + usage.ru_stime), usage.ru_maxrss << 10


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("binary")
    arguments.add_argument("--rows", type=int, default=300_000)
    arguments.add_argument("--folder", help="use files that are there from an earlier run")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or temporary
        long = os.path.join(folder, "ipe_cia_aberta_2023.csv")
        packed = os.path.join(folder, "ipe_cia_aberta_2023.zip")
        strange = os.path.join(folder, "ipe_cia_aberta_2022.csv")
        if not os.path.exists(strange):
            made_filings.table(long, range(2003, 2024), given.rows)
            with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
                archive.write(long, os.path.basename(long))
            made_filings.table(strange, range(2003, 2024), given.rows // 5, made_filings.hostile)
        highest = 0
        for path in [long, packed, strange]:
            with tempfile.TemporaryDirectory(dir=folder) as place:
                (seconds, busy), peak = run(given.binary, path, place)
            size = os.path.getsize(path) >> 20
            name = os.path.basename(path)
            print(f"{name}: {size} MiB in {seconds:.0f} s ({busy:.0f} s busy), at most {peak >> 20} MiB of memory")
            highest = max(highest, peak)
    if highest > LIMIT:
        sys.exit(f"the limit is {LIMIT >> 20} MiB")


if __name__ == "__main__":
    main()
