#include "runner/daemon/serving/notifier.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <utility>

#include "runner/base/files.h"
#include "runner/exec/signals.h"

namespace sweepd {

namespace asio = boost::asio;

namespace {

constexpr Duration kLookPause = milliseconds(200);
constexpr Duration kKillPause = seconds(2);  // between SIGTERM and SIGKILL
// A search costs a pass over the sweep's attempts, so it is followed by a pause of this many times
// its length.
constexpr std::int64_t kLookRest = 20;
constexpr std::uintmax_t kLargeLog = 1 << 20;

struct Looked {
  Result<std::optional<EndedSweep>> due;
  bool owes = true;
  Duration took{0};
};

// A file in memory, which outlives the daemon as a pipe's writer would not.
UniqueFd file_with(const std::string& text) {
  UniqueFd file(::memfd_create("summary", MFD_CLOEXEC));
  std::size_t written = 0;
  while (file && written < text.size()) {
    const ssize_t n = ::write(file.get(), text.data() + written, text.size() - written);
    if (n <= 0) return {};
    written += static_cast<std::size_t>(n);
  }
  if (file) ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

std::vector<std::string> environment_for(const EndedSweep& sweep,
                                         const std::filesystem::path& state) {
  std::vector<std::string> environment = variables_of(sweep);
  environment.push_back("SWEEPD_STATE_DIR=" + state.string());
  const std::size_t own = environment.size();
  for (char** entry = ::environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::string name = text.substr(0, text.find('=') + 1);
    const auto is_set = [&](const std::string& each) { return each.starts_with(name); };
    if (std::none_of(environment.begin(), environment.begin() + static_cast<std::ptrdiff_t>(own),
                     is_set)) {
      environment.push_back(text);
    }
  }
  return environment;
}

// The log keeps this size at most twice.
void make_room(const std::filesystem::path& log) {
  std::error_code error;
  if (std::filesystem::file_size(log, error) < kLargeLog || error) return;
  std::filesystem::rename(log, log.string() + ".1", error);
}

std::string problem_of(const siginfo_t& info) {
  if (info.si_code != CLD_EXITED) return fmt::format("ended by signal {}", info.si_status);
  return info.si_status == 0 ? "" : fmt::format("exit status {}", info.si_status);
}

Result<Spawned> spawn_shell(const EndedSweep& sweep, const std::filesystem::path& state,
                            const std::filesystem::path& log) {
  make_room(log);
  const UniqueFd summary = file_with(summary_of(sweep));
  if (!summary) return Error{ErrorCode::kIo, "no memory for the summary"};
  return spawn(
      {.program = "/bin/sh",
       .arguments = {"-c", "cd -- \"$SWEEPD_STATE_DIR\" && eval \"$1\"", "notify", sweep.command},
       .environment = environment_for(sweep, state),
       .cores = {},
       .log = log,
       .pid_file = {},
       .input = summary.get(),
       .output = -1});
}

}  // namespace

Notifier::Notifier(asio::io_context& io, Writer& writer, std::filesystem::path state,
                   std::filesystem::path log, Duration limit)
    : io_(io),
      writer_(writer),
      state_(std::move(state)),
      log_(std::move(log)),
      limit_(limit),
      spawner_(io),
      look_timer_(io),
      limit_timer_(io) {}

Result<void> Notifier::recover() {
  const auto read = [](Store& store) -> Result<bool> {
    if (auto ended = store.end_lost_notifications(now_wall()); !ended) return ended.error();
    return store.owes_notifications();
  };
  const auto owes = writer_.now(read);
  if (!owes) return owes.error();
  if (*owes) expect();
  return {};
}

void Notifier::expect() {
  owes_ = true;
  changed();
}

void Notifier::changed() {
  if (!owes_ || stopped_) return;
  again_ = true;
  if (!busy_ && !armed_) look_after(kLookPause);
}

void Notifier::look_after(Duration pause) {
  armed_ = true;
  look_timer_.expires_after(std::chrono::nanoseconds(pause.ns));
  look_timer_.async_wait([this](const boost::system::error_code& error) {
    armed_ = false;
    if (!error && !stopped_) look();
  });
}

void Notifier::look() {
  busy_ = true;
  again_ = false;
  writer_.run(
      [](Store& store) {
        const Instant start = now_instant();
        Looked found{store.begin_notification(now_wall())};
        const auto owes = store.owes_notifications();
        found.owes = !owes || *owes;
        found.took = now_instant() - start;
        return found;
      },
      [this](Looked found) {
        owes_ = found.owes || again_;
        if (!found.due) spdlog::error("{}", found.due.error().message);
        if (found.due && *found.due) return begin(std::move(**found.due));
        busy_ = false;
        if (!found.due) return look_after(seconds(5));
        if (again_) look_after(Duration{std::max(kLookPause.ns, found.took.ns * kLookRest)});
      });
}

void Notifier::begin(EndedSweep sweep) {
  spdlog::info("sweep {} `{}` has ended; running its command", sweep.id, sweep.name);
  const auto command = std::make_shared<Command>();
  command->sweep = std::move(sweep);
  const auto spawned = std::make_shared<Result<Spawned>>(Error{ErrorCode::kInternal, ""});
  spawner_.run([command, spawned, state = state_,
                log = log_] { *spawned = spawn_shell(command->sweep, state, log); },
               [this, command, spawned] { started(command, std::move(*spawned)); });
}

void Notifier::started(const std::shared_ptr<Command>& command, Result<Spawned> spawned) {
  if (!spawned) return ended(*command, "cannot start: " + spawned.error().message);
  command->process = std::move(*spawned);
  command->end =
      std::make_unique<asio::posix::stream_descriptor>(io_, ::dup(command->process.pidfd.get()));
  limit(command);
  command->end->async_wait(
      asio::posix::stream_descriptor::wait_read,
      [this, command](const boost::system::error_code& error) {
        if (error) return;
        limit_timer_.cancel();
        // Its session's processes are killed with it, before its number may be reused.
        signal_group(command->process.pid, command->process.pidfd, SIGKILL);
        siginfo_t info{};
        ::waitid(P_PID, static_cast<id_t>(command->process.pid), &info, WEXITED);
        ended(*command, command->too_long
                            ? fmt::format("took longer than {} and was ended", to_human(limit_))
                            : problem_of(info));
      });
}

void Notifier::limit(const std::shared_ptr<Command>& command) {
  limit_timer_.expires_after(
      std::chrono::nanoseconds(command->too_long ? kKillPause.ns : limit_.ns));
  limit_timer_.async_wait([this, command](const boost::system::error_code& error) {
    if (error) return;
    const bool asked = std::exchange(command->too_long, true);
    signal_group(command->process.pid, command->process.pidfd, asked ? SIGKILL : SIGTERM);
    if (!asked) limit(command);
  });
}

void Notifier::ended(const Command& command, const std::string& problem) {
  const EndedSweep& sweep = command.sweep;
  if (problem.empty()) {
    spdlog::info("the command of sweep {} `{}` ended well", sweep.id, sweep.name);
  } else {
    spdlog::warn("the command of sweep {} `{}` failed: {}; see {}", sweep.id, sweep.name, problem,
                 log_.string());
  }
  writer_.run([id = sweep.id,
               problem](Store& store) { return store.end_notification(id, now_wall(), problem); },
              [](const Result<void>& stored) {
                if (!stored) spdlog::error("{}", stored.error().message);
              });
  busy_ = false;
  if (owes_ && !stopped_ && !armed_) look_after(kLookPause);  // another may be due
}

}  // namespace sweepd
