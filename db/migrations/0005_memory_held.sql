-- Tensors that outlive a step of a memory pass, each by its name.
CREATE TABLE memory_held (
  attempt    INTEGER NOT NULL REFERENCES attempt (row),
  rank       INTEGER NOT NULL,
  kind       TEXT NOT NULL,
  name       INTEGER NOT NULL REFERENCES name (id),
  size_bytes INTEGER NOT NULL,
  PRIMARY KEY (attempt, rank, kind, name)
) STRICT, WITHOUT ROWID;
