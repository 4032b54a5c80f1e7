// The services for request handlers. All live as long as the daemon, and on the event loop's thread
// except `readers`, `slow` and `writer`, which have their own.
#pragma once

#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db/merge/merge.h"
#include "runner/daemon/attempts/analyst.h"
#include "runner/daemon/attempts/dispatcher.h"
#include "runner/daemon/attempts/machine_now.h"
#include "runner/daemon/planning/config_files.h"
#include "runner/daemon/serving/compactor.h"
#include "runner/daemon/serving/notifier.h"
#include "runner/daemon/serving/watchers.h"
#include "runner/daemon/threads/loop_watch.h"
#include "runner/daemon/threads/reader_pool.h"
#include "runner/daemon/threads/writer.h"
#include "runner/wire/attempt_folder.h"
#include "runner/wire/endpoint.h"

namespace sweepd {

enum class StopMode {
  kDrain,  // start nothing new and wait for running attempts
  kNow,    // leave running attempts to the next daemon, which adopts them
};

// Enough to answer requests about results. Without a daemon (serve_file.h) there are only these.
struct ReadServices {
  const StateFolder& state;  // of the database: its `runs` contain the logs
  std::filesystem::path database;
  const Catalog& catalog;
  ReaderPool& readers;  // for questions about results
  // For jobs that wait for a program or a disk, or compute for long, so that questions do not wait
  // behind them.
  ReaderPool& slow;
  std::vector<PoolConfig> clusters = {};  // whose attempts have their folders elsewhere
  // The place of an attempt in a cluster; not set without a daemon.
  std::function<std::optional<AttemptPlace>(const AttemptId&)> place_of = {};
  std::function<PoolFolder*(const std::string& pool)> folder_of_pool = {};  // the same
  // Describes the workload of a plugin's file; the same. Waits for the worker.
  std::function<Result<WorkloadDef>(const std::string& file)> describe_plugin = {};

  // Of an attempt that the database names, in a pool that it names.
  Result<AttemptFolder> folder_of(const std::string& pool, const AttemptId& attempt) const;
  // Runs a job that reads or deletes in the folder of a pool's attempts. That of a cluster may not
  // answer for hours, so only its own thread waits for it. `job` must live until this returns.
  boost::asio::awaitable<void> at_files(const std::string& pool,
                                        const std::function<void()>& job) const;
};

struct Services : ReadServices {
  boost::asio::io_context& io;
  const Machine& machine;
  const HostInfo& host;
  MachineNow& machine_now;  // from any thread
  Writer& writer;
  Dispatcher& dispatcher;
  Analyst& analyst;
  Watchers& watchers;
  Notifier& notifier;
  Compactor& compactor;
  std::function<void(StopMode)> stop;
  const std::filesystem::path& worker;                // the sweep-worker program
  const std::map<std::string, std::string>& plugins;  // of the configuration: workload to file
  const ConfigPlaces& config_places;
  const LoadedConfig& config;  // as this daemon read it
  const LoopWatch& loop;
  // Belongs to the writer's thread. It is here and not in its handler, because that handler's frame
  // may outlive the store when the daemon stops.
  std::unique_ptr<Merger> merger = nullptr;
  std::weak_ptr<void> merging = {};  // alive during a merge
};

}  // namespace sweepd
