// A blocking connection to the daemon: one request at a time, with notifications in between.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "runner/base/result.h"
#include "runner/base/unique_fd.h"
#include "runner/base/units.h"
#include "runner/wire/endpoint.h"
#include "runner/wire/message.h"
#include "runner/wire/rpc.h"

namespace sweepd {

// kOfOldFolder: only if the state folder has a database.
enum class Autostart { kYes, kNo, kOfOldFolder };

// The result of method M as its reply. The error describes the defect.
template <class M>
Result<typename M::Reply> reply_of(const Result<nlohmann::json>& result) {
  if (!result) return result.error();
  typename M::Reply reply;
  if (const auto read = from_message(*result, reply); !read) {
    return Error{read.error().code, fmt::format("the daemon's reply to {} cannot be read: {}",
                                                M::kName, read.error().message)};
  }
  return reply;
}

// A notification as N; nothing if it is another one. The error describes the defect.
template <class N>
Result<std::optional<N>> news_of(const nlohmann::json& notification) {
  if (method_of(notification) != N::kName) return std::optional<N>();
  std::optional<N> news(std::in_place);
  if (const auto read = from_message(params_of(notification), *news); !read) {
    return Error{read.error().code,
                 fmt::format("the daemon's {} cannot be read: {}", N::kName, read.error().message)};
  }
  return news;
}

class DaemonConnection {
 public:
  // Unless kNo, starts a daemon if none listens, and waits for it.
  static Result<DaemonConnection> open(const StateFolder& state, Autostart autostart);
  // Connects to a reader of this database file, which is started for this connection and ends with
  // it.
  static Result<DaemonConnection> open_file(const StateFolder& state,
                                            const std::filesystem::path& file);

  using OnNotification = std::function<void(nlohmann::json notification)>;
  // An error has the daemon's message; its code has the kind (kUnavailable: it disconnected).
  // `on_notification` gets the notifications that arrive before the reply; without it they are
  // discarded.
  Result<nlohmann::json> call(std::string_view method, const nlohmann::json& params,
                              const OnNotification& on_notification = nullptr);
  // Blocks until the next notification. kUnavailable if the daemon disconnected or a signal
  // arrived.
  Result<nlohmann::json> next_notification();
  // Returns the next notification within `timeout`, or nothing if none arrived or a signal did.
  Result<std::optional<nlohmann::json>> next_notification(Duration timeout);
  // Whether the daemon hung up, from the data read so far.
  bool closed() const { return closed_; }
  // Whether it did so without having read the last request, which may then be sent to the next
  // daemon, with any content.
  bool unheard() const { return unheard_; }

 private:
  explicit DaemonConnection(UniqueFd fd) : fd_(std::move(fd)) {}
  // A write error is reported by the next read, after the daemon's last messages.
  void write(std::string_view text);
  Result<nlohmann::json> read_message();

  UniqueFd fd_;
  std::string buffer_;
  std::int64_t next_id_ = 1;
  bool closed_ = false, unheard_ = false;
};

}  // namespace sweepd
