#include "runner/wire/request.h"

#include "runner/base/files.h"
#include "runner/wire/catalog_json.h"
#include "runner/wire/json_reader.h"
#include "runner/wire/largest_record.h"

namespace sweepd {
namespace {

using Json = nlohmann::ordered_json;  // people read the file too, so fields keep this order

Json to_json(const RankLease& rank) {
  return {{"cores", rank.cores}, {"gpu_uuid", rank.gpu_uuid}, {"gpu_index", rank.gpu_index}};
}

Json to_json(const AttemptRequest& request) {
  Json params = Json::object();
  for (const auto& [name, text] : request.params) params[name] = text;
  Json ranks = Json::array();
  for (const RankLease& rank : request.lease.ranks) ranks.push_back(to_json(rank));
  Json json{{"attempt", request.attempt},      {"trial", request.trial},
            {"workload", request.workload},    {"pass", name_of(request.pass)},
            {"repeat", request.repeat},        {"params", std::move(params)},
            {"lease", std::move(ranks)},       {"host_cores", request.host_cores},
            {"machine", request.machine.hash}, {"machine_facts", request.machine.facts}};
  json["version"] = request.version;
  json["started_ns"] = request.started.ns;
  if (request.suspended) json["suspended_ns"] = request.suspended->ns;
  json["sweep"] = request.sweep.id;
  json["sweep_name"] = request.sweep.name;
  if (!request.sweep.sentinel_of.empty()) json["sentinel_of"] = request.sweep.sentinel_of;
  if (request.program) json["program"] = Json(to_json(*request.program));
  return json;
}

void read_params(JsonReader<Json>& reader, AttemptRequest& request) {
  reader.object("params", [&](JsonReader<Json>& params) {
    const Json& object = *reader.find("params");
    if (!object.is_object()) return;  // the reader has recorded it
    for (const auto& [name, value] : object.items()) {
      std::string text;
      params.required(name.c_str(), text);
      request.params.emplace_back(name, std::move(text));
    }
  });
}

Result<void> read_program(const Json& json, AttemptRequest& request) {
  const auto program = json.find("program");
  if (program == json.end()) return {};
  auto read = workload_from_json(nlohmann::json(*program));
  if (!read) return Error{read.error().code, "program: " + read.error().message};
  request.program = std::move(*read);
  return {};
}

Result<AttemptRequest> request_from_json(const Json& json) {
  AttemptRequest request;
  std::string pass;
  JsonReader reader(json);
  reader.required("attempt", request.attempt);
  reader.required("trial", request.trial);
  reader.required("workload", request.workload);
  reader.required("pass", pass);
  reader.required("repeat", request.repeat);
  read_params(reader, request);
  reader.each("lease", [&](JsonReader<Json>& entry) {
    RankLease rank;
    entry.required("cores", rank.cores);
    entry.required("gpu_uuid", rank.gpu_uuid);
    entry.required("gpu_index", rank.gpu_index);
    request.lease.ranks.push_back(std::move(rank));
  });
  reader.optional("host_cores", request.host_cores);
  reader.optional("machine", request.machine.hash);
  reader.optional("machine_facts", request.machine.facts);
  reader.optional("version", request.version);
  reader.optional("started_ns", request.started.ns);
  if (reader.find("suspended_ns") != nullptr) {
    reader.optional("suspended_ns", request.suspended.emplace().ns);
  }
  reader.optional("sweep", request.sweep.id);
  reader.optional("sweep_name", request.sweep.name);
  reader.optional("sentinel_of", request.sweep.sentinel_of);
  if (const auto read = reader.result(); !read) return read.error();
  if (const auto read = read_program(json, request); !read) return read.error();
  if (request.lease.ranks.empty()) {
    return Error{ErrorCode::kInvalidArgument, "lease: expected at least one rank, got none"};
  }
  const auto known = pass_from(pass);
  if (!known) return Error{ErrorCode::kInvalidArgument, "pass: " + known.error().message};
  request.pass = *known;
  return request;
}

}  // namespace

std::string request_text(const AttemptRequest& request) {
  return to_indented_json(to_json(request)) + "\n";
}

Result<void> write_request(const std::filesystem::path& file, const AttemptRequest& request) {
  return replace_file(file, request_text(request));
}

Result<AttemptRequest> read_request(const std::filesystem::path& file) {
  const auto text = read_regular(file, Links::kRefuse, kLargestRecord);
  if (!text) return text.error();
  const Json json = parse_ordered_json(*text);
  if (json.is_discarded()) {
    return Error{ErrorCode::kInvalidArgument, file.string() + ": " + why_discarded(*text)};
  }
  auto request = request_from_json(json);
  if (!request) {
    return Error{request.error().code, file.string() + ": " + request.error().message};
  }
  return request;
}

}  // namespace sweepd
