// The work of a step by formula: the numerator of every rate, and the input of verdicts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/fields.h"

namespace sweepd {

struct PhaseWork {
  static constexpr std::string_view kTable = "phase_work";
  std::string phase;            // "step" is the whole
  double flops = 0;             // of the hardware; a multiply-add counts as two
  double bytes = 0;             // fewest bytes through device memory; 0 when no formula is stated
  double recomputed_flops = 0;  // of `flops`, those of recomputation

  // The mathematics' need, independent of the kernel.
  double model_flops() const { return flops - recomputed_flops; }

  static void visit(auto& self, auto&& field) {
    field("phase", self.phase, "", Interned());
    field("flops", self.flops, "of the hardware, recomputation included",
          Heading{"hardware work", "FLOP"});
    field("bytes", self.bytes, "", Heading{"memory traffic", "B"});
    field("recomputed_flops", self.recomputed_flops, "of `flops`, those not in the model's FLOPs",
          Sparse(), Heading{"of it recomputed", "FLOP"});
  }
};

// A named value that is known without measuring (parameter count, expected bytes ...).
struct Figure {
  static constexpr std::string_view kTable = "figure";
  std::string name;  // snake_case, the unit in the name where it is not a count: `weights_bytes`
  double value = 0;  // integers up to 2^53 are exact
  std::string formula;
  std::int64_t position = 0;  // set where it is stored

  static void visit(auto& self, auto&& field) {
    field("name", self.name, "", Interned());
    field("value", self.value, "");
    // A formula may hold the trial's own numbers: a cache of them would grow with the trials.
    field("formula", self.formula, "", Interned{false});
    field("position", self.position, "in the order of the workload; 0 in old results", Implied());
  }
};

// The device rate for which a workload is a ruler: with enough work it reaches the device's
// maximum.
enum class Ruler { kNone, kArithmetic, kMemory };
constexpr std::string_view name_of(Ruler ruler) {
  return ruler == Ruler::kMemory ? "memory" : ruler == Ruler::kArithmetic ? "arithmetic" : "";
}

struct WorkPerStep {
  std::string arithmetic = "fp32";  // which peak bounds it: fp32, tf32, bf16, fp16
  double tokens = 0;                // 0 for workloads without tokens
  std::vector<PhaseWork> phases;
  std::vector<Figure> figures;
  Ruler ruler = Ruler::kNone;

  static void visit(auto& self, auto&& field) {
    field("arithmetic", self.arithmetic, "");
    field("tokens", self.tokens, "");
    field("ruler", self.ruler, "", Sparse());
    field("phases", self.phases, "");
    field("figures", self.figures, "");
  }
};

}  // namespace sweepd
