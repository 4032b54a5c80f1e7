#include "runner/model/vocabulary/cell_name.h"

#include <array>

namespace sweepd {
namespace {

constexpr std::array kCellNames{
    CellName{"n", NameKind::kMoment, ""},
    CellName{"mean", NameKind::kMoment, ""},
    CellName{"std", NameKind::kMoment, ""},
    CellName{"min", NameKind::kMoment, ""},
    CellName{"max", NameKind::kMoment, ""},
    CellName{"sum", NameKind::kMoment, ""},
    CellName{"floor", NameKind::kMoment, "roofline floor"},
    CellName{"sem", NameKind::kError, ""},
    CellName{"ci95", NameKind::kError, ""},
    CellName{"p05", NameKind::kOrder, ""},
    CellName{"median", NameKind::kOrder, ""},
    CellName{"p95", NameKind::kOrder, ""},
    CellName{"mad", NameKind::kOrder, ""},
    CellName{"tokens_per_s", NameKind::kDerived, "tokens/s"},
    CellName{"tokens_per_joule", NameKind::kDerived, "tokens/J"},
    CellName{"tflops", NameKind::kDerived, "TFLOP/s"},
    CellName{"hardware_tflops", NameKind::kDerived, "hardware TFLOP/s"},
    CellName{"gbps", NameKind::kDerived, "GB/s"},
    CellName{"mfu", NameKind::kDerived, "MFU"},
    CellName{"hfu", NameKind::kDerived, "HFU"},
    CellName{"bandwidth_share", NameKind::kDerived, "share of peak bandwidth"},
    CellName{"reached", NameKind::kDerived, "share of the roofline"},
    CellName{"difference", NameKind::kCompared, ""},
    CellName{"change", NameKind::kCompared, ""},
    CellName{"ratio", NameKind::kCompared, ""},
    CellName{"speedup", NameKind::kCompared, "speed-up"},
    CellName{"baseline", NameKind::kCompared, ""},
    CellName{"difference_median", NameKind::kCompared, "difference of medians"},
    CellName{"change_median", NameKind::kCompared, "change of medians"},
    CellName{"ratio_median", NameKind::kCompared, "ratio of medians"},
    CellName{"speedup_median", NameKind::kCompared, "speed-up of medians"},
    CellName{"baseline_median", NameKind::kCompared, "baseline median"},
    CellName{"p", NameKind::kCompared, ""},
    CellName{"text", NameKind::kWord, ""},
    CellName{"outcome", NameKind::kWord, ""},
    CellName{"verdict", NameKind::kWord, ""},
};

}  // namespace

bool CellName::needs_samples() const {
  return kind == NameKind::kOrder || compares_medians() || name == "p";
}

bool CellName::needs_work() const {
  return kind == NameKind::kDerived || name == "floor";
}

bool CellName::in_unit_of_metric() const {
  if (kind == NameKind::kWord || kind == NameKind::kDerived || name == "n") return false;
  return kind != NameKind::kCompared || name.starts_with("difference") ||
         name.starts_with("baseline");
}

std::span<const CellName> cell_names() {
  return kCellNames;
}

const CellName* find_cell_name(std::string_view name) {
  for (const CellName& known : kCellNames) {
    if (known.name == name) return &known;
  }
  return nullptr;
}

}  // namespace sweepd
