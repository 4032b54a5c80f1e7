#include <fmt/format.h>

#include <algorithm>

#include "db/base/strangers_file.h"
#include "db/base/which_counts.h"
#include "db/merge/merge.h"
#include "db/merge/params.h"
#include "db/merge/plan.h"
#include "db/store/state.h"

namespace sweepd {
namespace {

enum class Stage { kSmall, kTrials, kAttempts, kPeaks, kOver };

// Between two batches the daemon answers clients and starts attempts.
constexpr Duration kBatchTime = milliseconds(50);
constexpr Duration kPartTime = seconds(60);  // of all statements of a batch
constexpr std::int64_t kSmallestBatch = 16;
constexpr std::int64_t kLargestBatch = 20'000;

constexpr std::string_view kMakeBatch =
    "CREATE TEMP TABLE merge_batch (old INTEGER PRIMARY KEY, new INTEGER, fresh INTEGER NOT NULL)";

// For each point of a sweep one attempt counts: an open one, else the one that ended last, as after
// a retry.
constexpr std::string_view kOneAnswer =
    "DELETE FROM main.sweep_attempt WHERE (sweep, attempt) IN (SELECT sweep, attempt FROM ("
    "SELECT s.sweep, s.attempt, row_number() OVER (PARTITION BY s.sweep, a.trial, a.pass, "
    "a.repeat, "
    "(SELECT h.pool FROM main.host h WHERE h.id = a.host) "
    "ORDER BY a.ended_ns IS NULL DESC, a.ended_ns DESC, a.row DESC) AS place "
    "FROM (SELECT DISTINCT n.trial, n.pass, n.repeat FROM temp.merge_batch b "
    "JOIN main.attempt n ON n.row = b.new) p "
    "CROSS JOIN main.attempt a ON a.trial = p.trial AND a.pass = p.pass AND a.repeat = p.repeat "
    "CROSS JOIN main.sweep_attempt s ON s.attempt = a.row) WHERE place > 1)";

// The attempt of every point of the batch that counts ("= 1"), or the others ("> 1").
std::string placed(std::string_view place) {
  return "SELECT row FROM (SELECT a.row, row_number() OVER (PARTITION BY a.trial, a.pass, "
         "a.repeat, a.host ORDER BY " +
         the_one_that_counts_first("a") +
         ") AS place FROM (SELECT DISTINCT n.trial, n.pass, n.repeat FROM temp.merge_batch b "
         "JOIN main.attempt n ON n.row = b.new WHERE b.fresh) p CROSS JOIN main.attempt a ON "
         "a.trial = p.trial AND a.pass = p.pass AND a.repeat = p.repeat) WHERE place " +
         std::string(place);
}

constexpr std::string_view kMergePeaks =
    "INSERT INTO main.device_peak (device, arithmetic, flops_per_s, flops_attempt, bytes_per_s, "
    "bytes_attempt, seen_flops_per_s, seen_bytes_per_s) SELECT {}, o.arithmetic, o.flops_per_s, "
    "{}, o.bytes_per_s, {}, o.seen_flops_per_s, o.seen_bytes_per_s FROM other.device_peak o WHERE "
    "true ON CONFLICT (device, arithmetic) DO UPDATE SET "
    "flops_attempt = iif(excluded.flops_per_s > flops_per_s, excluded.flops_attempt, "
    "flops_attempt), flops_per_s = max(flops_per_s, excluded.flops_per_s), "
    "bytes_attempt = iif(excluded.bytes_per_s > bytes_per_s, excluded.bytes_attempt, "
    "bytes_attempt), bytes_per_s = max(bytes_per_s, excluded.bytes_per_s), "
    "seen_flops_per_s = max(seen_flops_per_s, excluded.seen_flops_per_s), "
    "seen_bytes_per_s = max(seen_bytes_per_s, excluded.seen_bytes_per_s)";

}  // namespace

struct Merger::State {
  State(Store::State& store_, std::filesystem::path copy_)
      : store(store_), copy(std::move(copy_)) {}
  ~State();

  Result<void> begin();
  void merge_small();
  void merge_owned(const MergeTable& identity, std::string_view where_of_attempts);
  // Fills temp.merge_batch with the next rows of a large identity. Returns false if none are left.
  bool next_batch(const MergeTable& identity, const std::string& where);
  void finish_batch(const MergeTable& identity, MergeCount& count);
  bool merge_trials();
  bool merge_attempts();
  void merge_peaks();
  void adapt(Duration took);
  std::int64_t run(const std::string& sql) { return Query(store.connection, sql).run(); }

  Store::State& store;
  std::filesystem::path copy;
  MergePlan plan;
  MergeReceipt receipt;
  Stage stage = Stage::kSmall;
  std::int64_t last_row = 0;  // row of the other file, in this stage
  std::int64_t batch = 256;   // rows
};

Merger::Merger(std::unique_ptr<State> state) : state_(std::move(state)) {}
Merger::~Merger() = default;

Merger::State::~State() {
  try {
    store.connection.execute("DROP TABLE IF EXISTS temp.merge_batch");
    for (const MergeTable& table : plan.identities) {
      store.connection.execute("DROP TABLE IF EXISTS temp." + sql_name("merge_" + table.name));
    }
    store.connection.execute("DETACH other");
  } catch (const SQLite::Exception&) {
    // Begin failed and left nothing attached.
  }
}

namespace {

// Ends the limit on the time of a part of the merge. Rows may refer to others that were deleted
// here since the merge began; that is no bug.
template <class T>
Result<T> about_the_file(Connection& connection, Result<T> result) {
  connection.set_time_limit(Duration{0});
  connection.start_timer();
  if (result) return result;
  const Error& error = result.error();
  if (error.code == ErrorCode::kResourceExhausted) {
    return Error{error.code,
                 fmt::format("merging: a part took longer than {}; earlier parts are kept",
                             to_human(kPartTime))};
  }
  if (error.code != ErrorCode::kInternal) return result;
  return Error{
      ErrorCode::kFailedPrecondition,
      error.message +
          ". The parts merged before stay. Either rows of them were deleted during the "
          "merge, and a second merge restores them; or the file is not as sweepd writes it"};
}

}  // namespace

Result<void> Merger::prepare(const std::filesystem::path& copy) {
  try {
    Connection connection(copy, Access::kReadWrite);
    connection.distrust(kStrangersTime);
    if (auto tables = check_tables(connection); !tables) return tables;
    if (auto texts = check_texts(connection); !texts) return texts;
    connection.execute("PRAGMA synchronous = OFF");
    // The table's own key begins with the sweep, but the merge goes trial by trial.
    connection.execute("CREATE INDEX IF NOT EXISTS merge_sweep_trial ON sweep_trial (trial)");
    connection.execute("PRAGMA journal_mode = DELETE");
    return {};
  } catch (const SQLite::Exception& exception) {
    return about_strangers_file(to_error(exception, "preparing the merge", nullptr));
  }
}

Result<std::unique_ptr<Merger>> Merger::begin(Store& store, const std::filesystem::path& copy) {
  auto state = std::make_unique<State>(*store.state_, copy);
  Connection& connection = state->store.connection;
  connection.set_time_limit(kPartTime);
  connection.start_timer();
  auto begun = about_the_file(
      connection, guarded(connection, "beginning the merge", [&] { return state->begin(); }));
  if (!begun) return begun.error();
  return std::unique_ptr<Merger>(new Merger(std::move(state)));
}

Result<void> Merger::State::begin() {
  Query(store.connection, "ATTACH ? AS other").bind(copy.string()).run();
  std::vector<WorkloadDef> programs;
  auto grown = store.transact("growing the parameter tables", [&]() -> Result<void> {
    auto adopted = adopt_programs(store.connection, store.catalog);
    if (!adopted) return adopted.error();
    programs = std::move(*adopted);
    return adopt_params(store.connection);
  });
  if (!grown) return grown;
  for (WorkloadDef& program : programs) {
    if (store.catalog.find(program.base) != nullptr)
      store.catalog.programs->set(std::move(program));
  }
  auto read = read_merge_plan(store.connection);
  if (!read) return read.error();
  plan = std::move(*read);
  store.connection.execute(std::string(kMakeBatch));
  for (const MergeTable& table : plan.identities) {
    if (is_large(table.name)) continue;
    store.connection.execute(
        fmt::format("CREATE TEMP TABLE {} (old INTEGER PRIMARY KEY, new INTEGER NOT NULL)",
                    sql_name("merge_" + table.name)));
  }
  Query open(store.connection, "SELECT count(*) FROM other.attempt WHERE outcome IS NULL");
  open.next();
  receipt.open = open.integer(0);
  return {};
}

void Merger::State::merge_owned(const MergeTable& identity, std::string_view where_of_attempts) {
  for (const MergeTable* table : plan.owned_by(identity.name)) {
    // A sweep that came later may refer to an attempt that was merged earlier.
    const bool all = table->name == "sweep_attempt";
    const std::int64_t rows =
        run(insert_owned(plan, *table, all ? "true" : std::string(where_of_attempts)));
    if (table->name == "sample") receipt.samples += rows;
  }
}

// Merges all small tables in one transaction.
void Merger::State::merge_small() {
  for (const MergeTable& table : plan.identities) {
    if (is_large(table.name)) continue;
    const std::string name = sql_name(table.name);
    const std::string map = "temp." + sql_name("merge_" + table.name);
    const std::int64_t brought =
        run(insert_identity(plan, table, fmt::format("other.{} o", name), "true"));
    const std::int64_t all = run(
        fmt::format("INSERT INTO {} SELECT o.{}, m.{} FROM other.{} o JOIN main.{} m ON {}", map,
                    sql_name(table.id), sql_name(table.id), name, name, same_key(plan, table)));
    if (table.name == "sweep") receipt.sweeps = {brought, all - brought};
    run("DELETE FROM temp.merge_batch");
    run(fmt::format("INSERT INTO temp.merge_batch SELECT old, new, 1 FROM {}", map));
    merge_owned(table, "true");
  }
}

bool Merger::State::next_batch(const MergeTable& identity, const std::string& where) {
  run("DELETE FROM temp.merge_batch");
  const std::string id = sql_name(identity.id);
  Query fill(
      store.connection,
      fmt::format("INSERT INTO temp.merge_batch SELECT o.{0}, NULL, NOT EXISTS (SELECT 1 FROM "
                  "main.{1} m WHERE {2}) FROM other.{1} o WHERE o.{0} > ? AND {3} "
                  "ORDER BY o.{0} LIMIT ?",
                  id, sql_name(identity.name), same_key(plan, identity), where));
  fill.bind_all(last_row, batch).run();
  Query last(store.connection, "SELECT max(old) FROM temp.merge_batch");
  if (!last.next() || last.is_null(0)) return false;
  last_row = last.integer(0);
  return true;
}

// Inserts the new rows of the batch and records the ids they have here.
void Merger::State::finish_batch(const MergeTable& identity, MergeCount& count) {
  const std::string name = sql_name(identity.name);
  const std::int64_t brought =
      run(insert_identity(plan, identity,
                          fmt::format("temp.merge_batch b CROSS JOIN other.{} o ON o.{} = b.old",
                                      name, sql_name(identity.id)),
                          "b.fresh"));
  const std::int64_t all = run(
      fmt::format("UPDATE temp.merge_batch SET new = (SELECT m.{0} FROM main.{1} m, other.{1} o "
                  "WHERE o.{0} = merge_batch.old AND {2})",
                  sql_name(identity.id), name, same_key(plan, identity)));
  count.brought += brought;
  count.present += all - brought;
}

bool Merger::State::merge_trials() {
  const MergeTable& trial = plan.identity("trial");
  if (!next_batch(trial, "true")) return false;
  finish_batch(trial, receipt.trials);
  merge_owned(trial, "true");
  return true;
}

bool Merger::State::merge_attempts() {
  const MergeTable& attempt = plan.identity("attempt");
  if (!next_batch(attempt, "o.outcome IS NOT NULL")) return false;
  finish_batch(attempt, receipt.attempts);
  // Their rows keep their positions, which may lie behind all of ours.
  store.next_position.reset();
  merge_owned(attempt, "b.fresh");
  run(std::string(kOneAnswer));
  // Clear before set: the unique index allows one current attempt at a time.
  run(fmt::format("UPDATE main.attempt SET is_current = 0 WHERE is_current = 1 AND row IN ({})",
                  placed("> 1")));
  run(fmt::format("UPDATE main.attempt SET is_current = 1 WHERE is_current = 0 AND row IN ({})",
                  placed("= 1")));
  Query hosts(store.connection,
              "SELECT DISTINCT h.hostname FROM temp.merge_batch b JOIN main.attempt a ON "
              "a.row = b.new JOIN main.host h ON h.id = a.host WHERE b.fresh");
  while (hosts.next()) receipt.add_host(hosts.text(0));
  return true;
}

void Merger::State::merge_peaks() {
  run(fmt::format(kMergePeaks, translated(plan, {"device", "device"}),
                  translated(plan, {"flops_attempt", "attempt"}),
                  translated(plan, {"bytes_attempt", "attempt"})));
}

void Merger::State::adapt(Duration took) {
  if (took > kBatchTime) batch = std::max(kSmallestBatch, batch / 2);
  if (took.ns < kBatchTime.ns / 3) batch = std::min(kLargestBatch, batch * 2);
}

Result<bool> Merger::step() {
  State& s = *state_;
  const Instant begin = now_instant();
  const MergeReceipt before = s.receipt;
  const Stage stage = s.stage;
  const std::int64_t last_row = s.last_row;
  s.store.connection.set_time_limit(kPartTime);
  s.store.connection.start_timer();
  auto done = s.store.transact("merging", [&]() -> Result<bool> {
    bool stage_over = true;
    switch (s.stage) {
      case Stage::kSmall:
        s.merge_small();
        break;
      case Stage::kTrials:
        stage_over = !s.merge_trials();
        break;
      case Stage::kAttempts:
        stage_over = !s.merge_attempts();
        break;
      case Stage::kPeaks:
        s.merge_peaks();
        break;
      case Stage::kOver:
        break;
    }
    if (stage_over && s.stage != Stage::kOver) {
      s.stage = static_cast<Stage>(static_cast<int>(s.stage) + 1);
      s.last_row = 0;
    }
    return s.stage != Stage::kOver;
  });
  done = about_the_file(s.store.connection, std::move(done));
  if (!done) {
    s.receipt = before;
    s.stage = stage;
    s.last_row = last_row;
    return done;
  }
  s.adapt(now_instant() - begin);
  return done;
}

const MergeReceipt& Merger::receipt() const {
  return state_->receipt;
}

}  // namespace sweepd
