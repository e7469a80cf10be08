-- Under which number the limit of the key is counted, as in fincore/migrations/accounts.
ALTER TABLE key ADD COLUMN holder bigint;
