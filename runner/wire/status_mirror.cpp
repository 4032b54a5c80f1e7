#include "runner/wire/status_mirror.h"

#include <chrono>
#include <string>
#include <utility>

#include "runner/base/files.h"

namespace sweepd {

StatusMirror::StatusMirror(std::filesystem::path page, std::filesystem::path copy,
                           Duration interval)
    : page_(std::move(page)),
      copy_(std::move(copy)),
      interval_(interval),
      thread_([this] { serve(); }) {}

StatusMirror::~StatusMirror() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

void StatusMirror::serve() {
  std::unique_lock lock(mutex_);
  do {
    copy_changes();
  } while (
      !ended_.wait_for(lock, std::chrono::nanoseconds(interval_.ns), [this] { return ending_; }));
  copy_changes();
}

void StatusMirror::copy_changes() {
  const auto text = read_regular(page_, Links::kRefuse);
  if (!text || *text == copied_) return;
  if (replace_file(copy_, *text)) copied_ = *text;
}

}  // namespace sweepd
