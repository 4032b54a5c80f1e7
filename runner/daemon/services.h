// What request handlers may use. Everything lives as long as the daemon; all of it belongs to the
// event loop's thread but for `readers`, which has its own.
#pragma once

#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <functional>

#include "db/store.h"
#include "runner/daemon/dispatcher.h"
#include "runner/daemon/reader_pool.h"
#include "runner/daemon/watchers.h"
#include "runner/wire/endpoint.h"

namespace sweepd {

enum class StopMode {
  kDrain,  // start nothing new, wait for what runs
  kNow,    // leave what runs to the next daemon, which adopts it
};

struct Services {
  boost::asio::io_context& io;
  const StateFolder& state;
  const Catalog& catalog;
  const Machine& machine;
  const HostInfo& host;
  Store& store;
  ReaderPool& readers;
  Dispatcher& dispatcher;
  Watchers& watchers;
  std::function<void(StopMode)> stop;
  const std::filesystem::path& worker;  // the sweep-worker program
};

}  // namespace sweepd
