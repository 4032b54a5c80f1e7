#include "runner/daemon/handlers/handlers.h"

namespace sweepd {
namespace {

// A daemon reads the files once, at its start.
std::string what_changed(const ConfigPlaces& places, const Config& in_force) {
  const auto now = load_config(places);
  if (!now) return now.error().message;
  if (now->config.values == in_force.values) return "";
  return "the files have changed since the daemon read them; to use what they say now: `sweepctl "
         "stop`, then any command";
}

}  // namespace

boost::asio::awaitable<Answer<rpc::Config>> handle_config(Services& services, Session&,
                                                          rpc::Config::Request) {
  rpc::Config::Reply reply;
  reply.files = services.config.files;
  reply.values = services.config.config.values;
  const auto look = [&services] {
    return what_changed(services.config_places, services.config.config);
  };
  reply.changed = co_await services.readers.compute(look);
  co_return reply;
}

}  // namespace sweepd
