"""Made-up companies, and forms as real ones file them: with restatements, several versions, fiscal years that end in March
or June or last three months, scales that change, and accounts of their own."""

import datetime
from decimal import Decimal

from statement_plans import CONSOLIDATED_PARTS, EQUITY, EQUITY_PARTS, PROFIT, SCOPES, SUMS, TITLES, plan_accounts

DAY = datetime.timedelta(days=1)
LATEST, BEFORE = "ÚLTIMO", "PENÚLTIMO"
# What a cash flow may have besides: whether it counts as dividends paid or capital expenditure is in `statement_figures.py`.
CASH = {
    "6.02": ["Aquisição de controlada, líquida do caixa", "Venda de imobilizado", "Adições ao intangível", "Compra de software",
             "Resgate de aplicações financeiras", "Dividendos recebidos"],
    "6.03": ["Juros sobre o capital próprio pagos", "Captação de empréstimos", "Dividendos não reclamados", "Pagamento de JCP",
             "Distribuição de dividendos a não controladores", "Aumento de capital"],
}
OWN = ["Provisão para créditos - própria", "Receitas de aluguéis", "Ajuste a valor justo", "Outras", "Ágio (deságio)"]


def add_months(day, months):
    """The first day of a month, so many months later."""
    months += day.year * 12 + day.month - 1
    return datetime.date(months // 12, months % 12 + 1, 1)


def cnpj(number):
    """A number of the national register with its check digits."""
    digits = [int(digit) for digit in f"{number:08}0001"]
    for _ in range(2):
        weights = [2 + place % 8 for place in range(len(digits))][::-1]
        rest = sum(digit * weight for digit, weight in zip(digits, weights)) % 11
        digits.append(0 if rest < 2 else 11 - rest)
    text = "".join(map(str, digits))
    return f"{text[:2]}.{text[2:5]}.{text[5:8]}/{text[8:12]}-{text[12:]}"


class Company:
    """A company that files: its plan in each year, the end of its fiscal years, and how it counts."""

    def __init__(
        self, code, number, name, first, last, month=12, short=None, quarters=True, shares=1,
        plan=lambda year: "general", scopes=lambda year: ("con", "ind"), thousands=lambda year: True,
        method=lambda year: "DFC_MI",
    ):
        self.code, self.cnpj, self.name = code, number, name
        self.first, self.last, self.month, self.short = first, last, month, short
        self.plan, self.scopes, self.thousands, self.quarters = plan, scopes, thousands, quarters
        self.method, self.shares = method, shares

    def share_count(self, year):
        """The shares that were issued."""
        return 3_000_000 * (year - 2000)

    def years(self):
        """The fiscal years: first and last day."""
        start = add_months(datetime.date(self.first, self.month, 1), -11)
        while True:
            # A company that moves the end of its year to March has one of three months first.
            end = add_months(start, 3 if start.year == self.short and start.month == 1 else 12)
            if (end - DAY).year > self.last:
                return
            yield start, end - DAY
            start = end


class Form:
    """A version of a form. Its columns: by scope and member, then by order and period, then by account; in reais."""

    def __init__(self, kind, company, start, end, version, received, columns, thousands):
        self.kind, self.company, self.start, self.end = kind, company, start, end
        self.version, self.received, self.columns, self.thousands = version, received, columns, thousands
        self.document = None

    def row_start(self):
        return [self.company.cnpj, self.end.isoformat(), str(self.version), self.company.name]

    def index_row(self):
        code, received = f"{self.company.code:06}", self.received.isoformat()
        return self.row_start() + [code, self.kind, str(self.document), received, link(self)]

    def rows(self, scope, member):
        """The rows of a member, those of the year before ahead, as CVM has them: account by account."""
        columns = self.columns.get((scope, member), {})
        keys = dict.fromkeys(key for column in columns.values() for key in column)
        head = self.row_start() + [f"{self.company.code:06}", f"{SCOPES[scope]} - {TITLES[member]}", "REAL",
                                   "MIL" if self.thousands else "UNIDADE"]
        for key in sorted(keys, key=lambda key: key[1]):
            part, code, name = key
            for (order, start, end), column in sorted(columns.items()):
                if key in column:
                    value = column[key] / (1000 if self.thousands and not is_per_share(code) else 1)
                    fixed = "N" if is_per_share(code) or code.split(".")[-1] >= "90" else "S"
                    period = [] if member in ("BPA", "BPP") else [start.isoformat()]
                    period += [end.isoformat()] + ([part] if member == "DMPL" else [])
                    yield head + [order] + period + [code, name, f"{value:.10f}", fixed]


def is_per_share(code):
    return code.split(".")[:2] == ["3", "99"]


class History:
    """Makes the forms of a company, in the order of their periods."""

    def __init__(self, company, chance):
        self.company, self.chance, self.forms = company, chance, []
        self.size = 10 ** chance.randint(5, 9)
        above = {"BPA": "1.02", "BPP": "2.01", "DRE": "3.04", "DFC_MI": "6.01", "DVA": "7.01"}
        self.own = {member: [(f"{code}.{90 + n}", chance.choice(OWN)) for n in range(chance.randint(0, 2))]
                    for member, code in above.items()}
        # As companies do: in one of three the accounts below dividends are filled in, too.
        for member in ("DFC_MI", "DFC_MD"):
            own = self.own.setdefault(member, [])
            for above, names in CASH.items():
                chosen = chance.sample(names, chance.randint(0, 3))
                own += [(f"{above}.{90 + n}", name) for n, name in enumerate(chosen)]
        if chance.random() < 0.3:
            self.own["DFC_MI"].append(("6.03.01.91", "Dividendos pagos a controladores"))
        for start, end in company.years():
            self.year(start, end)

    def year(self, start, end):
        company, chance = self.company, self.chance
        plan, scopes = company.plan(end.year), company.scopes(end.year)
        members = ["BPA", "BPP", "DRE", "DRA", company.method(end.year), "DVA", "DMPL"]
        total = {}
        whole = add_months(start, 12) - DAY == end
        for quarter in range(1, 5) if whole else [4]:
            last = add_months(start, 3 * quarter) - DAY if whole else end
            own = {member: [one for one in listed if chance.random() < 0.9] for member, listed in self.own.items()}
            columns = {}
            is_annual = quarter == 4
            thousands = company.thousands(last.year)
            for scope in scopes:
                for member in members:
                    now = self.values(plan, scope, member, own.get(member, []))
                    if member in ("BPA", "BPP"):
                        columns[scope, member] = {(LATEST, start, last): self.rounded(now, thousands)}
                        continue
                    before = total.get((scope, member), {})
                    ytd = {key: value + before.get(key, 0) for key, value in now.items()}
                    total[scope, member] = ytd
                    columns[scope, member] = {(LATEST, start, last): self.rounded(ytd, thousands)}
                    # Companies leave the quarter out now and then; then it is the difference of two years to date.
                    if member in ("DRE", "DRA") and quarter in (2, 3) and chance.random() < 0.93:
                        begin = add_months(start, 3 * quarter - 3)
                        columns[scope, member][LATEST, begin, last] = self.rounded(now, thousands)
            self.share_out(columns, last.year)
            self.compare(columns, "DFP" if is_annual else "ITR", start, last, plan, thousands)
            if is_annual or company.quarters and chance.random() < 0.97:
                self.file("DFP" if is_annual else "ITR", start, last, columns, thousands)

    def share_out(self, columns, year):
        """Earnings per share that follow from net income and shares, but for some: zeros, and any number."""
        for (_, member), periods in columns.items():
            for values in periods.values() if member == "DRE" else []:
                code = next(one[1] for one in values if one[2].startswith("Lucro") and "Período" in one[2])
                earned = {account: value for (_, account, _), value in values.items()}
                profit = earned.get(f"{code}.01") or earned[code]
                fate = self.chance.random()
                for key in values:
                    if key[1] == "3.99.01.01" and fate < 0.85:
                        values[key] = round(profit / self.company.share_count(year), 8) if fate > 0.1 else Decimal(0)

    def values(self, plan, scope, member, own):
        """The values of three months, or of a day."""
        chance = self.chance
        cents = self.size * 100
        pick = lambda: Decimal(0) if chance.random() < 0.2 else Decimal(chance.randint(-cents, cents)) / 100
        made = {code: pick() for code, _ in plan_accounts(plan, scope, member) + own}
        if member == "DRE":
            made["3.01"] = abs(made["3.01"])
            for rule in SUMS[plan]:
                target, parts = rule.split("=")
                made[target] = sum(made[part] for part in parts.split("+"))
            for code in made:
                if is_per_share(code):
                    made[code] = Decimal(chance.randint(-99999, 999999)) / 100000
            # The two shares of net income are left at zero now and then, or make it up.
            whole, parts = made[PROFIT[plan]], [f"{PROFIT[plan]}.0{n}" for n in (1, 2)]
            if parts[0] in made:
                made[parts[0]] = Decimal(0) if chance.random() < 0.2 else (whole * chance.randint(50, 100) / 100)
                made[parts[1]] = Decimal(0) if chance.random() < 0.2 else whole - made[parts[0]]
        if member == "BPA":
            made = {code: abs(value) for code, value in made.items()}
            made["1"] = sum(value for code, value in made.items() if code.count(".") == 1)
        names = plan_accounts(plan, scope, member) + own
        if member != "DMPL":
            return {(None, code, name): made[code] for code, name in names}
        parts = EQUITY_PARTS + (CONSOLIDATED_PARTS if scope == "con" else [])
        return {(part, code, name): pick() if chance.random() < 0.4 else Decimal(0)
                for code, name in names for part in parts}

    def rounded(self, values, thousands):
        """To whole units of the scale, but for some: forms in thousands have decimals, and forms in reais cents."""
        rounded = {}
        for key, value in values.items():
            if not is_per_share(key[1]):
                usual = self.chance.random() < (0.97 if thousands else 0.6)
                unit = Decimal(1000 if thousands else 1) if usual else Decimal("0.01")
                value = (value / unit).quantize(Decimal(1)) * unit
                if not usual and self.chance.random() < 0.1:
                    value += Decimal(self.chance.randint(1, 9999)) / 10_000_000
            rounded[key] = value
        return rounded

    def compare(self, columns, kind, start, end, plan, thousands):
        """Adds the columns of the year before, as they were filed or restated."""
        annual = next((form for form in reversed(self.forms) if form.kind == "DFP"), None)
        for (scope, member), latest in columns.items():
            for (_, begin, last), values in list(latest.items()):
                period = add_months(begin, -12), add_months(last + DAY, -12) - DAY
                same = [form for form in self.forms if (form.kind, form.end) == (kind, period[1])]
                source = same[-1] if same else None
                if kind == "DFP" or member in ("BPA", "BPP"):
                    source, period = annual, (add_months(start, -12), start - DAY)
                    period = (annual.start, annual.end) if annual else period
                known = source.columns.get((scope, member), {}).get((LATEST, *period), {}) if source else {}
                # After a change of plan the year before is told in the new one.
                same_plan = not source or self.company.plan(source.end.year) == plan
                old = self.restated(known) if known and same_plan else self.rounded(values, thousands)
                latest[(BEFORE, *period)] = old
        agree(columns, plan, self.company.scopes(end.year))

    def restated(self, values):
        """What was filed, or one in four times with some values changed, and rarely with an account of another name."""
        chance, values = self.chance, dict(values)
        if chance.random() < 0.25:
            for key in chance.sample(sorted(values, key=str), min(3, len(values))):
                if not is_per_share(key[1]):
                    values[key] += Decimal(chance.randint(-10**7, 10**7)) * (1000 if chance.random() < 0.8 else 1)
        deep = sorted((key for key in values if key[1].count(".") == 2), key=str)
        if deep and chance.random() < 0.03:
            part, code, name = chance.choice(deep)
            values[part, code, name + " (reapresentado)"] = values.pop((part, code, name))
        return values

    def file(self, kind, start, end, columns, thousands):
        """Files a form, in one to three versions."""
        chance = self.chance
        received = end + datetime.timedelta(days=chance.randint(25, 44) if kind == "ITR" else chance.randint(40, 100))
        self.forms.append(Form(kind, self.company, start, end, 1, received, columns, thousands))
        version = 1
        while chance.random() < 0.12:
            version += 1
            received += datetime.timedelta(days=chance.randint(1, 150))
            columns = {place: {period: self.corrected(period, values) for period, values in periods.items()}
                       for place, periods in columns.items()}
            agree(columns, self.company.plan(end.year), self.company.scopes(end.year))
            self.forms.append(Form(kind, self.company, start, end, version, received, columns, thousands))

    def corrected(self, period, values):
        values = dict(values)
        if period[0] == LATEST and self.chance.random() < 0.5:
            key = self.chance.choice(sorted(values, key=str))
            values[key] += Decimal(self.chance.randint(1, 10**6)) * Decimal("0.00001" if is_per_share(key[1]) else 1000)
        return values


def agree(columns, plan, scopes):
    """Makes the two sides of balance sheets equal, and the net income of both statements of income."""
    for scope in scopes:
        for period, values in columns[scope, "BPP"].items():
            assets = columns[scope, "BPA"].get(period, {}).get((None, "1", "Ativo Total"))
            if assets is not None and (None, "2", "Passivo Total") in values:
                values[None, "2", "Passivo Total"] = assets
                equity = [key for key in values if key[1] == EQUITY[plan]]
                rest = [key for key in values if key[1].count(".") == 1 and key not in equity]
                if equity:
                    values[equity[0]] = assets - sum(values[key] for key in rest)
        for period, values in columns[scope, "DRE"].items():
            profit = next((value for key, value in values.items() if key[1] == PROFIT[plan]), None)
            comprehensive = columns[scope, "DRA"].get(period, {})
            for key in comprehensive:
                if key[1] == "4.01" and profit is not None:
                    comprehensive[key] = profit


def companies(known):
    """The companies. `known` are codes and numbers of registered ones, which the first take; no registry has the others."""
    free = iter(range(990_001, 999_999))
    known = iter(known)

    def who():
        return next(known, None) or (code := next(free), cnpj(code % 10**8))

    banks = lambda year: "old bank" if year < 2020 else "new bank"
    alone = lambda year: ("ind",)
    growing = lambda year: ("con", "ind") if year > 2017 else ("ind",)
    methods = lambda year: "DFC_MD" if year < 2016 else "DFC_MI"
    made = [
        Company(*who(), "COMPANHIA EXEMPLO UM S.A.", 2010, 2025, shares=1000),
        Company(*who(), "EXEMPLO AÇÚCAR E ÁLCOOL S.A.", 2011, 2025, month=3, thousands=lambda year: year % 5 != 0),
        Company(*who(), "BANCO EXEMPLO S.A.", 2012, 2025, plan=banks),
        Company(*who(), "BCO. DO EXEMPLO ANTIGO S.A.", 2018, 2025, plan=lambda year: "old bank", shares=1000),
        Company(*who(), "SEGURADORA EXEMPLO S/A", 2014, 2024, plan=lambda year: "insurer"),
        Company(*who(), "EXEMPLO & IRMÃOS LTDA. PARTICIPAÇÕES", 2013, 2025, scopes=alone, thousands=lambda year: False),
    ]
    free_one = lambda: (code := next(free), cnpj(code % 10**8))
    made += [
        Company(*free_one(), "EXEMPLO DE JUNHO S.A.", 2012, 2022, month=6, method=methods),
        Company(*free_one(), "EXEMPLO QUE MUDA DE ANO S.A.", 2013, 2021, short=2017, thousands=lambda year: year < 2019),
        Company(*free_one(), "EXEMPLO QUE CRESCE S.A.", 2014, 2023, scopes=growing),
        Company(*free_one(), "EXEMPLO DE FEVEREIRO S.A.", 2015, 2020, month=2, thousands=lambda year: year % 2 == 0),
        # Under two codes in one year, as happens after a reorganisation.
        Company(next(free), made[0].cnpj, "COMPANHIA EXEMPLO UM PARTICIPAÇÕES S.A.", 2015, 2015),
        Company(*free_one(), "EXEMPLO SÓ ANUAL S.A.", 2019, 2024, quarters=False, method=lambda year: "DFC_MD"),
    ]
    return made


def link(form):
    return ("http://www.rad.cvm.gov.br/ENETCONSULTA/frmDownloadDocumento.aspx?CodigoInstituicao=1"
            f"&NumeroSequencialDocumento={form.document}")
