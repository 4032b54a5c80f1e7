#include "runner/daemon/preloader.h"

#include <unistd.h>

#include <optional>

namespace sweepd {

namespace asio = boost::asio;

bool Preloader::begin(const AttemptRequest& request) {
  const std::optional<int> readable = executor_.prepare(request);
  if (!readable) return false;
  loading_ = std::make_unique<asio::posix::stream_descriptor>(io_, ::dup(*readable));
  const auto over = [this](const boost::system::error_code& error) {
    if (error == asio::error::operation_aborted) return;
    loading_.reset();
    timer_.cancel();
    loaded_();
  };
  loading_->async_wait(asio::posix::stream_descriptor::wait_read, over);
  timer_.expires_after(std::chrono::nanoseconds(limit_.ns));
  timer_.async_wait(over);
  return true;
}

}  // namespace sweepd
