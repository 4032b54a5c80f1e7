// Runs tests/inject/traced/traced.c with libsweepd_inject.so and reads what it recorded.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runner/trace/inject.h"

namespace sweepd {

struct InjectedRun {
  int exit_code = -1;
  int signal = 0;
  std::map<std::string, trace::Injected> files;  // by name: "own", "own.1" of this process, others
  std::map<std::string, std::string> undecoded;  // why
};

// `environment` changes the usual one: an empty value removes a variable.
InjectedRun run_traced(const std::vector<std::string>& actions,
                       const std::map<std::string, std::string>& environment = {});

// In the timeline's order.
std::vector<std::string> names_of_work(const trace::Timeline& timeline);
std::vector<std::string> names_of_ranges(const trace::Timeline& timeline);

}  // namespace sweepd
