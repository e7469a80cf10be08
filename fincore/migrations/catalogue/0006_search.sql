-- Searches and lists read the tables below, which the program fills when it opens the file. The tables that they took the
-- place of could neither count matches nor find a page without walking over them.
DROP TABLE filing_search;
DROP TABLE filing_word;
DROP TABLE filing_total;
DROP TABLE company_search;
DROP INDEX filing_by_company;
DROP INDEX filing_by_category;
-- Categories are terms now. DROP TABLE deletes the rows first, so the column that refers to them must be gone by then.
ALTER TABLE filing DROP COLUMN category;
ALTER TABLE class DROP COLUMN category_id;
DROP TABLE category;

-- Filings in the order of their keys are cut into blocks of at most 65,536. A block reaches from its first key to that of
-- the next block; the first block has all before it, too.
CREATE TABLE filing_block (
    id      INTEGER PRIMARY KEY,
    first   INTEGER NOT NULL UNIQUE,
    filings INTEGER NOT NULL
) STRICT;

-- The filings of a block, numbered from 0 in the order of their keys. The place is the block's id and the number.
CREATE TABLE filing_place (
    place INTEGER PRIMARY KEY,
    key   INTEGER NOT NULL
) STRICT;

-- Everything that filings are found by: words, runs of words, prefixes, companies, categories, types. The kinds are those
-- of the library's index module. Terms are never removed.
CREATE TABLE term (
    id   INTEGER PRIMARY KEY, -- the kind and a number
    kind INTEGER NOT NULL,
    text TEXT    NOT NULL,
    UNIQUE (kind, text)
) STRICT;

-- Which filings of a block have a term.
CREATE TABLE filing_term (
    id    INTEGER PRIMARY KEY, -- those of the block and of the term
    count INTEGER NOT NULL,    -- how many filings
    bits  BLOB    NOT NULL     -- their numbers
) STRICT;

-- How many filings each class has.
CREATE TABLE class_total (
    class   INTEGER PRIMARY KEY, -- the id of the class
    filings INTEGER NOT NULL
) STRICT;
