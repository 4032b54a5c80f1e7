// The text of a study's part: prose, and claims whose words depend on figures.
//
//   figures:
//     cold: sweep=warmup warmup=0 phase=step unit=ms cell="{mean:.2f}"
//     warm: sweep=warmup warmup=5 phase=step unit=ms cell="{mean:.2f}"
//   text:
//     - A step takes {{ warm }} ms.
//     - claim: "{cold} > 1.1 * {warm}"
//       holds: Without warm-up it takes longer, {{ cold }} ms.
//       fails: It takes no longer without warm-up ({{ cold }} ms).
//       unknown: Whether it takes longer without warm-up cannot be told, because {{ why }}.
#pragma once

#include <vector>

#include "runner/sweepfile/study/study_prose.h"

namespace sweepd::sweepfile {

// What a part of a study has below `text` and `figures`; null where it lacks the key.
struct TextNodes {
  const Node* text = nullptr;
  const Node* figures = nullptr;
};

// Reports mistakes. Names of values are those of one scale, so without `shown_here` only the keys
// of claims are checked.
std::vector<StudyPassage> read_passages(const SourceText& source, Reporter& report,
                                        const TextNodes& nodes, const ScaleValues& values,
                                        bool shown_here);

}  // namespace sweepd::sweepfile
