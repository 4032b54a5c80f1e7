-- The last-level cache of a host, which decides what traffic says of its memory; 0 in results from
-- before this was known.
ALTER TABLE host ADD COLUMN cache_bytes INTEGER NOT NULL DEFAULT 0;
