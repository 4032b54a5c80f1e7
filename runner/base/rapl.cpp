#include "runner/base/rapl.h"

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "runner/base/proc.h"
#include "runner/base/text.h"

namespace sweepd {
namespace {

namespace fs = std::filesystem;

std::optional<std::uint64_t> microjoules_in(const fs::path& file) {
  const std::string text = read_small_file(file);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} ? std::optional(value) : std::nullopt;
}

struct RaplZone {
  fs::path counter;
  std::uint64_t last_uj = 0;
  std::optional<std::uint64_t> range_uj = {};

  // Microjoules since the last call; nothing if the counter fell for an unknown reason.
  std::optional<std::uint64_t> advance(std::uint64_t now_uj) {
    const std::uint64_t before_uj = std::exchange(last_uj, now_uj);
    if (now_uj >= before_uj) return now_uj - before_uj;
    if (!range_uj || *range_uj < before_uj) return std::nullopt;
    return *range_uj - before_uj + now_uj;
  }
};

bool counts_once(const fs::path& zone) {
  const std::string name(trim(read_small_file(zone / "name")));
  return name.starts_with("package") || name == "dram";
}

class RaplCounter final : public EnergyCounter {
 public:
  explicit RaplCounter(std::vector<RaplZone> zones) : zones_(std::move(zones)) {}

  std::optional<double> joules() override {
    std::vector<std::uint64_t> now_uj;
    for (const RaplZone& zone : zones_) {
      const auto value = microjoules_in(zone.counter);
      if (!value) return std::nullopt;
      now_uj.push_back(*value);
    }
    for (std::size_t i = 0; i < zones_.size(); ++i) {
      const auto more = zones_[i].advance(now_uj[i]);
      lost_ = lost_ || !more;
      total_uj_ += more.value_or(0);
    }
    if (lost_) return std::nullopt;
    return static_cast<double>(total_uj_) / 1e6;
  }
  Duration update() const override { return milliseconds(1); }

 private:
  std::vector<RaplZone> zones_;
  std::uint64_t total_uj_ = 0;
  bool lost_ = false;  // a counter fell, and nothing says how much was counted before
};

}  // namespace

std::filesystem::path powercap_folder(const std::filesystem::path& root) {
  const char* const named = std::getenv("SWEEPD_POWERCAP");
  return named == nullptr ? root / "sys/class/powercap" : fs::path(named);
}

std::unique_ptr<EnergyCounter> open_rapl(const std::filesystem::path& folder) {
  std::vector<RaplZone> zones;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const fs::path& zone = entry.path();
    if (!zone.filename().string().starts_with("intel-rapl:") || !counts_once(zone)) continue;
    const auto now_uj = microjoules_in(zone / "energy_uj");
    if (!now_uj) continue;
    zones.push_back({zone / "energy_uj", *now_uj, microjoules_in(zone / "max_energy_range_uj")});
  }
  if (zones.empty()) return nullptr;
  return std::make_unique<RaplCounter>(std::move(zones));
}

}  // namespace sweepd
