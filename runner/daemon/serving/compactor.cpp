#include "runner/daemon/serving/compactor.h"

#include <spdlog/spdlog.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <utility>
#include <vector>

#include "runner/daemon/attempts/compact_folder.h"

namespace sweepd {

namespace asio = boost::asio;

namespace {

// Folders of one job of the thread. A deletion of folders waits at most that long.
constexpr std::int64_t kPage = 32;

void add_failure(const Error& error, Compacted& all) {
  if (error.code == ErrorCode::kNotFound) return;  // it has no folder, or none any more
  if (all.left++ == 0) all.why_left = error.message;
}

// Adds what it did to `all`.
void compact_one(const std::filesystem::path& folder, Compactor::Mode mode,
                 const std::atomic<bool>& stop, Compacted& all) {
  const auto before = look_at_folder(folder);
  if (!before) return add_failure(before.error(), all);
  if (before->compact) return;
  if (mode == Compactor::Mode::kForReal) {
    const auto done = compact_folder(folder, stop);
    if (!done) return add_failure(done.error(), all);
    if (*done == Compression::kStopped) return;
    const auto after = look_at_folder(folder);
    if (!after) return add_failure(after.error(), all);
    all.after.value += after->size.value;
  }
  ++all.folders;
  all.before.value += before->size.value;
}

}  // namespace

Compactor::Compactor(asio::io_context& io, ReaderPool& readers, std::filesystem::path runs,
                     std::optional<Duration> older, std::function<bool()> is_quiet,
                     CompactorTiming timing)
    : io_(io),
      readers_(readers),
      runs_(std::move(runs)),
      older_(older),
      is_quiet_(std::move(is_quiet)),
      timing_(timing),
      timer_(io),
      thread_(io) {}

Compactor::~Compactor() {
  stop_ = true;
  thread_.finish();
}

void Compactor::begin() {
  due_ = older_.has_value();
  changed();
}

void Compactor::changed() {
  if (!is_quiet_()) {
    stop_ = true;
  } else if (due_ && !busy_) {
    wait_for_quiet();
  }
}

void Compactor::wait_for_quiet() {
  timer_.expires_after(std::chrono::nanoseconds(timing_.quiet.ns));
  timer_.async_wait([this](const boost::system::error_code& error) {
    // If something runs now, `changed` is called when it has ended.
    if (error || busy_ || !is_quiet_()) return;
    asio::co_spawn(io_, pass(), asio::detached);
  });
}

asio::awaitable<void> Compactor::pass() {
  busy_ = true;
  const WallTime before{now_wall().ns - older_->ns};
  const auto done = co_await compact(before, Mode::kForReal);
  busy_ = false;
  if (!done) {
    spdlog::warn("folders of old attempts cannot be compacted: {}", done.error().message);
    co_return rest();
  }
  if (done->folders > 0) {
    spdlog::info("compacted folders of old attempts: {}, from {} to {}", done->folders,
                 to_human(done->before), to_human(done->after));
  }
  if (done->left > 0) {
    spdlog::warn("folders of old attempts that cannot be compacted: {}; the first: {}", done->left,
                 done->why_left);
  }
  if (!done->stopped) co_return rest();
  changed();  // it may be quiet again already
}

void Compactor::rest() {
  due_ = false;
  timer_.expires_after(std::chrono::nanoseconds(timing_.again.ns));
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    due_ = true;
    changed();
  });
}

asio::awaitable<Result<Compacted>> Compactor::compact(WallTime ended_before, Mode mode) {
  const bool real = mode == Mode::kForReal;
  if (real && !is_quiet_()) {
    co_return Error{ErrorCode::kFailedPrecondition,
                    "an attempt runs, and compressing beside it would disturb its timing; wait "
                    "until it has ended"};
  }
  if (real) stop_ = false;
  Compacted all;
  std::int64_t row = 0;
  while (true) {
    const auto ask = [&](Reader& reader) { return reader.done_before(ended_before, row, kPage); };
    const auto page = co_await readers_.run(ask);
    if (!page) co_return page.error();
    if (page->empty()) co_return all;
    row = page->back().row;
    const std::function<void()> work = [&] {
      for (const DoneAttempt& attempt : *page) {
        if (real && stop_) return;
        if (is_id(attempt.id)) compact_one(runs_ / attempt.id, mode, stop_, all);
      }
    };
    co_await thread_.run(work);
    all.stopped = real && stop_;
    if (all.stopped) co_return all;
  }
}

}  // namespace sweepd
