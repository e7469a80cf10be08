-- Marks the file as accounts ("FINA"), so that no other database is taken for one.
PRAGMA application_id = 1179209281;
