-- What ran: a hash of the code of a built-in workload; empty where it was not recorded.
ALTER TABLE environment ADD COLUMN code TEXT NOT NULL DEFAULT '';
-- The key that the trial would have without the content of its program, by which an older result of
-- the same parameters is found; null where no program is part of the trial.
ALTER TABLE trial ADD COLUMN base_key TEXT;
CREATE INDEX trial_by_base_key ON trial (base_key) WHERE base_key IS NOT NULL;
