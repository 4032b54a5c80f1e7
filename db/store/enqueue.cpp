#include "db/store/enqueue.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <random>

#include "db/base/sweep_axes.h"
#include "runner/model/sweep/trial.h"

namespace sweepd {
namespace {

// Fisher-Yates by hand, because std::shuffle may draw differently with another standard library.
void shuffle(std::vector<std::size_t>& items, std::mt19937_64& random) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random() % i]);
}

std::uint64_t seed_of(const SweepId& id) {
  std::uint64_t seed = 0;
  std::from_chars(id.data(), id.data() + id.size(), seed, 16);
  return seed;
}

}  // namespace

std::vector<Slot> slots_in_order(const Sweep& sweep, const SweepId& id,
                                 const std::vector<std::int64_t>& repeats) {
  std::vector<Slot> slots;
  if (sweep.order == Order::kSequential) {
    for (std::size_t trial = 0; trial < repeats.size(); ++trial) {
      for (const Pass pass : sweep.passes) {
        for (int r = 0; r < rounds_of(pass, repeats[trial]); ++r) slots.push_back({trial, pass, r});
      }
    }
    return slots;
  }
  std::mt19937_64 random(seed_of(id));
  std::vector<std::size_t> order(repeats.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::int64_t most = repeats.empty() ? 0 : *std::max_element(repeats.begin(), repeats.end());
  for (const Pass pass : sweep.passes) {
    for (int r = 0; r < rounds_of(pass, most); ++r) {
      if (sweep.order == Order::kShuffled) shuffle(order, random);
      for (const std::size_t trial : order) {
        if (r < rounds_of(pass, repeats[trial])) slots.push_back({trial, pass, r});
      }
    }
  }
  return slots;
}

std::int64_t StoreState::take_position() {
  if (!next_position) {
    Query last(connection, "SELECT coalesce(max(position) + 1, 0) FROM attempt");
    last.next();
    next_position = last.integer(0);
  }
  return (*next_position)++;
}

Enqueuer::Enqueuer(StoreState& state, std::int64_t sweep_row, const WorkloadDef& def, Reuse reuse,
                   const MachineIds& machines, WallTime now, SubmitReceipt& receipt, Insist insist)
    : state_(state),
      sweep_row_(sweep_row),
      def_(def),
      reuse_(reuse),
      now_(now),
      insist_(insist),
      machines_(def, machines),
      older_(state.connection, def),
      hosts_(state.connection, state.host),
      receipt_(receipt),
      bucket_(random_id().substr(0, 2)),
      axes_(std::make_shared<const SweepAxes>(read_axes(state.connection, sweep_row, def))),
      sweep_(read_sweep_of_attempt(state.connection, sweep_row)) {
  Query sentinel(state_.connection,
                 fmt::format("SELECT {} FROM sweep s WHERE s.id = ?", SentinelColumns::kSql));
  sentinel.bind(sweep_row);
  if (sentinel.next()) sentinel_ = SentinelColumns::read(sentinel, 0);
  Query paused(state_.connection, "SELECT paused_ns IS NOT NULL FROM sweep WHERE id = ?");
  paused.bind(sweep_row);
  receipt_.is_paused = paused.next() && paused.integer(0) != 0;
}

void Enqueuer::link(std::int64_t attempt_row, std::string_view origin) {
  Query(state_.connection, "INSERT INTO sweep_attempt (sweep, attempt, origin) VALUES (?, ?, ?)")
      .bind_all(sweep_row_, attempt_row, origin)
      .run();
}

bool Enqueuer::use_existing(const Wanted& wanted, std::optional<std::int64_t> not_this) {
  std::int64_t row = 0;
  bool open = false;
  {
    // An open attempt comes first: it measures the point again, and its result will be the one that
    // counts. A running attempt that no live sweep waits for does not qualify, because it is being
    // stopped.
    static const std::string kSql =
        "SELECT row, outcome IS NULL FROM attempt a WHERE trial = ? AND pass = ? AND "
        "repeat = ? AND (outcome IS NULL AND " +
        pool_of_attempt("a") + " = ? AND (" + left_queue_ns("a") +
        " IS NULL OR EXISTS "
        "(SELECT 1 FROM sweep_attempt sa JOIN sweep s ON s.id = sa.sweep "
        "WHERE sa.attempt = a.row AND s.cancelled_ns IS NULL)) "
        "OR (outcome = 'done' AND is_current = 1 AND "
        "host = ? AND row IS NOT ? AND ? AND " +
        same_code_and_machine("a") + ")) ORDER BY outcome IS NULL DESC LIMIT 1";
    Query query(state_.connection, kSql);
    query.bind_all(wanted.trial_row, name_of(wanted.pass), wanted.repeat,
                   pool_of(def_, wanted.trial), host_of(wanted), not_this,
                   reuse_ == Reuse::kNone ? 0 : 1, reuse_ == Reuse::kAny ? "" : def_.code,
                   reuse_ == Reuse::kAny ? "" : machines_.of(wanted.trial).hash);
    if (!query.next()) return false;
    row = query.integer(0);
    open = query.integer(1) != 0;
  }
  link(row, open ? "joined" : "reused");
  ++(open ? receipt_.attempts_joined : receipt_.attempts_reused);
  return true;
}

void Enqueuer::note_change(const Wanted& wanted) {
  if (reuse_ != Reuse::kSame) return;
  const auto older = older_.find(wanted.key, wanted.base_key, name_of(wanted.pass), wanted.repeat,
                                 host_of(wanted));
  if (older) {
    count_change(receipt_.changes, *older, def_, wanted.trial, machines_.of(wanted.trial));
  }
}

std::optional<Crashes> Enqueuer::skips(const Wanted& wanted) {
  if (insist_ == Insist::kYes) return std::nullopt;
  Crashes crashes = crashes_of(state_.connection, def_, wanted.trial_row, name_of(wanted.pass),
                               host_of(wanted), machines_.of(wanted.trial).hash);
  if (!crashes.at_limit()) return std::nullopt;
  if (receipt_.attempts_skipped++ == 0) receipt_.skipped_because = describe(ending_of(crashes));
  return crashes;
}

void Enqueuer::add(const Wanted& wanted, Siblings siblings) {
  OpenAttempt attempt;
  attempt.id = bucket_ + random_id().substr(bucket_.size());
  attempt.trial_key = wanted.key;
  attempt.workload = wanted.workload;
  attempt.trial = wanted.trial;
  attempt.pass = wanted.pass;
  attempt.repeat = wanted.repeat;
  attempt.position = state_.take_position();
  attempt.priority = wanted.priority;
  attempt.timeout = wanted.timeout;
  attempt.axes = axes_;
  attempt.held = receipt_.is_paused;
  attempt.sweep = sweep_;
  sentinel_.fill(def_, attempt);
  Query(state_.connection,
        "INSERT INTO attempt (uid, trial, pass, repeat, host, is_current, position, priority, "
        "timeout_ns, insisted) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .bind_all(attempt.id, wanted.trial_row, name_of(wanted.pass), wanted.repeat, host_of(wanted),
                siblings == Siblings::kNone ? 1 : 0, attempt.position, attempt.priority,
                attempt.timeout.ns, insist_ == Insist::kYes ? 1 : 0)
      .run();
  attempt.row = state_.connection.database().getLastInsertRowid();
  if (siblings == Siblings::kPossible) {
    if (const auto crashes = skips(wanted)) {
      set_ending(state_.connection, attempt.row, ending_of(*crashes), now_);
      return link(attempt.row, "queued");
    }
    mark_current(state_.connection, wanted.trial_row, wanted.pass, wanted.repeat);
  }
  link(attempt.row, "queued");
  ++receipt_.attempts_queued;
  receipt_.queued.push_back(std::move(attempt));
}

}  // namespace sweepd
