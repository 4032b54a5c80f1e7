// What a step must do, by formula: the numerator of every rate, and what verdicts compare with.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sweepd {

struct PhaseWork {
  std::string phase;  // "step" is the whole
  double flops = 0;   // a multiply-add counts as two
  double bytes = 0;   // fewest bytes through device memory; 0 if there is no formula
};

// A named value that is known without measuring (parameter count, expected bytes ...).
struct Figure {
  std::string name;  // snake_case, with the unit in the name unless it is a count: `weights_bytes`
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
