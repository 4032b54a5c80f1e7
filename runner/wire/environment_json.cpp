#include "runner/wire/environment_json.h"

namespace sweepd {
namespace {

using Json = nlohmann::ordered_json;
using Reader = JsonReader<Json>;

void set(Json& json, const char* name, const std::string& value) {
  if (!value.empty()) json[name] = value;
}
void set(Json& json, const char* name, std::int64_t value) {
  if (value != 0) json[name] = value;
}
void set(Json& json, const char* name, Bytes value) {
  set(json, name, value.value);
}
template <class T>
void set(Json& json, const char* name, const std::optional<T>& value) {
  if (!value) return;
  if constexpr (std::is_same_v<T, double>)
    json[name] = number_to_json(*value);
  else
    json[name] = *value;
}

Json to_json(const HostInfo& host) {
  Json json = Json::object();
  set(json, "id", host.id);
  set(json, "hostname", host.hostname);
  set(json, "cpu_model", host.cpu_model);
  set(json, "cores", host.cores);
  set(json, "sockets", host.sockets);
  set(json, "memory", host.memory);
  set(json, "kernel", host.kernel);
  set(json, "os", host.os);
  set(json, "governor", host.governor);
  return json;
}

void read_host(Reader& reader, HostInfo& host) {
  reader.optional("id", host.id);
  reader.optional("hostname", host.hostname);
  reader.optional("cpu_model", host.cpu_model);
  reader.optional("cores", host.cores);
  reader.optional("sockets", host.sockets);
  reader.optional("memory", host.memory);
  reader.optional("kernel", host.kernel);
  reader.optional("os", host.os);
  reader.optional("governor", host.governor);
}

Json to_json(const DeviceInfo& device) {
  Json json = {{"kind", device.kind}, {"index", device.index}};
  set(json, "uuid", device.uuid);
  set(json, "name", device.name);
  set(json, "memory", device.memory);
  set(json, "driver", device.driver);
  set(json, "compute_capability", device.compute_capability);
  set(json, "power_limit_watts", device.power_limit_watts);
  set(json, "ecc", device.ecc);
  return json;
}

void read_device(Reader& reader, DeviceInfo& device) {
  reader.required("kind", device.kind);
  reader.required("index", device.index);
  reader.optional("uuid", device.uuid);
  reader.optional("name", device.name);
  reader.optional("memory", device.memory);
  reader.optional("driver", device.driver);
  reader.optional("compute_capability", device.compute_capability);
  reader.optional("power_limit_watts", device.power_limit_watts);
  reader.optional("ecc", device.ecc);
}

}  // namespace

void put(Json& json, const Environment& environment) {
  json["host"] = to_json(environment.host);
  json["devices"] = Json::array();
  for (const DeviceInfo& device : environment.devices) json["devices"].push_back(to_json(device));
  set(json, "torch_version", environment.torch_version);
  set(json, "cuda_version", environment.cuda_version);
  set(json, "cudnn_version", environment.cudnn_version);
  set(json, "nccl_version", environment.nccl_version);
  set(json, "build_commit", environment.build_commit);
  set(json, "cpu_math", environment.cpu_math);
  set(json, "threads", environment.threads);
  set(json, "tf32_matmul", environment.tf32_matmul);
  set(json, "tf32_cudnn", environment.tf32_cudnn);
  set(json, "cores", environment.cores);
}

void read(Reader& reader, Environment& environment) {
  reader.object("host", [&](Reader& host) { read_host(host, environment.host); });
  reader.each("devices",
              [&](Reader& element) { read_device(element, environment.devices.emplace_back()); });
  reader.optional("torch_version", environment.torch_version);
  reader.optional("cuda_version", environment.cuda_version);
  reader.optional("cudnn_version", environment.cudnn_version);
  reader.optional("nccl_version", environment.nccl_version);
  reader.optional("build_commit", environment.build_commit);
  reader.optional("cpu_math", environment.cpu_math);
  reader.optional("threads", environment.threads);
  reader.optional("tf32_matmul", environment.tf32_matmul);
  reader.optional("tf32_cudnn", environment.tf32_cudnn);
  reader.optional("cores", environment.cores);
}

void put(Json& json, const DeviceState& state) {
  json["moment"] = state.moment;
  set(json, "sm_clock_mhz", state.sm_clock_mhz);
  set(json, "memory_clock_mhz", state.memory_clock_mhz);
  set(json, "temperature_celsius", state.temperature_celsius);
  set(json, "power_watts", state.power_watts);
  set(json, "throttle_reasons", state.throttle_reasons);
  json["other_processes"] = state.other_processes;
  json["load_average"] = number_to_json(state.load_average);
  set(json, "cores_lost_to_others", state.cores_lost_to_others);
  set(json, "cores_stolen", state.cores_stolen);
}

void read(Reader& reader, DeviceState& state) {
  reader.required("moment", state.moment);
  reader.optional("sm_clock_mhz", state.sm_clock_mhz);
  reader.optional("memory_clock_mhz", state.memory_clock_mhz);
  reader.optional("temperature_celsius", state.temperature_celsius);
  reader.optional("power_watts", state.power_watts);
  reader.optional("throttle_reasons", state.throttle_reasons);
  reader.required("other_processes", state.other_processes);
  reader.required("load_average", state.load_average);
  reader.optional("cores_lost_to_others", state.cores_lost_to_others);
  reader.optional("cores_stolen", state.cores_stolen);
}

}  // namespace sweepd
