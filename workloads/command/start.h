// Fork and exec of the program. program.h is what the workload uses.
#pragma once

#include <sys/types.h>

#include "runner/base/unique_fd.h"
#include "workloads/command/program.h"

namespace sweepd::command {

[[noreturn]] void fail(const char* what);  // throws std::system_error of errno

struct Pipe {
  Pipe();  // close-on-exec, and numbered above the program's own descriptors
  UniqueFd read, write;
};

struct Started {
  pid_t pid = -1;
  UniqueFd pidfd;
};

// Returns once the program runs; its ends of the pipes are closed here. Throws as `run` does.
Started start(const Plan& plan, Pipe& output, Pipe& reports);

}  // namespace sweepd::command
