// Reads the results of a memory pass: its pictures and its tables.
#include <fmt/format.h>

#include <map>

#include "db/base/record_rows.h"
#include "db/query/details/attempt_tables.h"
#include "db/query/details/detail_tables.h"
#include "db/query/details/memory_details.h"
#include "db/query/state.h"

namespace sweepd {
namespace {

constexpr std::size_t kMaxBlocks = 20;

std::map<int, std::vector<MemoryPoint>> timelines(Connection& connection, Names& names,
                                                  std::int64_t attempt) {
  std::map<int, std::vector<MemoryPoint>> by_rank;
  for (MemoryPoint& point :
       select_rows<MemoryPoint>(connection, names, "attempt", attempt, "rank, sequence")) {
    by_rank[point.rank].push_back(std::move(point));
  }
  return by_rank;
}

std::vector<MemoryBlock> blocks_of(Connection& connection, std::int64_t attempt, int rank) {
  Query query(connection, fmt::format("SELECT {}, p.text, b.size_bytes, b.allocated_ns, b.freed_ns "
                                      "FROM allocation b JOIN name p ON p.id = b.phase {} "
                                      "WHERE b.attempt = ?1 AND b.rank = ?2",
                                      kKindOfBlock, kHeldOfBlock));
  query.bind_all(attempt, rank);
  std::vector<MemoryBlock> blocks;
  while (query.next()) {
    blocks.push_back({query.text(0), query.text(1), query.integer(2), query.integer(3),
                      query.maybe_integer(4).value_or(MemoryBlock::kNever)});
  }
  return blocks;
}

// The label names only axes and changed parameters, but a picture must always state these.
std::string subject_of(ReaderState& state, const AttemptRow& attempt, std::int64_t trial) {
  std::string subject = attempt.workload + " " + attempt.label;
  const WorkloadDef* def = state.catalog.find(attempt.workload);
  if (def == nullptr) return subject;
  const auto values = ParamTable(state.connection, *def).read(trial);
  if (!values) return subject;
  for (const char* name : {"model", "context", "batch", "mode", "precision", "device"}) {
    const auto index = def->index_of(name);
    if (!index || subject.find(std::string(" ") + name + "=") != std::string::npos) continue;
    subject += fmt::format(" {}={}", name, def->params[*index].text(values->values[*index]));
  }
  return subject;
}

bool is_by_event(Connection& connection, std::int64_t attempt, int rank) {
  Query query(connection,
              "SELECT 1 FROM fact f JOIN name n ON n.id = f.name "
              "WHERE f.attempt = ? AND f.rank = ? AND n.text = ? AND f.number = 0");
  query.bind_all(attempt, rank, kTimedFact);
  return query.next();
}

}  // namespace

Result<MemoryDetails> Reader::memory_details(std::int64_t row) {
  return state_->ask("showing an attempt's memory", [&]() -> Result<MemoryDetails> {
    Connection& connection = state_->connection;
    const auto attempt = attempt_row(*state_, row);
    if (!attempt) return attempt.error();
    Query trial(connection, "SELECT trial FROM attempt WHERE row = ?");
    trial.bind(row);
    trial.next();
    MemoryDetails details;
    const std::string subject = subject_of(*state_, *attempt, trial.integer(0));
    for (auto& [rank, timeline] : timelines(connection, state_->names, row)) {
      auto bands = bands_of(timeline, blocks_of(connection, row, rank));
      details.pictures.push_back({rank, subject, std::move(timeline), std::move(bands),
                                  is_by_event(connection, row, rank)});
    }
    append(details.tables, memory_table(connection, row));
    append(details.tables, held_table(connection, row));
    for (const MemoryPicture& picture : details.pictures) {
      append(details.tables, peak_table(connection, row, picture));
      append(details.tables, blocks_table(connection, row, picture, kMaxBlocks));
    }
    return details;
  });
}

}  // namespace sweepd
