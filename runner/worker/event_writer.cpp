#include "runner/worker/event_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

namespace sweepd {

Result<EventWriter> EventWriter::open(const std::filesystem::path& file) {
  UniqueFd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!fd) {
    return Error{ErrorCode::kIo, file.string() + ": cannot create: " + std::strerror(errno)};
  }
  return EventWriter(std::move(fd), file);
}

void EventWriter::add(const Event& event) {
  if (const auto* started = std::get_if<StartedEvent>(&event)) {
    started_ = {started->time, now_instant()};
  }
  if (const auto* end = std::get_if<EndEvent>(&event)) {
    EndEvent counted = *end;
    if (started_) counted.time.ns = started_->first.ns + (now_instant() - started_->second).ns;
    counted.lines = lines_;
    counted.steps = steps_;
    buffer_ += event_to_line(counted);
  } else {
    buffer_ += event_to_line(event);
  }
  buffer_ += '\n';
  ++lines_;
  if (std::holds_alternative<StepEvent>(event)) ++steps_;
}

void EventWriter::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t written = ::write(fd_.get(), rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      throw JournalError(file_.string() + ": cannot write: " + std::strerror(errno));
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
}

void EventWriter::flush_if_due(Instant now) {
  constexpr std::size_t kLargeBuffer = 1 << 20;
  if (now - written_ < kInterval && buffer_.size() < kLargeBuffer) return;
  written_ = now;
  flush();
}

}  // namespace sweepd
