-- What every import added, changed and removed: one row for each thing and data version.
CREATE TABLE change (
    version INTEGER NOT NULL,
    dataset TEXT    NOT NULL,
    key     TEXT    NOT NULL, -- the day of a series, pair and day of a quote, id of a company or filing
    kind    INTEGER NOT NULL, -- 0 added, 1 changed, 2 removed
    PRIMARY KEY (version, dataset, key)
) STRICT, WITHOUT ROWID;

-- When each data version was made.
CREATE TABLE revision (
    version INTEGER PRIMARY KEY,
    time    TEXT NOT NULL
) STRICT;

-- All changes of later versions than this are in the table; what is there already was not noted.
INSERT INTO meta (name, value) SELECT 'changes_after', value FROM meta WHERE name = 'data_version';

-- When the rows of a dataset last changed, and how it was last synchronised with its source.
CREATE TABLE dataset (
    name         TEXT PRIMARY KEY,
    updated_at   TEXT,
    tried_at     TEXT,
    succeeded_at TEXT,
    error        TEXT -- of the last try, if it failed
) STRICT, WITHOUT ROWID;

-- What a publisher said about a file that was imported from it, so that the next request asks for a newer one only.
CREATE TABLE download (
    url      TEXT PRIMARY KEY,
    etag     TEXT,
    modified TEXT,
    digest   TEXT NOT NULL -- SHA-256 of the content
) STRICT, WITHOUT ROWID;

-- Tickers that the operator has set; they count instead of those in the security table.
CREATE TABLE ticker_override (
    cnpj    TEXT PRIMARY KEY,
    tickers TEXT NOT NULL
) STRICT, WITHOUT ROWID;
