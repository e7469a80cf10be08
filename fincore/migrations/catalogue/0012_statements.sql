-- Accounts as statements name them, each once; also the parts of equity, without a code.
CREATE TABLE account (
    id    INTEGER PRIMARY KEY,
    code  TEXT    NOT NULL,
    name  TEXT    NOT NULL,
    UNIQUE (code, name)
) STRICT;

-- Every version of a form whose statements were imported, with its count of shares.
CREATE TABLE statement_form (
    id                 INTEGER PRIMARY KEY,
    company            INTEGER NOT NULL,
    form               INTEGER NOT NULL, -- as in the ids of filings
    period_end         TEXT    NOT NULL,
    version            INTEGER NOT NULL,
    received           TEXT,             -- NULL if the index of forms was never seen
    filing             INTEGER,          -- as in the ids of filings
    shares_common      INTEGER,
    shares_preferred   INTEGER,
    shares_total       INTEGER,
    treasury_common    INTEGER,
    treasury_preferred INTEGER,
    treasury_total     INTEGER,
    plan               INTEGER,          -- the plan of accounts, if it is known
    UNIQUE (company, form, period_end, version)
) STRICT;
CREATE INDEX statement_form_by_filing ON statement_form (filing);

-- One statement of a form: its accounts and the values of all its periods together, because they are read together. An
-- account is its id × 2, and one more in CVM's plan; others are of the company's own.
CREATE TABLE statement (
    id      INTEGER PRIMARY KEY, -- the form's id × 16, 8 for individual ones, the number of the table
    figures INTEGER NOT NULL, -- how many values it has
    content BLOB    NOT NULL
) STRICT;

-- The figures that compare companies, made from the statements.
CREATE TABLE financial (
    company      INTEGER NOT NULL,
    period       INTEGER NOT NULL, -- 0 a year, 1 a quarter, 3 the last four quarters
    period_end   TEXT    NOT NULL,
    scope        INTEGER NOT NULL,
    period_start TEXT,
    plan         INTEGER,
    figures      TEXT    NOT NULL,
    PRIMARY KEY (period, period_end, company, scope)
) STRICT, WITHOUT ROWID;
CREATE INDEX financial_by_company ON financial (company);
