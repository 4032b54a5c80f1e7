#include "runner/exec/rank_environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "runner/base/hash.h"
#include "runner/base/text.h"
#include "runner/exec/leftovers.h"

namespace sweepd {
namespace {

// 20000..29999: registered ports that few services use, below the range that Linux uses for
// outgoing connections (from 32768). All ranks need the same port, so it is derived from the
// attempt's id.
int master_port(const AttemptId& attempt) {
  return 20000 + static_cast<int>(std::stoul(hash128(attempt).substr(0, 7), nullptr, 16) % 10000);
}

std::string gpus_of(const Lease& lease) {
  std::vector<std::string> uuids;
  for (const RankLease& rank : lease.ranks) {
    if (!rank.gpu_uuid.empty()) uuids.push_back(rank.gpu_uuid);
  }
  return join(uuids, ",");
}

}  // namespace

std::vector<std::string> rank_environment(const char* const* inherited,
                                          const AttemptRequest& request, int rank) {
  const RankLease& lease = request.lease.ranks.at(static_cast<std::size_t>(rank));
  const std::string threads = std::to_string(std::max<std::size_t>(1, lease.cores.size()));
  const std::string world_size = std::to_string(request.lease.ranks.size());
  const std::vector<std::pair<std::string, std::string>> own{
      {kAttemptVariable, request.attempt},
      {"RANK", std::to_string(rank)},
      {"LOCAL_RANK", std::to_string(rank)},
      {"WORLD_SIZE", world_size},
      {"LOCAL_WORLD_SIZE", world_size},
      {"GROUP_RANK", "0"},
      {"GROUP_WORLD_SIZE", "1"},
      {"ROLE_NAME", "default"},
      {"ROLE_RANK", std::to_string(rank)},
      {"ROLE_WORLD_SIZE", world_size},
      {"TORCHELASTIC_RUN_ID", request.attempt},
      {"TORCHELASTIC_RESTART_COUNT", "0"},
      {"TORCHELASTIC_MAX_RESTARTS", "0"},
      {"TORCHELASTIC_USE_AGENT_STORE", "False"},
      {"MASTER_ADDR", "127.0.0.1"},
      {"MASTER_PORT", std::to_string(master_port(request.attempt))},
      {"CUDA_VISIBLE_DEVICES", lease.gpu_uuid},
      {"SWEEPD_GPUS", gpus_of(request.lease)},
      {"CUDA_DEVICE_ORDER", "PCI_BUS_ID"},
      {"OMP_NUM_THREADS", threads},
      {"MKL_NUM_THREADS", threads}};
  std::vector<std::string> environment;
  for (const char* const* entry = inherited; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    const bool replaced =
        std::any_of(own.begin(), own.end(), [&](const auto& pair) { return pair.first == name; });
    if (!replaced) environment.emplace_back(text);
  }
  for (const auto& [name, value] : own) environment.push_back(fmt::format("{}={}", name, value));
  return environment;
}

bool differs_between_attempts(std::string_view entry) {
  constexpr std::array<std::string_view, 3> kNames{kAttemptVariable, "MASTER_PORT",
                                                   "TORCHELASTIC_RUN_ID"};
  const std::string_view name = entry.substr(0, entry.find('='));
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

}  // namespace sweepd
