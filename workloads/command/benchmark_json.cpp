#include "workloads/command/benchmark_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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

}  // namespace sweepd::command
