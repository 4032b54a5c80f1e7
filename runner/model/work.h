// What a step must do, by formula: the numerator of every rate and the ruler of every verdict.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sweepd {

struct PhaseWork {
  std::string phase;  // "step" is the whole
  double flops = 0;   // a multiply-add counts as two
  double bytes = 0;   // fewest bytes through device memory; 0 when no formula is stated
};

// A named value known without measuring (parameter count, expected bytes ...).
struct Figure {
  std::string name;  // snake_case, the unit in the name where it is not a count: `weights_bytes`
  double value = 0;  // integers up to 2^53 are exact
  std::string formula;
};

struct WorkPerStep {
  std::string arithmetic = "fp32";  // which peak bounds it: fp32, tf32, bf16, fp16
  double tokens = 0;                // 0 for workloads without tokens
  std::vector<PhaseWork> phases;
  std::vector<Figure> figures;
};

}  // namespace sweepd
