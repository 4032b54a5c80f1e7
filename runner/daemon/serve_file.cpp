#include "runner/daemon/serve_file.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <csignal>
#include <optional>

#include "db/upkeep/database_copy.h"
#include "runner/daemon/formulas/catalog_source.h"
#include "runner/daemon/handlers/handlers.h"
#include "runner/daemon/logging.h"
#include "runner/daemon/serving/services.h"
#include "runner/daemon/serving/session.h"
#include "runner/wire/rpc.h"

namespace sweepd {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kFileReaders = 1;  // one client, one request at a time
constexpr Duration kFileQueryLimit = seconds(30);

int refuse_file(const Error& error) {
  const std::string line = error_line(nullptr, {rpc_code(error.code), error.message, nullptr});
  ::send(STDIN_FILENO, line.data(), line.size(), MSG_NOSIGNAL);
  return EXIT_FAILURE;
}

}  // namespace

int serve_file(const AppOptions& options, const std::filesystem::path& file) {
  spdlog::set_default_logger(spdlog::stderr_logger_st("sweepd"));  // stdout is the client's table
  spdlog::set_formatter(printable_formatter());
  spdlog::set_level(spdlog::level::warn);
  // They reach the client too, and this process ends with it: it may have a copy to remove.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_IGN);
  const auto catalog = load_catalog(options.worker, options.state.catalog());
  if (!catalog) return refuse_file(catalog.error());
  const auto in_place = is_readable_in_place(file, *catalog);
  if (!in_place) return refuse_file(in_place.error());
  std::optional<DatabaseCopy> copy;
  if (!*in_place) {
    auto made = DatabaseCopy::make(file, std::filesystem::temp_directory_path(), *catalog);
    if (!made) return refuse_file(made.error());
    copy.emplace(std::move(*made));
  }
  asio::io_context io{1};
  const StateFolder beside(file.parent_path());
  ReaderPool readers(copy ? copy->file() : file, *catalog, kFileReaders, kFileQueryLimit);
  // Without it, the files beside the database can still be read.
  const auto config = load_config(options.config);
  ReadServices services{beside,   file,
                        *catalog, readers,
                        readers,  config ? config->config.pools : std::vector<PoolConfig>()};
  Session::Socket socket(io);
  boost::system::error_code error;
  socket.assign(asio::local::stream_protocol(), STDIN_FILENO, error);
  if (error) {
    spdlog::error("--read: standard input is not a socket: {}", error.message());
    return EXIT_FAILURE;
  }
  std::make_shared<Session>(std::move(socket), services, call_handler)->start();
  io.run();
  return EXIT_SUCCESS;
}

}  // namespace sweepd
