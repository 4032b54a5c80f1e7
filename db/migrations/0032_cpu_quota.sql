-- How often the control group's CPU quota stopped an attempt while it was measured; NULL at the
-- moment `before`, where no quota is counted, and in results from before this was known.
ALTER TABLE device_state ADD COLUMN quota_periods INTEGER;
ALTER TABLE device_state ADD COLUMN throttled_periods INTEGER;
