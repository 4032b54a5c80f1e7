#include "runner/daemon/threads/writer.h"

#include <spdlog/spdlog.h>

namespace sweepd {

void Writer::rest() {
  if (!dirty_) return;
  pause_timer_.expires_after(std::chrono::nanoseconds(pause_.ns));
  pause_timer_.async_wait([this](const boost::system::error_code& error) {
    if (error || pending() > 0) return;
    run([](Store& store) { return store.checkpoint(); },
        [this](const Result<void>& done) {
          // The log works just as well; the next pause tries again.
          if (!done) spdlog::info("{}", done.error().message);
          dirty_ = pending() > 0;
        });
  });
}

}  // namespace sweepd
