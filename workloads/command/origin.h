// Where a program comes from, for who later asks which version a result is of. It does not decide
// whether a result is used again: that is its content (code.h).
#pragma once

#include <string>

#include "workloads/command/code.h"

namespace sweepd::command {

struct Origin {
  // The commit of the git repository that the program's file is in, and `-dirty` at its end if a
  // tracked file differs from it or the program's file is not tracked: "3f2a91c-dirty". Empty where
  // there is no git, no repository, or no answer within seconds.
  std::string commit;
  // What argv[0] says of its version, such as "Python 3.11.2", if it is an interpreter known here
  // and an argument is a file; else empty.
  std::string interpreter;
};

// The program's file is the first argument that is a file if argv[0] is an interpreter, else
// argv[0]. Runs git and the interpreter, some 30 ms together. Never fails.
Origin origin_of(const Program& program);

}  // namespace sweepd::command
