#include "workloads/parallelism/figure_list.h"

#include <fmt/format.h>

#include <cmath>

namespace sweepd::parallelism {

std::string grouped(double value, int digits) {
  std::string text = fmt::format("{:.{}f}", value, digits);
  const std::size_t point = text.find('.');
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  for (std::size_t at = point == std::string::npos ? text.size() : point; at > first + 3; at -= 3) {
    text.insert(at - 3, 1, ',');
  }
  return text;
}

std::string brief(double value) {
  const double magnitude = std::fabs(value);
  if (value == std::floor(value) && magnitude < 1e13) return grouped(value);
  if (magnitude >= 1000 && magnitude < 1e6) return grouped(value, 1);
  return fmt::format("{:.5g}", value);
}

std::string bytes_text(double bytes) {
  if (bytes >= 1e9) return grouped(bytes / 1e9, 1) + " GB";
  if (bytes >= 1e6) return grouped(bytes / 1e6, 2) + " MB";
  return grouped(bytes) + " B";
}

std::string rate_text(double bytes_per_s) {
  return bytes_text(bytes_per_s) + "/s";
}

std::string time_text(double seconds) {
  if (seconds >= 1) return fmt::format("{} s", grouped(seconds, 3));
  if (seconds >= 1e-3 || seconds == 0) return fmt::format("{:.4g} ms", seconds * 1e3);
  if (seconds >= 1e-6) return fmt::format("{:.4g} us", seconds * 1e6);
  return fmt::format("{:.4g} ns", seconds * 1e9);
}

}  // namespace sweepd::parallelism
