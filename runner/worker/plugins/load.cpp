#include "runner/worker/plugins/load.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <map>
#include <memory>

#include "runner/base/files.h"
#include "runner/base/unique_fd.h"
#include "runner/worker/plugins/identity.h"

namespace sweepd {
namespace {

// While it lives, stdout is stderr: answers on stdout are one line each.
class StdoutToStderr {
 public:
  StdoutToStderr() : stdout_(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)) {
    std::fflush(stdout);
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
  }
  ~StdoutToStderr() {
    std::fflush(stdout);
    ::dup2(stdout_.get(), STDOUT_FILENO);
  }
  StdoutToStderr(const StdoutToStderr&) = delete;
  StdoutToStderr& operator=(const StdoutToStderr&) = delete;

 private:
  UniqueFd stdout_;
};

Result<std::unique_ptr<Registry>> open_plugin(const std::filesystem::path& library,
                                              const std::string& shown) {
  const auto bytes = read_regular(library, Links::kFollow);
  if (!bytes) return bytes.error();
  const PluginIdentity worker = identity_of_worker();
  if (std::string why = refusal_of_plugin(*bytes, shown, worker); !why.empty()) {
    return Error{ErrorCode::kInvalidArgument, std::move(why)};
  }
  const auto fail = [&](const char* reason) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("`{}` ({}) does not load into this sweep-worker ({}): {}", shown,
                             to_text(*identity_in(*bytes)), to_text(worker),
                             reason == nullptr ? "no reason given" : reason)};
  };
  const StdoutToStderr quiet;
  void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return fail(::dlerror());
  using AddWorkloads = void (*)(Registry&);
  const auto add = reinterpret_cast<AddWorkloads>(::dlsym(handle, "sweepd_plugin_v1"));
  if (add == nullptr) return fail(::dlerror());
  auto registry = std::make_unique<Registry>();
  add(*registry);
  if (registry->catalog().workloads.empty()) return fail("it registers no workload");
  return registry;
}

}  // namespace

Result<const Registry*> load_plugin(const std::filesystem::path& library,
                                    const std::string& shown) {
  static std::map<std::filesystem::path, std::unique_ptr<Registry>> loaded;
  const auto known = loaded.find(library);
  if (known != loaded.end()) return known->second.get();
  auto registry = open_plugin(library, shown);
  if (!registry) return registry.error();
  return (loaded[library] = std::move(*registry)).get();
}

}  // namespace sweepd
