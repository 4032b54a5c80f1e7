#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <future>
#include <thread>

#include "build_info.h"
#include "runner/base/clock.h"
#include "runner/base/descriptors.h"
#include "runner/base/nvml.h"
#include "runner/base/proc.h"
#include "runner/base/text.h"
#include "runner/base/unique_fd.h"
#include "runner/base/worker_program.h"
#include "runner/client/doctor/file_system.h"
#include "runner/client/doctor/probe.h"
#include "runner/client/render/places_view.h"
#include "runner/client/session/connection.h"
#include "runner/wire/catalog_json.h"
#include "runner/wire/json_text.h"
#include "runner/wire/messages/machine.h"
#include "runner/wire/messages/results.h"

namespace sweepd {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr Duration kProgramLimit = seconds(60);  // LibTorch from a cold disk
constexpr auto kDaemonLimit = std::chrono::seconds(15);

struct Output {
  std::string text, errors;  // stdout and stderr
};

Result<Output> both_outputs(const std::string& program, const char* option) {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0) return Error{ErrorCode::kIo, strerror(errno)};
  const UniqueFd read_end(fds[0]);
  UniqueFd write_end(fds[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, write_end.get(), STDOUT_FILENO);
  const UniqueFd errors(::memfd_create("sweepd-doctor", MFD_CLOEXEC));
  posix_spawn_file_actions_adddup2(&actions, errors.get(), STDERR_FILENO);
  add_close_from(actions, STDERR_FILENO + 1);
  std::string name = program, argument = option;
  char* argv[] = {name.data(), argument.data(), nullptr};
  pid_t pid = 0;
  const int spawned = ::posix_spawnp(&pid, name.c_str(), &actions, nullptr, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (spawned != 0) return Error{ErrorCode::kNotFound, strerror(spawned)};
  write_end.reset();
  const Instant deadline = now_instant() + kProgramLimit;
  Output output;
  char buffer[65536];
  while (true) {
    pollfd ready{read_end.get(), POLLIN, 0};
    const auto left_ms = (deadline - now_instant()).ns / 1'000'000;
    if (left_ms <= 0 || ::poll(&ready, 1, static_cast<int>(left_ms)) <= 0) {
      ::kill(pid, SIGKILL);
      break;
    }
    const ssize_t n = ::read(read_end.get(), buffer, sizeof buffer);
    if (n <= 0) break;
    output.text.append(buffer, static_cast<std::size_t>(n));
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  const ssize_t said = ::pread(errors.get(), buffer, sizeof buffer, 0);
  if (said > 0) output.errors.assign(buffer, static_cast<std::size_t>(said));
  if (status == 0) return output;
  const std::string all = output.errors + output.text;
  const std::string first(trim(all.substr(0, all.find('\n'))));
  if (!first.empty()) return Error{ErrorCode::kUnavailable, first};
  return Error{ErrorCode::kUnavailable,
               WIFSIGNALED(status) ? "it ended with signal " + std::to_string(WTERMSIG(status))
                                   : "it ended with code " + std::to_string(WEXITSTATUS(status))};
}

Result<std::string> output_of(const std::string& program, const char* option) {
  auto output = both_outputs(program, option);
  if (!output) return output.error();
  return std::move(output->text);
}

std::int64_t count_pci_devices() {
  std::int64_t found = 0;
  std::error_code error;
  for (fs::directory_iterator entry("/sys/bus/pci/devices", error);
       !error && entry != fs::directory_iterator(); entry.increment(error)) {
    // 0x03....: display controllers only; an NVIDIA board also has sound and USB functions.
    const bool display = read_small_file(entry->path() / "class").starts_with("0x03");
    if (display && trim(read_small_file(entry->path() / "vendor")) == "0x10de") ++found;
  }
  return found;
}

std::string find_toolkit() {
  for (const char* nvcc : {"nvcc", "/usr/local/cuda/bin/nvcc"}) {
    const auto said = output_of(nvcc, "--version");
    if (!said) continue;
    const std::size_t at = said->find("release ");
    if (at == std::string::npos) continue;
    const std::string rest = said->substr(at + 8);
    return rest.substr(0, rest.find_first_of(", \n")) + " (" + nvcc + ")";
  }
  return "";
}

// Returns the folder, or the part of its path that exists.
fs::path nearest_existing(fs::path path) {
  std::error_code ignored;
  while (!fs::exists(path, ignored) && path.has_parent_path() && path != path.parent_path()) {
    path = path.parent_path();
  }
  return path;
}

Supervisor probe_supervisor(int pid) {
  const std::string folder = "/proc/" + std::to_string(pid);
  struct stat standard_error {};
  std::string stream;
  if (::stat((folder + "/fd/2").c_str(), &standard_error) == 0) {
    stream = std::to_string(standard_error.st_dev) + ":" + std::to_string(standard_error.st_ino);
  }
  return supervisor_of(read_small_file(folder + "/environ"), read_small_file(folder + "/cgroup"),
                       pid, stream);
}

DaemonFacts ask(const StateFolder& state) {
  DaemonFacts facts;
  std::error_code ignored;
  auto connection = DaemonConnection::open(state, Autostart::kNo);
  if (connection) facts.daemon = Daemon::kRunning;
  const bool is_there = fs::exists(state.database(), ignored);
  if (!connection && is_there) connection = DaemonConnection::open_file(state, state.database());
  if (!connection && !is_there) return facts;
  facts.database = state.database();
  if (!connection) {
    facts.error = connection.error().message;
    return facts;
  }
  const auto reply = reply_of<rpc::Doctor>(connection->call(rpc::Doctor::kName, json::object()));
  if (!reply) {
    facts.error = reply.error().message;
    // A daemon older than `doctor` can still report its version.
    const auto result = connection->call(rpc::Status::kName, json::object());
    if (facts.daemon == Daemon::kRunning && result) {
      rpc::Status::Reply status;
      // These two are read first. It may lack others, so whether all are there does not matter.
      static_cast<void>(from_message(*result, status));
      facts.version = status.version;
      facts.commit = status.commit;
    }
    return facts;
  }
  facts.version = reply->version;
  facts.commit = reply->commit;
  facts.database_size = reply->database_size;
  facts.checked_whole = reply->whole;
  facts.problems = reply->problems;
  if (facts.daemon != Daemon::kRunning) return facts;
  const auto status = reply_of<rpc::Status>(connection->call(rpc::Status::kName, json::object()));
  if (!status) return facts;
  facts.supervisor = probe_supervisor(status->pid);
  for (const rpc::OutOfServiceEntry& device : status->out_of_service) {
    facts.out_of_service.push_back(
        {device.device, fault_text(device.fault, device.attempt, device.since)});
  }
  return facts;
}

}  // namespace

CudaFacts probe_cuda(const fs::path& worker) {
  CudaFacts cuda;
  cuda.pci_devices = count_pci_devices();
  if (const auto nvml = Nvml::open()) {
    cuda.nvml = true;
    cuda.driver = nvml->driver_version();
    for (const NvmlGpu& gpu : nvml->gpus()) {
      const NvmlState state = nvml->state(gpu.uuid);
      cuda.gpus.push_back({gpu.name, gpu.memory, state.throttle_reasons,
                           static_cast<std::int64_t>(state.compute_pids.size())});
    }
  }
  // The worker looks for the library here (workloads/devices.cpp).
  std::error_code ignored;
  for (const fs::path& folder :
       {worker.parent_path(), worker.parent_path().parent_path() / "lib"}) {
    if (fs::exists(folder / "libsweep_cuda.so", ignored))
      cuda.library = folder / "libsweep_cuda.so";
  }
  cuda.toolkit = find_toolkit();
  return cuda;
}

WorkerFacts probe_worker(const fs::path& worker) {
  WorkerFacts facts;
  facts.path = worker;
  const auto version = output_of(worker, "--version");
  if (!version) {
    facts.error = version.error().message;
    return facts;
  }
  facts.version = trim(*version);
  const Instant begin = now_instant();
  const auto described = both_outputs(worker, "--describe");
  facts.describe_time = now_instant() - begin;
  if (!described) {
    facts.error = described.error().message;
    return facts;
  }
  const auto catalog = catalog_from_json(parse_json(described->text));
  if (!catalog) {
    facts.error = "--describe: " + catalog.error().message;
    return facts;
  }
  facts.workloads = static_cast<std::int64_t>(catalog->workloads.size());
  facts.complaint = trim(described->errors);
  return facts;
}

StateFacts probe_state(const StateFolder& state) {
  StateFacts facts;
  facts.folder = state.path();
  const fs::path there = nearest_existing(state.path());
  struct stat info {};
  facts.exists = ::stat(state.path().c_str(), &info) == 0;
  if (facts.exists) facts.mode = info.st_mode & 07777U;
  facts.writable = ::access(there.c_str(), R_OK | W_OK | X_OK) == 0;
  struct statfs system {};
  if (::statfs(there.c_str(), &system) == 0) {
    facts.free = {static_cast<std::int64_t>(system.f_bavail) * system.f_bsize};
    const FileSystem known = file_system_of(system.f_type);
    facts.file_system = known.name;
    facts.network = known.network;
  }
  const auto limit = [](rlim_t value) {
    return value == RLIM_INFINITY ? -1 : static_cast<std::int64_t>(value);
  };
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0) {
    facts.open_files = limit(files.rlim_cur);
    facts.open_files_hard = limit(files.rlim_max);
  }
  return facts;
}

DaemonFacts probe_daemon(const StateFolder& state) {
  // If the daemon hangs, `doctor` must not: the thread is then abandoned.
  std::packaged_task<DaemonFacts()> task([state] { return ask(state); });
  auto answer = task.get_future();
  std::thread(std::move(task)).detach();
  DaemonFacts facts;
  if (answer.wait_for(kDaemonLimit) == std::future_status::ready) {
    facts = answer.get();
  } else {
    facts.daemon = Daemon::kSilent;
  }
  facts.log = state.log();
  facts.client_version = kVersion;
  facts.client_commit = kBuildCommit;
  return facts;
}

MachineFacts probe(const StateFolder& state) {
  const fs::path worker = worker_program();
  MachineFacts facts;
  facts.cpu = probe_cpu();
  facts.memory = probe_memory();
  facts.load = probe_load();
  facts.cuda = probe_cuda(worker);
  facts.worker = probe_worker(worker);
  facts.state = probe_state(state);
  facts.daemon = probe_daemon(state);
  return facts;
}

}  // namespace sweepd
