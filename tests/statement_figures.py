"""The figures that compare companies, made from the rows of `statement_oracle.py`: which account is what in each plan."""

from decimal import Decimal

# By plan the codes of each figure, which are added. Those of banks before 2020 come second: their names tell which.
ACCOUNTS = {
    "general": {
        "revenue": "3.01", "gross_profit": "3.03", "ebit": "3.05", "financial_result": "3.06", "net_income": "3.11",
        "current_assets": "1.01", "current_liabilities": "2.01", "cash": "1.01.01+1.01.02",
        "gross_debt": "2.01.04+2.02.01", "equity": "2.03",
    },
    "bank": {"revenue": "3.01", "gross_profit": "3.03", "net_income": "3.11|3.09", "equity": "2.07|2.08", "cash": "1.01"},
    "insurer": {"revenue": "3.01", "ebit": "3.07", "financial_result": "3.08", "net_income": "3.13", "equity": "2.03"},
}
COMMON = {"total_assets": "1", "operating_cash_flow": "6.01", "investing_cash_flow": "6.02", "financing_cash_flow": "6.03"}
KINDS = {"1": "balance-sheet", "2": "balance-sheet", "3": "income", "6": "cash-flow", "7": "value-added"}
RATIOS = {
    "gross_margin": ("gross_profit", "revenue"), "ebit_margin": ("ebit", "revenue"), "net_margin": ("net_income", "revenue"),
    "roe": ("net_income", "equity"), "roa": ("net_income", "total_assets"),
}


def figures(book, code, period, scope):
    """By the end of each period its plan and the figures that can be made; a figure that must be null is there as well."""
    rows = {}
    for kind in set(KINDS.values()) | {"comprehensive-income"}:
        # The balance sheet of twelve months is the one at their end.
        of = "quarter" if period == "ttm" and kind == "balance-sheet" else period
        for row in book.rows(code, kind, of, scope):
            rows.setdefault(row.end.isoformat(), {})[kind] = row
    made = {}
    for end, found in rows.items():
        values = {(kind, account): value for kind, row in found.items() for (_, account, _), (value, _) in row.accounts.items()}
        plan = found["income"].form.plan(scope) if "income" in found else None
        if plan and found.keys() - {"balance-sheet"}:
            made[end] = plan, {name: value for name, value in told(plan, found, values) if value != "unknown"}
    return made


def told(plan, found, values):
    """Names and values. A figure whose accounts are not all there is unknown here."""
    known = {}
    for name, codes in {**COMMON, **ACCOUNTS[plan]}.items():
        kind = KINDS[codes[0]]
        choices = [choice for choice in codes.split("|") if is_named(name, found.get(kind), choice)]
        accounts = [(kind, code) for code in choices[0].split("+")] if choices else []
        known[name] = sum(values[one] for one in accounts) if accounts and all(one in values for one in accounts) else "unknown"
    wear = values.get(("value-added", "7.04.01"))
    if plan == "general":
        known["depreciation_amortisation"] = abs(wear) if wear is not None else "unknown"
        parts = known["ebit"], known["depreciation_amortisation"]
        known["ebitda"] = sum(parts) if "unknown" not in parts else "unknown"
        parts = known["gross_debt"], known["cash"]
        known["net_debt"] = parts[0] - parts[1] if "unknown" not in parts else "unknown"
    if plan == "bank":
        known |= {"ebit": None, "ebitda": None, "gross_debt": None, "net_debt": None}
    for name, (over, under) in RATIOS.items():
        parts = known.get(over, "unknown"), known.get(under, "unknown")
        if None not in parts and "unknown" not in parts:
            known[name] = parts[0] / parts[1] * 100 if parts[1] > 0 else None
    return known.items()


def is_named(name, row, code):
    """Whether the account of a bank is what it should be: the same codes mean other things before and since 2020."""
    wanted = {"net_income": "período", "equity": "patrimônio líquido"}.get(name)
    names = [label.lower() for _, account, label in row.accounts if account == code] if row else []
    return not wanted or any(wanted in label for label in names)


def agree(given, wanted, name):
    """Whether a figure is right; ratios are rounded to two decimals."""
    if given is None or wanted is None:
        return given is wanted
    return abs(given - wanted) <= Decimal("0.005") if name in RATIOS else given == wanted
