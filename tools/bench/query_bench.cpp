// Measures a hundred thousand done `lm_step` trials and the queries of tables over them, in
// process: reading, pivoting and rendering, as the daemon does between request and reply.
//   query_bench [TRIALS] [FILE]     FILE keeps the database
#include <SQLiteCpp/SQLiteCpp.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "db/query/query.h"
#include "db/store/store.h"
#include "runner/model/sweep/run_params.h"
#include "runner/model/vocabulary/param.h"
#include "runner/report/cell/report.h"
#include "tools/bench/bench_output.h"

namespace sweepd {
namespace {

constexpr int kRepeats = 7;

// Has as many columns as lm_step, and its axes.
struct LmParams {
  std::string model = "small", precision = "fp32", mode = "train_step", attention = "naive";
  std::int64_t context = 256, batch = 4, vocab = 50257;
  void visit(auto& field) {
    field("model", model, "size", one_of({"small", "medium", "large", "xl", "2.7B"}));
    field("context", context, "tokens", at_least(1));
    field("batch", batch, "sequences", at_least(1));
    field("vocab", vocab, "words", at_least(1));
    field("precision", precision, "of matmuls", one_of({"fp32", "bf16"}));
    field("mode", mode, "what a step does");
    field("attention", attention, "which");
  }
};

WorkloadDef lm_step() {
  WorkloadDef def;
  def.name = "lm_step";
  def.passes = {"timing", "profile"};
  def.phases = {"forward", "backward", "optimizer"};
  def.params = describe_params<LmParams>();
  for (ParamDef& param : describe_params<RunParams>()) {
    param.run_param = true;
    def.params.push_back(std::move(param));
  }
  return def;
}

[[noreturn]] void fail(const Error& error) {
  fmt::print(stderr, "query_bench: {}\n", error.message);
  std::exit(1);
}

NewSweep make_sweep(const WorkloadDef& def, int trials) {
  NewSweep request;
  request.id = random_id();
  request.sweep.name = "bench";
  request.sweep.workload = def.name;
  const char* models[] = {"small", "medium", "large", "xl", "2.7B"};
  for (int i = 0; i < trials; ++i) {
    Trial trial = default_trial(def);
    const auto set = [&](const char* name, Value value) {
      trial.values[*def.index_of(name)] = std::move(value);
    };
    set("model", std::string(models[i % 5]));
    set("context", std::int64_t{128} << (i / 5 % 4));
    set("precision", std::string(i / 20 % 2 == 0 ? "fp32" : "bf16"));
    set("seed", std::int64_t{i / 40});
    request.trials.push_back({key_of(def, trial), trial});
  }
  return request;
}

// Submits through the store. The endings are one statement each, since a transaction per attempt
// belongs to another benchmark. Of a thousand attempts, one is suspect and one ran out of memory.
void fill(const std::filesystem::path& file, const Catalog& catalog, int trials) {
  HostInfo host;
  host.id = host.hostname = "bench";
  auto store = Store::open(file, catalog, host);
  if (!store) fail(store.error());
  const auto receipt =
      (*store)->submit(make_sweep(catalog.workloads.front(), trials), catalog.workloads.front());
  if (!receipt) fail(receipt.error());
  SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
  SQLite::Transaction all(database);
  database.exec(
      "INSERT OR IGNORE INTO name (text) VALUES ('time'), ('host_time'), ('loss'), ('setup_time'), "
      "('setup'), ('forward'), ('backward'), ('optimizer'), ('step');"
      "UPDATE attempt SET outcome = iif(row % 1000 = 7, 'oom', 'done'), started_ns = row, ended_ns "
      "= "
      "row + 1, verdict = iif(row % 1000 = 7, NULL, iif(row % 1000 = 3, 'suspect', 'valid'));"
      "INSERT INTO attempt_reason SELECT row, 0, 'load' FROM attempt WHERE verdict = 'suspect';"
      "INSERT INTO summary (attempt, metric, phase, n, mean, std, min, p05, median, p95, max, mad, "
      "steady_from, steadiness) SELECT a.row, m.id, p.id, 10, 20 + a.row % 97 + p.id, 0.1 + a.row "
      "% 7, a.row % 97, a.row % 97 + 1, 20 + a.row % 97, 150, 160, 1, iif(m.text = 'time', 1, "
      "NULL), iif(m.text = 'time', 'steady', NULL) FROM attempt a, name m, name p "
      "WHERE a.outcome = 'done' AND ((m.text = 'time' AND p.text IN ('forward', 'backward', "
      "'optimizer', 'step')) OR (m.text IN ('host_time', 'loss') AND p.text = 'step') OR "
      "(m.text = 'setup_time' AND p.text = 'setup'));");
  all.commit();
}

QuerySpec spec(std::vector<std::string> rows, std::vector<std::string> columns,
               std::vector<TableSpec::Filter> where = {}) {
  QuerySpec query;
  query.workload = "lm_step";
  query.table.rows = std::move(rows);
  query.table.columns = std::move(columns);
  query.table.where = std::move(where);
  query.table.pool = {"context", "precision",
                      "seed"};  // all axes of make_sweep that rows and columns may lack
  return query;
}

template <class Work>
void measure(const std::string& name, double at_most, const char* how, Work work) {
  BenchLine line{name, "ms", {}, at_most, how};
  for (int i = 0; i <= kRepeats; ++i) {
    timespec before{}, after{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
    work();
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
    const double ms = static_cast<double>(after.tv_sec - before.tv_sec) * 1e3 +
                      static_cast<double>(after.tv_nsec - before.tv_nsec) / 1e6;
    if (i > 0) line.values.push_back(ms);  // the first run fills the page cache
  }
  print(line);
}

void measure(Reader& reader, const std::string& name, const QuerySpec& query) {
  measure(name, 100, "Reader::results, pivot, JSON; CPU time of the thread", [&] {
    const auto results = reader.results(query, needs_samples(query));
    if (!results) fail(results.error());
    const auto table = pivot(*results, query);
    if (!table) fail(table.error());
    if (to_json_text(*table).empty()) std::exit(1);
  });
}

void measure_caption(Reader& reader, const std::string& name, const QuerySpec& query) {
  measure(name, 400, "Reader::measured_with; CPU time of the thread", [&] {
    const auto common = reader.measured_with(query);
    if (!common) fail(common.error());
  });
}

int run(int trials, const std::filesystem::path& file) {
  const Catalog catalog{{lm_step()}};
  if (!std::filesystem::exists(file)) fill(file, catalog, trials);
  auto reader = Reader::open(file, catalog);
  if (!reader) fail(reader.error());
  const std::string size = fmt::format(" over {} trials", trials);
  measure(**reader, "model x context" + size, spec({"model"}, {"context"}));
  measure(**reader, "model x phase" + size, spec({"model"}, {"phase"}));
  measure(**reader, "model, context x precision, forward" + size,
          spec({"model", "context"}, {"precision"}, {{"phase", {"forward"}}}));
  measure(**reader, "one precision, model x context" + size,
          spec({"model"}, {"context"}, {{"precision", {"bf16"}}}));
  QuerySpec of_sweep = spec({"model"}, {"context"});
  of_sweep.sweep = (*reader)->find_sweep("bench")->id;
  measure(**reader, "of a sweep, model x context" + size, of_sweep);
  measure_caption(**reader, "caption of model x context" + size, spec({"model"}, {"context"}));
  measure_caption(**reader, "caption of a sweep, model x context" + size, of_sweep);
  return 0;
}

}  // namespace
}  // namespace sweepd

int main(int count, char** words) {
  const int trials = count > 1 ? std::atoi(words[1]) : 100000;
  const bool keep = count > 2;
  const auto file = keep ? std::filesystem::path(words[2])
                         : std::filesystem::temp_directory_path() /
                               ("query_bench-" + sweepd::random_id() + ".db");
  const int status = sweepd::run(trials, file);
  if (!keep) {
    for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(file.string() + end);
  }
  return status;
}
