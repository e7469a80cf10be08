-- Who is signed in on the pages. A row is a place for a session of a key: a new session may take the place of one that is
-- over, so that a key never has more than a few rows. The token itself is nowhere: its hash recognises it.
CREATE TABLE session (
    number  INTEGER PRIMARY KEY,
    hash    BLOB    NOT NULL UNIQUE, -- SHA-256
    key     INTEGER NOT NULL REFERENCES key (id),
    begun   INTEGER NOT NULL,        -- seconds since 1970, UTC
    ended   INTEGER,                 -- likewise; NULL until it is signed out
    changed INTEGER NOT NULL UNIQUE  -- rises with every change to any session: what is newer is news
) STRICT;

CREATE INDEX session_by_key ON session (key);
CREATE INDEX session_by_begun ON session (begun);
