-- Companies of CVM's registry. The folded columns are what filters compare: small letters, no accents.
CREATE TABLE company (
    id            INTEGER PRIMARY KEY,        -- CVM code
    cnpj          TEXT    NOT NULL,
    name          TEXT    NOT NULL,
    trade_name    TEXT,
    status        TEXT    NOT NULL,
    status_since  TEXT,
    status_folded TEXT    NOT NULL,
    standing      INTEGER NOT NULL,           -- 0 active, 1 in between, 2 cancelled
    sector        TEXT    NOT NULL,
    sector_folded TEXT    NOT NULL,
    registered_on TEXT,
    cancelled_on  TEXT,
    tickers       TEXT    NOT NULL DEFAULT '' -- of the security table, separated by blanks
) STRICT;

CREATE INDEX company_by_cnpj ON company (cnpj);
CREATE INDEX company_by_filter ON company (status_folded, sector_folded);

-- Tickers by CNPJ, as the newest registration form (FCA) of the company lists them.
CREATE TABLE security (
    cnpj     TEXT    PRIMARY KEY,
    document INTEGER NOT NULL,
    tickers  TEXT    NOT NULL
) STRICT, WITHOUT ROWID;

-- The words of companies, folded. Its rows are those of company, by id.
CREATE VIRTUAL TABLE company_search USING fts5 (
    name, trade_name, tickers, sector,
    content = '', prefix = '1 2 3', tokenize = 'unicode61 remove_diacritics 2'
);

-- Names under which companies file. They differ from the registry's, and so do the companies.
CREATE TABLE filer (
    id      INTEGER PRIMARY KEY,
    company INTEGER NOT NULL,
    name    TEXT    NOT NULL,
    UNIQUE (company, name)
) STRICT;

-- Categories as filters know them, folded.
CREATE TABLE category (
    id     INTEGER PRIMARY KEY,
    folded TEXT    NOT NULL UNIQUE
) STRICT;

-- The three levels by which CVM sorts filings; the lower two may be empty.
CREATE TABLE class (
    id          INTEGER PRIMARY KEY,
    category_id INTEGER NOT NULL REFERENCES category (id),
    category    TEXT    NOT NULL,
    type        TEXT    NOT NULL,
    species     TEXT    NOT NULL,
    UNIQUE (category, type, species)
) STRICT;

-- The key is made of delivery day and id, so that walking it backwards gives the newest first.
CREATE TABLE filing (
    key           INTEGER PRIMARY KEY,
    id            INTEGER NOT NULL,
    company       INTEGER NOT NULL, -- the filer's
    category      INTEGER NOT NULL, -- the class's
    filer         INTEGER NOT NULL REFERENCES filer (id),
    class         INTEGER NOT NULL REFERENCES class (id),
    version       INTEGER NOT NULL,
    reference_day INTEGER,          -- as day number, like that in the key
    sequence      INTEGER,          -- second number of CVM's usual address of the document
    url           TEXT,             -- the address where it is not the usual one
    subject       TEXT    NOT NULL
) STRICT;

CREATE UNIQUE INDEX filing_by_id ON filing (id);
CREATE INDEX filing_by_company ON filing (company);
CREATE INDEX filing_by_category ON filing (category);

-- How many filings of a category there are up to a day; category 0 is all of them. Day numbers are
-- those of the key.
CREATE TABLE filing_total (
    category INTEGER NOT NULL,
    day      INTEGER NOT NULL,
    filings  INTEGER NOT NULL,
    PRIMARY KEY (category, day)
) STRICT, WITHOUT ROWID;

-- The words of filings, folded. Its rows are those of filing, by key. Only which words a filing has
-- is kept, not where they stand.
CREATE VIRTUAL TABLE filing_search USING fts5 (
    words,
    content = '', columnsize = 0, detail = none, prefix = '1 2 3',
    tokenize = 'unicode61 remove_diacritics 2'
);

-- Bytes of new words held in memory before they are written: an import of a year fits.
INSERT INTO filing_search (filing_search, rank) VALUES ('hashsize', 33554432);

-- In how many filings a word begins so, and in how many it is the whole word.
CREATE TABLE filing_word (
    word     TEXT    PRIMARY KEY,
    begins   INTEGER NOT NULL,
    complete INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
