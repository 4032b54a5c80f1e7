#include "runner/exec/forkable.h"

#include <string_view>

namespace sweepd {
namespace {

std::string_view param_of(const AttemptRequest& request, std::string_view name) {
  for (const auto& [key, text] : request.params) {
    if (key == name) return text;
  }
  return "";
}

}  // namespace

bool may_be_forked(const AttemptRequest& request) {
  return request.pass == Pass::kTiming && request.lease.ranks.size() == 1 &&
         request.lease.ranks.front().gpu_uuid.empty() && param_of(request, "device") == "cpu" &&
         param_of(request, "warmup") != "0";
}

}  // namespace sweepd
