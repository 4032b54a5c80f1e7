// Tests the workload as the worker sees it: parameters as text, figures with their formulas.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <vector>

#include "runner/worker/journal/measured.h"
#include "runner/worker/plugins/load.h"
#include "workloads/api/workload.h"

namespace sweepd {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const Registry& registry() {
  static const Registry loaded = [] {
    Registry all;
    add_shipped_workloads(all);
    return all;
  }();
  return loaded;
}

WorkPerStep work(const NamedTexts& texts) {
  const WorkloadEntry& entry = *registry().find("parallelism");
  const auto values = values_from_texts(entry.def, texts);
  if (!values) throw std::invalid_argument(values.error().message);
  return entry.work(*values, {});
}

Figure figure(const NamedTexts& texts, const std::string& name) {
  for (const Figure& figure : work(texts).figures) {
    if (figure.name == name) return figure;
  }
  throw std::out_of_range("no figure " + name);
}

std::string mistake(const NamedTexts& texts) {
  try {
    work(texts);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "none";
}

const NamedTexts kTpus{{"planned_device", "tpu_v5p"},
                       {"fsdp", "16"},
                       {"tensor", "4"},
                       {"axes_fsdp", "2"},
                       {"timed", "forward"}};

NamedTexts with(NamedTexts texts, const NamedTexts& more) {
  texts.insert(texts.end(), more.begin(), more.end());
  return texts;
}

TEST(Parallelism, FillsTheNumbersIntoItsFormulas) {
  struct Row {
    NamedTexts texts;
    std::string figure, formula;
  };
  const NamedTexts half{
      {"planned_device", "tpu_v5p"}, {"tokens_per_device", "1024"}, {"activation_sharding", "0.5"}};
  const Row rows[] = {
      {{}, "parameters", "P = 2 D F L = 2 × 16,384 × 53,248 × 126 = 219,848,638,464"},
      {{},
       "state_bytes",
       "16 P = 16 × 219,848,638,464 B = 3,517.6 GB: fp32 weights 4, gradients 4, AdamW moments 8"},
      {{}, "state_devices", "⌈16 P / M⌉ = ⌈3,517.6 GB / 80.0 GB⌉ = ⌈43.97⌉ = 44"},
      {{}, "activation_bytes_per_token", "2 (D + F) L = 2 × 69,632 × 126 B = 17.55 MB"},
      {half, "fsdp_that_fits",
       "X = ⌈(16 P / (Y Z) + s A) / (M - (1 - s) A)⌉ = ⌈(3,517.6 GB + 0.5 × 18.0 GB) / (95.0 GB - "
       "0.5 × 18.0 GB)⌉ = 41"},
      {with(kTpus, {{"tokens", "25302"}}), "compute_ms",
       "4 D F L B / (N C) = 1 × 439,697,276,928 × 25,302 / (64 × 4.6e+14) = 377.9 ms"},
      {kTpus, "best_tokens", "B at X = 8, Y = 8: 16,593.1"},
      {with(kTpus, {{"tokens", "25301"}}), "bound", "fsdp"},
      {with(kTpus, {{"tokens", "25302"}}), "bound", "compute"},
      {{{"model", "large"}},
       "parameters",
       "P = L (4 D² + 3 D F + 2 D) + D + 2 V D with L = 36, D = 1,280, F = 5,120, V = 10,000: "
       "969,411,840"},
  };
  for (const Row& row : rows) EXPECT_EQ(figure(row.texts, row.figure).formula, row.formula);
}

// The times in a formula, in seconds.
std::vector<double> times_in(const std::string& formula) {
  static const std::regex time("([0-9.]+) (s|ms|us|ns)");
  const std::map<std::string, double> units{{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
  std::vector<double> times;
  for (std::sregex_iterator at(formula.begin(), formula.end(), time), end; at != end; ++at) {
    times.push_back(std::stod((*at)[1]) * units.at((*at)[2]));
  }
  return times;
}

// The last number before " with".
double result_of(std::string formula) {
  formula.resize(formula.find(" with"));
  formula = formula.substr(formula.rfind(' ') + 1);
  std::erase(formula, ',');
  return std::stod(formula);
}

TEST(Parallelism, TheResultFollowsFromTheNumbersOfItsFormula) {
  const NamedTexts splits{{"64", "1"}, {"16", "4"}, {"8", "8"}, {"4", "16"}};
  for (const auto& [fsdp, tensor] : splits) {
    const NamedTexts split = with(kTpus, {{"fsdp", fsdp}, {"tensor", tensor}});
    const std::string add = figure(split, "compute_bound_tokens").formula;
    EXPECT_THAT(add, StartsWith("B = (T_FSDP + T_data) / (t_math - t_TP - t_PP) = ("));
    std::vector<double> t = times_in(add);
    ASSERT_EQ(t.size(), 5U) << add;
    EXPECT_NEAR((t[0] + t[1]) / (t[2] - t[3] - t[4]), result_of(add), 0.0501) << add;
    const std::string overlap =
        figure(with(split, {{"transfers", "overlap"}}), "compute_bound_tokens").formula;
    EXPECT_THAT(overlap, StartsWith("B = max(T_FSDP, T_data) / t_math = max("));
    t = times_in(overlap);
    ASSERT_EQ(t.size(), 3U) << overlap;
    EXPECT_NEAR(std::max(t[0], t[1]) / t[2], result_of(overlap), 0.0501) << overlap;
  }
}

TEST(Parallelism, AnswersInWholeNumbersWhereTheQuestionIsOne) {
  EXPECT_EQ(figure(kTpus, "compute_bound_tokens").value, 25302);
  EXPECT_EQ(figure(with(kTpus, {{"transfers", "overlap"}}), "compute_bound_tokens").value, 20445);
  EXPECT_EQ(figure({}, "state_devices").value, 44);
  EXPECT_EQ(figure({}, "activation_bytes_per_token").value, 17'547'264);
}

TEST(Parallelism, SaysWhatNeverHappens) {
  const Figure never =
      figure(with(kTpus, {{"fsdp", "1"}, {"tensor", "64"}}), "compute_bound_tokens");
  EXPECT_TRUE(std::isinf(never.value));
  EXPECT_THAT(never.formula, HasSubstr("never: a token costs"));
  const Figure none = figure({{"tokens_per_device", "100K"}}, "fsdp_that_fits");
  EXPECT_TRUE(std::isinf(none.value));
  EXPECT_THAT(none.formula, HasSubstr("already exceeds 80.0 GB"));
}

TEST(Parallelism, RefusesWhatCannotBePlanned) {
  struct Row {
    NamedTexts texts;
    std::string message;
  };
  const Row rows[] = {
      {{{"model", "custom"}, {"d_ff", "64"}},
       "model: `custom` needs d_model, d_ff and layers; missing d_model, layers"},
      {{{"pipeline", "127"}},
       "pipeline: 127 stages for 126 blocks; expected at most one per block"},
      {{{"planned_device", "tpu_v5p"}, {"precision", "fp16"}},
       "precision: no fp16 figure is known for planned_device `tpu_v5p`; give device_flops"},
      {{{"tokens", "7"}, {"fsdp", "8"}},
       "tokens: 7 cannot be divided among data × fsdp × microbatches = 8; expected at least as "
       "many"},
      {{{"matrices", "1"}}, "matrices: an FFN has 2, or 3 with a gate; got 1"},
  };
  for (const Row& row : rows) EXPECT_EQ(mistake(row.texts), row.message);
}

TEST(Parallelism, TakesPeaksFromTheTableAndWhatIsGivenInstead) {
  struct Row {
    NamedTexts texts;
    double devices;  // needed for 16 P alone
  };
  const Row rows[] = {{{{"planned_device", "h200"}}, 25},
                      {{{"planned_device", "a100_40"}}, 88},
                      {{{"device_memory", "1TB"}}, 4}};
  for (const Row& row : rows) EXPECT_EQ(figure(row.texts, "state_devices").value, row.devices);
  const double h100 = figure({{"precision", "bf16"}}, "compute_ms").value;
  EXPECT_DOUBLE_EQ(figure({{"device_flops", "494.7e12"}}, "compute_ms").value, 2 * h100);
}

}  // namespace
}  // namespace sweepd
