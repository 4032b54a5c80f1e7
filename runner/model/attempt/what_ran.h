// The code and machine of an attempt, beside its trial's parameters.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace sweepd {

// The names are those of a query's columns.
inline constexpr std::array<std::string_view, 5> kWhatRan{"device_name", "code", "build", "torch",
                                                          "driver"};
// A value for each of these, of rank 0; "" if it is not known or does not apply.
using WhatRan = std::array<std::string, kWhatRan.size()>;

constexpr std::size_t index_in_what_ran(std::string_view name) {
  std::size_t i = 0;
  while (i < kWhatRan.size() && kWhatRan[i] != name) ++i;
  return i;  // kWhatRan.size(): it is not one of them
}

}  // namespace sweepd
