-- Links: addresses that carry their right, for programs that cannot send headers. A row is a place for a link of a key: a new
-- link may take the place of one that is revoked, so that a key never has more than a few rows. The token itself is nowhere:
-- its hash recognises it.
CREATE TABLE link (
    number  INTEGER PRIMARY KEY,
    id      TEXT    NOT NULL UNIQUE,
    hash    BLOB    NOT NULL UNIQUE, -- SHA-256
    key     INTEGER NOT NULL REFERENCES key (id),
    name    TEXT    NOT NULL,
    path    TEXT,                    -- the path and parameters that it is bound to; NULL if it reads all that its key reads
    created INTEGER NOT NULL,        -- seconds since 1970, UTC
    revoked INTEGER,                 -- likewise; NULL while it is good
    used    INTEGER,                 -- likewise, to the minute: when it was last used
    changed INTEGER NOT NULL UNIQUE  -- rises with every change to any link: what is newer is news; a use is no change
) STRICT;

CREATE INDEX link_by_key ON link (key);

-- How many of the requests of a day came by a link.
ALTER TABLE usage ADD COLUMN by_links INTEGER NOT NULL DEFAULT 0;
