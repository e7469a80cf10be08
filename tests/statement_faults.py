"""Malformed archives of statements: what must be refused, each made of a whole archive."""

import zipfile

from statement_files import table, write_archive


def renewed(content):
    """A table in which every form is a ninth version, with a number of its own."""
    lines = [line.split(";") for line in content.decode("latin-1").split("\r\n") if line]
    names = [name.upper() for name in lines[0]]
    for row in lines[1:]:
        if len(row) == len(names):
            row[names.index("VERSAO")] = "9"
            if "ID_DOC" in names:
                number = names.index("ID_DOC")
                row[-1], row[number] = row[-1].replace(row[number], "9" + row[number]), "9" + row[number]
    # Versions of one form fall together in one row.
    rows = list(dict.fromkeys(map(tuple, lines[1:])))
    if "ID_DOC" in names:
        rows = list({(row[names.index("CD_CVM")], row[names.index("DT_REFER")]): row for row in rows}.values())
    return table(lines[0], rows)


def faults(members, chance):
    """Names of faults, each with what makes it of a whole archive."""
    def cut(part):
        return lambda path, _: path.write_bytes(path.read_bytes()[:int(path.stat().st_size * part)])

    def flip(path, _):
        content = bytearray(path.read_bytes())
        with zipfile.ZipFile(path) as archive:
            inside = max(archive.infolist(), key=lambda member: member.compress_size)
        for at in range(20):
            content[inside.header_offset + 30 + len(inside.filename) + inside.compress_size // 2 + at] ^= 0x55
        path.write_bytes(content)

    def member(name, change):
        def spoil(path, members):
            members[name] = change(members[name])
            write_archive(path, members)
        return spoil

    def without(column):
        def change(content):
            names, *rows = (line.split(";") for line in content.decode("latin-1").split("\r\n") if line)
            at = next(place for place, name in enumerate(names) if name.upper() in column)
            return table(names[:at] + names[at + 1:], [row[:at] + row[at + 1:] for row in rows])
        return change

    def bad_rows(content):
        names, *rows = (line.split(";") for line in content.decode("latin-1").split("\r\n") if line)
        at = next(place for place, name in enumerate(names) if name.upper() == "VL_CONTA")
        return table(names, [row[:at] + (["n/d"] + row[at + 1:] if chance.random() < 0.05 else row[at:]) for row in rows])

    income = next(name for name in members if "_DRE_con_" in name)
    index = min(members, key=len)
    for part in (0.1, 0.5, 0.9, 0.999):
        yield f"{part:.1%} of its bytes", cut(part)
    yield "flipped bits", flip
    for names in ("CD_CVM CODIGO_CVM", "CD_CONTA", "VL_CONTA", "ORDEM_EXERC", "DT_FIM_EXERC", "DT_INI_EXERC"):
        yield f"no column {names.split()[0]} in a member", member(income, without(names.split()))
    yield "no column ID_DOC in its index", member(index, without(["ID_DOC"]))
    yield "5 % bad rows in a member", member(income, bad_rows)
    yield "rubbish for a member", member(income, lambda content: chance.randbytes(len(content)))
    yield "rubbish after the header of a member", member(
        income, lambda content: content[:content.index(b"\n") + 1] + chance.randbytes(len(content)))
    yield "rubbish for its index", member(index, lambda content: chance.randbytes(2000))
