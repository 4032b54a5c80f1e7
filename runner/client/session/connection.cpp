#include "runner/client/session/connection.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "runner/base/clock.h"
#include "runner/client/session/start_daemon.h"
#include "runner/wire/json_text.h"
#include "runner/wire/rpc.h"

namespace sweepd {

using nlohmann::json;

namespace {

// The holder may have to read a large database before it listens.
constexpr Duration kHolderLimit = seconds(60);

// A `stop` elsewhere may meet the daemon that was started here. Unlimited restarts would hide why
// it ends.
constexpr int kMostStarts = 3;

// Returns the descriptor, or the error with errno.
Result<UniqueFd> connect_to(const StateFolder& state) {
  const SocketAddress address = socket_address(state);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::memcpy(name.sun_path, address.path.c_str(),
              std::min(address.path.size() + 1, sizeof name.sun_path - 1));
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) return Error{ErrorCode::kIo, std::string("socket: ") + strerror(errno)};
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0) {
    return Error{ErrorCode::kUnavailable,
                 "no daemon listens on " + state.socket().string() + ": " + strerror(errno)};
  }
  return fd;
}

Error gone() {
  return {ErrorCode::kUnavailable,
          "the daemon closed the connection; `sweepctl status` starts it again; submitted "
          "sweeps are kept"};
}

// The holder of the state folder may be starting (another client was faster), ending, or about to
// notice that its socket's file was deleted. Waits until it listens, is gone, or `limit` has
// passed.
Result<UniqueFd> connect_to_holder(const StateFolder& state, Duration limit) {
  const Instant deadline = now_instant() + limit;
  while (true) {
    auto fd = connect_to(state);
    const auto holder = fd ? std::nullopt : lock_holder(state);
    if (fd || !holder) return fd;
    if (now_instant() > deadline) {
      return Error{ErrorCode::kFailedPrecondition,
                   *holder + " holds the state folder " + state.path().string() +
                       ", but does not listen; its log is " + state.log().string()};
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

}  // namespace

Result<DaemonConnection> DaemonConnection::open(const StateFolder& state, Autostart autostart) {
  auto fd = connect_to(state);
  if (!fd) fd = connect_to_holder(state, kHolderLimit);
  for (int starts = 0; !fd && fd.error().code == ErrorCode::kUnavailable &&
                       autostart != Autostart::kNo && starts < kMostStarts;) {
    const auto started =
        start_daemon(state, autostart == Autostart::kYes ? Folder::kMayBeNew : Folder::kMustExist);
    if (!started && started.error().code != ErrorCode::kAlreadyExists) return started.error();
    fd = connect_to_holder(state, kHolderLimit);
    if (started) ++starts;
  }
  if (!fd) return fd.error();
  return DaemonConnection(std::move(*fd));
}

Result<DaemonConnection> DaemonConnection::open_file(const StateFolder& state,
                                                     const std::filesystem::path& file) {
  auto fd = start_reader(state, file);
  if (!fd) return fd.error();
  return DaemonConnection(std::move(*fd));
}

void DaemonConnection::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      // A request that is cut off is never answered. The daemon sees its end and closes, which this
      // side sees.
      unheard_ = true;
      ::shutdown(fd_.get(), SHUT_WR);
      return;
    }
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

Result<json> DaemonConnection::read_message() {
  std::size_t searched = 0;
  while (true) {
    const std::size_t newline = buffer_.find('\n', searched);
    if (newline != std::string::npos) {
      json message = parse_json(std::string_view(buffer_).substr(0, newline));
      buffer_.erase(0, newline + 1);
      if (!message.is_object()) {
        return Error{ErrorCode::kInternal, "the daemon sent a line that is not a message"};
      }
      return message;
    }
    searched = buffer_.size();
    char chunk[65536];
    const ssize_t n = ::recv(fd_.get(), chunk, sizeof chunk, 0);
    if (n < 0 && errno == EINTR) return Error{ErrorCode::kUnavailable, "interrupted"};
    if (n <= 0) {
      closed_ = true;
      // Linux's error for a socket whose other end was closed with unread bytes.
      if (n < 0 && errno == ECONNRESET) unheard_ = true;
      return gone();
    }
    buffer_.append(chunk, static_cast<std::size_t>(n));
  }
}

Result<json> DaemonConnection::call(std::string_view method, const json& params,
                                    const OnNotification& on_notification) {
  const std::int64_t id = next_id_++;
  // A daemon with too many clients sends an error and closes before it reads a request.
  write(request_line({id, std::string(method), params}));
  while (true) {
    auto message = read_message();
    if (!message) return message;
    auto reply = reply_in(*message);
    const bool is_refusal = reply && reply->id.is_null() && !reply->result;
    if (reply && (is_refusal || reply->id == json(id))) return std::move(reply->result);
    if (!reply && on_notification) on_notification(std::move(*message));
  }
}

Result<std::optional<json>> DaemonConnection::next_notification(Duration timeout) {
  const Instant deadline = now_instant() + timeout;
  while (true) {
    if (buffer_.find('\n') != std::string::npos) {
      auto message = read_message();
      if (!message) return message.error();
      if (!reply_in(*message)) return std::optional(std::move(*message));
      continue;
    }
    // Rounded up, so that the last fraction of a millisecond does not busy-wait.
    const auto left_ms = ((deadline - now_instant()).ns + 999'999) / 1'000'000;
    pollfd ready{fd_.get(), POLLIN, 0};
    const int polled = ::poll(&ready, 1, static_cast<int>(std::max<std::int64_t>(0, left_ms)));
    if (polled <= 0) return std::optional<json>();
    char chunk[65536];
    const ssize_t n = ::recv(fd_.get(), chunk, sizeof chunk, 0);
    if (n < 0 && errno == EINTR) return std::optional<json>();
    if (n <= 0) {
      closed_ = true;
      return gone();
    }
    buffer_.append(chunk, static_cast<std::size_t>(n));
  }
}

Result<json> DaemonConnection::next_notification() {
  while (true) {
    auto message = read_message();
    if (!message) return message;
    if (!reply_in(*message)) return message;
  }
}

}  // namespace sweepd
