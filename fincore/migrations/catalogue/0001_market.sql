-- Facts about the file as a whole.
CREATE TABLE meta (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Raised by every import that changed something.
INSERT INTO meta (name, value) VALUES ('data_version', '0');
-- Made of all that was ever imported: where it is the same, so is the data. Servers' ETags hold it.
INSERT INTO meta (name, value) VALUES ('data_tag', '0');

-- Observations of the central bank's time series (SGS), by series number. Values are text, so that
-- they keep the digits that were published.
CREATE TABLE rate (
    series   INTEGER NOT NULL,
    date     TEXT    NOT NULL,
    value    TEXT    NOT NULL,
    computed INTEGER NOT NULL DEFAULT 0, -- 1: worked out by us; a published value takes its place
    PRIMARY KEY (series, date)
) STRICT, WITHOUT ROWID;

-- Closing quotes in reais per unit. Buy and sell may come from two sources; a day is served once it
-- has both.
CREATE TABLE fx (
    currency TEXT NOT NULL,
    date     TEXT NOT NULL,
    buy      TEXT,
    sell     TEXT,
    PRIMARY KEY (currency, date)
) STRICT, WITHOUT ROWID;
