// The targets of the fuzzers: functions that parse foreign input, with any bytes. Each checks
// properties that must hold for all bytes, and ends the process if one fails. The same function
// runs under libFuzzer (`tools/fuzz`), and under GCC as one of the ordinary tests (replay.cpp).
#pragma once

#include <string_view>

namespace sweepd::fuzz {

// Sweep files; after a first line `#study`, `#config` or `#reference`, files of that kind.
void sweep_file(std::string_view bytes);
// A line from a client, as the daemon reads it, and from the daemon, as the client does.
void message(std::string_view bytes);
// A rank's journal.
void journal(std::string_view bytes);
// A query as JSON, else lines with a table's options.
void query(std::string_view bytes);
// The reports of a program of `command`, line by line and as a whole file.
void report(std::string_view bytes);
// A trace of torch.profiler.
void chrome_trace(std::string_view bytes);
// A memory snapshot of torch: a pickle.
void snapshot(std::string_view bytes);

struct Target {
  std::string_view name;
  void (*run)(std::string_view bytes);
};
inline constexpr Target kTargets[] = {{"sweep_file", sweep_file}, {"message", message},
                                      {"journal", journal},       {"query", query},
                                      {"report", report},         {"chrome_trace", chrome_trace},
                                      {"snapshot", snapshot}};

// Prints `what` and ends the process, as a fuzzer expects, unless it holds.
void require(bool holds, std::string_view what);

}  // namespace sweepd::fuzz
