// What a merge of another machine's results brought.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sweepd {

struct MergeCount {
  static constexpr std::string_view kTitle = "a count of merged rows";
  std::int64_t brought = 0, present = 0;
  static void visit(auto& self, auto&& field) {
    field("brought", self.brought, "");
    field("present", self.present, "there already");
  }
};

struct MergeReceipt {
  MergeCount sweeps, trials, attempts;
  std::int64_t samples = 0, open = 0;
  std::vector<std::string> hosts;                       // whose attempts were brought; sorted
  std::optional<std::int64_t> folders, files_left_out;  // if folders were to be copied

  void add_host(const std::string& name) {
    const auto at = std::ranges::lower_bound(hosts, name);
    if (at == hosts.end() || *at != name) hosts.insert(at, name);
  }

  static void visit(auto& self, auto&& field) {
    field("sweeps", self.sweeps, "");
    field("trials", self.trials, "");
    field("attempts", self.attempts, "");
    field("samples", self.samples, "brought");
    field("open", self.open, "attempts left out: they have not ended there");
    field("hosts", self.hosts, "");
    field("folders", self.folders, "copied");
    field("files_left_out", self.files_left_out, "links, FIFOs and the like in them");
  }
};

}  // namespace sweepd
