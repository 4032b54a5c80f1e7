// A blocking connection to the daemon: one request at a time, notifications between.
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

namespace sweepd {

enum class Autostart { kYes, kNo };

class Connection {
 public:
  // With kYes a daemon is started when none listens, and waited for.
  static Result<Connection> open(const StateFolder& state, Autostart autostart);
  // To a reader of this database file, started for this connection; it ends with it.
  static Result<Connection> open_file(const StateFolder& state, const std::filesystem::path& file);

  using OnNotification = std::function<void(nlohmann::json notification)>;
  // An error's message is the daemon's own; its code says which kind (kUnavailable: it went away).
  // `on_notification` gets the notifications that come before the reply; without it they are lost.
  Result<nlohmann::json> call(std::string_view method, const nlohmann::json& params,
                              const OnNotification& on_notification = nullptr);
  // Blocks for the next notification. kUnavailable when the daemon went away or a signal came.
  Result<nlohmann::json> next_notification();
  // The next one within `timeout`; nothing when none came, or when a signal did.
  Result<std::optional<nlohmann::json>> next_notification(Duration timeout);
  // Whether the daemon hung up on the last call.
  bool closed() const { return closed_; }

 private:
  explicit Connection(UniqueFd fd) : fd_(std::move(fd)) {}
  // A failure shows at the next read, behind what the daemon said before it hung up.
  void write(std::string_view text);
  Result<nlohmann::json> read_message();

  UniqueFd fd_;
  std::string buffer_;
  std::int64_t next_id_ = 1;
  bool closed_ = false;
};

}  // namespace sweepd
