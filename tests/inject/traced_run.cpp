#include "tests/inject/traced_run.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace sweepd {
namespace {

namespace fs = std::filesystem;

class TraceFolder {
 public:
  TraceFolder() {
    std::string path = (fs::temp_directory_path() / "inject.XXXXXX").string();
    if (::mkdtemp(path.data()) != nullptr) path_ = path;
  }
  TraceFolder(const TraceFolder&) = delete;
  TraceFolder& operator=(const TraceFolder&) = delete;
  ~TraceFolder() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

void read_files(const fs::path& folder, pid_t pid, InjectedRun& run) {
  const std::string own = "trace." + std::to_string(pid);
  for (const auto& entry : fs::directory_iterator(folder)) {
    std::string name = entry.path().filename().string();
    if (!name.starts_with("trace.")) continue;
    if (name.starts_with(own)) name.replace(0, own.size(), "own");
    auto read = trace::read_injected(entry.path());
    if (read.ok()) {
      run.files.emplace(name, std::move(*read));
    } else {
      run.undecoded.emplace(name, read.error().message);
    }
  }
}

}  // namespace

InjectedRun run_traced(const std::vector<std::string>& actions,
                       const std::map<std::string, std::string>& environment) {
  const TraceFolder folder;
  std::map<std::string, std::string> variables = {
      {"SWEEPD_INJECT_FILE", (folder.path() / "trace.%p").string()},
      {"SWEEPD_INJECT_CUPTI", SWEEPD_FAKE_CUPTI},
      {"CUDA_INJECTION64_PATH", SWEEPD_INJECT_LIBRARY},
      {"NVTX_INJECTION64_PATH", SWEEPD_INJECT_LIBRARY},
      {"FAKE_CUPTI_VERSION", "130001"},
      {"ASAN_OPTIONS", "detect_leaks=0"}};  // the buffers that another client took
  for (const auto& [name, value] : environment) variables[name] = value;

  std::vector<std::string> arguments = {SWEEPD_TRACED};
  arguments.insert(arguments.end(), actions.begin(), actions.end());
  std::vector<std::string> settings;
  for (const auto& [name, value] : variables) {
    if (!value.empty()) settings.push_back(name + "=" + value);
  }
  pid_t pid = 0;
  InjectedRun run;
  if (::posix_spawn(&pid, SWEEPD_TRACED, nullptr, nullptr, pointers_to(arguments).data(),
                    pointers_to(settings).data()) != 0) {
    return run;
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  if (WIFEXITED(status)) run.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) run.signal = WTERMSIG(status);
  read_files(folder.path(), pid, run);
  return run;
}

std::vector<std::string> names_of_work(const trace::Timeline& timeline) {
  std::vector<std::string> names;
  for (const auto& work : timeline.work) names.push_back(timeline.names[work.name]);
  return names;
}

std::vector<std::string> names_of_ranges(const trace::Timeline& timeline) {
  std::vector<std::string> names;
  for (const auto& range : timeline.ranges) names.push_back(timeline.names[range.name]);
  return names;
}

}  // namespace sweepd
