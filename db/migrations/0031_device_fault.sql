-- What is wrong with a device on which nothing new starts, and the uid of the attempt that met it.
-- NULL: nothing is known, or somebody put it back in service.
ALTER TABLE device ADD COLUMN fault TEXT;
ALTER TABLE device ADD COLUMN fault_attempt TEXT;
