"""The requests that `record.py` sends: the tables of addresses, and the bytes and bodies that are no plain address."""

import json

# Asked on every plan, as HEAD, with OPTIONS, with a wrong method, and again with the tag of the first answer.
API = """
/health /api/v1/status /api/v1/market/overview /api/v1/market/selic/current /api/v1/market/selic?limit=3
/api/v1/market/cdi/current /api/v1/market/cdi?limit=3 /api/v1/market/ipca/current /api/v1/market/ipca?limit=3
/api/v1/market/fx/current /api/v1/market/fx/pairs?limit=4 /api/v1/market/fx?limit=3 /api/v1/market/series?limit=4
/api/v1/market/series/igp-m/current /api/v1/market/series/igp-m?limit=3 /api/v1/market/series/igp-m/summary
/api/v1/calc/correction?amount=1000&index=ipca&from=2026-06-01&to=2026-08-01
/api/v1/calc/accumulated?series=cdi&from=2026-06-01&to=2026-06-30 /api/v1/calc/convert?from=EUR&to=USD&amount=100
/api/v1/calc/real-rate?from=2026-01-01&to=2026-06-30 /api/v1/calendar/business-days?from=2026-11-13&to=2026-12-31
/api/v1/calendar/2026-11-20 /api/v1/companies?limit=2 /api/v1/companies/search?q=petrobras /api/v1/companies/9512
/api/v1/companies/9512/filings?limit=2 /api/v1/filings?limit=2 /api/v1/filings/search?q=ata+conselho&limit=2
/api/v1/filings/categories?limit=3 /api/v1/filings/recent?limit=2 /api/v1/filings/1215762
/api/v1/search/suggest?q=petr /api/v1/search?q=vale&limit=2 /api/v1/plans /api/v1/plans/usage /api/v1/export
/api/v1/export/ipca /api/v1/events?limit=3 /api/v1/webhooks
""".split()

# Asked once more, with other parameters, on the largest plan.
ASKED = """
/api/v1/market/selic /api/v1/market/cdi /api/v1/market/ipca /api/v1/market/fx /api/v1/market/fx/pairs
/api/v1/market/series /api/v1/filings/recent /api/v1/filings/categories /api/v1/companies /api/v1/filings
/api/v1/market/selic?from=2020-01-01&to=2020-01-31 /api/v1/market/ipca?limit=2&offset=3 /api/v1/market/cdi?limit=10000
/api/v1/market/cdi?offset=1000000000 /api/v1/market/fx?pair=eur-brl&limit=3 /api/v1/market/fx?pair=EURBRL
/api/v1/market/fx/current?pair=JPY%2FBRL /api/v1/market/fx/pairs?offset=5&limit=2 /api/v1/market/series/189
/api/v1/market/series/IGPM/current /api/v1/market/series/11?limit=2 /api/v1/market/series/usd-sell?limit=2
/api/v1/market/series/433/current /api/v1/market/%73elic?limit=1 /api/v1/market/selic?&limit=1&
/api/v1/calc/correction?amount=1000.50&index=cdi&from=2026-01-02&to=2026-03-02&percent=110&spread=1.5&steps=true
/api/v1/calc/correction?amount=1000&index=ipca&from=1990-01-01 /api/v1/calc/correction?amount=-5&index=savings&from=2025-01-10
/api/v1/calc/accumulated?series=ipca&from=2025-01-01&steps=true /api/v1/calc/accumulated?series=usd-sell&from=2026-01-02
/api/v1/calc/convert?from=USD&to=BRL /api/v1/calc/convert?from=usd&to=brl&date=2026-02-08&side=buy&amount=3
/api/v1/calc/convert?from=BRL&to=EUR /api/v1/calc/rate?value=13.75&from=year252&to=day /api/v1/calc/real-rate?from=2025-01-01&interest=cdi&inflation=inpc&percent=90&steps=true
/api/v1/calendar/business-days /api/v1/calendar/1999-04-01 /api/v1/calendar/2026-02-17
/api/v1/companies?status=cancelada&limit=2 /api/v1/companies?sector=emp.+adm.+participacoes&limit=2&offset=2
/api/v1/companies?sector=nope /api/v1/companies/search?q=petrobas /api/v1/companies/search?q=PETR4
/api/v1/companies/search?q=33.000.167%2F0001-01 /api/v1/companies/search?q=banco&status=ativo&limit=2&offset=4
/api/v1/companies/search?q=%22banco+do+brasil%22 /api/v1/companies/33000167000101 /api/v1/companies/009512
/api/v1/companies/33.000.167%2F0001-01 /api/v1/companies/9512/filings?category=fato+relevante&from=2024-01-01&limit=2
/api/v1/filings?company=PETR4&limit=2 /api/v1/filings?category=assembleia&type=ago&limit=2 /api/v1/filings?company=999999
/api/v1/filings?from=2025-01-01&to=2025-01-31&limit=2&offset=1 /api/v1/filings/search?q=dividendos&order=relevance&limit=2
/api/v1/filings/search?q=ata&company=9512&from=2024-01-01&limit=2 /api/v1/filings/search?q=dividndos&limit=2
/api/v1/search?q=petrobras+ata&limit=3 /api/v1/search?q=zzzzqqq /api/v1/search/suggest?q=fato&limit=3
/api/v1/plans/usage?from=2026-01-01&to=2026-01-31 /api/v1/events /api/v1/export/selic /api/v1/export/189
/api/v1/export/fx?from=2026-01-01 /api/v1/export/series?from=2026-08-01 /api/v1/export/filings?from=2026-07-01
/api/v1/export/companies /api/v1/export/ipca?since=1 /api/v1/export/companies?since=1 /api/v1/export/filings?since=1
/api/v1/export/ipca?format=ndjson&from=2025-01-01&to=2025-12-31
""".split()

# Lists that also come as CSV.
LISTS = """
/api/v1/market/selic /api/v1/market/cdi /api/v1/market/ipca /api/v1/market/fx /api/v1/market/fx/pairs
/api/v1/market/series /api/v1/market/series/igp-m /api/v1/calendar/business-days /api/v1/companies
/api/v1/companies/search?q=banco /api/v1/companies/9512/filings /api/v1/filings /api/v1/filings/search?q=ata
/api/v1/filings/categories /api/v1/filings/recent /market/download/ipca /market/download/fx/usd-brl
""".split()

# Parameters that are wrong on every list that has them.
WRONG = """
limit=0 limit=abc limit=10001 limit=-1 limit= limit=1.5 limit=99999999999999999999 offset=-1 offset=1000000001 offset=x
from=2020-13-01 from=soon from=2026-02-01&to=2026-01-01 to= unknown=1 utm_source=x limit=1&limit=2 format=xml format=CSV
dialect=br dialect=xx&format=csv lang=pt limit=%zz limit=%ff limit=%00 from=fin_0123456789ABCDEFGHIJKLMNOPQRSTUV3CkPwj
""".split()
LONG, WORDS = "palavra" * 100, "a+" * 40

REFUSED = f"""
/api/v1/market/nope /api/v1/market/fx?pair=US /api/v1/market/fx?pair=XYZ/BRL /api/v1/market/fx/current?pair=XYZBRL
/api/v1/market/fx/current?limit=1 /api/v1/market/series/nope /api/v1/market/series/999999 /api/v1/market/series/!!
/api/v1/market/series/tr/current /api/v1/market/overview?limit=1 /api/v1/market/series/igp-m?series=ipca
/api/v1/calc/correction /api/v1/calc/correction?amount=1 /api/v1/calc/correction?amount=1&index=ipca
/api/v1/calc/correction?amount=x&index=ipca&from=2020-01-01 /api/v1/calc/correction?amount=1&index=nope&from=2020-01-01
/api/v1/calc/correction?amount=1&index=ipca&from=1900-01-01 /api/v1/calc/correction?amount=1&index=ipca&from=2099-01-01
/api/v1/calc/correction?amount=1&index=ipca&from=2020-01-01&to=2099-01-01
/api/v1/calc/correction?amount=1&index=ipca&from=2020-01-01&to=2019-01-01
/api/v1/calc/correction?amount=1&index=usd-sell&from=2020-01-02&percent=110
/api/v1/calc/correction?amount=1&index=cdi&from=2020-01-02&percent=0
/api/v1/calc/correction?amount=1&index=cdi&from=2020-01-02&spread=-100
/api/v1/calc/correction?amount=1&index=cdi&from=1990-01-02&percent=1000&spread=1000
/api/v1/calc/correction?amount=1&index=ipca&from=2020-01-01&steps=maybe /api/v1/calc/accumulated?series=999999&from=2020-01-01
/api/v1/calc/accumulated?series=4189&from=2020-01-01 /api/v1/calc/accumulated?series=tr&from=2020-01-01
/api/v1/calc/accumulated?series=eur-sell&from=2014-01-02&to=2014-02-03 /api/v1/calc/convert?from=US&to=BRL
/api/v1/calc/convert?from=XYZ&to=BRL /api/v1/calc/convert?from=USD&to=USD /api/v1/calc/convert?from=USD&to=BRL&side=top
/api/v1/calc/convert?from=USD&to=BRL&date=2999-01-01 /api/v1/calc/convert?from=USD&to=EUR&date=1950-01-01
/api/v1/calc/convert?from=EUR&to=BRL&date=2020-01-01 /api/v1/calc/convert?from=EUR&to=JPY&date=2026-09-01
/api/v1/calc/real-rate /api/v1/calc/real-rate?from=2025-01-01&interest=usd-sell
/api/v1/calc/real-rate?from=2025-01-01&inflation=selic /api/v1/calc/real-rate?from=2099-01-01
/api/v1/calendar/2026-02-30 /api/v1/calendar/nope /api/v1/calendar/business-days?from=1900-01-01&to=2026-01-01
/api/v1/companies/999999 /api/v1/companies/!! /api/v1/companies/9512?limit=1 /api/v1/companies/33000167000102
/api/v1/companies/999999/filings /api/v1/companies/search /api/v1/companies/search?q= /api/v1/companies/search?q=!!
/api/v1/companies/search?q={LONG} /api/v1/companies/search?q={WORDS} /api/v1/companies/search?q=a%00b
/api/v1/filings/999999999 /api/v1/filings/!! /api/v1/filings/dfp-1 /api/v1/filings?company=!! /api/v1/filings/search
/api/v1/filings/search?q=a&order=best /api/v1/filings/search?q=a+b+c /api/v1/search /api/v1/search?q=a&limit=0
/api/v1/search/suggest /api/v1/search/suggest?q=a&limit=11 /api/v1/search/suggest?q= /api/v1/plans?x=1
/api/v1/plans/usage?from=soon /api/v1/plans/usage?from=2026-02-01&to=2026-01-01 /api/v1/export/nope /api/v1/export?x=1
/api/v1/export/ipca?since=x /api/v1/export/ipca?since=99999 /api/v1/export/ipca?since=1&from=2020-01-01
/api/v1/export/companies?from=2020-01-01 /api/v1/export/ipca?format=json /api/v1/export/ipca?dialect=br
/api/v1/export/ipca?limit=1 /api/v1/events?since=7 /api/v1/events?since=evt_AAAA /api/v1/events?limit=1001
/api/v1/webhooks?limit=1 /api/v1/webhooks/nope /api/v1/webhooks/wh_0Ab1Cd2Ef3Gh4Ij5Kl6Mn7 /api/v1/status?x=1
/health?x=1 /health/ /api /api/ /api/v1 /api/v2/plans /api/v1/nope /api/v1/plans/ /api/v1//plans /API/v1/plans
/api/v1/companies/9512/ /api/v1/companies//filings /mcp /sign-out /docs/openapi.yaml?x=1 /assets/ /assets/nope.css
""".split()

# Shown to visitors in both languages, and to those who are signed in on each plan.
PAGES = """
/ /market /market/selic /market/ipca?range=5y /market/igp-m?from=2024-01&to=2024-12-31 /market/cdi?page=2&range=all
/market/fx/usd-brl /market/fx/eur-brl?range=12m /calc /calc/correction
/calc/correction?amount=1.000,50&index=ipca&from=2020-01&to=2024-12 /calc/accumulated?series=cdi&from=2025-01-02
/calc/convert?amount=100&from=USD&to=BRL /calc/real-rate?from=2025-01&interest=selic /calc/accumulated /calc/convert
/calc/real-rate /calc/rate /calc/rate?value=13,75&from=year252&to=month /companies /companies?q=petrobras /companies?status=ATIVO&page=2 /companies/suggest?q=petr
/companies/9512 /companies/PETR4 /companies/33.000.167%2F0001-01 /companies/35 /filings /filings?q=ata&order=relevance
/filings?company=PETR4&category=Fato+Relevante&from=2024-01-01&page=2 /filings/1215762 /pricing /usage /sign-in /docs
/sign-in?next=/usage /market/download/ipca?limit=3 /market/download/fx/usd-brl?limit=3
""".split()

# Mistakes of visitors, each told in both languages, and to programs.
MISTAKES = f"""
/market/ipca?from=soon /market/ipca?from=2026-02-01&to=2026-01-01 /market/ipca?range=7y /market/nope /market/999999
/market/!! /market/fx/xyz-brl /market/fx/us /market/ipca?lang=fr /market/ipca?form=1 /market/ipca?to=2020-01-01&to=2020-01-02
/market/ipca?from=100% /market/ipca?from=%ff /market/ipca?from=%00 /market/ipca?page=0 /market/selic?page=99999999999999
/market/fx/usd-brl?page=x /market/selic?from=2020-01-01 /market?x=1 /?x=1 /?lang=xx /?lang=pt&lang=en /pricing?x=1 /usage?x=1
/docs?x=1 /calc?x=1 /companies?q=!! /companies?q={WORDS} /companies?q={LONG} /companies?page=0 /companies?page=2000000
/companies/999999 /companies/!! /companies/9512?q=1 /companies/suggest /companies/suggest?q= /filings?company=!!
/filings?from=31.12.2025 /filings?from=2026-02-01&to=2026-01-01 /filings?page=x /filings?q=a&order=best /filings?q=a&qq=b
/filings?q=a+b+c+d /filings/999999999 /filings/!! /sign-in?next=//evil /sign-in?next=http://evil /no/such/page /market/
/calc/correction?amount=abc&index=ipca&from=2020-01 /calc/correction?amount=1&index=ipca&from=2020-01&percent=0
/calc/correction?amount=1&index=ipca&from=2020-01&percent=2.000,5 /calc/correction?amount=1&index=ipca&from=2020-01&spread=-100
/calc/correction?amount=1&index=ipca&from=soon /calc/correction?amount=1&index=!!&from=2020-01 /calc/correction?amount=1
/calc/correction?amount=1&index=nope&from=2020-01 /calc/correction?amount=1&index=usd-sell&from=2020-01&percent=110
/calc/correction?amount=1&index=ipca&from=2020-01&to=2019-01 /calc/correction?amount=1&index=ipca&from=1900-01
/calc/correction?amount=1&index=ipca&from=2020-01&to=2099-01 /calc/correction?amount=1&index=ipca&from=2099-01
/calc/correction?amount=1&index=cdi&from=1990-01-02&percent=1000&spread=1000 /calc/accumulated?serie=cdi
/calc/accumulated?series=999999&from=2020-01 /calc/accumulated?series=tr&from=2020-01 /calc/accumulated?series=4189&from=2020-01
/calc/accumulated?series=cdi&from=1990-01 /calc/accumulated?series=eur-sell&from=2014-01-02&to=2014-02-03
/calc/convert?amount=1&from=US&to=BRL /calc/convert?amount=1&from=USD&to=BRL&side=top /calc/convert?amount=1&from=XYZ&to=BRL
/calc/convert?amount=1&from=USD&to=BRL&date=2999-01-01 /calc/convert?amount=1&from=USD&to=BRL&date=1950-01-01
/calc/convert?amount=1&from=USD&to=EUR&date=1950-01-01 /calc/convert?amount=1&from=EUR&to=BRL&date=2020-01-01
/calc/convert?amount=1&from=EUR&to=JPY&date=2026-09-01 /calc/real-rate?from=2025-01&percent=1001
/calc/real-rate?from=2025-01&interest=usd-sell /calc/real-rate?from=2025-01&inflation=selic /calc/real-rate?from=2025-02&to=2025-01
/calc/accumulated?series=usd-sell&from=2026-08-01&to=2026-08-02 /calc/accumulated?series=eur-sell&from=2013-08-01&to=2014-02-03
/calc/accumulated?series=eur-sell&from=2013-08-15&to=2014-02-03 /calc/correction?amount=1&index=ipca&from=1980-01&percent=1000
/calc/correction?amount=1&index=cdi&from=1995-01-02&percent=1000&spread=1000 /calc/real-rate?from=2026-08&to=2026-10
/calc/correction?amount=1&index=savings&from=2025-02-30 /calc/accumulated?series=cdi&from=2026-11-14&to=2026-11-15
/calc/accumulated?series=usd-sell&from=2026-10-10&to=2026-10-11 /calc/real-rate?from=2099-01 /?{"&".join(f"p{n}=1" for n in range(65))} /market/{"x" * 8200} /pricing/ /companies/
/market/download/nope /market/download/ipca?format=csv /market/download/ipca?from=2001-01-01 /.well-known/security.txt
/favicon.ico /assets/nope.css /%zz /a%00b /%ff /docs/nope //market /market//selic
""".split()

TRACKED = "utm_source=x utm_campaign=a&utm_medium=b gclid=1 fbclid=2 _ga=3 mc_cid=4&lang=pt".split()
DOCUMENTS = "/docs/openapi.yaml /docs/openapi.json /llms.txt /llms-full.txt /robots.txt /sitemap.xml".split()
# Encodings that a client may accept, and what they are tried on.
ENCODINGS = ["gzip", "zstd", "gzip;q=0.5, zstd;q=0.4", "zstd;q=0, gzip;q=0", "identity", "identity, gzip;q=0.5", "br", "*", ""]
ENCODED = ["/api/v1/market/selic?limit=300", "/market", "/llms.txt", "/api/v1/plans", "/health", "/api/v1/export/ipca"]

REGISTRATIONS = [
    '{"name": "Ana", "email": "ana@example.com"}', '{"name": "Ana"}', '{"name": "", "email": "ana@example.com"}',
    '{"name": "Ana", "email": "ana"}', '{"name": "Ana", "email": "ana@example.com", "plan": "gold"}', "[]", "", "nope",
    '["Ana", "ana@example.com"]', '{"name": 1, "email": "ana@example.com"}', '{"name": "A\\u0000", "email": "a@b.example"}',
    json.dumps({"name": "n" * 300, "email": "ana@example.com"}), json.dumps({"name": "n" * 17_000, "email": "a@b.example"}),
    '{"name": "fin_0123456789ABCDEFGHIJKLMNOPQRSTUV3CkPwj", "email": "x"}', "\xff",
]  # fmt: skip
FORMS = [
    "name=Ana&email=ana%40example.com", "name=Ana", "name=&email=ana%40example.com", "name=Ana&email=ana", "", "x=1",
    "name=Ana&name=Bia&email=a", "name=%ff&email=a", "name=%zz&email=a", "name=" + "n" * 300 + "&email=ana%40example.com",
]  # fmt: skip

HOOK = {"url": "https://hooks.example/a", "events": ["filing.published"]}
HOOKS = [
    HOOK, {**HOOK, "company": "PETR4", "category": "Fato Relevante"}, {**HOOK, "events": ["rate.published"], "series": "ipca"},
    {**HOOK, "events": []}, {**HOOK, "events": ["nope"]}, {**HOOK, "events": ["filing.published"] * 2}, {"url": "x"}, [], {},
    {**HOOK, "company": "12345"}, {**HOOK, "category": ""}, {**HOOK, "series": "ipca"}, {**HOOK, "x": 1},
    {**HOOK, "events": ["rate.published"], "company": "9512"}, {**HOOK, "events": ["fx.published"], "category": "DFP"},
    {**HOOK, "events": ["rate.published"], "series": "cpi"}, {**HOOK, "events": ["rate.published"], "series": "usd-sell"},
    *({**HOOK, "url": url} for url in [
        "http://hooks.example/", "https://127.0.0.1/", "https://[::1]/", "https://localhost/", "https://a:b@hooks.example/",
        "https://hooks.example/#x", "ftp://hooks.example/", "nope", "", "https://hooks.example/ x", "https://10.1.2.3:444/",
        "https://hooks.example/" + "x" * 2050,
    ]),
]  # fmt: skip

# Tools of agents, with arguments.
TOOLS = {
    "get_market_overview": {}, "list_series": {"limit": 3}, "get_series_value": {"series": "selic"},
    "get_series_history": {"series": "ipca", "limit": 2}, "summarise_series": {"series": "ipca"}, "list_currencies": {}, "get_quote": {"pair": "EUR/BRL"},
    "get_quote_history": {"pair": "USD/BRL", "limit": 2}, "correct_amount": {"amount": "10", "index": "ipca", "from": "2025-01-01"},
    "accumulate_series": {"series": "cdi", "from": "2026-01-02"}, "convert_currency": {"from": "USD", "to": "BRL", "amount": 5},
    "compute_real_rate": {"from": "2025-01-01"}, "convert_rate": {"value": "13.75", "from": "year252", "to": "month"}, "get_business_day": {"date": "2026-11-20"},
    "list_business_days": {"from": "2026-11-01", "to": "2026-11-30"}, "search_companies": {"q": "vale"},
    "list_companies": {"status": "ativo", "limit": 2}, "get_company": {"id": "9512"}, "list_company_filings": {"id": "9512"},
    "search_filings": {"q": "dividendos"}, "list_filings": {"limit": 2}, "get_filing": {"id": "1215762"},
    "list_filing_categories": {"limit": 2}, "search": {"q": "petrobras"},
}  # fmt: skip
BAD_CALLS = [
    ("get_company", {"id": "!!"}), ("get_company", {}), ("get_quote", {"pair": "x"}), ("get_quote", {"nope": 1}),
    ("list_series", {"limit": "x"}), ("get_series_value", {"series": ["a"]}), ("nope", {}), ("search", {"q": ""}), ("search", []),
]  # fmt: skip
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
MESSAGES = [
    ("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}),
    ("initialize", {"protocolVersion": "1999-01-01"}), ("initialize", {}), ("ping", None), ("ping", []), ("tools/list", None),
    ("resources/list", None), ("resources/templates/list", None), ("prompts/list", None), ("nope", None),
    ("server/discover", {"_meta": META}), ("tools/list", {"_meta": META}), ("nope", {"_meta": META}), ("tools/call", {}),
    ("tools/list", {"_meta": {**META, "io.modelcontextprotocol/protocolVersion": "1"}}),
]  # fmt: skip
BARE_MESSAGES = [
    "", "nope", "[]", "1", "{}", '{"jsonrpc": "1.0", "id": 1, "method": "ping"}', '{"jsonrpc": "2.0", "method": "notifications/initialized"}',
    '{"jsonrpc": "2.0", "id": {}, "method": "ping"}', '{"jsonrpc": "2.0", "id": "a", "method": 1}', '{"jsonrpc": "2.0", "id": 1, "id": 2}',
    '{"jsonrpc": "2.0", "id": 1, "result": {}}', "\xff",
]  # fmt: skip

GET = b"GET /api/v1/plans HTTP/1.1\r\n"
RAW = {
    "no Host": GET + b"\r\n", "two Hosts": GET + b"Host: a\r\nHost: b\r\n\r\n", "a strange Host": b"GET / HTTP/1.1\r\nHost: a\"b\r\n\r\n",
    "HTTP/1.0": b"GET /api/v1/plans HTTP/1.0\r\n\r\n", "HTTP/1.0, an export": b"GET /api/v1/export/ipca HTTP/1.0\r\nX-API-Key: KEY\r\n\r\n",
    "HTTP/2.0": b"GET / HTTP/2.0\r\nHost: a\r\n\r\n", "no version": b"GET /\r\n\r\n", "nonsense": b"\x16\x03\x01\x02\x00\x01\r\n\r\n",
    "a method of nobody": b"BREW / HTTP/1.1\r\nHost: a\r\n\r\n", "CONNECT": b"CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n",
    "TRACE": b"TRACE / HTTP/1.1\r\nHost: a\r\n\r\n", "OPTIONS *": b"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET *": b"GET * HTTP/1.1\r\nHost: a\r\n\r\n", "an absolute address": b"GET http://b/api/v1/plans HTTP/1.1\r\nHost: a\r\n\r\n",
    "no slash": b"GET api HTTP/1.1\r\nHost: a\r\n\r\n", "a space": b"GET /a b HTTP/1.1\r\nHost: a\r\n\r\n",
    "NUL": b"GET /a\x00b HTTP/1.1\r\nHost: a\r\n\r\n", "a byte above ASCII": b"GET /\xc3\xa9 HTTP/1.1\r\nHost: a\r\n\r\n",
    "65 headers": GET + b"Host: a\r\n" + b"".join(b"X-%d: 1\r\n" % n for n in range(65)) + b"\r\n",
    "150 headers": GET + b"Host: a\r\n" + b"".join(b"X-%d: 1\r\n" % n for n in range(150)) + b"\r\n",
    "a long header": GET + b"Host: a\r\nX-Long: " + b"x" * 100_000 + b"\r\n\r\n",
    "a long address": b"GET /api/v1/search?q=" + b"x" * 8200 + b" HTTP/1.1\r\nHost: a\r\n\r\n",
    "a very long address": b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\nHost: a\r\n\r\n",
    "65 parameters": b"GET /api/v1/plans?" + b"&".join(b"p%d=1" % n for n in range(65)) + b" HTTP/1.1\r\nHost: a\r\n\r\n",
    "a header without a colon": GET + b"Host: a\r\nnope\r\n\r\n", "a header that is not ASCII": GET + b"Host: a\r\nX-API-Key: \xff\r\n\r\n",
    "two lengths": b"POST /pricing HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    "a broken chunk": b"POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    "a body that breaks off": b"POST /api/v1/plans/register HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
    b"Content-Length: 99\r\n\r\n{",
    "two different keys": GET + b"Host: a\r\nX-API-Key: KEY\r\nAuthorization: Bearer x\r\n\r\n",
    "the same key twice": GET + b"Host: a\r\nX-API-Key: KEY\r\nAuthorization: Bearer KEY\r\n\r\n",
    "two requests at once": (GET + b"Host: a\r\n\r\n") * 2,
    "Expect": b"POST /sign-out HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 0\r\n\r\n",
}  # fmt: skip

# Asked of a server below a path.
BELOW = """
/data /data/ /data?lang=pt /data/market /data/market/ipca?range=5y /data/market/fx/usd-brl /data/calc /data/companies
/data/calc/correction?amount=1000&index=ipca&from=2020-01 /data/companies?q=petrobras /data/companies/PETR4 /data/companies/9512
/data/filings /data/filings/1215762 /data/pricing?lang=pt /data/usage /data/sign-in?next=/usage /data/docs /data/docs/openapi.yaml
/data/docs/openapi.json /data/llms.txt /data/llms-full.txt /data/robots.txt /data/sitemap.xml /data/health /health /market /nope
/data/nope /data/market/ /database /data/data/health /data//health /Data/health /data/market/nope /data/?utm_source=x /data/%zz
/data/api/v1/status /data/api/v1/market/ipca?limit=5 /api/v1/market/ipca?limit=5 /data/api/v1/market/overview /data/api/v1/plans
/data/api/v1/export /data/api/v1/export/ipca /data/api/v1/companies?limit=2&offset=2 /data/api/v1/companies?limit=1&format=csv
/data/api/v1/market/selic?from=2000-01-01 /data/api/v1/filings?limit=1 /data/api/v1/search?q=vale&limit=1 /data/api/v1/nope
/data/api/v1/search/suggest?q=petr /data/market/download/ipca?limit=2 /data/companies/suggest?q=petr
""".split()

# Series with holes, which are imported: what calculators say of them.
HOLES = {195: ["02/01/2025", "03/03/2025"], 12: ["03/09/2026", "10/09/2026"], 7478: ["01/01/2025", "01/03/2025"]}
HOLLOW = """
series=savings&from=2025-01-02&to=2025-03-02 series=cdi&from=2026-09-01&to=2026-09-10 series=ipca-15&from=2025-01-01&to=2025-03-01
""".split()
