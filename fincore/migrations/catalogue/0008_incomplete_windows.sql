-- Windows of past days whose answer lacked figures: when each was last asked for, and on how many days the same answer came.
CREATE TABLE incomplete_window (
    url      TEXT PRIMARY KEY,
    digest   TEXT    NOT NULL, -- SHA-256 of the answer; empty if the publisher had no data
    asked_on TEXT    NOT NULL,
    days     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
