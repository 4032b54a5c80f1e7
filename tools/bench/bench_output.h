// Prints one measurement as a line of JSON, which tools/bench/run turns into a row of its table.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace sweepd {

struct BenchLine {
  std::string name;
  std::string unit;            // of the values and of the limit
  std::vector<double> values;  // one per repeat; the table shows median and spread
  std::optional<double> at_most;
  std::string how;
  std::optional<double> at_least = {};
};

inline void print(const BenchLine& line) {
  nlohmann::json out{
      {"name", line.name}, {"unit", line.unit}, {"values", line.values}, {"how", line.how}};
  if (line.at_most) out["at_most"] = *line.at_most;
  if (line.at_least) out["at_least"] = *line.at_least;
  fmt::print("{}\n", out.dump());
}

}  // namespace sweepd
