"""The figures that compare companies, made from the rows of `statement_oracle.py`: which account is what in each plan."""

import itertools
from decimal import Decimal

# By plan the codes of each figure, which are added. Those of banks before 2020 come second: their names tell which.
ACCOUNTS = {
    "general": {
        "revenue": "3.01", "gross_profit": "3.03", "ebit": "3.05", "financial_result": "3.06", "net_income": "3.11",
        "current_assets": "1.01", "current_liabilities": "2.01", "cash": "1.01.01+1.01.02",
        "gross_debt": "2.01.04+2.02.01", "equity": "2.03", "depreciation_amortisation": "7.04.01",
    },
    "bank": {
        "revenue": "3.01", "gross_profit": "3.03", "net_income": "3.11|3.09", "equity": "2.07|2.08", "cash": "1.01",
        "depreciation_amortisation": "7.04.01|7.03.01|7.02.01",
    },
    "insurer": {
        "revenue": "3.01", "gross_profit": "3.03", "ebit": "3.07", "financial_result": "3.08", "net_income": "3.13",
        "current_assets": "1.01", "current_liabilities": "2.01", "cash": "1.01.01+1.01.02",
        "gross_debt": "2.01.04+2.02.01", "equity": "2.03", "depreciation_amortisation": "7.04.01|7.03.01|7.02.01",
    },
}
COMMON = {"total_assets": "1", "operating_cash_flow": "6.01", "investing_cash_flow": "6.02", "financing_cash_flow": "6.03"}
# What a bank does not have.
NOT_OF_BANKS = ["ebit", "financial_result", "ebitda", "current_assets", "current_liabilities", "gross_debt", "net_debt"]
KINDS = {
    "1": "balance-sheet", "2": "balance-sheet", "3": "income", "4": "comprehensive-income", "6": "cash-flow",
    "7": "value-added",
}
RATIOS = {
    "gross_margin": ("gross_profit", "revenue"), "ebit_margin": ("ebit", "revenue"), "net_margin": ("net_income", "revenue"),
    "roe": ("net_income", "equity"), "roa": ("net_income", "total_assets"),
    "debt_to_equity": ("gross_debt", "equity"), "net_debt_to_ebitda": ("net_debt", "ebitda"),
}
# Ratios in times; the others are in percent.
TIMES = ("debt_to_equity", "net_debt_to_ebitda")
METRICS = (
    "revenue gross_profit ebit depreciation_amortisation ebitda financial_result net_income net_income_controlling "
    "total_assets current_assets current_liabilities cash gross_debt net_debt equity operating_cash_flow "
    "investing_cash_flow financing_cash_flow capital_expenditure dividends_paid eps shares gross_margin ebit_margin "
    "net_margin roe roa debt_to_equity net_debt_to_ebitda"
).split()
POSITIVE = ("depreciation_amortisation", "capital_expenditure", "dividends_paid")
REASONS = (
    "not_in_plan no_statement no_account not_divided left_at_zero no_shares scale_in_doubt divisor_not_positive too_large"
).split()
# The names of made-up cash flows that are payments for property or to shareholders, and those that are not.
PAYMENTS = {
    "capital_expenditure": ("6.02", {
        "Aquisição de Imobilizado e Intangível", "Aplicação no imobilizado", "Adições ao intangível", "Compra de software"}),
    "dividends_paid": ("6.03", {
        "Dividendos pagos", "Juros sobre o capital próprio pagos", "Pagamento de JCP", "Dividendos pagos a controladores",
        "Distribuição de dividendos a não controladores"}),
}
OTHER_FLOWS = {
    "Aquisição de controlada, líquida do caixa", "Venda de imobilizado", "Resgate de aplicações financeiras",
    "Dividendos recebidos", "Captação de empréstimos", "Dividendos não reclamados", "Aumento de capital",
}
UNKNOWN = "unknown"


class Period:
    """The figures of a company in a period. `known`: what each must be; a set where either will do."""

    def __init__(self, found, capital, scope):
        self.found = found
        self.values = {(kind, account): value
                       for kind, row in found.items() for (_, account, _), (value, _) in row.accounts.items()}
        self.plan = found["income"].form.plan(scope) if "income" in found else None
        known = self.told() if self.plan else self.without_plan()
        self.filed_shares = filed_shares(capital)
        known["shares"] = shares(self.filed_shares, known)
        self.known = {name: value for name, value in known.items() if value != UNKNOWN}

    def without_plan(self):
        told = self.values.get(("comprehensive-income", "4.01"))
        return {"net_income": UNKNOWN if told is None else told} if "income" not in self.found else {}

    def told(self):
        """Names and values. A figure is unknown here where the names of accounts decide."""
        plan, known = self.plan, {}
        for name, codes in {**COMMON, **ACCOUNTS[plan]}.items():
            kind = KINDS[codes[0]]
            choices = [choice for choice in codes.split("|") if is_named(name, self.found.get(kind), choice)]
            accounts = [(kind, code) for code in choices[0].split("+")] if choices else []
            there = [self.values[one] for one in accounts if one in self.values]
            # What a form leaves out of a sum is zero.
            known[name] = sum(there) if there else None
        known["depreciation_amortisation"] = self.wear(ACCOUNTS[plan]["depreciation_amortisation"].split("|"))
        if plan == "bank":
            known |= dict.fromkeys(NOT_OF_BANKS)
        else:
            parts = known["ebit"], known["depreciation_amortisation"]
            known["ebitda"] = None if None in parts else sum(parts)
            parts = known["gross_debt"], known["cash"]
            known["net_debt"] = None if None in parts else parts[0] - parts[1]
        if known["net_income"] is None:
            known["net_income"] = self.values.get(("comprehensive-income", "4.01"))
        known["net_income_controlling"] = self.controlling()
        known |= {name: self.paid(*how) for name, how in PAYMENTS.items()}
        known["eps"] = self.per_share(known["net_income"])
        for name, (over, under) in RATIOS.items():
            parts = known.get(over), known.get(under)
            times = 1 if name in TIMES else 100
            known[name] = parts[0] / parts[1] * times if None not in parts and parts[1] > 0 else None
        return known

    def controlling(self):
        """What belongs to the shareholders of the company; unknown to all if both shares are zero and the whole is not."""
        names = {account: name.lower() for _, account, name in self.found["income"].accounts}
        whole = [code for code, name in names.items() if code.count(".") == 1 and name.startswith("lucro")
                 and ("período" in name or "exercício" in name)]
        parts = {code: name for code, name in names.items() if whole and code.startswith(f"{whole[-1]}.")}
        own = [code for code, name in parts.items() if "controladora" in name and "não" not in name]
        shares = [self.values["income", code] for code in parts]
        if not own or not any(shares) and self.values["income", whole[-1]]:
            return None
        return self.values["income", own[0]]

    def wear(self, codes):
        """Depreciation, without its sign in each form."""
        total = 0
        for sign, accounts in self.found["value-added"].part_accounts() if "value-added" in self.found else [(1, {})]:
            named = {code: value for (_, code, name), (value, _) in accounts.items() if "deprecia" in name.lower()}
            there = [named[code] for code in codes if code in named]
            if not there:
                return None
            total += sign * abs(there[0])
        return total

    def paid(self, parent, counted):
        """The sum of the accounts with these names, without those that are parts of another; of a computed period, the
        sums of its forms, if all of them have the same accounts."""
        if "cash-flow" not in self.found:
            return None
        all_names = set().union(OTHER_FLOWS, *(names for _, names in PAYMENTS.values()))
        total, filed = 0, self.found["cash-flow"].part_accounts()
        for sign, accounts in filed:
            below = {code: (name, value) for (_, code, name), (value, _) in accounts.items()
                     if code.startswith(f"{parent}.")}
            if any(name not in all_names for name, _ in below.values()):
                return UNKNOWN
            chosen = {code: value for code, (name, value) in below.items() if name in counted}
            whole = [code for code, value in chosen.items() if value]
            parts = {code: value for code, value in chosen.items()
                     if not any(code.startswith(f"{one}.") for one in whole)}
            counts = [(code, below[code][0]) for code, value in parts.items() if value]
            held = [{account[1:] for account in others} for _, others in filed]
            if not chosen or any(one not in others for one in counts for others in held):
                return None
            total += sign * abs(sum(parts.values()))
        return total

    def is_computed(self, name):
        """Whether a figure is made of several forms, each with signs of its own."""
        kinds = {"depreciation_amortisation": "value-added", "ebitda": "value-added", "capital_expenditure": "cash-flow",
                 "dividends_paid": "cash-flow"}
        row = self.found.get(kinds.get(name))
        return bool(row) and row.origin == "computed"

    def per_share(self, net_income):
        accounts = self.found["income"].accounts.items()
        filed = [value for (_, code, name), (value, _) in accounts if code.startswith("3.99.01.") and name == "ON"]
        classes = [value for (_, code, _), (value, _) in accounts if code.startswith("3.99.01.")]
        # Some forms give the account of all classes alone.
        of_all = {code: value for (_, code, _), (value, _) in accounts if code in ("3.99.01", "3.99") and value}
        if of_all and not any(classes):
            return of_all.get("3.99.01", of_all.get("3.99"))
        others = bool(classes)
        if not filed:
            return UNKNOWN if others else None
        return None if not filed[0] and net_income else filed[0]

    def made_of(self, name, codes):
        """What these accounts make together, by the rule of the figure. More than one value if names share a code."""
        choices = []
        for code in codes:
            row = self.found.get(KINDS.get(code[0]))
            told = [value for (_, account, _), (value, _) in row.accounts.items() if account == code] if row else []
            minus = name == "net_debt" and code.startswith("1.")
            wear = name == "ebitda" and code.startswith("7.")
            choices.append([-value if minus else abs(value) if wear else value for value in told])
        sums = [sum(chosen) for chosen in itertools.product(*choices)]
        return [abs(one) for one in sums] if name in POSITIVE else sums


def figures(book, code, period, scope):
    """The figures by the end of each period."""
    rows = {}
    for kind in set(KINDS.values()):
        # The balance sheet of twelve months is the one at their end.
        of = "quarter" if period == "ttm" and kind == "balance-sheet" else period
        for row in book.rows(code, kind, of, scope):
            rows.setdefault(row.end, {})[kind] = row
    return {end.isoformat(): Period(found, book.capital(code, end), scope) for end, found in rows.items()
            if period != "ttm" or found.keys() != {"balance-sheet"}}


def filed_shares(capital):
    """The shares outstanding as filed; nothing if there are none. Some forms leave out the totals."""
    if capital is None:
        return None
    common, preferred, total, *treasury = capital
    count = (total or common + preferred) - (treasury[2] or treasury[0] + treasury[1])
    return count if count > 0 else None


def shares(count, known):
    """The shares outstanding, which are counted in units or in thousands. Where net income by earnings per share is near
    either, it decides; else equity does. In doubt it is null, and near the bounds either will do."""
    if count is None:
        return None
    units, thousands = count, count * 1000
    if UNKNOWN in (known.get("eps", UNKNOWN), known.get("net_income", UNKNOWN), known.get("equity", UNKNOWN)):
        return {units, thousands, None}
    earned = known["net_income"] if known["net_income_controlling"] is None else known["net_income_controlling"]
    if earned and known["eps"] and earned * known["eps"] > 0:
        share = count * known["eps"] / earned
        for factor, value in ((1, units), (1000, thousands)):
            if Decimal("0.6") < share * factor < Decimal("1.7"):
                return value
            if Decimal("0.4") < share * factor < Decimal("2.5"):
                return {units, thousands, None}
    if known["equity"] is None:
        return {units, None}
    of_each = known["equity"] / count
    if Decimal("0.011") < of_each < 99:
        return units
    if 2001 < of_each < 999_999 and count > 10_000:
        return thousands
    return {units, thousands, None} if Decimal("0.009") < of_each else {units, None}


def is_named(name, row, code):
    """Whether an account is what it should be: the same codes mean other things in banks before and since 2020."""
    wanted = {"net_income": "período", "equity": "patrimônio líquido", "depreciation_amortisation": "deprecia"}.get(name)
    names = [label.lower() for _, account, label in row.accounts if account == code] if row else []
    return not wanted or any(wanted in label for label in names)


def agree(given, wanted, name):
    """Whether a figure is right; ratios are rounded to two decimals."""
    if isinstance(wanted, set):
        return given in wanted
    if given is None or wanted is None:
        return given is wanted
    return abs(given - wanted) <= Decimal("0.005") if name in RATIOS else given == wanted


def compare_figures(client, book, tally, code, scope, period):
    """The figures of a company in every period, and what they say of themselves. Returns the rows."""
    path = f"companies/{code}/financials?period={period}&scope={scope}&limit=100"
    short = scope[:3]
    wanted = figures(book, code, period, short)
    rows = client.data(path)
    ends = [row["period_end"] for row in rows]
    if ends != sorted(wanted, reverse=True):
        tally.differ(f"{path}: periods", ends, sorted(wanted, reverse=True))
    sourced = {row["period_end"]: row for row in client.data(f"{path}&sources=true")}
    for row in rows:
        made = wanted.get(row["period_end"])
        where = f"{path}: {row['period_end']}"
        if made and made.plan and row["plan"] != made.plan:
            tally.differ(f"{where}: plan", row["plan"], made.plan)
        for name, value in made.known.items() if made else ():
            tally.values += 1
            if not agree(row[name], value, name):
                tally.differ(f"{where}: {name}", row[name], value)
        if made:
            compare_sources(where, row, sourced.get(row["period_end"], {}), made, tally)
    return rows


def compare_sources(where, row, sourced, made, tally):
    """Each figure is what its accounts make, or says why it is not there."""
    for name in METRICS:
        tally.values += 1
        told = sourced.get(name) or {}
        value, codes, reason = told.get("value", "nothing"), told.get("from"), told.get("reason")
        if value != row[name]:
            tally.differ(f"{where}: {name} with sources", value, row[name])
        elif value is None:
            is_right = reason in REASONS and (codes == [] or name == "shares")
            if name in NOT_OF_BANKS and ((made.plan or row["plan"]) == "bank") != (reason == "not_in_plan"):
                is_right = False
            if not is_right:
                tally.differ(f"{where}: {name}: reason", f"{reason} of {codes}", "one that fits")
        elif name == "shares":
            counted = made.known.get("shares")
            thousands = reason == "counted_in_thousands"
            if codes != ["composicao_capital"] or reason and not thousands or value == counted and thousands != (
                    counted > made.filed_shares):
                tally.differ(f"{where}: shares", f"{reason} of {codes}", counted)
        elif name in RATIOS:
            if codes != list(RATIOS[name]) or reason:
                tally.differ(f"{where}: {name}: from", codes, RATIOS[name])
        elif reason or not codes or not made.is_computed(name) and value not in made.made_of(name, codes):
            tally.differ(f"{where}: {name} of {codes}", value, made.made_of(name, codes or []))
