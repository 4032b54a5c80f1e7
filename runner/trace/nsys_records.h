// The records of an export of nsys, by process.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "runner/trace/nsys_file.h"
#include "runner/trace/timeline.h"

namespace sweepd::trace {

struct NsysProcess {
  static constexpr std::int64_t kOpen = std::numeric_limits<std::int64_t>::min();

  std::int64_t pid = 0;  // 0: the export does not say which process did the work of devices
  // In the order of the tables. A range that was never closed ends at kOpen.
  Timeline timeline;
  std::unordered_map<std::int64_t, NameId> names, ranges;               // by id in StringIds
  std::unordered_map<std::int64_t, std::pair<NameId, CallKind>> calls;  // likewise
  std::map<std::array<std::int64_t, 8>, std::int32_t> shapes;           // the index of each
};

struct NsysWorkColumns;

class NsysRecords {
 public:
  explicit NsysRecords(NsysFile& file) : file_(file) {}
  // By nsys's id, in which the machine comes before the process. Throws NsysRefusal and
  // SQLite::Exception.
  std::map<std::int64_t, NsysProcess> read();

 private:
  bool merges_processes();
  void read_kernels();
  void read_graphs();
  void read_copies();
  void read_fills();
  void read_calls();
  void read_ranges();
  std::map<std::int64_t, std::string> copy_names();

  NsysProcess& process_of(std::int64_t id);
  NsysProcess& process_of(const NsysTable& table, const NsysWorkColumns& columns);
  NameId add_name(NsysProcess& process, std::string_view name);
  NameId name_of(NsysProcess& process, std::int64_t id, const char* unnamed);
  NameId name_of_range(NsysProcess& process, std::int64_t id);
  DeviceWork* add_work(NsysTable& table, const NsysWorkColumns& columns, DeviceWork work);

  NsysFile& file_;
  bool one_process_ = false;
  std::map<std::int64_t, NsysProcess> processes_;
};

}  // namespace sweepd::trace
