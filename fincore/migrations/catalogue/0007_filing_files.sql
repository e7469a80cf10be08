-- The files of filings that were seen whole. CVM publishes one for each form and year, and rebuilds it every week.
CREATE TABLE filing_file (
    form    INTEGER NOT NULL, -- as in the ids of filings
    year    INTEGER NOT NULL, -- of delivery for event documents, of reference for periodic forms
    filings INTEGER NOT NULL,
    first   TEXT    NOT NULL, -- the days of delivery from which to which it reaches
    last    TEXT    NOT NULL,
    seen_on TEXT    NOT NULL,
    PRIMARY KEY (form, year)
) STRICT, WITHOUT ROWID;

-- Which of the stored filings came from whole files is not known: the next sync downloads them again.
DELETE FROM download WHERE instr(url, '/DOC/') > 0;
