-- The parameters that a sweep declares as axes, even with one value, for the labels of its attempts.
-- A sweep from before has no rows; its trials show in what they differ.
CREATE TABLE sweep_axis (
  sweep    INTEGER NOT NULL REFERENCES sweep (id),
  position INTEGER NOT NULL,
  name     TEXT NOT NULL,
  PRIMARY KEY (sweep, position)
) STRICT, WITHOUT ROWID;
