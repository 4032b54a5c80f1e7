#include "runner/client/session/client.h"

#include <fmt/format.h>

#include <cstdlib>
#include <thread>

#include "runner/base/clock.h"
#include "runner/base/say.h"
#include "runner/wire/messages/machine.h"

namespace sweepd {

// A daemon reads its configuration when it starts, so a running one may have read another file.
void Client::warn_of_other_config(const std::filesystem::path& wanted) {
  const auto in_force = reply_of<rpc::Config>(
      connection_->call(rpc::Config::kName, nlohmann::json::object(), nullptr));
  if (!in_force || in_force->files.empty() || in_force->files.back().path == wanted) return;
  say(stderr,
      "sweepctl: --config: the daemon runs already, with {}; to use {}: sweepctl stop, then "
      "this command again\n",
      in_force->files.back().path, wanted.string());
}

Result<DaemonConnection*> Client::connection() {
  if (!connection_) {
    std::filesystem::path wanted;
    if (!config.empty()) {
      wanted = std::filesystem::absolute(config).lexically_normal();
      // For the daemon, if one is started: it inherits the environment.
      ::setenv("SWEEPD_CONFIG", wanted.c_str(), /*overwrite=*/1);
    }
    auto opened = database.empty()
                      ? DaemonConnection::open(state(), no_start ? Autostart::kNo : Autostart::kYes)
                      : DaemonConnection::open_file(state(), database_file(database));
    if (!opened) return opened.error();
    keep(std::move(*opened));
    if (!config.empty() && database.empty()) warn_of_other_config(wanted);
  }
  return &*connection_;
}

DaemonConnection* Client::keep(DaemonConnection opened) {
  ++connections_;
  return &connection_.emplace(std::move(opened));
}

bool Client::has_results() const {
  std::error_code ignored;
  return std::filesystem::exists(state().database(), ignored);
}

Result<DaemonConnection*> Client::connect_again() {
  connection_.reset();
  auto opened = DaemonConnection::open(state(), Autostart::kOfOldFolder);
  if (!opened && !has_results()) {
    return Error{ErrorCode::kUnavailable,
                 "the state folder " + state().path().string() + " was moved or deleted"};
  }
  if (!opened) return opened.error();
  return keep(std::move(*opened));
}

Result<DaemonConnection*> Client::wait_for_daemon(Duration limit) {
  const Instant deadline = now_instant() + limit;
  connection_.reset();
  while (true) {
    auto opened = DaemonConnection::open(state(), Autostart::kNo);
    if (opened) return keep(std::move(*opened));
    if (now_instant() > deadline) return opened.error();
    if (!has_results()) return connect_again();  // says so
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

// The daemon may have carried out a request that it has read, or died of it, so it is not sent
// again.
Result<nlohmann::json> Client::ask(std::string_view method, const nlohmann::json& params,
                                   const DaemonConnection::OnNotification& on_notification) {
  auto open = connection();
  if (!open) return open.error();
  auto reply = (*open)->call(method, params, on_notification);
  if (reply || !(*open)->unheard() || !database.empty()) return reply;
  // The daemon was about to end, or has ended since the last request.
  connection_.reset();
  open = connection();
  if (!open) return open.error();
  return (*open)->call(method, params, on_notification);
}

std::filesystem::path database_file(const std::string& named) {
  std::error_code ignored;
  const auto path = std::filesystem::absolute(named).lexically_normal();
  return std::filesystem::is_directory(path, ignored) ? StateFolder(path).database() : path;
}

Exit report_error(const Error& error) {
  // Diagnostics of a sweep file are already complete lines.
  if (!error.message.empty() && error.message.back() == '\n') {
    say(stderr, "{}", error.message);
  } else {
    say(stderr, "sweepctl: {}\n", error.message);
  }
  switch (error.code) {
    case ErrorCode::kInvalidArgument:
      return Exit::kUsage;
    case ErrorCode::kNotFound:
      return Exit::kNotFound;
    case ErrorCode::kUnavailable:
      return Exit::kUnavailable;
    default:
      return Exit::kFailure;
  }
}

}  // namespace sweepd
