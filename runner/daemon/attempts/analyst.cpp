#include "runner/daemon/attempts/analyst.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <exception>
#include <iterator>

#include "runner/daemon/formulas/work_of_trials.h"

namespace sweepd {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kAsked = 5'000;  // of one worker: a second, and some 50 MB
constexpr std::size_t kStored = 256;   // in one transaction: some fifty milliseconds

AttemptRecord record_of(const OpenAttempt& attempt, Ending ending) {
  AttemptRecord record;
  record.row = attempt.row;
  record.started = record.ended = now_wall();
  record.ending = std::move(ending);
  return record;
}

AttemptRecord not_computed(const OpenAttempt& attempt, const Error& why) {
  return record_of(attempt, {Failed{"not computed: " + why.message, ""}, 0});
}

// Whether all were cancelled, so that nothing needs to be computed.
bool all_have_ended(Reader& reader, std::span<const OpenAttempt> attempts) {
  const SweepOfAttempt* last = nullptr;
  for (const OpenAttempt& attempt : attempts) {
    if (attempt.sweep.get() == last) continue;
    last = attempt.sweep.get();
    const auto progress = reader.progress(last->id);
    if (!progress || progress->ended < progress->total) return false;
  }
  return true;
}

}  // namespace

asio::awaitable<Result<void>> Analyst::answer(std::vector<OpenAttempt> attempts) {
  pending_ += attempts.size();
  Result<void> asked;
  const Attempts all(attempts);
  for (std::size_t begin = 0; begin < all.size(); begin += kAsked) {
    const Attempts some = all.subspan(begin, std::min(kAsked, all.size() - begin));
    Records records;
    if (asked) {
      const auto ask_worker = [&](Reader& reader) { return ask(reader, some); };
      auto answers = co_await slow_.run(ask_worker);
      if (answers) records = std::move(*answers);
      if (!answers) asked = answers.error();
    }
    const std::size_t count = asked ? records.size() : some.size();
    for (std::size_t i = 0; i < count; i += kStored) {
      const std::size_t n = std::min(kStored, count - i);
      Records part;
      part.reserve(n);
      for (std::size_t k = i; k < i + n; ++k) {
        part.push_back(asked ? std::move(records[k]) : not_computed(some[k], asked.error()));
      }
      co_await store(some.subspan(i, n), std::move(part));
    }
    pending_ -= some.size();
  }
  // Freeing a million attempts takes long.
  const auto let_go = [&attempts] {
    std::vector<OpenAttempt>().swap(attempts);
    return true;
  };
  co_await slow_.compute(let_go);
  co_return asked;
}

void Analyst::begin(std::vector<OpenAttempt> attempts) {
  if (attempts.empty()) return;
  asio::co_spawn(io_, answer(std::move(attempts)),
                 [](const std::exception_ptr&, const Result<void>& answered) {
                   if (!answered) spdlog::error("formulas: {}", answered.error().message);
                 });
}

Result<Analyst::Records> Analyst::ask(Reader& reader, Attempts attempts) const try {
  Records records;
  if (all_have_ended(reader, attempts)) return records;
  std::vector<AskedTrial> asked;
  for (const OpenAttempt& attempt : attempts) {
    asked.push_back({catalog_.find(attempt.workload), &attempt.trial});
  }
  const WallTime started = now_wall();
  auto results = results_of_trials(worker_, asked);
  if (!results) return results.error();
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    FormulaResult& result = (*results)[i];
    AttemptRecord& record = records.emplace_back(record_of(attempts[i], std::move(result.ending)));
    record.started = started;
    record.work = std::move(result.work);
  }
  return records;
} catch (const std::exception& error) {  // such as for lack of memory
  return Error{ErrorCode::kInternal, error.what()};
}

asio::awaitable<void> Analyst::store(Attempts attempts, Records records) {
  std::vector<AttemptId> ids;
  for (const OpenAttempt& attempt : attempts) {
    storing_.insert(attempt.trial_key);
    ids.push_back(attempt.id);
  }
  const auto store_all = [&records, &ids](Store& database) {
    auto stored = database.finish_all(records, ids);
    // Here, because freeing them takes long.
    if (stored) std::ranges::for_each(records, [](AttemptRecord& one) { one.work.reset(); });
    return stored;
  };
  auto stored = co_await writer_.run(store_all);
  for (asio::steady_timer pause(io_); !stored; stored = co_await writer_.run(store_all)) {
    const std::string& why = stored.error().message;
    spdlog::error("cannot store results of formulas: {}; trying again in {}", why,
                  to_human(store_retry_));
    hooks_.refused(why);
    pause.expires_after(std::chrono::nanoseconds(store_retry_.ns));
    co_await pause.async_wait(asio::use_awaitable);
  }
  hooks_.accepted();
  spdlog::info("{} analytic attempts ended, from {} on", attempts.size(), attempts.front().id);
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    storing_.erase(storing_.find(attempts[i].trial_key));
    // If not, it was cancelled before.
    if ((*stored)[i]) hooks_.ended(attempts[i], records[i].ending);
  }
}

bool Analyst::is_storing(const std::unordered_set<TrialKey>& trials) const {
  return std::ranges::any_of(storing_, [&](const TrialKey& key) { return trials.contains(key); });
}

}  // namespace sweepd
