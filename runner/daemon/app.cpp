#include "runner/daemon/app.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "build_info.h"
#include "db/upkeep/database_copy.h"
#include "runner/daemon/formulas/catalog_source.h"
#include "runner/daemon/formulas/run_worker.h"
#include "runner/daemon/handlers/handlers.h"
#include "runner/daemon/make_pools.h"
#include "runner/daemon/planning/settle_submissions.h"
#include "runner/daemon/plugins.h"
#include "runner/daemon/program_watch.h"
#include "runner/daemon/serving/remove_attempts.h"
#include "runner/daemon/serving/server.h"
#include "runner/daemon/serving/services.h"
#include "runner/daemon/state_lock.h"
#include "runner/daemon/threads/loop_watch.h"
#include "runner/exec/machine.h"

namespace sweepd {

namespace asio = boost::asio;

namespace {
constexpr std::size_t kReaderThreads = 4, kSlowThreads = 4;
constexpr Duration kQueryLimit = seconds(30);
constexpr std::chrono::seconds kFolderCheck{2};
constexpr std::chrono::seconds kLastReads{3};

// A thread that waits for a shared folder cannot be stopped and may wait for hours. Its work there
// may be cut off anywhere, as by the daemon's death. So may a long query, whose client is gone.
void end_without_readers() {
  const auto end = [] {
    std::this_thread::sleep_for(kLastReads);
    spdlog::warn("a read of a folder or the database takes too long; ending without it");
    spdlog::default_logger()->flush();
    ::_exit(EXIT_SUCCESS);
  };
  std::thread(end).detach();
}

}  // namespace

// Members are destroyed in reverse order: sessions before services, readers before the loop.
struct App::Parts {
  Parts(StateFolder state_, UniqueFd lock_, Catalog catalog_, Machine machine_, HostInfo host_,
        std::filesystem::path worker_, std::filesystem::path program_,
        std::map<std::string, std::string> plugins_, std::unique_ptr<Store> store_,
        ConfigPlaces places, LoadedConfig config_, PoolExecutors executors_)
      : state(std::move(state_)),
        lock(std::move(lock_)),
        catalog(std::move(catalog_)),
        machine(std::move(machine_)),
        host(std::move(host_)),
        machine_now(machine, host),
        worker(std::move(worker_)),
        plugins(std::move(plugins_)),
        config_places(std::move(places)),
        config(std::move(config_)),
        store(std::move(store_)),
        executors(std::move(executors_)),
        writer(io, *store),
        readers(state.database(), catalog, kReaderThreads, kQueryLimit),
        slow(state.database(), catalog, kSlowThreads, kQueryLimit),
        notifier(io, writer, state.path(), state.notify_log()),
        compactor(io, slow, state.runs(), config.config.compact_older,
                  [this] { return !dispatcher.measures_here(); }),
        watchers(io, readers, slow, {catalog, host, worker}, machine),
        dispatcher(io, writer, make_pools(config.config, executors, local_use()), catalog,
                   {[this] {
                      watchers.changed();
                      notifier.changed();
                      compactor.changed();
                    },
                    [this](const EndedAttempt& attempt) {
                      watchers.ended(attempt);
                      notifier.changed();
                      compactor.changed();
                    },
                    [this] { end(); }, [this] { return keeps_folder(); },
                    [this](auto attempts) { analyst.begin(std::move(attempts)); }}),
        analyst(io, slow, writer, catalog, worker,
                {[this](const OpenAttempt& attempt, const Ending& how) {
                   dispatcher.note_stored(attempt, how);
                 },
                 [this](const std::string& why) { dispatcher.refuse_results(why); },
                 [this] { dispatcher.accept_results(); }}),
        services{
            {state, state.database(), catalog, readers, slow, config.config.pools,
             [this](const AttemptId& attempt) { return dispatcher.place_of(attempt); },
             [this](const std::string& pool) { return shared_folder(pool); },
             [this](const std::string& file) { return describe_plugin(worker, catalog, file); }},
            io,
            machine,
            host,
            machine_now,
            writer,
            dispatcher,
            analyst,
            watchers,
            notifier,
            compactor,
            [this](StopMode mode) { stop(mode); },
            worker,
            plugins,
            config_places,
            config,
            loop},
        server(io, state, services, call_handler),
        signals(io, SIGTERM, SIGINT),
        folder(state, lock),
        program(std::move(program_)),
        folder_timer(io) {
    watchers.set_sources(dispatcher, analyst);
  }

  PoolUse local_use() {
    return {{std::string(kLocalPool), machine},
            executors.front().get(),
            state.runs(),
            host.cores,
            [this] { return machine_now.known(); }};
  }

  PoolFolder* shared_folder(const std::string& pool) {
    const auto index = dispatcher.pools().find(pool);
    return index ? &dispatcher.folder_of(*index) : nullptr;
  }

  void stop(StopMode mode) {
    if (mode == StopMode::kNow) {
      spdlog::info("stopping now; running attempts continue, and the next daemon adopts them");
      watchers.stopping({true});
      // Posted, so that the reply to the `stop` request is queued first.
      asio::post(io, [this] { end(); });
      return;
    }
    if (std::exchange(draining, true)) return;
    notifier.stop();
    watchers.stopping({false});
    spdlog::info("draining: {} running, {} stay queued", dispatcher.running().size(),
                 dispatcher.queued() + analyst.pending());
    dispatcher.drain();
  }

  void end() {
    if (std::exchange(ending, true)) return;
    server.finish([this] { io.stop(); });
  }

  void wait_for_signal() {
    signals.async_wait([this](const boost::system::error_code& error, int signal) {
      if (error) return;
      spdlog::info("got signal {}", signal);
      // A second signal skips the wait.
      stop(draining ? StopMode::kNow : StopMode::kDrain);
      wait_for_signal();
    });
  }

  // Whether the files by which others find this daemon are still its own. The daemon ends if its
  // folder is gone.
  bool keeps_folder() {
    if (folder_lost) return false;
    if (folder.place() == FolderPlace::kHere) {
      server.keep_socket();
      return true;
    }
    folder_lost = true;
    spdlog::critical("the state folder {} was moved or deleted; ending", state.path().string());
    draining = true;
    dispatcher.drain();
    return false;
  }

  // Called after a pause, since deleting a folder takes a while and begins with its contents.
  void end_without_folder() {
    if (folder.place() == FolderPlace::kDeleted) dispatcher.kill_running();
    end();
  }

  // Attempts of paused sweeps do not count: the next daemon has them too.
  bool is_idle() const {
    return dispatcher.running().empty() && dispatcher.given().empty() && analyst.pending() == 0 &&
           dispatcher.queued() == dispatcher.held() && !server.has_clients();
  }

  void check_program() {
    if (draining || !program.should_stop(is_idle())) return;
    spdlog::info("{} was replaced or removed", program.program().string());
    stop(StopMode::kDrain);
  }

  void check_folder() {
    folder_timer.expires_after(kFolderCheck);
    folder_timer.async_wait([this](const boost::system::error_code& error) {
      if (error) return;
      if (folder_lost) return end_without_folder();
      if (keeps_folder()) check_program();
      check_folder();
    });
  }

  // The unfinished deletion of a dead daemon. Its rows are gone.
  asio::awaitable<void> finish_deletions(std::vector<Unfinished> unfinished) {
    for (const Unfinished& one : unfinished) {
      const RemovedFolders removed = co_await remove_attempts(services, one.attempts, one.file);
      spdlog::info("removed {} folders of attempts that were being deleted", removed.folders);
    }
  }

  // Files that a dead daemon was writing or deleting.
  Result<void> settle() {
    const auto settle_all = [&](Store& all) { return settle_submissions(all, state.sweeps()); };
    if (auto settled = writer.now(settle_all); !settled) return settled;
    const auto find = [&](Store& all) { return unfinished_deletions(all, state.sweeps()); };
    auto unfinished = writer.now(find);
    if (!unfinished) return unfinished.error();
    if (unfinished->empty()) return {};
    asio::co_spawn(io, finish_deletions(std::move(*unfinished)), asio::detached);
    return {};
  }

  StateFolder state;
  UniqueFd lock;
  Catalog catalog;
  Machine machine;
  HostInfo host;
  MachineNow machine_now;
  std::filesystem::path worker;
  std::map<std::string, std::string> plugins;  // of the configuration: workload to file
  ConfigPlaces config_places;
  LoadedConfig config;
  asio::io_context io{1};
  LoopWatch loop;
  std::unique_ptr<Store> store;
  PoolExecutors executors;
  Writer writer;
  ReaderPool readers, slow;
  Notifier notifier;
  Compactor compactor;
  Watchers watchers;
  Dispatcher dispatcher;
  Analyst analyst;
  Services services;
  Server server;
  asio::signal_set signals;
  FolderWatch folder;
  ProgramWatch program;
  asio::steady_timer folder_timer;
  bool folder_lost = false;
  bool draining = false;
  bool ending = false;
};

App::App(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
App::~App() = default;

Result<std::unique_ptr<App>> App::create(const AppOptions& options) {
  auto config = load_config(options.config);
  if (!config) return config.error();
  auto lock = lock_state_folder(options.state);
  if (!lock) return lock.error();
  remove_stale_copies(options.state.path());
  // For `command`, whose worker has only its attempt's folder.
  ::setenv("SWEEPD_SECRETS", options.state.secrets().c_str(), /*overwrite=*/0);
  auto catalog = load_catalog(options.worker, options.state.catalog());
  if (!catalog) return catalog.error();
  auto plugins = add_plugins(options.worker, config->config.plugins, *catalog);
  HostInfo host = read_host();
  auto store = Store::open(options.state.database(), *catalog, host);
  if (!store) return store.error();
  PoolExecutors executors = make_executors(config->config, *catalog, options.worker,
                                           options.prefork, owner_of(options.state.path(), host));
  auto parts = std::make_unique<Parts>(options.state, std::move(*lock), std::move(*catalog),
                                       discover_machine(), std::move(host), options.worker,
                                       options.program, std::move(plugins), std::move(*store),
                                       options.config, std::move(*config), std::move(executors));
  return std::unique_ptr<App>(new App(std::move(parts)));
}

Result<void> App::run(const std::function<void()>& ready) {
  spdlog::info("sweepd {} ({}) on {}", kVersion, kBuildCommit, parts_->state.path().string());
  if (const auto recovered = parts_->dispatcher.recover(); !recovered) return recovered.error();
  if (const auto known = parts_->notifier.recover(); !known) return known.error();
  if (const auto settled = parts_->settle(); !settled) return settled.error();
  if (const auto listening = parts_->server.listen(); !listening) return listening.error();
  parts_->wait_for_signal();
  parts_->check_folder();
  parts_->compactor.begin();
  ready();
  parts_->loop.run(parts_->io);
  parts_->server.close();
  // Before anything that their jobs use is destroyed. From then on nothing is lost.
  parts_->writer.finish();
  end_without_readers();
  kill_asked_workers();
  parts_->readers.finish();
  parts_->slow.finish();
  spdlog::info("stopped");
  return {};
}

}  // namespace sweepd
