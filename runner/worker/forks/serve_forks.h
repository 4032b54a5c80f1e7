// `sweep-worker --serve`: a worker that has loaded its libraries and then waits on stdin, a socket,
// for commands to fork. The fork runs an attempt as a started worker does, without loading again.
//
// A measurement must not be able to see a difference between the two. The server itself never makes
// a tensor, a thread or a random number, so everything that depends on the process (thread pools,
// allocator, seeds) is made after the fork. Libraries read their settings (OMP_*, the cores of the
// process) correctly when they load, because sweepd starts a server with the environment and cores
// of its attempts. Addresses would be the same in all forks of a server: `serve_forks` shifts
// those of later mappings, which are the tensors and the stacks of threads. The program's own
// addresses and those of libraries stay. With `--no-prefork` sweepd uses none of this.
//
// The protocol: runner/wire/fork_server.h.
#pragma once

#include <filesystem>
#include <optional>

namespace sweepd {

struct ForkedJob {
  std::filesystem::path folder;
  int rank = 0;
};

// Returns in each fork with its attempt: the fork leads a session, its stdin is /dev/null, its
// output is the log, and it has taken its place. Returns nothing in the server, once sweepd is
// gone.
std::optional<ForkedJob> serve_forks(int socket);

}  // namespace sweepd
