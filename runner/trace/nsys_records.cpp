#include "runner/trace/nsys_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <tuple>
#include <vector>

#include "runner/trace/call_kind.h"

namespace sweepd::trace {

// The columns that all tables of device work have.
struct NsysWorkColumns {
  explicit NsysWorkColumns(NsysTable& table)
      : start(table.need("start")),
        end(table.need("end")),
        device(table.maybe("deviceId")),
        stream(table.maybe("streamId")),
        correlation(table.maybe("correlationId")),
        process(table.maybe("globalPid")),
        graph(table.maybe("graphId")),
        node(table.maybe("graphNodeId")) {}
  int start, end, device, stream, correlation, process, graph, node;
};

namespace {

// An id of nsys is, from its highest bits: machine, process (24 bits), thread (24 bits).
constexpr int kThreadBits = 24;
constexpr std::int64_t kIdMask = (std::int64_t{1} << kThreadBits) - 1;  // of either

// CUPTI's numbers of the kinds of copies, for exports without the table that names them.
constexpr std::array<std::string_view, 11> kCopyKinds{
    "", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP"};

// CUDA_MEMCPY_KIND_HTOD -> "HtoD", CUDA_MEMCPY_KIND_UVM_HTOD -> "Unified HtoD".
std::string copy_kind_of(std::string_view symbol) {
  constexpr std::string_view kPrefix = "CUDA_MEMCPY_KIND_";
  if (!symbol.starts_with(kPrefix)) return "";
  symbol.remove_prefix(kPrefix.size());
  const bool unified = symbol.starts_with("UVM_");
  if (unified) symbol.remove_prefix(4);
  if (symbol.size() != 4 || symbol.substr(1, 2) != "TO") return "";
  return fmt::format("{}{}to{}", unified ? "Unified " : "", symbol.front(), symbol.back());
}

// "aten::add" of "aten::add, seq = 12, op_id = 4, sizes = [[2, 2]]": torch.autograd's emit_nvtx
// numbers each call.
std::string_view without_call(std::string_view range) {
  for (const std::string_view part :
       {", seq = ", ", op_id = ", ", sizes = [", ", input_op_ids = ["}) {
    const std::size_t at = range.find(part);
    if (at == std::string_view::npos || at == 0) continue;
    const std::string_view value = range.substr(at + part.size(), 1);
    if (part.ends_with('[') || value.find_first_of("0123456789-") == 0) range = range.substr(0, at);
  }
  return range;
}

class ShapeColumns {
 public:
  explicit ShapeColumns(NsysTable& table) {
    for (const char* name : {"gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ",
                             "registersPerThread", "staticSharedMemory", "dynamicSharedMemory"}) {
      columns_.push_back(table.maybe(name));
    }
  }
  // The shape's index in the timeline; -1: the row has none, or one that no device can launch.
  std::int32_t shape_of(const NsysTable& table, NsysProcess& process) const;

 private:
  std::vector<int> columns_;
};

std::int32_t ShapeColumns::shape_of(const NsysTable& table, NsysProcess& process) const {
  constexpr std::array<std::int64_t, 8> kMost{INT32_MAX, 65535, 65535, 1024,
                                              1024,      1024,  65535, std::int64_t{1} << 30};
  std::array<std::int64_t, 8> values{};
  for (std::size_t i = 0; i < 7; ++i) values[i] = table.integer_or(columns_[i], 0);
  values[7] = table.integer_or(columns_[7], 0) + table.integer_or(columns_[8], 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::int64_t least = i < 6 ? 1 : 0;
    if (values[i] < least || values[i] > kMost[i]) return -1;
  }
  const auto next = static_cast<std::int32_t>(process.timeline.shapes.size());
  const auto [found, is_new] = process.shapes.try_emplace(values, next);
  if (is_new) {
    process.timeline.shapes.push_back({{values[0], values[1], values[2]},
                                       {values[3], values[4], values[5]},
                                       static_cast<std::int32_t>(values[6]),
                                       values[7]});
  }
  return found->second;
}

}  // namespace

std::map<std::int64_t, NsysProcess> NsysRecords::read() {
  one_process_ = merges_processes();
  read_kernels();
  read_graphs();
  read_copies();
  read_fills();
  read_calls();
  read_ranges();
  return std::move(processes_);
}

// Whether a table of device work does not say which process each record is of.
bool NsysRecords::merges_processes() {
  return std::ranges::any_of(
      std::initializer_list<const char*>{
          "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
          "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET"},
      [&](const char* table) {
        const std::vector<std::string> columns = file_.columns_of(table);
        return !columns.empty() && std::ranges::find(columns, "globalPid") == columns.end();
      });
}

NsysProcess& NsysRecords::process_of(std::int64_t id) {
  const std::int64_t key = one_process_ ? 0 : id >> kThreadBits;
  NsysProcess& process = processes_[key];
  process.pid = key & kIdMask;
  return process;
}

NsysProcess& NsysRecords::process_of(const NsysTable& table, const NsysWorkColumns& columns) {
  return process_of(table.integer_or(columns.process, 0));
}

NameId NsysRecords::add_name(NsysProcess& process, std::string_view name) {
  Names& names = process.timeline.names;
  const std::size_t had = names.size();
  const NameId id = names.add(name);
  if (names.size() > had) file_.count_name(name);
  return id;
}

NameId NsysRecords::name_of(NsysProcess& process, std::int64_t id, const char* unnamed) {
  const auto known = process.names.find(id);
  if (known != process.names.end()) return known->second;
  const NameId name = add_name(process, file_.text_of(id).value_or(unnamed));
  process.names.emplace(id, name);
  return name;
}

NameId NsysRecords::name_of_range(NsysProcess& process, std::int64_t id) {
  const auto [known, is_new] = process.ranges.try_emplace(id);
  if (is_new) known->second = add_name(process, without_call(file_.text_of(id).value_or("")));
  return known->second;
}

// `work` has what is particular to its table. nullptr: it was dropped.
DeviceWork* NsysRecords::add_work(NsysTable& table, const NsysWorkColumns& columns,
                                  DeviceWork work) {
  Timeline& timeline = process_of(table, columns).timeline;
  work.begin_ns = table.integer(columns.start);
  work.end_ns = table.integer(columns.end);
  // CUPTI could not time it.
  if (work.end_ns < work.begin_ns || (work.begin_ns == 0 && work.end_ns == 0)) {
    ++timeline.dropped;
    return nullptr;
  }
  work.correlation = table.integer_or(columns.correlation, kNoCorrelation);
  work.stream = table.integer_or(columns.stream, 0);
  work.device = static_cast<std::int32_t>(
      std::clamp<std::int64_t>(table.integer_or(columns.device, 0), 0, INT32_MAX));
  // The upper half of a node's id is that of its graph.
  const std::int64_t node = table.integer_or(columns.node, 0);
  work.graph = table.integer_or(columns.graph, 0);
  if (work.graph <= 0 && node > 0) work.graph = std::max<std::int64_t>(1, node >> 32);
  file_.count_record();
  return &timeline.work.emplace_back(work);
}

void NsysRecords::read_kernels() {
  NsysTable table(file_, "CUPTI_ACTIVITY_KIND_KERNEL");
  const NsysWorkColumns columns(table);
  const ShapeColumns shapes(table);
  const int demangled = table.maybe("demangledName"), brief = table.maybe("shortName");
  while (table.next()) {
    NsysProcess& process = process_of(table, columns);
    DeviceWork work;
    work.kind = WorkKind::kKernel;
    const std::int64_t id = table.integer_or(demangled, table.integer_or(brief, -1));
    work.name = name_of(process, id, "(unnamed kernel)");
    DeviceWork* const kept = add_work(table, columns, work);
    if (kept != nullptr) kept->launch_shape = shapes.shape_of(table, process);
  }
}

void NsysRecords::read_graphs() {
  NsysTable table(file_, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE");
  const NsysWorkColumns columns(table);
  while (table.next()) {
    DeviceWork work;
    work.kind = WorkKind::kKernel;
    work.name = add_name(process_of(table, columns), "[CUDA graph]");
    add_work(table, columns, work);
  }
}

std::map<std::int64_t, std::string> NsysRecords::copy_names() {
  std::map<std::int64_t, std::string> names;
  for (std::size_t i = 1; i < kCopyKinds.size(); ++i) {
    names[static_cast<std::int64_t>(i)] = fmt::format("[CUDA memcpy {}]", kCopyKinds[i]);
  }
  NsysTable table(file_, "ENUM_CUDA_MEMCPY_OPER");
  const int id = table.maybe("id"), symbol = table.maybe("name");
  while (table.next()) {
    const std::string kind = copy_kind_of(table.text_or_empty(symbol));
    if (id >= 0 && !kind.empty()) names[table.integer(id)] = fmt::format("[CUDA memcpy {}]", kind);
  }
  return names;
}

void NsysRecords::read_copies() {
  const std::map<std::int64_t, std::string> names = copy_names();
  NsysTable table(file_, "CUPTI_ACTIVITY_KIND_MEMCPY");
  const NsysWorkColumns columns(table);
  const int bytes = table.maybe("bytes"), kind = table.maybe("copyKind");
  while (table.next()) {
    DeviceWork work;
    work.kind = WorkKind::kCopy;
    work.bytes = std::max<std::int64_t>(0, table.integer_or(bytes, 0));
    const auto name = names.find(table.integer_or(kind, 0));
    work.name = add_name(process_of(table, columns),
                         name == names.end() ? "[CUDA memcpy other]" : name->second);
    add_work(table, columns, work);
  }
}

void NsysRecords::read_fills() {
  NsysTable table(file_, "CUPTI_ACTIVITY_KIND_MEMSET");
  const NsysWorkColumns columns(table);
  const int bytes = table.maybe("bytes");
  while (table.next()) {
    DeviceWork work;
    work.kind = WorkKind::kFill;
    work.bytes = std::max<std::int64_t>(0, table.integer_or(bytes, 0));
    work.name = add_name(process_of(table, columns), "[CUDA memset]");
    add_work(table, columns, work);
  }
}

// Calls of the driver are in the same table.
void NsysRecords::read_calls() {
  NsysTable table(file_, "CUPTI_ACTIVITY_KIND_RUNTIME");
  const int start = table.need("start"), end = table.need("end"), name = table.need("nameId");
  const int thread = table.maybe("globalTid"), correlation = table.maybe("correlationId");
  while (table.next()) {
    HostCall call;
    call.begin_ns = table.integer(start);
    call.end_ns = table.integer(end);
    call.correlation = table.integer_or(correlation, kNoCorrelation);
    const std::int64_t id = table.integer_or(thread, 0);
    call.thread = id & kIdMask;
    NsysProcess& process = process_of(id);
    if (call.end_ns < call.begin_ns) {
      ++process.timeline.dropped;
      continue;
    }
    const auto [known, is_new] = process.calls.try_emplace(table.integer(name));
    if (is_new) {
      const std::string text = file_.text_of(known->first).value_or("(unnamed call)");
      const std::string_view call_name = call_without_version(text);
      known->second = {add_name(process, call_name), kind_of_call(call_name)};
    }
    std::tie(call.name, call.kind) = known->second;
    file_.count_record();
    process.timeline.calls.push_back(call);
  }
}

void NsysRecords::read_ranges() {
  // Those of NVTX and of its text files: a pushed one, and a started one.
  constexpr std::array<std::int64_t, 4> kRangeTypes{59, 60, 70, 71};
  NsysTable table(file_, "NVTX_EVENTS");
  const int start = table.need("start"), end = table.need("end");
  const int type = table.maybe("eventType"), thread = table.maybe("globalTid");
  const int text = table.maybe("text"), text_id = table.maybe("textId");
  while (table.next()) {
    if (std::ranges::find(kRangeTypes, table.integer_or(type, 59)) == kRangeTypes.end()) continue;
    HostSpan range;
    range.begin_ns = table.integer(start);
    range.end_ns = table.integer_or(end, NsysProcess::kOpen);
    if (range.end_ns < range.begin_ns) range.end_ns = NsysProcess::kOpen;
    const std::int64_t id = table.integer_or(thread, 0);
    range.thread = id & kIdMask;
    NsysProcess& process = process_of(id);
    const std::string own = table.text_or_empty(text);
    range.name = own.empty() && table.has(text_id) ? name_of_range(process, table.integer(text_id))
                                                   : add_name(process, without_call(own));
    file_.count_record();
    process.timeline.ranges.push_back(range);
  }
}

}  // namespace sweepd::trace
