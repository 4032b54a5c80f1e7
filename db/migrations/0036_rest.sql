-- Which small rows of a declared table are added up in one. It was checked when a sweep came, and then forgotten.
ALTER TABLE sweep_table ADD COLUMN rest_value TEXT NOT NULL DEFAULT '';  -- '': none
ALTER TABLE sweep_table ADD COLUMN rest_below REAL NOT NULL DEFAULT 0;
