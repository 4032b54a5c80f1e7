-- On what it ran: a hash of host, CPU, cores, memory and, on cuda, GPUs, and the text that it is of
-- (runner/model/machine_id.h); empty where they were not recorded.
ALTER TABLE environment ADD COLUMN machine TEXT NOT NULL DEFAULT '';
ALTER TABLE environment ADD COLUMN machine_facts TEXT NOT NULL DEFAULT '';
