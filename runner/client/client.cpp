#include "runner/client/client.h"

#include <fmt/format.h>

namespace sweepd {

Result<Connection*> Client::connection() {
  if (!connection_) {
    auto opened = Connection::open(state(), no_start ? Autostart::kNo : Autostart::kYes);
    if (!opened) return opened.error();
    connection_.emplace(std::move(*opened));
  }
  return &*connection_;
}

Result<nlohmann::json> Client::call(std::string_view method, const nlohmann::json& params,
                                    const Connection::OnNotification& on_notification) {
  const auto open = connection();
  if (!open) return open.error();
  return (*open)->call(method, params, on_notification);
}

Exit report_error(const Error& error) {
  // Diagnostics of a sweep file are complete lines of their own.
  if (!error.message.empty() && error.message.back() == '\n') {
    fmt::print(stderr, "{}", error.message);
  } else {
    fmt::print(stderr, "sweepctl: {}\n", error.message);
  }
  switch (error.code) {
    case ErrorCode::kInvalidArgument:
      return Exit::kUsage;
    case ErrorCode::kNotFound:
      return Exit::kNotFound;
    case ErrorCode::kUnavailable:
      return Exit::kUnavailable;
    default:
      return Exit::kFailure;
  }
}

}  // namespace sweepd
