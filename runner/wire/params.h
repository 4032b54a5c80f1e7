// Reads the named members of a request's `params` with checks. A missing member, a wrong type or an
// unknown name is an error that names it. Read everything, then call `finish`.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/result.h"

namespace sweepd {

class ParamsReader {
 public:
  explicit ParamsReader(const nlohmann::json& params) : params_(params) {}

  std::string text(std::string_view name);  // required
  std::string text_or(std::string_view name, std::string fallback);
  // Call for a file's name: the system would cut it off at a NUL and use another file.
  void refuse_nul(std::string_view name);
  // An integer from `least` to `most`.
  std::int64_t integer_or(std::string_view name, std::int64_t fallback, std::int64_t least,
                          std::int64_t most = std::numeric_limits<std::int64_t>::max());
  bool boolean_or(std::string_view name, bool fallback);
  std::vector<std::string> texts(std::string_view name);  // absent: empty
  // Returns the member itself, for structures with their own reader; null if absent.
  const nlohmann::json& member(std::string_view name);

  // Returns the first mistake, or an error for an unknown member with the nearest name.
  Result<void> finish() const;

 private:
  const nlohmann::json* find(std::string_view name);
  void fail(std::string_view name, std::string_view expected);

  const nlohmann::json& params_;
  std::vector<std::string> known_;
  std::optional<Error> error_;
};

}  // namespace sweepd
