-- The data version that brought a row; NULL if that is not known: the row came with the program, or was there before this was noted.
ALTER TABLE rate ADD COLUMN known_from INTEGER;
ALTER TABLE fx ADD COLUMN known_from INTEGER;
ALTER TABLE company ADD COLUMN known_from INTEGER;

-- Rows as they were before an import changed or removed them. They are never forgotten.
CREATE TABLE past_rate (
    series      INTEGER NOT NULL,
    date        TEXT    NOT NULL,
    known_until INTEGER NOT NULL, -- the data version without the row
    known_from  INTEGER,
    value       TEXT    NOT NULL,
    computed    INTEGER NOT NULL,
    PRIMARY KEY (series, date, known_until)
) STRICT, WITHOUT ROWID;

CREATE TABLE past_fx (
    currency    TEXT    NOT NULL,
    date        TEXT    NOT NULL,
    known_until INTEGER NOT NULL,
    known_from  INTEGER,
    buy         TEXT,
    sell        TEXT,
    PRIMARY KEY (currency, date, known_until)
) STRICT, WITHOUT ROWID;

CREATE TABLE past_company (
    id            INTEGER NOT NULL,
    known_until   INTEGER NOT NULL,
    known_from    INTEGER,
    cnpj          TEXT    NOT NULL,
    name          TEXT    NOT NULL,
    trade_name    TEXT,
    status        TEXT    NOT NULL,
    status_since  TEXT,
    status_folded TEXT    NOT NULL,
    standing      INTEGER NOT NULL,
    sector        TEXT    NOT NULL,
    sector_folded TEXT    NOT NULL,
    registered_on TEXT,
    cancelled_on  TEXT,
    tickers       TEXT    NOT NULL,
    PRIMARY KEY (id, known_until)
) STRICT, WITHOUT ROWID;

-- When each import became visible. Unlike the times of revisions, these are never forgotten.
CREATE TABLE import_time (
    version INTEGER PRIMARY KEY,
    time    TEXT NOT NULL
) STRICT;
