// Where libcupti is.
#pragma once

#include <cstddef>

namespace sweepd::inject {

struct Candidate {
  int version;  // N of libcupti.so.N; 0: none
  char path[1024];
};

// The libcupti that the process has loaded; false: none.
bool find_loaded_cupti(Candidate& found);

// Those in a list of files and folders, newest first; returns how many.
std::size_t find_installed_cupti(const char* list, Candidate* found, std::size_t most);

}  // namespace sweepd::inject
