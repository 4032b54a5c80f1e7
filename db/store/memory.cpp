#include "db/store/record.h"

namespace sweepd {

void insert_memory(Connection& connection, Names& names, std::int64_t attempt,
                   const std::vector<PhaseMemory>& memory) {
  Query insert(connection,
               "INSERT OR REPLACE INTO memory (attempt, rank, phase, at_start_bytes, at_end_bytes, "
               "peak_allocated_bytes, peak_reserved_bytes, device_in_use_bytes) "
               "VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  for (const PhaseMemory& m : memory) {
    insert.bind_all(attempt, m.rank, names.id(m.phase), m.at_start.value, m.at_end.value,
                    m.peak_allocated.value, m.peak_reserved.value, m.device_in_use.value);
    insert.run();
  }
}

void insert_held_memory(Connection& connection, Names& names, std::int64_t attempt,
                        const std::vector<HeldMemory>& held) {
  Query insert(connection,
               "INSERT OR REPLACE INTO memory_held (attempt, rank, kind, name, size_bytes) "
               "VALUES (?, ?, ?, ?, ?)");
  for (const HeldMemory& h : held) {
    insert.bind_all(attempt, h.rank, h.kind, names.id(h.name), h.size.value);
    insert.run();
  }
}

void insert_allocations(Connection& connection, Names& names, std::int64_t attempt,
                        const std::vector<Allocation>& allocations) {
  Query insert(connection,
               "INSERT OR REPLACE INTO allocation (attempt, rank, sequence, size_bytes, "
               "allocated_ns, freed_ns, phase, range, origin) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (const Allocation& a : allocations) {
    std::optional<std::int64_t> freed_ns;
    if (a.freed) freed_ns = a.freed->ns;
    insert.bind_all(attempt, a.rank, a.sequence, a.size.value, a.allocated.ns, freed_ns,
                    names.id(a.phase), names.id(a.range), names.id(a.origin));
    insert.run();
  }
}

// An address is an unsigned 64-bit integer in C++ and a signed one in SQLite.
void insert_timeline(Connection& connection, Names& names, std::int64_t attempt,
                     const std::vector<MemoryPoint>& timeline) {
  Query insert(connection,
               "INSERT OR REPLACE INTO memory_event (attempt, rank, sequence, time_ns, action, "
               "address, size_bytes, allocated_bytes, reserved_bytes, phase) "
               "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (const MemoryPoint& p : timeline) {
    insert.bind_all(attempt, p.rank, p.sequence, p.time.ns, p.action,
                    static_cast<std::int64_t>(p.address), p.size.value, p.allocated.value,
                    p.reserved.value, names.id(p.phase));
    insert.run();
  }
}

}  // namespace sweepd
