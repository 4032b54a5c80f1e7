#include "runner/worker/plugins/load.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <map>
#include <memory>

#include "runner/base/files.h"
#include "runner/base/started_as.h"
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

// The loader's reason, which names the copy in the cache, with the user's name instead.
std::string by_its_name(std::string reason, const std::filesystem::path& library,
                        const std::string& shown) {
  const std::string path = library.string();
  if (reason.starts_with(path)) reason.replace(0, path.size(), shown);
  return reason;
}

Result<void> add_workloads_of(const std::filesystem::path& library, const std::string& shown,
                              Registry& registry) {
  const auto bytes = read_regular(library, Links::kFollow);
  if (!bytes) return bytes.error();
  const PluginIdentity worker = identity_of_worker();
  if (std::string why = refusal_of_plugin(*bytes, shown, worker); !why.empty()) {
    return Error{ErrorCode::kInvalidArgument, std::move(why)};
  }
  const auto fail = [&](const char* reason) {
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("`{}` ({}) does not load into this sweep-worker ({}): {}", shown,
                    to_text(*identity_in(*bytes)), to_text(worker),
                    reason == nullptr ? "no reason given" : by_its_name(reason, library, shown))};
  };
  const StdoutToStderr quiet;
  void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return fail(::dlerror());
  using AddWorkloads = void (*)(Registry&);
  const auto add = reinterpret_cast<AddWorkloads>(::dlsym(handle, "sweepd_plugin_v1"));
  if (add == nullptr) return fail(::dlerror());
  const std::size_t before = registry.catalog().workloads.size();
  add(registry);
  if (registry.catalog().workloads.size() == before) return fail("it registers no workload");
  return {};
}

}  // namespace

bool needs_libtorch(const std::filesystem::path& library) {
  const auto bytes = read_regular(library, Links::kFollow);
  const auto identity = bytes ? identity_in(*bytes) : std::nullopt;
  return identity && !identity->libtorch.empty();
}

Result<const Registry*> load_plugin(const std::filesystem::path& library,
                                    const std::string& shown) {
  static std::map<std::filesystem::path, std::unique_ptr<Registry>> loaded;
  const auto known = loaded.find(library);
  if (known != loaded.end()) return known->second.get();
  auto registry = std::make_unique<Registry>();
  if (auto added = add_workloads_of(library, shown, *registry); !added) return added.error();
  return (loaded[library] = std::move(registry)).get();
}

void add_shipped_workloads(Registry& registry) {
  const std::filesystem::path folder = installed_file({"lib/sweepd/workloads"});
  std::error_code none;  // a build of the daemon's tests may have no folder
  for (const auto& file : std::filesystem::directory_iterator(folder, none)) {
    if (libtorch_version().empty() && needs_libtorch(file.path())) continue;
    const auto added = add_workloads_of(file.path(), file.path().filename(), registry);
    if (!added) fmt::print(stderr, "sweep-worker: {}\n", added.error().message);
  }
}

}  // namespace sweepd
