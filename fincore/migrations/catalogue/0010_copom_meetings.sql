-- Meetings of the monetary policy committee (Copom), as the central bank announces them.
CREATE TABLE copom_meeting (
    second_day TEXT PRIMARY KEY, -- of the decision, which is in force from the day after
    first_day  TEXT NOT NULL
) STRICT, WITHOUT ROWID;
