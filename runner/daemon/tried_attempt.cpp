#include "runner/daemon/tried_attempt.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <utility>

#include "runner/base/overload.h"

namespace sweepd {
namespace {

constexpr int kLookMs = 50;  // at the output
constexpr ItemId kTried = 1;

// Only counts time: the lease was decided before.
std::vector<Pool> pool_of_leases() {
  std::vector<Pool> pools;
  pools.push_back({std::string(kLocalPool), {}, Cluster{}});
  return pools;
}

std::string param_of(const AttemptRequest& request, std::string_view name) {
  const auto found =
      std::ranges::find(request.params, name, &std::pair<std::string, std::string>::first);
  return found == request.params.end() ? "" : found->second;
}

}  // namespace

TriedAttempt::TriedAttempt(Executor& executor, EndingSignals& signals, AttemptFolder folder,
                           AttemptRequest request)
    : executor_(executor),
      signals_(signals),
      folder_(std::move(folder)),
      request_(std::move(request)),
      deadlines_(pool_of_leases()),
      tail_(folder_.log(0)) {
  item_.id = kTried;
  if (const auto timeout = parse_duration(param_of(request_, "timeout"))) item_.timeout = *timeout;
}

TriedAttempt::~TriedAttempt() {
  if (over_) return;
  executor_.kill(request_.attempt);
  while (!over_) {
    wait();
    for (const ExecutorEvent& event : executor_.events()) hear(event);
  }
}

void TriedAttempt::wait() const {
  std::array<pollfd, 2> what{
      {{executor_.descriptor(), POLLIN, 0}, {signals_.descriptor(), POLLIN, 0}}};
  ::poll(what.data(), what.size(), kLookMs);
}

void TriedAttempt::hear(const ExecutorEvent& event) {
  std::visit(Overload{[&](const AttemptStarted&) {
                        deadlines_.adopt(item_, request_.lease, now_instant());
                      },
                      [&](const AttemptNotStarted& not_started) {
                        error_ = not_started.error;
                        over_ = true;
                      },
                      [&](const RankEnded& rank) {
                        ended_.push_back({rank.rank, rank.exit});
                      },
                      [&](const AttemptOver&) { over_ = true; }, [](const auto&) {}},
             event);
}

void TriedAttempt::act(const Action& action) {
  std::visit(
      Overload{[&](const StopAction& stop) {
                 stop_ = stop.reason;
                 executor_.stop(request_.attempt);
               },
               [&](const KillAction&) { executor_.kill(request_.attempt); }, [](const auto&) {}},
      action);
}

Result<AttemptRecord> TriedAttempt::run() {
  over_ = false;
  executor_.start(folder_, request_);
  while (!over_) {
    wait();
    for (const ExecutorEvent& event : executor_.events()) hear(event);
    // A second signal does not wait until the program ends by itself.
    if (signals_.take() && !deadlines_.cancel(kTried)) executor_.kill(request_.attempt);
    for (const Action& action : deadlines_.step(now_instant())) act(action);
    tail_.print_lines();
  }
  tail_.print_rest();
  if (error_) return *error_;
  OpenAttempt attempt;
  attempt.id = request_.attempt;
  attempt.workload = request_.workload;
  attempt.pass = request_.pass;
  attempt.timeout = item_.timeout;
  return ingest(folder_, attempt, ended_, stop_);
}

}  // namespace sweepd
