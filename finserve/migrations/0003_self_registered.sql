-- Whether somebody registered the key, as in fincore/migrations/accounts.
ALTER TABLE key ADD COLUMN self_registered bigint NOT NULL DEFAULT 0;
