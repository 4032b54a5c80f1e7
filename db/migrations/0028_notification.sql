-- The command that runs once a sweep has ended. It is marked as begun before it starts, so that it
-- never runs twice.
CREATE TABLE notification (
  sweep    INTEGER PRIMARY KEY REFERENCES sweep (id),
  command  TEXT NOT NULL,
  begun_ns INTEGER,                  -- NULL: the sweep has not ended, or only just
  ended_ns INTEGER,
  problem  TEXT NOT NULL DEFAULT ''  -- why it failed; '': it did not
) STRICT;
CREATE INDEX notification_due ON notification (sweep) WHERE begun_ns IS NULL;
