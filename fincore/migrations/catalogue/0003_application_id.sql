-- Marks the file as a catalogue ("FINC"), so that no other database is taken for one.
PRAGMA application_id = 1179209283;
