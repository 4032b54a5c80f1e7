#include "runner/report/remark_notes.h"

#include <algorithm>
#include <utility>

#include "runner/base/text.h"

namespace sweepd::report {
namespace {

// "000, 001: a sum of ten steps" for each text, in the order of their appearance.
std::vector<std::string> by_text(const std::vector<SourceRemark>& remarks, bool devices) {
  std::vector<std::pair<std::string, std::vector<std::string>>> all;
  for (const SourceRemark& remark : remarks) {
    if (remark.is_device != devices) continue;
    auto same = std::ranges::find(all, remark.text, &decltype(all)::value_type::first);
    if (same == all.end()) same = all.insert(same, {remark.text, {}});
    std::vector<std::string>& sources = same->second;
    if (std::ranges::find(sources, remark.source) == sources.end()) {
      sources.push_back(remark.source);
    }
  }
  std::vector<std::string> lines;
  for (const auto& [text, sources] : all) lines.push_back(join(sources, ", ") + ": " + text);
  return lines;
}

}  // namespace

std::vector<std::string> remark_lines(const std::vector<SourceRemark>& remarks) {
  std::vector<std::string> lines = by_text(remarks, false);
  const auto devices = by_text(remarks, true);
  if (devices.empty()) return lines;
  lines.insert(lines.begin(), "devices of published figures: " + join(devices, "; "));
  return lines;
}

}  // namespace sweepd::report
