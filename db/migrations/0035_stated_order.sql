-- The order in which a workload states its facts and figures, from 0; 0 in older results. A table
-- shows them in it, whatever ids their names have here.
ALTER TABLE fact ADD COLUMN position INTEGER NOT NULL DEFAULT 0;
ALTER TABLE figure ADD COLUMN position INTEGER NOT NULL DEFAULT 0;
-- Of the program that measured, such as 0.2.0; empty in older results.
ALTER TABLE environment ADD COLUMN version TEXT NOT NULL DEFAULT '';
