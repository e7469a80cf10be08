-- Who may call under which plan. The key itself is nowhere: its hash recognises it, its first
-- characters name it.
CREATE TABLE key (
    id      INTEGER PRIMARY KEY,
    hash    BLOB    NOT NULL UNIQUE, -- SHA-256
    prefix  TEXT    NOT NULL,
    name    TEXT    NOT NULL,
    email   TEXT    NOT NULL,
    plan    TEXT    NOT NULL,
    created INTEGER NOT NULL,        -- seconds since 1970, UTC
    revoked INTEGER,                 -- likewise; NULL while the key is good
    changed INTEGER NOT NULL UNIQUE  -- rises with every change to any key: what is newer is news
) STRICT;

CREATE INDEX key_prefix ON key (prefix);

-- What each key asked for, by UTC day and endpoint.
CREATE TABLE usage (
    key          INTEGER NOT NULL REFERENCES key (id),
    date         TEXT    NOT NULL,
    endpoint     TEXT    NOT NULL,
    requests     INTEGER NOT NULL,
    errors       INTEGER NOT NULL,
    rate_limited INTEGER NOT NULL,
    PRIMARY KEY (key, date, endpoint)
) STRICT, WITHOUT ROWID;
