#include "runner/model/sweep/plot_shape.h"

#include <algorithm>
#include <array>
#include <utility>

#include "runner/base/text.h"

namespace sweepd {
namespace {

constexpr std::array kMarks{
    std::pair{PlotMark::kLine, "line"},       std::pair{PlotMark::kPoint, "point"},
    std::pair{PlotMark::kBar, "bar"},         std::pair{PlotMark::kArea, "area"},
    std::pair{PlotMark::kHeatmap, "heatmap"},
};
constexpr std::array kSpreads{
    std::pair{PlotSpread::kStd, "std"},
    std::pair{PlotSpread::kCi95, "ci95"},
    std::pair{PlotSpread::kMinMax, "min-max"},
};

template <class Words>
std::vector<std::string> texts_of(const Words& words) {
  std::vector<std::string> texts;
  for (const auto& [value, text] : words) texts.emplace_back(text);
  return texts;
}

template <class Value, class Words>
Result<Value> find_word(const Words& words, std::string_view name, const char* what) {
  const auto found = std::find_if(words.begin(), words.end(),
                                  [name](const auto& each) { return each.second == name; });
  if (found != words.end()) return found->first;
  return Error{ErrorCode::kInvalidArgument, "`" + std::string(name) + "` is not " + what +
                                                "; expected one of " + join(texts_of(words), ", ") +
                                                did_you_mean(name, texts_of(words))};
}

}  // namespace

std::string_view name_of(PlotMark mark) {
  return kMarks[static_cast<std::size_t>(mark)].second;
}

Result<PlotMark> mark_from(std::string_view name) {
  return find_word<PlotMark>(kMarks, name, "a mark");
}

const std::vector<std::string>& mark_words() {
  static const std::vector<std::string> words = texts_of(kMarks);
  return words;
}

std::string_view name_of(PlotSpread spread) {
  return spread == PlotSpread::kNone ? "none"
                                     : kSpreads[static_cast<std::size_t>(spread) - 1].second;
}

Result<PlotSpread> spread_from(std::string_view name) {
  return find_word<PlotSpread>(kSpreads, name, "a spread");
}

const std::vector<std::string>& spread_words() {
  static const std::vector<std::string> words = texts_of(kSpreads);
  return words;
}

}  // namespace sweepd
