-- The content of the program when the sweep was submitted, where an older trial answers for the point
-- because any result was accepted (submit --reuse any); null elsewhere.
ALTER TABLE sweep_trial ADD COLUMN submitted_code TEXT;
