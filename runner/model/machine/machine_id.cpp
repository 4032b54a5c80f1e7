#include "runner/model/machine/machine_id.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>

#include "runner/base/hash.h"
#include "runner/base/text.h"

namespace sweepd {
namespace {

constexpr std::size_t kMachineDigits = 12;
constexpr int kMemorySteps = 64;  // between two powers of two
constexpr std::string_view kBetween = "; ";

// The name of a fact, and how a sentence names it. In the order of the text.
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kFacts{{
    {"CPU", "the CPU"},
    {"cores", "the number of cores"},
    {"CPU quota", "the CPU quota"},
    {"sockets", "the number of sockets"},
    {"memory", "the memory"},
    {"GPU", "the GPU"},
    {"GPU memory", "the GPU's memory"},
    {"compute capability", "the compute capability"},
    {"power limit", "the power limit"},
    {"ECC", "ECC"},
    {"driver", "the driver"},
}};

using Facts = std::map<std::string, std::string, std::less<>>;

std::string text_of(const Facts& facts) {
  std::vector<std::string> parts;
  for (const auto& [name, sentence] : kFacts) {
    const auto found = facts.find(name);
    if (found != facts.end()) parts.push_back(fmt::format("{}={}", name, found->second));
  }
  return join(parts, kBetween);
}

Facts facts_in(std::string_view text) {
  Facts facts;
  while (!text.empty()) {
    const std::size_t end = text.find(kBetween);
    const std::string_view part = text.substr(0, end);
    const std::size_t equals = part.find('=');
    if (equals != std::string_view::npos) {
      facts.emplace(part.substr(0, equals), part.substr(equals + 1));
    }
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + kBetween.size());
  }
  return facts;
}

// The facts of one kind of GPU, parallel to kFacts from "GPU" to "ECC".
using GpuFacts = std::array<std::string, 5>;

GpuFacts facts_of(const DeviceInfo& gpu) {
  const auto& watts = gpu.power_limit_watts;
  return {gpu.name, to_human(rounded_memory(gpu.memory)), gpu.compute_capability,
          watts ? fmt::format("{:.0f} W", *watts) : "unknown",
          gpu.ecc ? (*gpu.ecc ? "on" : "off") : "unknown"};
}

// Returns false if there is none.
bool add_gpus(const std::vector<DeviceInfo>& devices, Facts& facts) {
  std::vector<GpuFacts> kinds;
  for (const DeviceInfo& device : devices) {
    if (device.kind != "cuda") continue;
    kinds.push_back(facts_of(device));
    facts["driver"] = device.driver;
  }
  std::sort(kinds.begin(), kinds.end());
  kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
  constexpr std::size_t kFirst = 5;  // "GPU" in kFacts
  for (std::size_t i = 0; i < std::tuple_size_v<GpuFacts>; ++i) {
    std::vector<std::string> values;
    for (const GpuFacts& kind : kinds) values.push_back(kind[i]);
    facts[std::string(kFacts[kFirst + i].first)] = join(values, " + ");
  }
  return !kinds.empty();
}

MachineId id_of(const HostInfo& host, const Facts& facts) {
  MachineId id;
  id.facts = text_of(facts);
  id.hash = hash128(host.id + "|" + id.facts).substr(0, kMachineDigits);
  return id;
}

}  // namespace

Bytes rounded_memory(Bytes memory) {
  if (memory.value < kMemorySteps) return memory;
  const auto step = std::bit_floor(static_cast<std::uint64_t>(memory.value)) / kMemorySteps;
  const auto unit = static_cast<std::int64_t>(step);
  return {(memory.value + unit / 2) / unit * unit};
}

MachineIds machine_ids(const HostInfo& host, const Machine& machine,
                       const std::vector<DeviceInfo>& devices) {
  Facts facts{{"CPU", host.cpu_model},
              {"cores", fmt::to_string(machine.cores.size())},
              {"sockets", fmt::to_string(host.sockets)},
              {"memory", to_human(rounded_memory(machine.memory))}};
  if (machine.cpu_quota) facts["CPU quota"] = fmt::format("{:.3g} cores", *machine.cpu_quota);
  MachineIds ids;
  ids.cpu = id_of(host, facts);
  if (add_gpus(devices, facts)) ids.cuda = id_of(host, facts);
  return ids;
}

void name_machine(std::string_view pool, Environment& environment) {
  const HostInfo& host = environment.host;
  Facts facts{{"CPU", host.cpu_model},
              {"sockets", fmt::to_string(host.sockets)},
              {"memory", to_human(rounded_memory(host.memory))}};
  add_gpus(environment.devices, facts);
  environment.machine_facts = text_of(facts);
  environment.machine =
      hash128(fmt::format("pool {}|{}", pool, environment.machine_facts)).substr(0, kMachineDigits);
}

std::vector<MachineChange> machine_changes(std::string_view before, std::string_view now) {
  const Facts old_facts = facts_in(before), new_facts = facts_in(now);
  std::vector<MachineChange> changes;
  for (const auto& [name, sentence] : kFacts) {
    const auto was = old_facts.find(name), is = new_facts.find(name);
    if (was == old_facts.end() || is == new_facts.end() || was->second == is->second) continue;
    changes.push_back({std::string(sentence), fmt::format("{} → {}", was->second, is->second)});
  }
  if (changes.empty()) changes.push_back({"the machine", ""});
  return changes;
}

}  // namespace sweepd
