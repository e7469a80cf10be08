-- Whose limit the requests of the key are counted against: the id of the first of the keys that were exchanged for one another;
-- NULL for that first one.
ALTER TABLE key ADD COLUMN holder INTEGER;
