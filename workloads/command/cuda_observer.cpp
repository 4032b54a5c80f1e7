#include "workloads/command/cuda_observer.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "runner/trace/inject.h"
#include "workloads/api/failure.h"

namespace sweepd::command {
namespace {

namespace fs = std::filesystem;
constexpr const char* kInjected = "libsweepd_inject.so";

// Beside the worker, or in lib/ beside its folder: of a build, an installation and the package
// sweepd-torch, whose worker is in libexec/.
fs::path injected_library() {
  if (const char* set = std::getenv("SWEEPD_INJECT_LIBRARY"); set != nullptr && *set != 0) {
    return set;
  }
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& folder : {self, self.parent_path() / "lib"}) {
    if (fs::exists(folder / kInjected, error)) return folder / kInjected;
  }
  return {};
}

std::string cupti_folders() {
  std::string folders;
  if (const char* set = std::getenv("SWEEPD_INJECT_CUPTI"); set != nullptr) folders = set;
  const char* home = std::getenv("CUDA_HOME");
  for (const std::string& cuda : {std::string(home != nullptr ? home : ""),
                                  std::string("/usr/local/cuda"), std::string("/opt/cuda")}) {
    if (cuda.empty()) continue;
    for (const char* below : {"extras/CUPTI/lib64", "lib64", "lib"}) {
      folders += (folders.empty() ? "" : ":") + (fs::path(cuda) / below).string();
    }
  }
  return folders;
}

std::string file_prefix(int rank) {
  return fmt::format("cuda.{}.", rank);
}

trace::Injected read_cuda_trace(const fs::path& folder, int rank) {
  std::optional<trace::Injected> most;
  std::string refusal;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (!entry.path().filename().string().starts_with(file_prefix(rank))) continue;
    auto read = trace::read_injected(entry.path());
    if (!read.ok()) continue;  // of a process that a full disk left without a header
    if (!read->refusal.empty() && read->timeline.work.empty()) refusal = read->refusal;
    if (!most || read->timeline.work.size() > most->timeline.work.size()) most = std::move(*read);
  }
  if (most && !most->timeline.work.empty()) return std::move(*most);
  if (!refusal.empty()) throw Unavailable("observe: cuda: " + refusal);
  throw std::runtime_error(
      most ? "observe: cuda: the program ran nothing on a GPU"
           : "observe: cuda: no process of the program initialised CUDA, or it dropped "
             "CUDA_INJECTION64_PATH from its environment");
}

std::string doubt_of(const trace::Injected& traced) {
  if (!traced.refusal.empty()) return traced.refusal;
  if (traced.write_error == 0) return "";
  return fmt::format("the trace ends early: {}", std::strerror(traced.write_error));
}

}  // namespace

std::vector<std::pair<std::string, std::string>> cuda_observer(const fs::path& folder, int rank) {
  const fs::path library = injected_library();
  if (library.empty()) {
    throw Unavailable(fmt::format(
        "observe: cuda: {} is neither beside the worker nor in ../lib; build it: `cmake --build "
        "FOLDER --target sweepd_inject`",
        kInjected));
  }
  return {{"CUDA_INJECTION64_PATH", library.string()},
          {"NVTX_INJECTION64_PATH", library.string()},
          {"SWEEPD_INJECT_FILE", (folder / (file_prefix(rank) + "%p")).string()},
          {"SWEEPD_INJECT_CUPTI", cupti_folders()}};
}

bool observes_cuda(const Params& params, Pass pass) {
  return params.observe == "cuda" && pass != Pass::kTiming;
}

void CudaObserver::report(Findings& findings) {
  const trace::Injected traced = read_cuda_trace(context_.folder, context_.rank);
  doubt_ = doubt_of(traced);
  steps_ = static_cast<int>(traced.steps.steps.size());
  if (traced.steps.source == trace::StepSource::kWholeRun) steps_ = 0;
  if (context_.pass == Pass::kMemory) {
    findings.memory(cuda_memory(traced));
  } else {
    profile_ = cuda_profile(traced, context_.run.warmup);
    findings.profile(std::move(profile_.rows.kernels), std::move(profile_.rows.operators),
                     std::move(profile_.bounds));
  }
}

void CudaObserver::facts(Facts& facts) const {
  if (!doubt_.empty()) facts.text("warning.observe", doubt_);
  if (steps_ == 0) {
    facts.text("observe.step",
               "the whole run: it has no NVTX range `step` and no cudaProfilerStart");
  } else if (steps_ > 0) {
    facts.number("observe.steps", steps_);
  }
  if (steps_ < 0) return;
  if (context_.pass == Pass::kMemory) {
    return facts.text("memory.from", "the device allocations of one process");
  }
  facts.number("profile.step_ms", profile_.step_ms);
  facts.number("profile.kernel_ms", profile_.kernel_ms);
  facts.number("profile.dropped_records", static_cast<double>(profile_.dropped));
  facts.number("profile.differing_kernels", static_cast<double>(profile_.differing_kernels));
}

}  // namespace sweepd::command
