-- What the last import of each file left out, and what else there was to say of it, for the status of its dataset.
CREATE TABLE import_note (
    dataset  TEXT    NOT NULL,
    file     TEXT    NOT NULL,
    time     TEXT    NOT NULL, -- of the import
    left_out INTEGER NOT NULL, -- rows that were expected to be readable
    notes    TEXT    NOT NULL, -- sentences, one a line
    PRIMARY KEY (dataset, file)
) STRICT, WITHOUT ROWID;

-- Filings that CVM has withdrawn, as they were: for the events about that.
CREATE TABLE withdrawn_filing (
    id       INTEGER PRIMARY KEY, -- as in the filing table
    version  INTEGER NOT NULL,    -- the data version that removed it
    company  INTEGER NOT NULL,
    category TEXT    NOT NULL,
    filing   TEXT    NOT NULL     -- as JSON
) STRICT;
