"""Makes archives of statements (DFP and ITR) in CVM's layout, of made-up companies; the same ones for one seed.

They have what real ones have: rows that are there twice, contradict each other or cannot be read, members that are
missing, columns with other names, and forms that are not in the index.
"""

import io
import random
import zipfile
from decimal import Decimal

from statement_companies import History, companies
from statement_plans import SCOPES, TITLES

INDEX = "CNPJ_CIA DT_REFER VERSAO DENOM_CIA CD_CVM CATEG_DOC ID_DOC DT_RECEB LINK_DOC".split()
CAPITAL = (
    "CNPJ_CIA DT_REFER VERSAO DENOM_CIA QT_ACAO_ORDIN_CAP_INTEGR QT_ACAO_PREF_CAP_INTEGR QT_ACAO_TOTAL_CAP_INTEGR "
    "QT_ACAO_ORDIN_TESOURO QT_ACAO_PREF_TESOURO QT_ACAO_TOTAL_TESOURO"
).split()
OPINION = "CNPJ_CIA DT_REFER VERSAO DENOM_CIA TP_RELAT_{} TP_PARECER_DECL NUM_ITEM_PARECER_DECL TXT_PARECER_DECL"
# CVM's other names of the same columns.
OTHER_NAMES = {
    "CNPJ_CIA": "CNPJ_Companhia", "CD_CVM": "Codigo_CVM", "DT_REFER": "Data_Referencia",
    "DENOM_CIA": "Nome_Companhia", "VL_CONTA": "vl_conta", "VERSAO": "Versao", "ORDEM_EXERC": "Ordem_Exerc",
}


def columns_of(member):
    """The columns of a member: balance sheets have no beginning, changes of equity have parts."""
    names = "CNPJ_CIA DT_REFER VERSAO DENOM_CIA CD_CVM GRUPO_DFP MOEDA ESCALA_MOEDA ORDEM_EXERC".split()
    names += [] if member in ("BPA", "BPP") else ["DT_INI_EXERC"]
    names += ["DT_FIM_EXERC"] + (["COLUNA_DF"] if member == "DMPL" else [])
    return names + "CD_CONTA DS_CONTA VL_CONTA ST_CONTA_FIXA".split()


class Archives:
    """The archives of a seed: `files` in the order of their import, and `unlisted` forms, which are in no index."""

    def __init__(self, place, seed, known=()):
        self.place, self.chance = place, random.Random(seed)
        self.companies, self.files, self.unlisted = companies(known), [], []
        forms = [form for company in self.companies for form in History(company, self.chance).forms]
        for number, form in enumerate(sorted(forms, key=lambda form: form.received)):
            form.document = 5_000_000 + number
        newest = {}
        for form in forms:
            newest[form.kind, form.company.code, form.end] = form
        years = sorted({(form.kind, form.end.year) for form in forms})
        for kind, year in years:
            listed = [form for form in forms if (form.kind, form.end.year) == (kind, year)]
            current = [form for form in listed if newest[kind, form.company.code, form.end] is form]
            first = [form for form in listed if form.version == 1]
            older = [form for form in first if form not in current and self.chance.random() < 0.7]
            older += [form for form in first if form in current and older and self.chance.random() < 0.5]
            files = [self.write("now", kind, year, listed, current, older)]
            if older:
                files.append(self.write("before", kind, year, older, older, older))
            # An older archive that comes later must not replace what is newer.
            self.files += files[::-1] if self.chance.random() < 0.7 else files

    def write(self, folder, kind, year, listed, filed, older):
        """Writes an archive with an index of `listed` and the values of `filed`."""
        chance, prefix = self.chance, f"{kind.lower()}_cia_aberta"
        single = [form for form in filed if form.version == 1 and form not in older]
        if folder == "now" and single and len(listed) > 1 and chance.random() < 0.15:
            self.unlisted.append(chance.choice(single))
            listed = [form for form in listed if form is not self.unlisted[-1]]
        members = {f"{prefix}_{year}.csv": table(INDEX, [form.index_row() for form in listed])}
        for member in TITLES:
            for scope in SCOPES:
                if not older and member in ("DVA", "DMPL") and chance.random() < 0.05:
                    continue
                rows = [row for form in filed for row in form.rows(scope, member)]
                names, rows = self.spoiled(columns_of(member), rows)
                members[f"{prefix}_{member}_{scope}_{year}.csv"] = table(names, rows)
        members[f"{prefix}_composicao_capital_{year}.csv"] = table(CAPITAL, [self.capital(form) for form in filed])
        opinion = OPINION.format("AUD" if kind == "DFP" else "ESP").split()
        members[f"{prefix}_parecer_{year}.csv"] = table(opinion, [
            form.row_start() + ["", "Declaração dos Diretores", "1", 'Em "31 de março", sem ressalva'] for form in filed])
        path = self.place / folder / f"{prefix}_{year}.zip"
        path.parent.mkdir(parents=True, exist_ok=True)
        # The index comes first in CVM's archives, but nothing promises it.
        if chance.random() < 0.3:
            index = f"{prefix}_{year}.csv"
            members[index] = members.pop(index)
        write_archive(path, members)
        return path

    def capital(self, form):
        """Shares, in thousands if the company counts so; some preferred, some in treasury, and totals left out."""
        chance, total = self.chance, form.company.share_count(form.end.year) // form.company.shares
        preferred = chance.choice([0, total // 3])
        treasury = chance.choice([0, 0, total // 20])
        counts = [total - preferred, preferred, total, treasury, 0, treasury]
        if chance.random() < 0.1:
            counts[2] = counts[5] = 0
        if chance.random() < 0.03:
            counts = [0] * 6
        return form.row_start() + list(map(str, counts))

    def spoiled(self, names, rows):
        """Adds rows that are there twice, contradict others or cannot be read; renames and moves columns."""
        chance, rows = self.chance, list(rows)
        value, code = names.index("VL_CONTA"), names.index("CD_CONTA")
        if rows and chance.random() < 0.4:
            first = chance.randrange(len(rows))
            rows += rows[first:first + chance.randint(1, 30)]
        if len(rows) > 100 and chance.random() < 0.4:
            for _ in range(chance.randint(1, 3)):
                twin = list(chance.choice(rows))
                twin[value] = f"{Decimal(twin[value]) + chance.randint(1, 5):.10f}"
                rows.append(twin)
        # One row that cannot be read is always allowed, and one in a hundred.
        for _ in range(chance.choice([0, 0, 1, len(rows) // 150])):
            bad = list(chance.choice(rows)) if rows else None
            if bad:
                bad[code] = f"{bad[code]}.77"
                bad[value] = chance.choice(["", "1.234,56", "abc", "1e5", "--1"])
                if chance.random() < 0.3:
                    bad.pop()
                rows.insert(chance.randrange(len(rows)), bad)
        whole = [row for row in rows if len(row) == len(names)]
        if len(whole) == len(rows) and chance.random() < 0.15:
            order = list(range(len(names)))
            chance.shuffle(order)
            names, rows = [names[at] for at in order], [[row[at] for at in order] for row in rows]
        if chance.random() < 0.15:
            names = [OTHER_NAMES.get(name, name) for name in names]
        if len(whole) == len(rows) and chance.random() < 0.1:
            names, rows = names + ["NOVA_COLUNA"], [row + ["x"] for row in rows]
        return names, rows


def table(names, rows):
    """A table as bytes: semicolons, CRLF, Latin-1."""
    return "".join(";".join(row) + "\r\n" for row in [names, *rows]).encode("latin-1")


def write_archive(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 2, 3, 4, 6)), content, zipfile.ZIP_DEFLATED)


def read_archive(path):
    with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as archive:
        return {name: archive.read(name) for name in archive.namelist()}
