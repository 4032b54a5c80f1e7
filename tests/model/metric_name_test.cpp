#include "runner/model/vocabulary/metric_name.h"

#include <gtest/gtest.h>

#include <string>

namespace sweepd {
namespace {

TEST(MetricName, IsStoredWithoutWhatIsNoLetterDigitOrUnderscore) {
  const struct {
    std::string shown, stored;
  } rows[] = {
      {"loss", "loss"},
      {"__x", "__x"},  // well spelled
      {"val/loss", "val_loss"},
      {"train.loss", "train_loss"},
      {"GFLOP/s", "GFLOP_s"},
      {"tokens per sec", "tokens_per_sec"},
      {"wall time (s)", "wall_time_s"},
      {"a -- b", "a_b"},
      {"acc%", "acc"},
      {"perplexit\u00e9", "perplexit"},
      {"%", "metric"},
      {"", "metric"},
      {std::string(80, 'a'), std::string(64, 'a')},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(stored_metric_name(row.shown), row.stored) << row.shown;
    EXPECT_EQ(mistake_in_metric(row.stored), "") << row.shown;
  }
}

TEST(MetricName, APhaseIsSmall) {
  EXPECT_EQ(stored_phase_name("For ward"), "for_ward");
  EXPECT_EQ(stored_phase_name("fwd.attn"), "fwd.attn");
  EXPECT_EQ(stored_phase_name("!"), "");
}

TEST(MetricName, OfAFigureHasPhaseAndUnit) {
  const auto figure = parse_figure_name("time.forward:us");
  ASSERT_TRUE(figure);
  EXPECT_EQ(figure->metric + " " + figure->phase, "time forward");
  EXPECT_EQ(figure->scale, 1e-3);
  EXPECT_EQ(parse_figure_name("loss")->phase, "step");
  const struct {
    const char *text, *mistake;
  } rows[] = {
      {"val/loss", "`val/loss` is not the name of a metric: 1 to 64 letters, digits and `_`"},
      {"time.For", "`For` is not a phase name: 1 to 64 of a-z, 0-9, `_` and `.`"},
      {"time:min", "unit `min`; expected ns, us, ms or s"},
      {"loss:s", "`loss` is no time, so its unit is not converted: declare it under `metrics`"},
      {"kernel_time",
       "metric `kernel_time`: sweepd has another figure of this name; choose another one"},
  };
  for (const auto& row : rows) {
    const auto wrong = parse_figure_name(row.text);
    ASSERT_FALSE(wrong) << row.text;
    EXPECT_EQ(wrong.error().message, row.mistake);
  }
}

}  // namespace
}  // namespace sweepd
