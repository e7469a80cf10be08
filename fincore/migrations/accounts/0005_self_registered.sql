-- Whether somebody registered the key on the API or the pages. Those that the operator made, and those of before this column,
-- are never forgotten.
ALTER TABLE key ADD COLUMN self_registered INTEGER NOT NULL DEFAULT 0; -- 0 or 1
