-- A sweep may have a sentinel: a short measurement that runs now and then while the sweep runs
-- (runner/sched/sentinel_plan.h). Its results belong to a sweep of their own.
ALTER TABLE sweep ADD COLUMN sentinel_ns INTEGER;  -- the interval; NULL: none
-- The uid of the sweep whose sentinel this one is; NULL: it is none. A uid, since it must hold in
-- any database.
ALTER TABLE sweep ADD COLUMN sentinel_of TEXT;
CREATE INDEX sweep_by_watched ON sweep (sentinel_of) WHERE sentinel_of IS NOT NULL;
