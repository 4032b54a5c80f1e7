// Forks and executes the program. Workloads use program.h.
#pragma once

#include <sys/types.h>

#include "runner/base/unique_fd.h"
#include "workloads/command/program.h"

namespace sweepd::command {

[[noreturn]] void fail(const char* what);  // throws std::system_error of errno

struct Pipe {
  Pipe();  // close-on-exec, with numbers above the program's own descriptors
  UniqueFd read, write;
};

struct Started {
  pid_t pid = -1;
  UniqueFd pidfd;
};

// Returns once the program runs, after closing its ends of the pipes here. Throws like `run`.
Started start(const ProgramStart& plan, Pipe& output, Pipe& reports);

}  // namespace sweepd::command
