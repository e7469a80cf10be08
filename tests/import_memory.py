#!/usr/bin/env python3
"""The memory of an import: `import_memory.py BINARY [--rows N] [--folder DIR]`.

Makes tables of filings as CVM publishes them, far longer than any year: one with ordinary subjects, the same in a zip
archive, and one in which no word appears twice. Imports each into a data directory of its own, prints the peak of the
resident memory, and fails above 256 MiB.
"""
import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
import zipfile

LIMIT = 256 << 20
HEADER = (
    "CNPJ_Companhia;Nome_Companhia;Codigo_CVM;Data_Referencia;Categoria;Tipo;Especie;Assunto;Data_Entrega;"
    "Tipo_Apresentacao;Protocolo_Entrega;Versao;Link_Download"
)
LINK = (
    "https://www.rad.cvm.gov.br/ENET/frmDownloadDocumento.aspx?Tela=ext&descTipo=IPE&CodigoInstituicao=1"
    "&numProtocolo={id}&numSequencia={sequence}&numVersao=1"
)
CATEGORIES = ["Assembleia;AGO;Ata", "Fato Relevante;;", "Comunicado ao Mercado;Outros;", "Aviso aos Acionistas;;Edital"]
SYLLABLES = "as sem blei a ge ral or di ná ria con vo ca ção de ben tu res fa to re le van te aqui si".split()


def ordinary(random_numbers, words, _):
    return " ".join(random_numbers.choices(words, k=20))


def hostile(random_numbers, _, row):
    return " ".join(f"{random_numbers.getrandbits(64):x}{row:x}{word:x}" for word in range(6))


def table(path, rows, subject):
    """Writes a table with this many rows, in the order of CVM's: by company, not by day."""
    numbers = random.Random(9)
    words = ["".join(numbers.choices(SYLLABLES, k=numbers.randint(2, 4))) for _ in range(30000)]
    companies = 800
    with open(path, "w", encoding="windows-1252", newline="") as out:
        out.write(HEADER + "\r\n")
        for row in range(rows):
            company = 1 + row * companies // rows
            day = f"{2003 + numbers.randrange(20)}-{numbers.randint(1, 12):02}-{numbers.randint(1, 28):02}"
            link = LINK.format(id=100000 + row, sequence=50000 + row)
            out.write(
                f"00.000.000/0001-91;COMPANHIA {company} DE AÇO S.A.;{company};{day};{numbers.choice(CATEGORIES)};"
                f"{subject(numbers, words, row)};{day};AP - Apresentação;;1;{link}\r\n"
            )


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
            table(long, given.rows, ordinary)
            with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
                archive.write(long, os.path.basename(long))
            table(strange, given.rows // 5, hostile)
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
