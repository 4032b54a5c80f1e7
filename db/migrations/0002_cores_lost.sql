-- What others, or the hypervisor's other guests, took of the leased cores while an attempt was
-- measured; NULL at the moment `before`, and in results from before this was known.
ALTER TABLE device_state ADD COLUMN cores_lost_to_others REAL;
ALTER TABLE device_state ADD COLUMN cores_stolen REAL;
