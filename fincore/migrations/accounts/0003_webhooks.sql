-- Who wants to be called when something is published. The secret signs the calls, so it is stored as it is.
CREATE TABLE webhook (
    number    INTEGER PRIMARY KEY AUTOINCREMENT, -- never used again: deliveries outlive their webhook for a while
    id        TEXT    NOT NULL UNIQUE,
    key       INTEGER NOT NULL REFERENCES key (id),
    url       TEXT    NOT NULL,
    secret    BLOB    NOT NULL,
    events    TEXT    NOT NULL, -- the types that are wanted, separated by blanks
    company   INTEGER,          -- only events of the company with this CVM code
    category  TEXT,             -- only filings of this category, as given
    series    TEXT,             -- only rates of this series, by the name of its dataset
    catalogue TEXT    NOT NULL, -- the data that it started with,
    since     INTEGER NOT NULL, -- and its version: only later changes are told
    created   INTEGER NOT NULL, -- milliseconds since 1970, UTC, as all times below
    failing   INTEGER,          -- since when every call fails; NULL after a call that succeeded
    disabled  INTEGER,          -- since when it is not called any more
    reason    TEXT              -- and why
) STRICT;

CREATE INDEX webhook_by_key ON webhook (key);

-- What was published: one row for each thing that at least one webhook wants to know.
CREATE TABLE event (
    number INTEGER PRIMARY KEY,
    id     TEXT    NOT NULL UNIQUE,
    type   TEXT    NOT NULL,
    body   TEXT    NOT NULL, -- as it is sent
    time   INTEGER NOT NULL  -- when it came in here
) STRICT;

CREATE INDEX event_by_time ON event (time);

-- The outbox, and what became of each call.
CREATE TABLE delivery (
    id        INTEGER PRIMARY KEY,
    webhook   INTEGER NOT NULL,           -- its number; those of a removed webhook go little by little
    event     INTEGER NOT NULL REFERENCES event (number),
    created   INTEGER NOT NULL,
    attempts  INTEGER NOT NULL DEFAULT 0, -- so far, since it was created or replayed
    due       INTEGER,                    -- the time of the next attempt; NULL if there is none
    attempted INTEGER,                    -- the time of the last one
    status    INTEGER,                    -- the HTTP status it got
    error     TEXT,                       -- what went wrong; NULL once delivered
    delivered INTEGER,                    -- when it succeeded
    UNIQUE (event, webhook)
) STRICT;

CREATE INDEX delivery_due ON delivery (webhook, due);
CREATE INDEX delivery_done ON delivery (created) WHERE due IS NULL;

-- Webhooks that are gone, whose deliveries have yet to go.
CREATE TABLE ended (
    webhook INTEGER PRIMARY KEY -- its number
) STRICT;

-- How far the change log of a catalogue has been told to the webhooks.
CREATE TABLE told (
    catalogue TEXT    PRIMARY KEY,
    version   INTEGER NOT NULL,
    dataset   TEXT    NOT NULL, -- with key: the last change that was looked at; both empty: none of this version
    key       TEXT    NOT NULL,
    fallen    INTEGER,          -- since when the file is seen at an earlier version, as a restored copy is,
    fallen_to INTEGER           -- and the version after that one
) STRICT, WITHOUT ROWID;
