// Shared by all commands: the daemon's location, the connection to it, and exit codes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "runner/base/ids.h"
#include "runner/client/session/command_line.h"
#include "runner/client/session/connection.h"
#include "runner/model/sweep/table.h"

namespace sweepd {

// docs/TASKS.md documents these for scripts.
enum class Exit {
  kOk = 0,
  kFailure = 1,        // the daemon or the system could not do it
  kUsage = 2,          // wrong arguments, or a sweep file with mistakes
  kNotFound = 3,       // no such sweep, trial, attempt, workload
  kNotAllDone = 4,     // waited for a sweep whose attempts are not all `done`
  kUnavailable = 5,    // no daemon, and none could be started
  kNoPicture = 6,      // all is done except a PNG: its drawing program is not installed
  kInterrupted = 130,  // Ctrl-C; submitted work continues
};

class Client {
 public:
  std::string state_dir;
  std::string database;  // --db: read this file instead of asking the daemon
  std::string config;    // --config: for a daemon that is started
  bool no_start = false;
  // Set by the chosen command; run once the whole command line has been checked.
  std::function<Exit()> action;

  StateFolder state() const { return StateFolder::from_environment(state_dir); }
  Result<DaemonConnection*> connection();
  // Whether the daemon hung up on the last request, or during a wait for news.
  bool lost() const { return connection_ && connection_->closed(); }
  // The number of connections so far. A watcher must ask again on a new one.
  int connections() const { return connections_; }
  // Whether the state folder still exists.
  bool has_results() const;
  // After the daemon's end: connects to the next one, which is started. A deleted state folder is
  // not created again. Connections from before are no longer valid.
  Result<DaemonConnection*> connect_again();
  // The same, but starts none: one must listen within `limit`.
  Result<DaemonConnection*> wait_for_daemon(Duration limit);
  // Calls method M of runner/wire/messages. Errors and notifications as in DaemonConnection::call.
  template <class M>
  Result<typename M::Reply> call(
      const typename M::Request& request,
      const DaemonConnection::OnNotification& on_notification = nullptr) {
    return reply_of<M>(ask(M::kName, to_params(request), on_notification));
  }

 private:
  Result<nlohmann::json> ask(std::string_view method, const nlohmann::json& params,
                             const DaemonConnection::OnNotification& on_notification);
  DaemonConnection* keep(DaemonConnection opened);
  void warn_of_other_config(const std::filesystem::path& wanted);

  std::optional<DaemonConnection> connection_;
  int connections_ = 0;
};

// Returns the absolute path of the database that a user names: the file, or a state folder that
// contains one.
std::filesystem::path database_file(const std::string& named);

// Prints `sweepctl: message` to stderr and returns the exit code for the kind of error.
Exit report_error(const Error& error);

// One command, one file: commands/<verb>.cpp.
void add_backup(Command& app, Client& client);
void add_bundle(Command& app, Client& client);
void add_cancel(Command& app, Client& client);
void add_compact(Command& app, Client& client);
void add_compare(Command& app, Client& client);
void add_delete(Command& app, Client& client);
void add_config(Command& app, Client& client);
void add_devices(Command& app, Client& client);
void add_completion(Command& app, Client& client);
void add_doctor(Command& app, Client& client);
void add_emit(Command& app, Client& client);
void add_explain(Command& app, Client& client);
void add_export(Command& app, Client& client);
void add_frontier(Command& app, Client& client);
void add_import(Command& app, Client& client);
void add_new_workload(Command& app, Client& client);
void add_list(Command& app, Client& client);
void add_log(Command& app, Client& client);
void add_merge(Command& app, Client& client);
void add_noise(Command& app, Client& client);
void add_pause(Command& app, Client& client);
void add_plan(Command& app, Client& client);
void add_plot(Command& app, Client& client);
void add_query(Command& app, Client& client);
void add_recover(Command& app, Client& client);
void add_reference(Command& app, Client& client);
void add_report(Command& app, Client& client);
void add_resume(Command& app, Client& client);
void add_reread(Command& app, Client& client);
void add_retry(Command& app, Client& client);
void add_run(Command& app, Client& client);
void add_show(Command& app, Client& client);
void add_status(Command& app, Client& client);
void add_stop(Command& app, Client& client);
void add_study(Command& app, Client& client);
void add_submit(Command& app, Client& client);
void add_try(Command& app, Client& client);
void add_usage(Command& app, Client& client);
void add_watch(Command& app, Client& client);
void add_workloads(Command& app, Client& client);

}  // namespace sweepd
