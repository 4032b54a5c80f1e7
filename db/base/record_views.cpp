#include "db/base/record_views.h"

#include <fmt/format.h>

#include "db/base/record_rows.h"
#include "runner/model/attempt/attempt_record.h"

namespace sweepd {
namespace {

// `r` is the record's table. An address means nothing once its process has ended.
template <class Record>
std::string view_of(const std::string& view, const std::string& leading, const std::string& joins) {
  std::string columns = leading, names;
  for (const RecordColumn& column : columns_of<Record>()) {
    if (column.name == "address") continue;
    columns += column.interned ? fmt::format(",\n       r_{0}.text AS {0}", column.name)
                               : fmt::format(",\n       r.{0} AS {0}", column.name);
    if (column.interned) {
      names += fmt::format("\nJOIN name r_{0} ON r_{0}.id = r.{0}", column.name);
    }
  }
  return fmt::format("CREATE VIEW {} AS\nSELECT {}\nFROM {} r\n{}{}", view, columns, Record::kTable,
                     joins, names);
}

template <class Record>
std::string of_attempt(const std::string& view) {
  return view_of<Record>(view, "a.uid AS attempt_uid", "JOIN attempt a ON a.row = r.attempt");
}

template <class Record, class Wanted>
std::vector<std::string> names_of(Wanted wanted) {
  std::vector<std::string> names;
  for (const RecordColumn& column : columns_of<Record>()) {
    if (!column.interned && wanted(column)) names.push_back(column.name);
  }
  return names;
}

}  // namespace

std::vector<std::string> record_views() {
  return {of_attempt<Sample>("samples"),
          of_attempt<Summary>("summaries"),
          of_attempt<PhaseMemory>("memories"),
          of_attempt<HeldMemory>("held_tensors"),
          of_attempt<Allocation>("allocations"),
          of_attempt<MemoryPoint>("memory_timeline"),
          of_attempt<Fact>("facts"),
          of_attempt<KernelStats>("kernels"),
          of_attempt<OperatorStats>("operators"),
          view_of<Figure>("figures", "t.key AS trial_key, t.workload AS workload",
                          "JOIN trial t ON t.id = r.trial")};
}

const std::vector<std::string>& summary_columns() {
  static const std::vector<std::string> names =
      names_of<Summary>([](const RecordColumn&) { return true; });
  return names;
}

const std::vector<std::string>& memory_columns() {
  static const std::vector<std::string> names =
      names_of<PhaseMemory>([](const RecordColumn& column) { return column.show == Show::kBytes; });
  return names;
}

}  // namespace sweepd
