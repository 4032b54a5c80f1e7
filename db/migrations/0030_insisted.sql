-- 1: a person insisted on this attempt although its trial had killed its workers
-- (runner/model/kills.h). Of the attempts before it none counts any more.
ALTER TABLE attempt ADD COLUMN insisted INTEGER NOT NULL DEFAULT 0 CHECK (insisted IN (0, 1));
