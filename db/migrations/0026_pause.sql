-- When the sweep was paused; NULL: it is not. A paused sweep starts no attempt: one that waits is
-- held while every live sweep that wants it is paused (db/base/held.h).
ALTER TABLE sweep ADD COLUMN paused_ns INTEGER;
CREATE INDEX sweep_paused ON sweep (paused_ns) WHERE paused_ns IS NOT NULL;
