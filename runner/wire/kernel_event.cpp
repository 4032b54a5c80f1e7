#include "runner/wire/kernel_event.h"

#include <string>
#include <vector>

namespace sweepd {
namespace {

using Json = nlohmann::ordered_json;

void read_shape(JsonReader<Json>& reader, const char* field, std::array<std::int64_t, 3>& shape) {
  std::vector<std::int64_t> sizes;
  reader.required(field, sizes);
  if (sizes.size() == shape.size()) {
    std::copy(sizes.begin(), sizes.end(), shape.begin());
  } else {
    reader.fail(field, "expected three integers");
  }
}

}  // namespace

void put(Json& json, const KernelEvent& event) {
  const KernelStats& kernel = event.kernel;
  json["phase"] = kernel.phase;
  json["range"] = kernel.range;
  json["name"] = kernel.name;
  json["grid"] = kernel.grid;
  json["block"] = kernel.block;
  json["calls"] = kernel.calls;
  json["total_ns"] = number_to_json(kernel.total_ns);
  json["mean_ns"] = number_to_json(kernel.mean_ns);
  json["median_ns"] = number_to_json(kernel.median_ns);
  json["min_ns"] = number_to_json(kernel.min_ns);
  json["max_ns"] = number_to_json(kernel.max_ns);
  json["std_ns"] = number_to_json(kernel.std_ns);
}

void read(JsonReader<Json>& reader, KernelEvent& event) {
  KernelStats& kernel = event.kernel;
  reader.required("phase", kernel.phase);
  reader.required("range", kernel.range);
  reader.required("name", kernel.name);
  read_shape(reader, "grid", kernel.grid);
  read_shape(reader, "block", kernel.block);
  reader.required("calls", kernel.calls);
  reader.required("total_ns", kernel.total_ns);
  reader.required("mean_ns", kernel.mean_ns);
  reader.required("median_ns", kernel.median_ns);
  reader.required("min_ns", kernel.min_ns);
  reader.required("max_ns", kernel.max_ns);
  reader.required("std_ns", kernel.std_ns);
}

void put(Json& json, const OperatorEvent& event) {
  const OperatorStats& op = event.op;
  json["phase"] = op.phase;
  json["range"] = op.range;
  json["name"] = op.name;
  json["calls"] = op.calls;
  json["self_cpu_ns"] = number_to_json(op.self_cpu_ns);
  json["total_cpu_ns"] = number_to_json(op.total_cpu_ns);
  json["self_device_ns"] = number_to_json(op.self_device_ns);
  json["total_device_ns"] = number_to_json(op.total_device_ns);
}

void read(JsonReader<Json>& reader, OperatorEvent& event) {
  OperatorStats& op = event.op;
  reader.required("phase", op.phase);
  reader.required("range", op.range);
  reader.required("name", op.name);
  reader.required("calls", op.calls);
  reader.required("self_cpu_ns", op.self_cpu_ns);
  reader.required("total_cpu_ns", op.total_cpu_ns);
  reader.required("self_device_ns", op.self_device_ns);
  reader.required("total_device_ns", op.total_device_ns);
}

}  // namespace sweepd
