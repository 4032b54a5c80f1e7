// Writes the request of an attempt and reads its ranks' journals.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "runner/wire/attempt_folder.h"
#include "runner/wire/event.h"
#include "runner/wire/request.h"
#include "runner/worker/journal/measured.h"
#include "tests/worker/temp_folder.h"

namespace sweepd {

class AttemptFiles {
 public:
  AttemptFiles(std::string workload, NamedTexts params, Pass pass = Pass::kTiming) {
    ::setenv("SWEEPD_NO_SAMPLING", "1", 1);  // the number of samples depends on it
    request.attempt = "00c0ffee00c0ffee";
    request.trial = "0123456789abcdef0123456789abcdef";
    request.workload = std::move(workload);
    request.pass = pass;
    request.params = std::move(params);
    request.params.emplace_back("device", "cpu");
    request.lease.ranks = {{{0}, "", -1}};
    write();
  }
  void write() { EXPECT_TRUE(write_request(files.request(), request).ok()); }

  std::vector<Event> events(int rank = 0) const {
    std::ostringstream text;
    text << std::ifstream(files.events(rank)).rdbuf();
    EventReader reader(rank);
    std::vector<Event> events;
    const auto read = reader.feed(text.str(), events);
    EXPECT_TRUE(read.ok()) << read.error().message;
    return events;
  }
  template <class T>
  std::vector<T> all(int rank = 0) const {
    std::vector<T> found;
    for (const Event& event : events(rank)) {
      if (const T* match = std::get_if<T>(&event)) found.push_back(*match);
    }
    return found;
  }
  // Returns "oom: out of memory: asked for ..."; "" without an end event.
  std::string ending(int rank = 0) const {
    const auto ends = all<EndEvent>(rank);
    EXPECT_LE(ends.size(), 1U);
    if (ends.empty()) return "";
    const std::string why = describe(ends[0].ending);
    return std::string(name_of(outcome_of(ends[0].ending))) + (why.empty() ? "" : ": " + why);
  }

  TempFolder folder;
  AttemptFolder files{folder.path()};
  AttemptRequest request;
};

}  // namespace sweepd
