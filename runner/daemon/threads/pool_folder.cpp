#include "runner/daemon/threads/pool_folder.h"

#include <chrono>
#include <future>
#include <utility>

namespace sweepd {
namespace {

// A journal of a million steps takes ten seconds, which needs no warning.
constexpr Duration kLongRead = seconds(30);

}  // namespace

PoolFolder::Job PoolFolder::Lane::timed(Job job) {
  return [this, job = std::move(job)]() mutable {
    began = now_instant().ns;
    job();
    job = nullptr;
    began = 0;
  };
}

std::optional<Instant> PoolFolder::Lane::held_for(Duration at_least) const {
  const std::int64_t since = began;
  if (since == 0 || now_instant().ns - since < at_least.ns) return std::nullopt;
  return Instant{since};
}

PoolFolder::PoolFolder(boost::asio::io_context& io)
    : working_(std::make_unique<Lane>(io)), reading_(std::make_unique<Lane>(io)) {}

void PoolFolder::run(Job job, Job done) {
  if (working_) return working_->thread.run(working_->timed(std::move(job)), std::move(done));
  job();
  done();
}

void PoolFolder::post(Job job) {
  if (working_) return working_->thread.post(working_->timed(std::move(job)));
  job();
}

void PoolFolder::read(Job job, Job done) {
  if (!reading_) return reader_->run(std::move(job), std::move(done));
  reading_->thread.run(reading_->timed(std::move(job)), std::move(done));
}

boost::asio::awaitable<void> PoolFolder::read(const Job& job) {
  const Job timed = reading_ ? reading_->timed(job) : job;
  co_await (reading_ ? reading_->thread : *reader_).run(timed);
}

void PoolFolder::wait(Duration at_most) {
  if (!working_) return;
  const auto ran = std::make_shared<std::promise<void>>();
  working_->thread.post([ran] { ran->set_value(); });
  ran->get_future().wait_for(std::chrono::nanoseconds(at_most.ns));
}

std::size_t PoolFolder::pending() const {
  return working_ ? working_->thread.pending() + reading_->thread.pending() : 0;
}

std::optional<Instant> PoolFolder::silent_since() const {
  if (!working_) return std::nullopt;
  if (const auto since = working_->held_for(kFolderSilence)) return since;
  return reading_->held_for(kLongRead);
}

}  // namespace sweepd
