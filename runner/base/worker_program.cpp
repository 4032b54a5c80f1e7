#include "runner/base/worker_program.h"

#include <cstdlib>

namespace sweepd {

namespace fs = std::filesystem;

fs::path worker_program() {
  if (const char* named = std::getenv("SWEEPD_WORKER"); named != nullptr && *named != '\0') {
    return named;
  }
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  return error ? "sweep-worker" : worker_of(self.parent_path());
}

fs::path worker_of(const fs::path& folder) {
  std::error_code ignored;
  const fs::path with_torch = folder.parent_path() / "lib/sweepd/torch/bin/sweep-worker";
  return fs::exists(with_torch, ignored) ? with_torch : folder / "sweep-worker";
}

fs::path light_worker_of(const fs::path& worker) {
  std::error_code ignored;
  const fs::path light = worker.parent_path() / "sweep-worker-light";
  const bool used = worker.filename() == "sweep-worker" && fs::exists(light, ignored);
  return used ? light : fs::path();
}

}  // namespace sweepd
