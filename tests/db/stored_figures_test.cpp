// Tests Reader::results for figures that are not measured step by step: figures, facts, kernels,
// allocations.
#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include "tests/db/results_fixture.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

class StoredFiguresTest : public ResultsTest {
 protected:
  void change(const std::string& statement) {
    SQLite::Database(file().string(), SQLite::OPEN_READWRITE).exec(statement);
  }
  std::int64_t name(const std::string& text) {
    change("INSERT OR IGNORE INTO name (text) VALUES ('" + text + "')");
    return std::stoll(sql("SELECT id FROM name WHERE text = '" + text + "'").front());
  }

  // One launch shape of a kernel: its calls, their sum and the spread of one call in ns.
  struct Launch {
    std::string kernel, kind, phase, range;
    int grid = 1, calls = 1;
    double total_ns = 0, median_ns = 0, min_ns = 0, max_ns = 0, std_ns = 0;
  };
  void add_kernel(std::int64_t attempt, const Launch& k, int rank = 0) {
    change(
        fmt::format("INSERT INTO kernel (attempt, rank, phase, range, kernel, short_name, class, "
                    "grid_x, grid_y, grid_z, block_x, block_y, block_z, calls, total_ns, mean_ns, "
                    "median_ns, min_ns, max_ns, std_ns) VALUES ({}, {}, {}, {}, {}, {}, {}, {}, 1, "
                    "1, 128, 1, 1, {}, {}, {}, {}, {}, {}, {})",
                    attempt, rank, name(k.phase), name(k.range), name(k.kernel + "<float>"),
                    name(k.kernel), name(k.kind), k.grid, k.calls, k.total_ns, k.total_ns / k.calls,
                    k.median_ns, k.min_ns, k.max_ns, k.std_ns));
  }
  void add_operator(std::int64_t attempt, const std::string& phase, const std::string& op,
                    int calls, double self_cpu_ns, double cpu_ns, double self_ns, double ns) {
    change(fmt::format("INSERT INTO operator VALUES ({}, 0, {}, {}, {}, {}, {}, {}, {}, {})",
                       attempt, name(phase), name("ffn"), name(op), calls, self_cpu_ns, cpu_ns,
                       self_ns, ns));
  }
  void add_block(std::int64_t attempt, int sequence, std::int64_t bytes, const std::string& phase,
                 const std::string& origin) {
    change(fmt::format("INSERT INTO allocation VALUES ({}, 0, {}, {}, 0, NULL, {}, {}, {})",
                       attempt, sequence, bytes, name(phase), name("ffn"), name(origin)));
  }

  // Stores one done attempt of `pass` for model=xl.
  std::int64_t done_in(Pass pass, const std::string& context = "128") {
    auto request = sweep("s", {{{"model", "xl"}, {"context", context}}});
    request.sweep.passes = {pass};
    const std::int64_t row = submit(request).queued.front().row;
    finish(ended(row, {Done{"fixed_steps"}, 0}));
    return row;
  }
};

QuerySpec of_metric(QuerySpec query, const std::string& metric) {
  query.table.metric = metric;
  return query;
}

TEST_F(StoredFiguresTest, AFigureIsThereWhateverTheOutcome) {
  const auto queued = submit(sweep("s", {{{"context", "1"}}, {{"context", "2"}}})).queued;
  finish(done(queued[0].row, 1, 2));
  AttemptRecord oom = ended(queued[1].row, {Oom{1_GiB, 2_GiB, 4_GiB, "backward"}, 0});
  oom.work = WorkPerStep{"fp32", 0, {}, {{"parameters", 7, "V*d"}, {"weight_bytes", 28, "4P"}}};
  finish(oom);
  const auto results = ask(of_metric(by({"context"}), "figure.parameters"));
  EXPECT_THAT(lines(results), ElementsAre("1 done 1998235200", "2 oom 7"));
  EXPECT_EQ(results.unit, "1");
  EXPECT_EQ(ask(of_metric(by({"context"}), "figure.weight_bytes")).unit, "B");
  // All figures have one row each; `phase` does not matter to them.
  EXPECT_THAT(
      lines(ask(by({"context", "figure"}))),
      ElementsAre("1 parameters done 1998235200", "2 parameters oom 7", "2 weight_bytes oom 28"));
  EXPECT_THAT(lines(ask(of_metric(by({"context"}, {"phase"}), "figure.parameters"))),
              ElementsAre("1 * done 1998235200", "2 * oom 7"));
}

TEST_F(StoredFiguresTest, TheTextOfAFigureIsItsFormula) {
  const auto row = submit(sweep("s", {{{"context", "1"}}})).queued.front().row;
  AttemptRecord record = done(row, 1, 2);
  record.work = WorkPerStep{"fp32", 0, {}, {{"parameters", 7, "V d = 7"}}};
  finish(record);
  auto query = of_metric(by({"context"}), "figure.parameters");
  EXPECT_EQ(ask(query).rows.front().text, "");
  query.table.cell = "{mean:.0f} = {text}";
  EXPECT_EQ(ask(query).rows.front().text, "V d = 7");
  EXPECT_EQ(ask(query).rows.front().stats.mean, 7);
}

TEST_F(StoredFiguresTest, AFigureIsOnceATrialAndAWordBeforeItIsKnown) {
  auto request = sweep("s", {{{"context", "1"}}});
  request.sweep.passes = {Pass::kTiming, Pass::kMemory};
  const auto queued = submit(request).queued;
  const auto figure = of_metric(by({"context"}), "figure.parameters");
  EXPECT_THAT(lines(ask(figure)), ElementsAre("1 pending"));
  for (const auto& attempt : queued) {
    if (attempt.pass == Pass::kTiming) finish(done(attempt.row, 1, 2));
  }
  EXPECT_THAT(lines(ask(figure)), ElementsAre("1 done 1998235200"));
}

TEST_F(StoredFiguresTest, FactsAreNumbersOrTexts) {
  const auto row = submit(sweep("s", {{{"model", "xl"}}})).queued.front().row;
  AttemptRecord record = done(row, 1, 2);
  record.facts = {
      {0, "dtype.logits", std::nullopt, "float16"}, {0, "result", 9.5, ""}, {1, "result", 8.5, ""}};
  finish(record);
  EXPECT_THAT(lines(ask(of_metric(by({"model"}), "fact.result"))), ElementsAre("xl done 9.5"));
  EXPECT_THAT(lines(ask(of_metric(by({"model"}), "fact.dtype.logits"))),
              ElementsAre("xl done float16"));
  EXPECT_THAT(lines(ask(by({"fact"}))),
              UnorderedElementsAre("dtype.logits done float16", "result done 9.5"));
  EXPECT_EQ(ask(of_metric(by({"model"}), "fact.dtype.logits")).rows.at(0).stats.n, 0)
      << "a text has no mean";
  EXPECT_THAT(lines(ask(by({"fact"}, {"rank"}, {{"fact", {"result"}}}))),
              UnorderedElementsAre("result 0 done 9.5", "result 1 done 8.5"));
}

TEST_F(StoredFiguresTest, FactsComeInTheOrderOfTheirStatement) {
  AttemptRecord record = done(submit(sweep("s", {{{"model", "xl"}}})).queued.front().row, 1, 2);
  for (const char* name : {"input", "fc1.weight", "activation", "loss", "attention"}) {
    record.facts.push_back({0, name, std::nullopt, "float32"});
  }
  finish(record);
  EXPECT_THAT(ask(by({"fact"})).dimensions.at(0).values,
              ElementsAre("input", "fc1.weight", "activation", "loss", "attention"));
}

// The ids of names depend on earlier stores.
TEST_F(StoredFiguresTest, TheOrderOfFactsAndFiguresIsThatOfNoDatabase) {
  const auto store = [&](const NewSweep& request, const std::vector<std::string>& names) {
    AttemptRecord record = done(submit(request).queued.front().row, 1, 2);
    record.work = WorkPerStep{"fp32", 0, {}, {}};
    for (const std::string& name : names) {
      record.facts.push_back({0, name, std::nullopt, "float32"});
      record.work->figures.push_back({name + "_bytes", 1, "1"});
    }
    finish(record);
  };
  store(sweep("earlier", {{{"context", "1"}}}), {"loss", "logits"});
  const NewSweep request = sweep("s", {{{"context", "2"}}});
  store(request, {"fc1.weight", "loss"});
  const auto values = [&](const std::string& column, const SweepId& of) {
    QuerySpec query = by({column});
    query.sweep = of;
    return ask(query).dimensions.at(0).values;
  };
  EXPECT_THAT(values("fact", request.id), ElementsAre("fc1.weight", "loss"));
  EXPECT_THAT(values("figure", request.id), ElementsAre("fc1.weight_bytes", "loss_bytes"));
  EXPECT_THAT(values("fact", ""), ElementsAre("fc1.weight", "loss", "logits"))
      << "of all trials: by the first place that one of them has, then by name";
}

// A file's table may request figures that this kernel, build or machine never reports.
TEST_F(StoredFiguresTest, ADeclaredTableMayNameWhatNoResultHas) {
  const auto row = done_in(Pass::kProfile);
  add_kernel(row, {"flash", "matmul", "forward", "attention.flash", 1, 1, 2e6});
  const auto declared = [](QuerySpec query) {
    query.declared = true;
    return query;
  };
  const auto query = of_metric(by({"model"}, {}, {{"range", {"attention.scores"}}}), "kernel_time");
  EXPECT_THAT(refusal(query), HasSubstr("range: no result has `attention.scores`; there are"));
  EXPECT_THAT(lines(ask(declared(query))), ElementsAre("xl done 0"));
  EXPECT_THAT(ask(declared(query)).unknown, ElementsAre("range `attention.scores`"));
  EXPECT_THAT(ask(declared(of_metric(by({"model"}), "busbw"))).unknown,
              ElementsAre("metric `busbw`"));
}

TEST_F(StoredFiguresTest, KernelsAreSummedOverWhatIsNotNamed) {
  const auto row = done_in(Pass::kProfile);
  add_kernel(row, {"gemm", "matmul", "forward", "ffn", 8, 2, 4e6, 2e6, 1e6, 3e6, 1e6});
  add_kernel(row, {"gemm", "matmul", "forward", "ffn", 16, 1, 6e6, 6e6, 6e6, 6e6, 0});
  add_kernel(row, {"softmax", "softmax", "forward", "attention.softmax", 4, 1, 2e6, 2e6, 2e6, 2e6});
  add_kernel(row, {"gemm", "matmul", "backward", "ffn", 8, 4, 8e6, 2e6, 2e6, 2e6, 0});
  add_kernel(row, {"gemm", "matmul", "backward", "ffn", 8, 4, 9e6, 2e6, 2e6, 2e6, 0}, 1);
  const auto table = [&](std::vector<std::string> rows, const std::string& metric,
                         std::vector<TableSpec::Filter> where = {}) {
    return lines(ask(of_metric(by(std::move(rows), {}, std::move(where)), metric)));
  };
  EXPECT_THAT(table({"kernel"}, ""), ElementsAre("gemm done 18", "softmax done 2"));
  EXPECT_THAT(table({"class"}, "kernel_calls"), ElementsAre("matmul done 7", "softmax done 1"));
  EXPECT_THAT(table({"model"}, "kernel_time"), ElementsAre("xl done 20"));
  EXPECT_THAT(table({"phase"}, "kernel_time"), ElementsAre("forward done 12", "backward done 8"));
  EXPECT_THAT(table({"range"}, "kernel_max", {{"phase", {"forward"}}}),
              ElementsAre("ffn done 6", "attention.softmax done 2"));
  EXPECT_THAT(table({"grid"}, "kernel_calls", {{"kernel", {"gemm"}}, {"phase", {"forward"}}}),
              ElementsAre("16x1x1 done 1", "8x1x1 done 2"));
  EXPECT_THAT(table({"kernel"}, "kernel_calls", {{"kernel", {"softmax<float>"}}}),
              ElementsAre("softmax done 1"));  // by its full name
  EXPECT_THAT(table({"rank"}, "kernel_time", {{"phase", {"backward"}}}),
              ElementsAre("0 done 8", "1 done 9"));
  // 2, 2 +- 1 and 6 are combined as if the three calls were one list. The median of two launch
  // shapes is unknown.
  EXPECT_THAT(table({"kernel"}, "kernel_mean", {{"phase", {"forward"}}, {"kernel", {"gemm"}}}),
              ElementsAre(HasSubstr("gemm done 3.33333333333333")));
  EXPECT_THAT(table({"kernel"}, "kernel_std", {{"phase", {"forward"}}, {"kernel", {"gemm"}}}),
              ElementsAre(HasSubstr("gemm done 2.4152294576982")));
  EXPECT_THAT(table({"phase"}, "kernel_median", {{"kernel", {"gemm"}}}),
              ElementsAre("backward done 2"));
}

// These are the columns of torch.profiler's table. Kernels are rows beside the operators that
// launched them.
TEST_F(StoredFiguresTest, OperatorsHaveBothClocks) {
  const std::int64_t row = done_in(Pass::kProfile);
  add_operator(row, "forward", "aten::linear", 2, 1e6, 4e6, 0, 6e6);
  add_operator(row, "forward", "aten::mm", 2, 3e6, 3e6, 6e6, 6e6);
  add_operator(row, "backward", "aten::mm", 4, 4e6, 4e6, 2e6, 2e6);
  add_kernel(row, {"gemm", "matmul", "forward", "ffn", 8, 2, 6e6, 2e6, 1e6, 3e6, 1e6});
  add_kernel(row, {"gemm", "matmul", "backward", "ffn", 8, 4, 2e6, 2e6, 2e6, 2e6, 0});
  const auto table = [&](const std::string& metric, std::vector<TableSpec::Filter> where = {}) {
    QuerySpec query = of_metric(by({"operator"}), metric);
    query.table.where = std::move(where);
    return lines(ask(query));
  };
  const std::vector<TableSpec::Filter> forward{{"phase", {"forward"}}};
  EXPECT_THAT(table(""), ElementsAre("aten::linear done 1", "aten::mm done 7", "gemm done 0"));
  EXPECT_THAT(table("operator_self_cpu_share"),
              ElementsAre("aten::linear done 0.125", "aten::mm done 0.875", "gemm done 0"));
  EXPECT_THAT(table("operator_cpu_share", forward),
              ElementsAre("aten::linear done 1", "aten::mm done 0.75", "gemm done 0"));
  EXPECT_THAT(table("operator_cpu_mean", forward),
              ElementsAre("aten::linear done 2", "aten::mm done 1.5", "gemm done 0"));
  EXPECT_THAT(table("operator_self_device_share"),
              ElementsAre("aten::linear done 0", "aten::mm done 1", "gemm done 1"));
  EXPECT_THAT(table("operator_device_time"),
              ElementsAre("aten::linear done 6", "aten::mm done 8", "gemm done 8"));
  EXPECT_THAT(table("operator_calls", {{"operator", {"aten::mm"}}}),
              ElementsAre("aten::mm done 6"));
  QuerySpec whole = of_metric(by({"model"}), "operator_self_cpu_time");
  EXPECT_THAT(lines(ask(whole)), ElementsAre("xl done 8"));
  whole.table.metric = "operator_self_device_time";
  EXPECT_THAT(lines(ask(whole)), ElementsAre("xl done 8")) << "not each kernel twice";
}

TEST_F(StoredFiguresTest, OperatorsOfACpuHaveNoDeviceTimes) {
  const std::int64_t row = done_in(Pass::kProfile);
  add_operator(row, "forward", "aten::mm", 2, 3e6, 3e6, 0, 0);
  add_kernel(row, {"aten::mm", "matmul", "forward", "ffn", 0, 2, 3e6, 2e6, 1e6, 3e6, 1e6});
  EXPECT_THAT(lines(ask(of_metric(by({"operator"}), "operator_calls"))),
              ElementsAre("aten::mm done 2"));
  const auto device = ask(of_metric(by({"operator"}), "operator_self_device_time"));
  for (const ResultRow& result : device.rows) EXPECT_EQ(result.stats.n, 0);
}

TEST_F(StoredFiguresTest, SharesAreOfThePhasesOwnTime) {
  const auto row = done_in(Pass::kProfile);
  add_kernel(row, {"gemm", "matmul", "forward", "ffn", 8, 1, 6e6});
  add_kernel(row, {"softmax", "softmax", "forward", "ffn", 8, 1, 2e6});
  add_kernel(row, {"gemm", "matmul", "backward", "ffn", 8, 1, 12e6});
  const auto shares = [&](std::vector<std::string> rows, std::vector<TableSpec::Filter> where) {
    return lines(ask(of_metric(by(std::move(rows), {}, std::move(where)), "kernel_share")));
  };
  EXPECT_THAT(shares({"class"}, {{"phase", {"forward"}}}),
              ElementsAre("matmul done 0.75", "softmax done 0.25"));
  EXPECT_THAT(shares({"phase", "class"}, {}),
              UnorderedElementsAre("forward matmul done 0.75", "forward softmax done 0.25",
                                   "backward matmul done 1"));
  EXPECT_THAT(shares({"class"}, {}), ElementsAre("matmul done 0.9", "softmax done 0.1"));
  // Time that a filter hides still counts as time.
  EXPECT_THAT(shares({"class"}, {{"class", {"softmax"}}, {"phase", {"step"}}}),
              ElementsAre("softmax done 0.1"));
}

TEST_F(StoredFiguresTest, AllocationsByPlaceAndByOrigin) {
  const auto row = done_in(Pass::kMemory);
  add_block(row, 0, 100, "forward", "weights");
  add_block(row, 1, 400, "forward", "logits");
  add_block(row, 2, 300, "backward", "logits");
  EXPECT_THAT(lines(ask(by({"allocation", "origin"}))),
              ElementsAre("1 logits done 400", "2 logits done 300", "3 weights done 100"));
  EXPECT_THAT(lines(ask(by({"origin"}, {}, {{"allocation", {"1"}}}))),
              ElementsAre("logits done 400"));
  const auto logits = ask(by({"model"}, {}, {{"origin", {"logits"}}}));
  ASSERT_EQ(logits.rows.size(), 1u);
  EXPECT_EQ(logits.unit, "B");
  EXPECT_EQ(logits.rows[0].stats.n, 2);
  EXPECT_EQ(logits.rows[0].stats.max, 400);
  EXPECT_THAT(lines(ask(by({"origin"}, {}, {{"phase", {"backward"}}}))),
              ElementsAre("logits done 300"));
}

TEST_F(StoredFiguresTest, BlocksOfAllLayersAreOneOrigin) {
  const auto row = done_in(Pass::kMemory);
  for (int layer = 0; layer < 3; ++layer) {
    add_block(row, layer, 100 + layer, "backward", fmt::format("block{}.w1.grad", layer));
  }
  const auto folded = ask(by({"origin"}));
  ASSERT_EQ(folded.rows.size(), 1U);
  EXPECT_THAT(folded.dimensions[0].values, ElementsAre("block*.w1.grad"));
  EXPECT_EQ(folded.rows[0].stats.n, 3);
  EXPECT_EQ(folded.rows[0].stats.max, 102);
  EXPECT_THAT(lines(ask(by({"allocation", "origin"}))),
              ElementsAre("1 block2.w1.grad done 102", "2 block1.w1.grad done 101",
                          "3 block0.w1.grad done 100"));
}

TEST_F(StoredFiguresTest, MistakesNameWhatThereIs) {
  auto record = done(submit(sweep("s", {{{"model", "xl"}}})).queued.front().row, 1, 2);
  record.facts = {{0, "result", 9.5, ""}};
  finish(record);
  add_kernel(done_in(Pass::kProfile, "256"), {"gemm", "matmul", "forward", "ffn"});
  const auto metric = [&](const std::string& name) {
    return refusal(of_metric(by({"model"}), name));
  };
  EXPECT_THAT(metric("figure.paramters"), HasSubstr("did you mean `figure.parameters`?"));
  EXPECT_THAT(metric("fact.reslt"), HasSubstr("did you mean `fact.result`?"));
  EXPECT_THAT(metric("parameters"), HasSubstr("did you mean `figure.parameters`?"));
  EXPECT_THAT(metric("kernel_tme"), HasSubstr("did you mean `kernel_time`?"));
  EXPECT_THAT(metric("forward"), HasSubstr("results of `toy` have no `forward`"));
  EXPECT_THAT(metric("figure"), HasSubstr("put `figure` in rows or columns"));
  EXPECT_THAT(refusal(by({"class"}, {}, {{"class", {"matmull"}}})),
              HasSubstr("did you mean `matmul`?"));
  EXPECT_THAT(refusal(of_metric(by({"kernel"}), "time")), HasSubstr("`kernel`: time has no such"));
  EXPECT_THAT(refusal(of_metric(by({"step"}), "kernel_time")), HasSubstr("not in every step"));
  EXPECT_THAT(refusal(by({"model"}, {}, {{"metric", {"time", "figure.parameters"}}})),
              HasSubstr("metrics of samples and of analytic figures"));
}

}  // namespace
}  // namespace sweepd
