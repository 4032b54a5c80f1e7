#include "workloads/command/benchmark_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "runner/base/hash.h"
#include "runner/base/text.h"
#include "workloads/command/format_parts.h"
#include "workloads/command/json_text.h"

namespace sweepd::command {

const BenchmarkJson& list_in(std::string_view format, const BenchmarkJson& file, const char* name) {
  if (!file.is_object() || !file.contains(name) || !file[name].is_array() || file[name].empty()) {
    refuse_report(format,
                  fmt::format("expected a JSON object with a list `{}` that is not empty", name));
  }
  return file[name];
}

double number_of(std::string_view format, const std::string& benchmark, const BenchmarkJson& object,
                 const char* name) {
  if (object.contains(name)) {
    if (const auto number = number_in_json(object[name])) return *number;
    refuse_report(format, fmt::format("`{}` of `{}` is {}; expected a number", name, benchmark,
                                      shown_json(object[name])));
  }
  refuse_report(format, fmt::format("`{}` of `{}` is missing", name, benchmark));
}

std::vector<double> ms_in_list(std::string_view format, const std::string& benchmark,
                               const BenchmarkJson& list, const char* name, double unit) {
  std::vector<double> ms;
  for (const BenchmarkJson& time : list) {
    const auto number = number_in_json(time);
    if (!number) {
      refuse_report(format,
                    fmt::format("`{}` of `{}`: number {} is {}; expected {}", name, benchmark,
                                ms.size(), shown_json(time), unit == 1e3 ? "seconds" : "a time"));
    }
    ms.push_back(*number * unit);
  }
  return ms;
}

std::string text_or(const BenchmarkJson& object, const char* name, std::string otherwise) {
  return object.contains(name) && object[name].is_string() ? object[name].get<std::string>()
                                                           : std::move(otherwise);
}

bool is_true(const BenchmarkJson& object, const char* name) {
  return object.contains(name) && (object[name] == true || object[name] == "true");
}

std::string shown_json(const BenchmarkJson& value) {
  constexpr std::size_t kLongest = 60;
  return value.dump(-1, ' ', false, BenchmarkJson::error_handler_t::replace).substr(0, kLongest);
}

FactReport only_means_of(const std::vector<std::string>& benchmarks) {
  constexpr std::size_t kMost = 10;
  std::vector<std::string> named = benchmarks;
  if (named.size() > kMost) {
    named.resize(kMost);
    named.push_back(fmt::format("and {} more", benchmarks.size() - kMost));
  }
  return {"only_means", std::nullopt, join(named, ", ")};
}

std::string phase_name(std::string_view benchmark) {
  std::string name = plain_name(benchmark, "_./");
  std::ranges::replace(name, '/', '.');
  return name.empty() ? "benchmark" : name;
}

BenchmarkPhases::BenchmarkPhases(std::string_view format,
                                 const std::vector<std::string>& benchmarks) {
  std::map<std::string, std::set<std::string>> by_name;
  for (const std::string& benchmark : benchmarks) {
    by_name[phase_name(benchmark)].insert(benchmark);
  }
  if (by_name.size() == 1 && by_name.begin()->second.size() == 1) {
    phases_[benchmarks.front()] = "step";
    return;
  }
  std::map<std::string, std::string> owners;
  for (const auto& [name, of_name] : by_name) {
    for (const std::string& benchmark : of_name) {
      std::string phase = name;
      if (of_name.size() > 1) {
        constexpr std::size_t kDigits = 4, kHashDigits = 32, kLongest = 64;
        // The last ones: names that differ in their last letter share the first.
        phase = fmt::format("{}_{}", name.substr(0, kLongest - kDigits - 1),
                            hash128(benchmark).substr(kHashDigits - kDigits));
        with_digits_.push_back(benchmark);
      }
      const auto [owner, is_new] = owners.emplace(phase, benchmark);
      if (!is_new) {
        refuse_report(format, fmt::format("`{}` and `{}` would both be phase `{}`: rename one",
                                          owner->second, benchmark, phase));
      }
      phases_[benchmark] = std::move(phase);
    }
  }
}

std::vector<Report> BenchmarkPhases::facts() const {
  std::vector<Report> facts;
  for (const std::string& benchmark : with_digits_) {
    facts.emplace_back(FactReport{"phase." + of(benchmark), std::nullopt, benchmark});
  }
  return facts;
}

}  // namespace sweepd::command
